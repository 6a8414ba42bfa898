//! Whether bodies stand and move at the start as joints allow.

use super::entries::PlaneMechanismFile;
use crate::file::FileError;
use crate::plane::geometry::PlaneBody;
use crate::plane::{PlaneBodyData, PlaneJoint};
use liedae::scalar::{Dual, Scalar};

/// Relative to the largest coordinate or velocity, and 1 at least, as of mechanisms in space.
const TOLERANCE: f64 = 1e-8;

/// A number and its rate.
type Moving = Dual<1>;

fn moving(body: Option<&PlaneBodyData>) -> PlaneBody<Moving> {
    let Some(body) = body else {
        return PlaneBody::ground();
    };
    let number = |axis: usize| Moving::new(body.position[axis], [body.velocity[axis]]);
    let constant = Moving::constant(0.0);
    PlaneBody::new([number(0), number(1)], number(2), [constant; 2], constant)
}

fn largest<'b>(numbers: impl Iterator<Item = &'b [f64; 3]>) -> f64 {
    let numbers = numbers.flatten().map(|number| number.abs());
    TOLERANCE * numbers.fold(1.0, f64::max)
}

impl PlaneMechanismFile {
    /// Refuses initial positions and velocities that joints do not allow.
    pub(super) fn check_start(
        &self,
        text: &str,
        bodies: &[PlaneBodyData],
        joints: &[PlaneJoint],
    ) -> Result<(), FileError> {
        let tolerances = [
            largest(bodies.iter().map(|body| &body.position)),
            largest(bodies.iter().map(|body| &body.velocity)),
        ];
        let said = [
            ("positions", "a `position` and an `angle`"),
            ("velocities", "a `velocity` and an `angular_velocity`"),
        ];
        let rows: Vec<[Moving; 2]> = joints
            .iter()
            .map(|joint| {
                let mut rows = [Moving::constant(0.0); 2];
                let body = |index: Option<usize>| moving(index.and_then(|index| bodies.get(index)));
                joint.evaluate(Moving::variable(0.0, 0), body, &mut rows);
                rows
            })
            .collect();
        for (level, (what, cure)) in said.into_iter().enumerate() {
            for (entry, rows) in self.joints.iter().zip(&rows) {
                let off = rows.iter().map(|row| match level {
                    0 => row.value.abs(),
                    _ => row.gradient[0].abs(),
                });
                let bad = |off: &f64| off.is_nan() || *off > tolerances[level];
                if let Some(off) = off.filter(bad).reduce(f64::max) {
                    let reason = format!(
                        "the initial {what} violate joint `{}` by {off:.0e}: expected {cure} of its bodies that it allows",
                        entry.get_ref().name
                    );
                    return Err(FileError::of_key(text, entry.span(), "name", reason));
                }
            }
        }
        Ok(())
    }
}
