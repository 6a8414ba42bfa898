//! The free rigid body: Euler's equations with the orientation.

use super::{
    ORIENTATION, OrientationGroup, cross, interpolable_orientation, orientation_columns, rotate,
    write_orientation,
};
use crate::error::TableError;
use crate::formulation::initial_outputs;
use crate::parameters::Range;
use crate::reference::Table;
use crate::{
    Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Reference,
};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State};
use liedae_multibody::drawing::Drawing;
use std::sync::LazyLock;

pub(crate) const FREE_RIGID_BODY: ProblemEntry = ProblemEntry {
    name: "free-rigid-body",
    title: "free rigid body turning near its unstable axis",
    description: "Euler's equations with the orientation, no constraint: kinetic energy T and the angular momentum L in \
                  the fixed frame are invariants. By default it tumbles from the neighbourhood of the intermediate axis. \
                  On rotation matrices or unit quaternions (parameter group).",
    source: "L. Euler 1758; solution by Jacobi 1849",
    parameters: &[
        ParameterInfo::new(
            "Jx",
            1.0,
            "kg m^2",
            Range::Positive,
            "moment of inertia about body x",
        ),
        ParameterInfo::new(
            "Jy",
            2.0,
            "kg m^2",
            Range::Positive,
            "moment of inertia about body y",
        ),
        ParameterInfo::new(
            "Jz",
            3.0,
            "kg m^2",
            Range::Positive,
            "moment of inertia about body z",
        ),
        ParameterInfo::new(
            "Wx",
            0.01,
            "rad/s",
            Range::Finite,
            "initial angular velocity about body x",
        ),
        ParameterInfo::new(
            "Wy",
            2.0,
            "rad/s",
            Range::Finite,
            "initial angular velocity about body y",
        ),
        ParameterInfo::new(
            "Wz",
            0.02,
            "rad/s",
            Range::Finite,
            "initial angular velocity about body z",
        ),
        ParameterInfo::new(
            "group",
            0.0,
            "1",
            Range::Choice(&["SO(3)", "unit quaternions"]),
            "configuration space",
        ),
    ],
    build,
};

/// A rigid body without forces about its centre of mass.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeRigidBody {
    /// Principal moments of inertia in kg m².
    pub inertia: [f64; 3],
    /// Initial angular velocity in the body frame in rad/s; initially the body frame is the fixed frame.
    pub spin: [f64; 3],
    /// Configuration space.
    pub group: OrientationGroup,
}

impl FreeRigidBody {
    fn angular_momentum<S: Scalar>(&self, v: &[S]) -> [S; 3] {
        std::array::from_fn(|axis| v[axis] * self.inertia[axis])
    }
}

impl Model for FreeRigidBody {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::new([self.group.factor()]))
    }

    fn initial_state(&self) -> State {
        State {
            v: self.spin.to_vec(),
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..3 {
            mass[(axis, axis)] = S::constant(self.inertia[axis]);
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let gyroscopic = cross([at.v[0], at.v[1], at.v[2]], self.angular_momentum(at.v));
        for (slot, part) in force.iter_mut().zip(gyroscopic) {
            *slot = -part;
        }
    }

    fn output_names(&self) -> Vec<String> {
        let first = ["Wx", "Wy", "Wz", "Wdx", "Wdy", "Wdz"];
        first
            .into_iter()
            .chain(ORIENTATION)
            .chain(["T", "Lx", "Ly", "Lz"])
            .map(str::to_owned)
            .collect()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let rotation = self.group.rotation(&state.q);
        out[..3].copy_from_slice(&state.v);
        out[3..6].copy_from_slice(&state.acceleration);
        write_orientation(&rotation, &mut out[6..19]);
        out[19] = self.energy(&state.point()).unwrap_or(f64::NAN);
        out[20..].copy_from_slice(&rotate(&rotation, self.angular_momentum(&state.v)));
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        Some(
            (0..3)
                .map(|axis| 0.5 * self.inertia[axis] * at.v[axis] * at.v[axis])
                .sum(),
        )
    }
}

static TABLE: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    let table = Table::parse(
        "free_rigid_body",
        include_str!("../../data/free_rigid_body.csv"),
    )?;
    // The inertia of the table, J = (1, 2, 3).
    let table = table.derive(&["Wdx", "Wdy", "Wdz"], &["Wx", "Wy", "Wz"], |_, w, out| {
        out.copy_from_slice(&[-w[1] * w[2], w[2] * w[0], -w[0] * w[1] / 3.0]);
    })?;
    interpolable_orientation(table)
});

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let group = if get("group")? == 0.0 {
        OrientationGroup::Matrix
    } else {
        OrientationGroup::Quaternion
    };
    let body = FreeRigidBody {
        inertia: [get("Jx")?, get("Jy")?, get("Jz")?],
        spin: [get("Wx")?, get("Wy")?, get("Wz")?],
        group,
    };
    let reference = if parameters.are_default_except(&["group"]) {
        let table = TABLE.as_ref().map_err(Clone::clone)?;
        let source = "Jacobi's elliptic functions in multiple precision, 17 digits";
        let reference = Reference::new(source, 0.0, 20.0, false).with_whole_table(table);
        Some(orientation_columns(reference, table)?)
    } else {
        None
    };
    let [jx, jy, jz] = body.inertia;
    // Sides of a box with inertias in this proportion; one that would be flat is shown with a thickness.
    let sides = [jy + jz - jx, jz + jx - jy, jx + jy - jz].map(|part: f64| part.max(0.0).sqrt());
    let longest = sides.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let half = sides.map(|side| 0.5 * (side / longest).max(0.1));
    let drawing = Drawing::space(["body"], move |state, poses| {
        poses[0].rotation = group.rotation(&state.q);
    })
    .cuboid(Some(0), [0.0; 3], half);
    let formulation = Formulation::new([
        "Rotation matrix R from the body to the fixed frame (Rxx, Rxy, ... row by row; qw to qz its unit quaternion), angular velocity \
         W = (Wx, Wy, Wz) in the body frame, W' = (Wdx, Wdy, Wdz), J = diag(Jx, Jy, Jz); Jx to Jz and the initial W are parameters.",
        "R' = R hat(W), where hat(W) u = W x u for all u",
        "J W' = -W x (J W)",
        "T = W.(J W) / 2, (Lx, Ly, Lz) = R J W. The parameter group chooses coordinates of R, not another motion.",
    ])
    .with_initial_values("SI units", initial_outputs(&body));
    Ok(Problem {
        formulation: Some(formulation),
        name: FREE_RIGID_BODY.name,
        system: Box::new(Automatic::new(body)),
        t_end: 20.0,
        default_step: 1e-2,
        reference,
        main_output: "Wx".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}
