//! Masses as every evaluation of the forces reads them: one entry for all bodies that are equal, as the links of a chain are.

use super::mechanism::Inertial;
use nalgebra::Matrix3;

/// The mass of a body is compared with the first ones of the different masses, at most this many.
const COMPARED: usize = 8;

/// Mass and inertia tensor of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mass {
    pub mass: f64,
    pub inertia: Matrix3<f64>,
}

/// Those of all bodies.
#[derive(Clone, Debug)]
pub(crate) struct Masses {
    different: Vec<Mass>,
    of_bodies: Vec<u32>,
}

impl Masses {
    pub fn new(bodies: &[Inertial]) -> Self {
        let (mut different, mut of_bodies) = (Vec::new(), Vec::with_capacity(bodies.len()));
        for body in bodies {
            let own = Mass {
                mass: body.mass,
                inertia: body.inertia,
            };
            let mut first = different.iter().take(COMPARED);
            let index = first.position(|other| *other == own);
            of_bodies.push(index.unwrap_or(different.len()) as u32);
            if index.is_none() {
                different.push(own);
            }
        }
        Self {
            different,
            of_bodies,
        }
    }

    /// Body by body.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Mass> {
        (self.of_bodies.iter()).map(|&index| &self.different[index as usize])
    }
}
