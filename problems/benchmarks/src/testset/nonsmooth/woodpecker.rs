//! The woodpecker toy.

use super::statement::{CONTACT_LAW, Statement};
use crate::formulation::initial_outputs;
use crate::{Cell, Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::linalg::Pattern;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel};
use liedae_multibody::drawing::{Drawing, Drawn, Pose, Touching};

pub(crate) const WOODPECKER: ProblemEntry = ProblemEntry {
    name: "woodpecker",
    title: "woodpecker toy: it climbs down a pole by sticking, sliding and pecking",
    description: "A sleeve on a pole carries the bird on a spring. Height of the sleeve, its angle and that of the bird are \
                  the coordinates, angles are small. Contacts: beak, lower and upper edge of the sleeve, with Coulomb \
                  friction that locks the sleeve; the motion is periodic after the first pecks (0.1460 s with these \
                  data, computed by a time-stepping scheme). The sleeve's angle at the start is the one at which its \
                  lower edge touches.",
    source: "C. Glocker and C. Studer, Multibody Syst Dyn 13 (2005) 447-463, doi:10.1007/s11044-005-2519-6; data and \
             initial state as in the examples of the Siconos software",
    parameters: &[],
    build,
};

/// Pole radius, sleeve radius, half height of the sleeve, distances of the spring's axis from the pole and from the
/// bird's centre of mass, height and distance of the beak.
const POLE: f64 = 0.0025;
const SLEEVE: f64 = 0.0031;
const SLEEVE_HEIGHT: f64 = 0.0058;
const AXIS: f64 = 0.010;
const CENTRE: f64 = 0.015;
const BEAK_HEIGHT: f64 = 0.02;
const BEAK: f64 = 0.0201;

const SLEEVE_MASS: f64 = 0.0003;
const BIRD_MASS: f64 = 0.0045;
const SLEEVE_INERTIA: f64 = 5e-9;
const BIRD_INERTIA: f64 = 7e-7;
const STIFFNESS: f64 = 0.0056;
const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.3;
const BEAK_RESTITUTION: f64 = 0.5;

/// y, φ_M, φ_S.
struct Woodpecker;

impl Model for Woodpecker {
    fn layout(&self) -> Layout {
        Layout {
            mass: Pattern::dense(3, 3),
            ..Layout::dense(Manifold::euclidean(3))
        }
    }

    fn initial_state(&self) -> State {
        State {
            q: vec![0.0, (POLE - SLEEVE) / SLEEVE_HEIGHT, -0.2788],
            v: vec![-0.3411, 0.0, -7.4583],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        let arms = [1.0, AXIS, CENTRE];
        let own = [SLEEVE_MASS, SLEEVE_INERTIA, BIRD_INERTIA];
        for i in 0..3 {
            for j in 0..3 {
                let diagonal = if i == j { own[i] } else { 0.0 };
                mass[(i, j)] = S::constant(diagonal + BIRD_MASS * arms[i] * arms[j]);
            }
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let spring = (at.q[1] - at.q[2]) * STIFFNESS;
        force[0] = S::constant(-(BIRD_MASS + SLEEVE_MASS) * GRAVITY);
        force[1] = -spring - BIRD_MASS * AXIS * GRAVITY;
        force[2] = spring - BIRD_MASS * CENTRE * GRAVITY;
    }

    fn output_names(&self) -> Vec<String> {
        let names = ["y", "phi_m", "phi_s", "d_y", "d_phi_m", "d_phi_s"];
        names.map(str::to_owned).to_vec()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        out[..3].copy_from_slice(&state.q);
        out[3..6].copy_from_slice(&state.v);
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        let (q, v) = (at.q, at.v);
        let bird = v[0] + AXIS * v[1] + CENTRE * v[2];
        let kinetic = BIRD_MASS * bird * bird
            + SLEEVE_MASS * v[0] * v[0]
            + SLEEVE_INERTIA * v[1] * v[1]
            + BIRD_INERTIA * v[2] * v[2];
        let height = q[0] + AXIS * q[1] + CENTRE * q[2];
        let weight = GRAVITY * (BIRD_MASS * height + SLEEVE_MASS * q[0]);
        Some(0.5 * kinetic + weight + 0.5 * STIFFNESS * (q[1] - q[2]).powi(2))
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Woodpecker {
    fn contacts(&self) -> Vec<Contact> {
        let contact = |label: &str, e: f64| Contact::new(label, e).with_planar_friction(FRICTION);
        vec![
            contact("beak", BEAK_RESTITUTION),
            contact("lower sleeve", 0.0),
            contact("upper sleeve", 0.0),
        ]
    }

    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        match contact {
            0 => -at.q[2] * BEAK_HEIGHT + (AXIS + CENTRE - BEAK - POLE),
            1 => at.q[1] * SLEEVE_HEIGHT + (SLEEVE - POLE),
            _ => -at.q[1] * SLEEVE_HEIGHT + (SLEEVE - POLE),
        }
    }

    fn sliding_velocity<S: Scalar>(&self, contact: usize, at: &Point<S>, sliding: &mut [S]) {
        sliding[0] = match contact {
            0 => at.v[0] + at.v[1] * AXIS + at.v[2] * (CENTRE - BEAK),
            _ => at.v[0] + at.v[1] * SLEEVE,
        };
    }
}

/// Angles are drawn as they are, though the equations are linear in them.
impl Drawn for Woodpecker {
    fn drawing(&self) -> Drawing {
        let beak = [CENTRE - BEAK, BEAK_HEIGHT];
        Drawing::plane(["sleeve", "bird"], |state, poses| {
            let [y, sleeve, bird] = [state.q[0], state.q[1], state.q[2]];
            poses[0] = Pose::plane([0.0, y], sleeve);
            poses[1] = Pose::plane([AXIS, y + AXIS * sleeve], bird);
        })
        .surface(None, [POLE, 0.0], [1.0, 0.0])
        .surface(None, [-POLE, 0.0], [-1.0, 0.0])
        .rectangle(
            Some(0),
            [0.5 * (SLEEVE + AXIS), 0.0],
            [0.5 * (AXIS - SLEEVE), 0.0008],
        )
        .rectangle(Some(0), [SLEEVE + 0.0005, 0.0], [0.0005, SLEEVE_HEIGHT])
        .rectangle(Some(0), [-SLEEVE - 0.0005, 0.0], [0.0005, SLEEVE_HEIGHT])
        .polygon(
            Some(1),
            [
                beak,
                [CENTRE - 0.013, BEAK_HEIGHT + 0.004],
                [CENTRE - 0.006, BEAK_HEIGHT + 0.003],
                [CENTRE - 0.003, 0.008],
                [CENTRE + 0.008, -0.014],
                [CENTRE + 0.001, -0.011],
                [CENTRE - 0.006, 0.0],
                [CENTRE - 0.008, 0.010],
                [CENTRE - 0.014, BEAK_HEIGHT - 0.002],
            ],
        )
        .spring((Some(0), [AXIS, 0.0]), (Some(1), [CENTRE - 0.006, 0.0]))
        .joint(Some(1), [0.0, 0.0])
        .with_touches(|state| {
            let [y, sleeve] = [state.q[0], state.q[1]];
            let at = |label: &str, height: f64| Touching {
                label: label.to_owned(),
                point: [POLE, y + height, 0.0],
                normal: [1.0, 0.0, 0.0],
                tangent: [0.0, 1.0, 0.0],
            };
            vec![
                at("beak", AXIS * sleeve + BEAK_HEIGHT),
                at("lower sleeve", -SLEEVE_HEIGHT),
                at("upper sleeve", SLEEVE_HEIGHT),
            ]
        })
    }
}

fn formulation() -> Formulation {
    let contacts = Woodpecker.contacts().into_iter();
    let contacts = contacts.map(|contact| {
        [
            Cell::from(contact.label.as_str()),
            contact.restitution.into(),
        ]
    });
    Formulation::new([
        "Height y of the sleeve, angles phi_m of the sleeve and phi_s of the bird; d_ are rates. Linear in the angles.",
        "M q'' = f + forces of the contacts, q = (y, phi_m, phi_s), a = (1, lM, lG)",
        "M_ij = mS a_i a_j, and in addition mM, JM, JS on the diagonal",
        "f_1 = -(mS + mM) g",
        "f_2 = -c (phi_m - phi_s) - mS lM g",
        "f_3 = c (phi_m - phi_s) - mS lG g",
        "beak: gap lM + lG - lS - r0 - hS phi_s, sliding velocity d_y + lM d_phi_m + (lG - lS) d_phi_s",
        "lower sleeve: gap rM - r0 + hM phi_m, sliding velocity d_y + rM d_phi_m",
        "upper sleeve: gap rM - r0 - hM phi_m, sliding velocity d_y + rM d_phi_m",
        CONTACT_LAW,
        "Coulomb's friction: a force T along the sliding velocity s, |T| <= mu p, T = -mu p sign(s) where s is not 0; in impacts the same with impulses and s behind the impact.",
    ])
    .with_constants([
        ("r0", POLE, "m"),
        ("rM", SLEEVE, "m"),
        ("hM", SLEEVE_HEIGHT, "m"),
        ("lM", AXIS, "m"),
        ("lG", CENTRE, "m"),
        ("hS", BEAK_HEIGHT, "m"),
        ("lS", BEAK, "m"),
        ("mM", SLEEVE_MASS, "kg"),
        ("mS", BIRD_MASS, "kg"),
        ("JM", SLEEVE_INERTIA, "kg m^2"),
        ("JS", BIRD_INERTIA, "kg m^2"),
        ("c", STIFFNESS, "N m/rad"),
        ("g", GRAVITY, "m/s^2"),
        ("mu", FRICTION, "1"),
    ])
    .with_table("contacts", ["contact", "e (1)"], contacts)
    .with_initial_values("m, rad, and per s for d_", initial_outputs(&Woodpecker))
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement::new(WOODPECKER.name, 0.3, "y")
        .with_step(2e-5)
        .of_size(0.01, 0.1);
    Ok(statement
        .problem(Ok(Woodpecker))?
        .with_formulation(formulation()))
}
