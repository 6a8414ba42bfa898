//! Names of rows and velocities of plane mechanisms, and their momenta.

use super::{PlaneJoint, PlaneMechanism};
use liedae::system::{Labels, Momentum, Point, Spatial};

impl<C> PlaneMechanism<C> {
    fn body_name(&self, body: Option<usize>) -> &str {
        match body {
            Some(index) => self.bodies.get(index).map_or("?", |body| &body.name),
            None => "ground",
        }
    }
}

impl<C> Labels for PlaneMechanism<C> {
    fn row(&self, row: usize) -> Option<String> {
        let mut first = 0;
        for (index, joint) in self.joints.iter().enumerate() {
            if row < first + joint.rows() {
                let [one, two] = joint.bodies().map(|body| self.body_name(body));
                let (kind, what) = match joint {
                    PlaneJoint::Revolute(..) => (
                        "revolute",
                        ["displacement along x", "displacement along y"][row - first],
                    ),
                    PlaneJoint::PointOnLine(..) => {
                        ("point on line", "displacement across the line")
                    }
                    PlaneJoint::Angle(..) => ("angle", "rotation"),
                    PlaneJoint::AngleDrive(..) => ("angle drive", "rotation"),
                    PlaneJoint::PointDrive(..) => ("point drive", "displacement"),
                    PlaneJoint::SlideDrive(..) => ("slide drive", "displacement along the line"),
                    PlaneJoint::Gear(..) => ("gear", "rotation"),
                    PlaneJoint::PlanetGear { .. } => ("planet gear", "rotation"),
                };
                return Some(format!("joint {index} ({kind}, {one} - {two}): {what}"));
            }
            first += joint.rows();
        }
        None
    }

    fn velocity(&self, component: usize) -> Option<String> {
        let body = &self.bodies.get(component / 3)?.name;
        let what = ["displacement along x", "displacement along y", "rotation"][component % 3];
        Some(format!("body '{body}': {what}"))
    }
}

impl<C> Spatial for PlaneMechanism<C> {
    fn momentum(&self, at: &Point) -> Momentum {
        let mut momentum = Momentum::default();
        let states = at.q.chunks_exact(3).zip(at.v.chunks_exact(3));
        for (body, (q, v)) in self.bodies.iter().zip(states) {
            let own = [body.mass * v[0], body.mass * v[1]];
            momentum.linear[0] += own[0];
            momentum.linear[1] += own[1];
            momentum.angular[2] += q[0] * own[1] - q[1] * own[0] + body.inertia * v[2];
        }
        momentum
    }

    /// θ is a number: what turns in the plane has no orientation in space.
    fn orientations(&self, _at: &Point) -> Vec<(usize, [f64; 9])> {
        Vec::new()
    }

    /// (x', y', θ'), for frames that turn about z.
    fn world_vectors(&self) -> Vec<usize> {
        (0..self.bodies.len()).map(|body| 3 * body).collect()
    }
}
