//! Are functions that a system offers together the same as those by themselves?

use super::system_faults::{SystemCheckError, SystemFault};
use crate::system::{Balance, Evaluator, Point, State, Wanted};

/// Values of several functions at one point may differ by round-off from those of one: by this part of the largest.
const TOGETHER: f64 = 1e-10;

/// Compares the functions of [`System::at_point`](crate::system::System::at_point) with the same ones by themselves.
pub(super) fn check_at_point(
    system: &mut Evaluator,
    state: &State,
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    let layout = system.layout();
    let (mass, rates) = (layout.mass.nnz(), layout.rate_count());
    let (entries, rows) = (layout.jacobian.nnz(), layout.rows());
    let values = || [mass, rates, entries, rows, rows].map(|length| vec![0.0; length]);
    let (mut together, mut alone) = (values(), values());
    let at = state.point();
    let [mass, rates, jacobian, velocity, bias] = &mut together;
    let mut wanted: Wanted = Wanted {
        mass: Some(mass),
        rates: Some(rates),
        jacobian: Some(jacobian),
        velocity_constraint: Some(velocity),
        acceleration_bias: Some(bias),
    };
    if !system.system().at_point(&at, &mut wanted)? {
        return Ok(());
    }
    system.mass_matrix(&at, &mut alone[0])?;
    system.rates(&at, &mut alone[1])?;
    system.constraint_jacobian(&at, &mut alone[2])?;
    system.velocity_constraint(&at, &mut alone[3])?;
    system.acceleration_bias(&at, &mut alone[4])?;
    let functions = [
        "mass matrix",
        "rate",
        "constraint Jacobian",
        "constraint at velocity level",
        "bias of the constraints",
    ];
    compare(&functions, &alone, &together, faults);
    Ok(())
}

/// Compares [`System::balance`](crate::system::System::balance) with the functions that it consists of, at accelerations and multipliers
/// that solve nothing: terms must not cancel.
pub(super) fn check_balance(
    system: &mut Evaluator,
    state: &State,
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    let layout = system.layout().clone();
    let (rates, entries, rows) = (layout.rate_count(), layout.jacobian.nnz(), layout.rows());
    if layout.velocity_rows + layout.differential + layout.algebraic > 0 {
        // Nobody asks for it.
        return Ok(());
    }
    let sign = |k: usize| if k.is_multiple_of(3) { -1.0 } else { 1.0 };
    let some = |length: usize| -> Vec<f64> {
        let numbers = (0..length).map(|k| sign(k) * (0.5 + (k % 7) as f64));
        numbers.collect()
    };
    let (acceleration, lambda) = (some(layout.dimension()), some(rows));
    let at = Point {
        lambda: &lambda,
        ..state.point()
    };
    let values = || [rates, rows, entries].map(|length| vec![0.0; length]);
    let (mut together, mut alone) = (values(), values());
    let mut sizes = vec![0.0; rates];
    let [forces, position, jacobian] = &mut together;
    let mut wanted = Balance {
        forces: Some(forces),
        position: Some(position),
        jacobian: Some(jacobian),
        sizes: Some(&mut sizes),
    };
    if !system.system().balance(&at, &acceleration, &mut wanted)? {
        return Ok(());
    }
    let [forces, position, jacobian] = &mut alone;
    let mut mass = vec![0.0; layout.mass.nnz()];
    system.rates(&at, forces)?;
    system.mass_matrix(&at, &mut mass)?;
    system.position_constraint(&at, &mut position[..layout.position_rows])?;
    system.constraint_jacobian(&at, jacobian)?;
    let motion = &mut forces[..layout.dimension()];
    // A force and what each joint exerts have together at least the size of their sum, and at most that of all its terms.
    let mut most: Vec<f64> = motion.iter().map(|force| force.abs()).collect();
    (layout.jacobian).add_transposed_sizes(jacobian, 1.0, &lambda, &mut most);
    (layout.jacobian).multiply_transpose_add(jacobian, 1.0, &lambda, motion);
    let bounds = motion.iter().zip(most).zip(&sizes);
    let parts: Vec<f64> = bounds
        .map(|((sum, most), size)| size.max(sum.abs()).min(most))
        .collect();
    layout.mass.multiply_add(&mass, -1.0, &acceleration, motion);
    let functions = [
        "balance of forces",
        "position constraint",
        "constraint Jacobian",
    ];
    compare(&functions, &alone, &together, faults);
    sizes.truncate(parts.len());
    compare(&["sizes of forces"], &[parts], &[sizes], faults);
    Ok(())
}

/// Notes the first value of each function that is not the same together with others.
fn compare(
    functions: &[&'static str],
    alone: &[Vec<f64>],
    together: &[Vec<f64>],
    faults: &mut Vec<SystemFault>,
) {
    for (&function, (alone, together)) in functions.iter().zip(alone.iter().zip(together)) {
        let largest = alone
            .iter()
            .fold(0.0_f64, |max, value| max.max(value.abs()));
        let mut pairs = alone.iter().zip(together).enumerate();
        // Written so that NaN differs.
        let differs = |(_, (a, b)): &(usize, (&f64, &f64))| {
            (*a - *b).abs() > TOGETHER * (1.0 + largest) || b.is_nan()
        };
        let fault = pairs
            .find(differs)
            .map(|(place, (&alone, &together))| SystemFault::AtPoint {
                function,
                place,
                alone,
                together,
            });
        faults.extend(fault.filter(|fault| !faults.contains(fault)));
    }
}
