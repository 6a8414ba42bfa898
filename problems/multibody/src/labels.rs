//! Names of rows and velocities.

use super::kinematics::VELOCITIES;
use super::mechanism::MultibodySystem;
use super::modal::Flexible;
use super::row::Constraint;
use liedae::system::Labels;
use nalgebra::Vector3;

/// The axis of a direction, or its components.
fn direction(along: &Vector3<f64>) -> String {
    let axes = [
        ("x", Vector3::x()),
        ("y", Vector3::y()),
        ("z", Vector3::z()),
    ];
    match axes.iter().find(|(_, axis)| axis == along) {
        Some((name, _)) => (*name).to_owned(),
        None => format!("({}, {}, {})", along.x, along.y, along.z),
    }
}

impl Constraint {
    /// What the row holds: a displacement or a rotation of body 2 against body 1.
    fn label(self) -> String {
        use super::marker::Axis::{X, Y, Z};
        match self {
            Self::Coordinate(along) => format!("displacement along {}", direction(&along)),
            Self::Dot2(axis) => format!("displacement along the joint's {}", axis.name()),
            // z₂ leaves x₁ at a right angle by turning about y₁, and so on.
            Self::Dot1(X, Z) => "rotation about the joint's y".to_owned(),
            Self::Dot1(Y, Z) => "rotation about the joint's x".to_owned(),
            Self::Dot1(X, Y) => "rotation about the joint's z".to_owned(),
            Self::Dot1(Z, Z) => "angle between the two axes".to_owned(),
            Self::Dot1(one, two) => {
                format!(
                    "angle between {} of body 1 and {} of body 2",
                    one.name(),
                    two.name()
                )
            }
            Self::Distance => "distance".to_owned(),
            Self::Angle => "rotation about the joint's z".to_owned(),
        }
    }
}

impl Labels for MultibodySystem {
    fn row(&self, row: usize) -> Option<String> {
        let mut ties = self.ties.iter();
        if let Some(tie) = ties.find(|tie| tie.range().contains(&row)) {
            return Some(tie.label(row));
        }
        let mut joints = self.connections.iter();
        let joint = joints.find(|joint| joint.range().contains(&row))?;
        let own = row - joint.first_row;
        let what = match joint.rows.get(own) {
            Some(row) => row.constraint.label(),
            // Joints of one's own.
            None => format!("equation {own}"),
        };
        Some(format!(
            "joint '{}' ({}): {what}",
            joint.name,
            joint.kind.name()
        ))
    }

    fn velocity(&self, component: usize) -> Option<String> {
        let mut flexible = self.flexible.iter();
        let of_body = |body: &&Flexible| {
            (body.velocities_at..body.velocities_at + body.modes()).contains(&component)
        };
        if let Some(body) = flexible.find(of_body) {
            let mode = component - body.velocities_at;
            return Some(format!("body '{}': mode {mode}", body.name));
        }
        let mut beams = self.ancf.iter();
        if let Some(beam) = beams.find(|beam| beam.range().contains(&component)) {
            return Some(beam.label(component));
        }
        let body = self.bodies.get(component / VELOCITIES)?;
        let axis = ["x", "y", "z"][component % 3];
        Some(if component % VELOCITIES < 3 {
            format!("body '{}': displacement along {axis}", body.name)
        } else {
            format!("body '{}': rotation about its {axis}", body.name)
        })
    }

    fn differential_state(&self, state: usize) -> Option<String> {
        self.state_names.get(state).cloned()
    }

    fn algebraic_variable(&self, variable: usize) -> Option<String> {
        let (slide, _) = self.slides.get(variable)?;
        let mut joints = self.connections.iter();
        // The normal force is that of the joint's own rows.
        let joint = joints.find(|joint| joint.range().contains(&slide.first_row))?;
        Some(format!("friction in joint '{}': normal force", joint.name))
    }
}
