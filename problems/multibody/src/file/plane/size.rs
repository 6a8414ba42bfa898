//! How large a plane mechanism is.

use super::entries::PlaneMechanismFile;

impl PlaneMechanismFile {
    /// How large the mechanism is, in m, as [`MechanismFile::size`](crate::file::MechanismFile::size): the diagonal of the box around centres of
    /// mass and points of joints in the ground, and no less than the largest body by its radius of gyration.
    pub fn size(&self) -> Option<f64> {
        let bodies = || self.bodies.iter().map(|body| body.get_ref());
        let joints = self.joints.iter().map(|joint| joint.get_ref());
        let fixed = joints.flat_map(|joint| {
            let points = joint.points.unwrap_or_default();
            let ends = joint.bodies.iter().zip(points);
            let fixed = ends.filter(|(body, _)| body.0.get_ref() == "ground");
            fixed.map(|(_, point)| point).collect::<Vec<_>>()
        });
        let places: Vec<[f64; 2]> = bodies().map(|body| body.position).chain(fixed).collect();
        let along = |axis: usize| {
            let all = || places.iter().map(|place| place[axis]);
            all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
        };
        let thickness = bodies().map(|body| 2.0 * (body.inertia / body.mass).sqrt());
        let size = thickness.fold(along(0).hypot(along(1)), f64::max);
        (size > 0.0 && size.is_finite()).then_some(size)
    }
}
