//! The mechanisms of Haug, Negrut and Iancu, "A State-Space-Based Implicit Integration Algorithm for Differential-Algebraic
//! Equations of Multibody Dynamics", Mech. Struct. Mach. 25 (1997) 311, doi:10.1080/08905459708905292: plane bodies in
//! Cartesian coordinates, made stiff by spring-damper-actuators.
//!
//! The third mechanism of the paper, in seven bodies, is in [`andrews`](crate::andrews). The print of the paper lost the
//! stiffnesses and dampings of Tables 1 and 3; those here are chosen, and are parameters.

mod double_pendulum;
mod slider_crank;

use crate::reference::Reference;
use crate::{Table, TableError};

pub(crate) use double_pendulum::STIFF_DOUBLE_PENDULUM;
pub use double_pendulum::{Properties as StiffDoublePendulumProperties, StiffDoublePendulum};
pub(crate) use slider_crank::TSDA_SLIDER_CRANK;
pub use slider_crank::{Properties as TsdaSliderCrankProperties, TsdaSliderCrank};

/// A reference of columns of a table, and of further names that `derived` computes from these columns.
fn tabulated<const N: usize>(
    reference: Reference,
    table: &'static Table,
    columns: [&'static str; N],
    names: impl IntoIterator<Item = &'static str>,
    derived: impl Fn(&[f64; N], &mut [f64]) + Send + Sync + 'static,
) -> Result<Reference, TableError> {
    let reference = reference.with_table(table, columns.map(|name| (name, name)))?;
    let mut places = [0; N];
    for (slot, name) in places.iter_mut().zip(columns) {
        *slot = table.require(name)?;
    }
    Ok(reference.with_closed_form(names, move |t, out| {
        let values = places.map(|place| table.value(place, t).unwrap_or(f64::NAN));
        derived(&values, out);
    }))
}

/// Mass in kg and moment of inertia in kg m^2, about the centre, of a slender uniform bar of this length in m.
fn slender(mass: f64, length: f64) -> (f64, f64) {
    (mass, mass * length * length / 12.0)
}
