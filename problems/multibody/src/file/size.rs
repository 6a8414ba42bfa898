//! How large a mechanism is.

use super::{InertiaEntry, MechanismFile};

impl MechanismFile {
    /// How large the mechanism is, in m: the diagonal of the box around centres of mass and joints, and no less than the largest body by its
    /// radius of gyration. `None` with beams, which state their own places, and where nothing has a size.
    ///
    /// It says which lengths count: a mechanism of 0.1 mm asks for another absolute tolerance than one of 1 m.
    ///
    /// ```
    /// use liedae_multibody::file::MechanismFile;
    ///
    /// let text = "t_end = 1.0\n[[bodies]]\nname = \"dust\"\nmass = 1e-9\ninertia = [1e-17, 1e-17, 1e-17]\n";
    /// assert_eq!(MechanismFile::read(text)?.size(), Some(2e-4));
    /// # Ok::<(), liedae_multibody::file::FileError>(())
    /// ```
    pub fn size(&self) -> Option<f64> {
        if !(self.beams.is_empty() && self.modal_beams.is_empty()) {
            return None;
        }
        let bodies = || self.bodies.iter().map(|body| body.get_ref());
        let joints = self.joints.iter().map(|joint| joint.get_ref());
        let places = joints.flat_map(|joint| {
            joint
                .point
                .into_iter()
                .chain(joint.points.into_iter().flatten())
        });
        let places: Vec<[f64; 3]> = bodies().map(|body| body.position).chain(places).collect();
        let along = |axis: usize| {
            let all = || places.iter().map(|place| place[axis]);
            all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
        };
        let diagonal = (0..3).map(|axis| along(axis).powi(2)).sum::<f64>().sqrt();
        let thickness = bodies().map(|body| {
            let moments = match &body.inertia {
                InertiaEntry::Moments(moments) => *moments,
                InertiaEntry::Tensor(rows) => [rows[0][0], rows[1][1], rows[2][2]],
            };
            let largest = moments.into_iter().fold(0.0, f64::max);
            2.0 * (largest / body.mass).sqrt()
        });
        let size = thickness.fold(diagonal, f64::max);
        (size > 0.0 && size.is_finite()).then_some(size)
    }
}
