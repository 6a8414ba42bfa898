//! Plane bodies in Cartesian coordinates x, y (centre of mass) and theta (orientation), joined at points.

use crate::Cell;
use liedae::linalg::{Blocks, KktError, Pattern};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut};
use liedae_multibody::drawing::{Drawing, Pose};

/// A point fixed to a body, or to the ground where there is no body; relative to the body's centre of mass, in m.
pub(crate) type Anchor = (Option<usize>, [f64; 2]);

/// Two points of which both coordinates coincide, or only the height y.
///
/// The rows are the first point minus the second, so the multipliers are the force in N on the first point's body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Joint {
    /// The point that is moved when bodies are placed.
    pub first: Anchor,
    /// The point that it meets.
    pub second: Anchor,
    axes: &'static [usize],
}

impl Joint {
    /// The points coincide: a revolute, two rows.
    pub const fn revolute(first: Anchor, second: Anchor) -> Self {
        Self {
            first,
            second,
            axes: &[0, 1],
        }
    }

    /// The points are equally high: one slides along x, one row.
    pub const fn level(first: Anchor, second: Anchor) -> Self {
        Self {
            first,
            second,
            axes: &[1],
        }
    }

    /// Moves the first point's body, without turning it, so that both coordinates of the points coincide.
    pub fn place(&self, q: &mut [f64]) {
        if let (Some(body), point) = self.first {
            let target = position(q, self.second);
            let arm = arm(q, body, point);
            q[3 * body] = target[0] - arm[0];
            q[3 * body + 1] = target[1] - arm[1];
        }
    }

    /// The points with their signs in the rows.
    fn ends(&self) -> impl Iterator<Item = (usize, [f64; 2], f64)> {
        [(self.first, 1.0), (self.second, -1.0)]
            .into_iter()
            .filter_map(|((body, point), sign)| Some((body?, point, sign)))
    }
}

/// Columns of [`rows`].
pub(crate) const COLUMNS: [&str; 7] = [
    "first body",
    "first x (m)",
    "first y (m)",
    "second body",
    "second x (m)",
    "second y (m)",
    "rows",
];

/// What the rows of joints say, beside a table of these.
pub(crate) const JOINT_LAW: &str = "Each joint has a point of a first and of a second body, relative to its centre of mass in the frame of the body; on the ground in the fixed frame. \
    Its rows are 0 = first point - second point in the fixed frame, x and y or y alone, a force in N on the first body and its opposite on the second one.";

/// The joints as rows of a table, bodies by their names.
pub(crate) fn rows(joints: &[Joint], names: &[&str]) -> Vec<[Cell; 7]> {
    let name = |body: Option<usize>| Cell::from(body.map_or("ground", |body| names[body]));
    let row = |joint: &Joint| {
        let ((first, [x, y]), (second, [u, v])) = (joint.first, joint.second);
        let axes = if joint.axes.len() == 2 { "x, y" } else { "y" };
        [
            name(first),
            x.into(),
            y.into(),
            name(second),
            u.into(),
            v.into(),
            axes.into(),
        ]
    };
    joints.iter().map(row).collect()
}

/// A body-fixed vector in the fixed frame.
pub(crate) fn arm<S: Scalar>(q: &[S], body: usize, point: [f64; 2]) -> [S; 2] {
    let (sine, cosine) = q[3 * body + 2].sin_cos();
    turn([cosine, sine], point.map(S::constant))
}

/// A vector turned by the angle with this cosine and sine.
pub(crate) fn turn<S: Scalar>([cosine, sine]: [S; 2], [x, y]: [S; 2]) -> [S; 2] {
    [cosine * x - sine * y, sine * x + cosine * y]
}

/// Position of an anchor.
pub(crate) fn position<S: Scalar>(q: &[S], (body, point): Anchor) -> [S; 2] {
    match body {
        None => point.map(S::constant),
        Some(body) => {
            let arm = arm(q, body, point);
            [q[3 * body] + arm[0], q[3 * body + 1] + arm[1]]
        }
    }
}

/// Velocity of a point of a body whose [`arm`] this is.
pub(crate) fn velocity<S: Scalar>(v: &[S], body: usize, arm: [S; 2]) -> [S; 2] {
    let [vx, vy, omega] = [v[3 * body], v[3 * body + 1], v[3 * body + 2]];
    [vx - arm[1] * omega, vy + arm[0] * omega]
}

/// The layout of bodies with joints; `rates` are the entries (force, coordinate) of the derivatives of the forces.
pub(crate) fn layout(
    bodies: usize,
    joints: &[Joint],
    rates: impl IntoIterator<Item = (usize, usize)>,
) -> Result<Layout, KktError> {
    let size = 3 * bodies;
    let rows = joints.iter().map(|joint| joint.axes.len()).sum();
    let mut entries = Vec::new();
    let mut row = 0;
    for joint in joints {
        for &axis in joint.axes {
            for (body, ..) in joint.ends() {
                entries.extend([(row, 3 * body + axis), (row, 3 * body + 2)]);
            }
            row += 1;
        }
    }
    Ok(Layout {
        mass: Pattern::diagonal(size),
        constant_mass: true,
        jacobian: Pattern::from_entries(rows, size, entries)?,
        rates: Pattern::from_entries(size, size, rates)?,
        blocks: Blocks {
            variables: vec![3; bodies],
            rows: joints.iter().map(|joint| joint.axes.len()).collect(),
        },
        ..Layout::dense(Manifold::euclidean(size)).with_position_rows(rows)
    })
}

/// The constant diagonal mass matrix of bodies with these masses in kg and moments of inertia in kg m^2.
pub(crate) fn mass_matrix<S: Scalar>(bodies: &[(f64, f64)], matrix: &mut MatrixMut<S>) {
    for (body, &(mass, inertia)) in bodies.iter().enumerate() {
        for (axis, value) in [mass, mass, inertia].into_iter().enumerate() {
            matrix[(3 * body + axis, 3 * body + axis)] = S::constant(value);
        }
    }
}

/// Twice the kinetic energy in J of bodies with these masses and moments of inertia.
pub(crate) fn twice_kinetic_energy(bodies: &[(f64, f64)], v: &[f64]) -> f64 {
    bodies
        .iter()
        .zip(v.chunks_exact(3))
        .map(|(&(mass, inertia), v)| mass * (v[0] * v[0] + v[1] * v[1]) + inertia * v[2] * v[2])
        .sum()
}

/// The rows of all joints.
pub(crate) fn constraint<S: Scalar>(joints: &[Joint], q: &[S], g: &mut [S]) {
    let mut row = 0;
    for joint in joints {
        let (first, second) = (position(q, joint.first), position(q, joint.second));
        for &axis in joint.axes {
            g[row] = first[axis] - second[axis];
            row += 1;
        }
    }
}

/// The derivatives of the rows by the coordinates.
pub(crate) fn jacobian(joints: &[Joint], q: &[f64], jacobian: &mut MatrixMut<f64>) {
    let mut row = 0;
    for joint in joints {
        for (body, point, sign) in joint.ends() {
            let arm = arm(q, body, point);
            let turning = [-arm[1], arm[0]];
            for (offset, &axis) in joint.axes.iter().enumerate() {
                jacobian[(row + offset, 3 * body + axis)] = sign;
                jacobian[(row + offset, 3 * body + 2)] = sign * turning[axis];
            }
        }
        row += joint.axes.len();
    }
}

/// The centripetal terms of the rows at acceleration level.
pub(crate) fn bias(joints: &[Joint], q: &[f64], v: &[f64], bias: &mut [f64]) {
    bias.fill(0.0);
    let mut row = 0;
    for joint in joints {
        for (body, point, sign) in joint.ends() {
            let arm = arm(q, body, point);
            let factor = -sign * v[3 * body + 2] * v[3 * body + 2];
            for (offset, &axis) in joint.axes.iter().enumerate() {
                bias[row + offset] += factor * arm[axis];
            }
        }
        row += joint.axes.len();
    }
}

/// What bodies with joints look like: each by its joints and these further points, from its centre of mass.
pub(crate) fn drawing(names: &[&str], joints: &[Joint], further: &[(usize, [f64; 2])]) -> Drawing {
    let mut drawing = Drawing::plane(names.iter().copied(), |state, poses| {
        for (pose, q) in poses.iter_mut().zip(state.q.chunks_exact(3)) {
            *pose = Pose::plane([q[0], q[1]], q[2]);
        }
    });
    for body in 0..names.len() {
        let held = joints.iter().flat_map(Joint::ends);
        let held = held.map(|(own, point, _)| (own, point));
        let points = held.chain(further.iter().copied());
        let points = points.filter_map(|(own, point)| (own == body).then_some(point));
        drawing = drawing.body(Some(body), &points.chain([[0.0, 0.0]]).collect::<Vec<_>>());
    }
    for joint in joints.iter().filter(|joint| joint.axes.len() == 2) {
        let (frame, point) = if joint.second.0.is_none() {
            joint.second
        } else {
            joint.first
        };
        drawing = drawing.joint(frame, point);
    }
    drawing
}
