//! Outputs of a plane mechanism: names and definitions.

use super::PlaneMechanism;

/// Quantities of a body: the end of the name, and what it is.
const OF_BODIES: [(&str, &str); 6] = [
    ("x", "x of the centre of mass of {} in the fixed frame, m"),
    ("y", "y of the centre of mass of {} in the fixed frame, m"),
    (
        "theta",
        "angle of {} in the fixed frame, positive counter-clockwise, rad",
    ),
    (
        "vx",
        "velocity of the centre of mass of {} along x of the fixed frame, m/s",
    ),
    (
        "vy",
        "velocity of the centre of mass of {} along y of the fixed frame, m/s",
    ),
    (
        "omega",
        "angular velocity of {}, positive counter-clockwise, rad/s",
    ),
];

impl<C> PlaneMechanism<C> {
    /// Says of a probe that is there already what it is, with unit, frame and sign
    /// ([`output_definitions`](liedae::system::output_definitions)). Positions and velocities of all bodies, which
    /// mechanisms without probes report, define themselves.
    ///
    /// ```
    /// use liedae::system::{Automatic, output_definitions};
    /// use liedae_multibody::plane::{PlaneBodyData, PlaneMechanism};
    ///
    /// let mass = PlaneBodyData::point_mass("mass", 2.0, [0.0, 0.0], [0.0, 0.0]);
    /// let mechanism: PlaneMechanism = PlaneMechanism::new(vec![mass], [0.0, -9.81])?;
    /// let usual = output_definitions(&mut Automatic::new(mechanism.clone()));
    /// assert_eq!(usual[1].as_deref(), Some("y of the centre of mass of mass in the fixed frame, m"));
    /// let mechanism = mechanism
    ///     .with_probe("speed", |now| now.velocity(Some(0)).norm())?
    ///     .with_definition("speed", "speed of the mass, m/s");
    /// let stated = output_definitions(&mut Automatic::new(mechanism));
    /// assert_eq!(stated, [Some("speed of the mass, m/s".to_owned())]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_definition(mut self, name: &str, definition: impl Into<String>) -> Self {
        let mut probes = self.probes.iter_mut();
        if let Some((_, probe)) = probes.find(|(known, _)| known == name) {
            probe.definition = Some(definition.into());
        }
        self
    }

    pub(super) fn names_of_outputs(&self) -> Vec<String> {
        if !self.probes.is_empty() {
            return self.probes.iter().map(|(name, _)| name.clone()).collect();
        }
        let bodies = self.bodies.iter();
        bodies
            .flat_map(|body| OF_BODIES.map(|(quantity, _)| format!("{}.{quantity}", body.name)))
            .collect()
    }

    pub(super) fn definitions_of_outputs(&self) -> Vec<Option<String>> {
        if !self.probes.is_empty() {
            let probes = self.probes.iter();
            return probes.map(|(_, probe)| probe.definition.clone()).collect();
        }
        let bodies = self.bodies.iter();
        bodies
            .flat_map(|body| OF_BODIES.map(|(_, words)| Some(words.replace("{}", &body.name))))
            .collect()
    }
}
