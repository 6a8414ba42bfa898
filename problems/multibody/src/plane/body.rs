//! Bodies of a plane mechanism.

/// A body of a plane mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneBodyData {
    /// Name of its outputs.
    pub name: String,
    /// Mass in kg.
    pub mass: f64,
    /// Moment of inertia about the centre of mass in kg m²; 0 of a point mass, which nothing may turn.
    pub inertia: f64,
    /// Initial x, y, θ.
    pub position: [f64; 3],
    /// Initial x', y', θ'.
    pub velocity: [f64; 3],
}

impl PlaneBodyData {
    /// A point mass in kg: joints, forces and contacts act at its centre. Its θ stays 0 and means nothing.
    pub fn point_mass(
        name: impl Into<String>,
        mass: f64,
        [x, y]: [f64; 2],
        [vx, vy]: [f64; 2],
    ) -> Self {
        Self {
            name: name.into(),
            mass,
            inertia: 0.0,
            position: [x, y, 0.0],
            velocity: [vx, vy, 0.0],
        }
    }

    /// Whether it has no inertia.
    pub fn is_point_mass(&self) -> bool {
        self.inertia == 0.0
    }
}
