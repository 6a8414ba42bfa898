//! An element of a beam in an assembled mechanism.

use super::element::Element;
use super::nodes::NamedElement;
use super::section::Outline;
use crate::kinematics::Kinematics;
use crate::layout::PairPlaces;
use crate::mechanism::MultibodySystem;
use liedae::linalg::Pattern;
use liedae::system::{Point, RatesJacobian};

/// An element between two bodies, with the places of its derivatives.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub bodies: [Option<usize>; 2],
    pub element: Element,
    pub outline: Option<Outline>,
    places: PairPlaces,
}

impl Segment {
    pub fn new(part: NamedElement, rates: &Pattern) -> Self {
        let bodies = part.bodies.map(|body| body.0);
        Self {
            places: PairPlaces::new(rates, &bodies),
            element: part.element,
            outline: part.outline,
            bodies,
        }
    }

    fn pair(&self, at: &Point) -> [Kinematics; 2] {
        MultibodySystem::pair(&self.bodies, at)
    }

    pub fn energy(&self, at: &Point) -> f64 {
        self.element.energy(&self.pair(at))
    }

    pub fn add_forces(&self, at: &Point, forces: &mut [f64]) {
        let wrenches = self.element.wrenches(&self.pair(at));
        for (wrench, body) in wrenches.iter().zip(self.bodies) {
            wrench.add_to(body, forces);
        }
    }

    pub fn add_derivatives(&self, at: &Point, out: &mut RatesJacobian) {
        let (by_position, by_velocity) = (&mut out.by_position, &mut out.by_velocity);
        self.element
            .add_derivatives(&self.pair(at), &self.places, by_position, by_velocity);
    }
}
