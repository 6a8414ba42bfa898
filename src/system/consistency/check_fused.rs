//! Are functions that a system offers together the same as those by themselves?

use super::system_faults::{SystemCheckError, SystemFault};
use crate::system::{
    Balance, BalanceDerivatives, Evaluator, Layout, Point, RatesJacobian, State, Wanted,
};
use std::slice::from_ref;

/// Values of several functions at one point may differ by round-off from those of one: by this part of the largest.
const TOGETHER: f64 = 1e-10;

/// The same where one side is a central difference.
const BY_DIFFERENCES: f64 = 1e-5;

/// The multiple of the position rows that is asked for, and how far from the constraints.
const FACTOR: f64 = -4.0;
const ASIDE: f64 = 1e-3;

/// Compares the functions of [`System::at_point`](crate::system::System::at_point) with the same ones by themselves,
/// all sets of them: a system may write one and not another.
pub(super) fn check_at_point(
    system: &mut Evaluator,
    state: &State,
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    let layout = system.layout();
    let (mass, rates) = (layout.mass.nnz(), layout.rate_count());
    let (entries, rows) = (layout.jacobian.nnz(), layout.rows());
    let values = || [mass, rates, entries, rows, rows].map(|length| vec![0.0; length]);
    let (mut together, mut alone) = (values(), None);
    let at = state.point();
    let functions = [
        "mass matrix",
        "rate",
        "constraint Jacobian",
        "constraint at velocity level",
        "bias of the constraints",
    ];
    for set in 1..1 << functions.len() {
        // What stands there must be written over.
        for values in &mut together {
            values.fill(f64::NAN);
        }
        let is_in = |place: usize| set & (1 << place) != 0;
        let [mass, rates, jacobian, velocity, bias] = &mut together;
        let mut wanted: Wanted = Wanted {
            mass: is_in(0).then_some(mass),
            rates: is_in(1).then_some(rates),
            jacobian: is_in(2).then_some(jacobian),
            velocity_constraint: is_in(3).then_some(velocity),
            acceleration_bias: is_in(4).then_some(bias),
        };
        if !system.system().at_point(&at, &mut wanted)? {
            continue;
        }
        // Asked for once something is offered that they can be compared with.
        if alone.is_none() {
            alone = Some(by_themselves(system, &at, values())?);
        }
        for (place, alone) in alone.iter().flatten().enumerate() {
            if is_in(place) {
                let (alone, together) = (from_ref(alone), from_ref(&together[place]));
                compare(&[functions[place]], alone, together, faults);
            }
        }
    }
    Ok(())
}

/// The functions that may be wanted at one point, in the order of [`Wanted`].
fn by_themselves(
    system: &mut Evaluator,
    at: &Point,
    mut values: [Vec<f64>; 5],
) -> Result<[Vec<f64>; 5], SystemCheckError> {
    let [mass, rates, jacobian, velocity, bias] = &mut values;
    system.mass_matrix(at, mass)?;
    system.rates(at, rates)?;
    system.constraint_jacobian(at, jacobian)?;
    system.velocity_constraint(at, velocity)?;
    system.acceleration_bias(at, bias)?;
    Ok(values)
}

/// Accelerations and multipliers that solve nothing: terms must not cancel.
fn some(length: usize) -> Vec<f64> {
    let sign = |k: usize| if k.is_multiple_of(3) { -1.0 } else { 1.0 };
    let numbers = (0..length).map(|k| sign(k) * (0.5 + (k % 7) as f64));
    numbers.collect()
}

/// Compares [`System::balance`](crate::system::System::balance) and
/// [`System::balance_derivatives`](crate::system::System::balance_derivatives) with the functions that they consist of.
pub(super) fn check_balance(
    system: &mut Evaluator,
    state: &State,
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    let layout = system.layout().clone();
    if layout.velocity_rows + layout.differential + layout.algebraic > 0 {
        // Nobody asks for it.
        return Ok(());
    }
    let (acceleration, lambda) = (some(layout.dimension()), some(layout.rows()));
    // Beside the constraints: multiples of zero are all the same.
    let mut q = state.q.clone();
    let aside: Vec<f64> = acceleration.iter().map(|number| ASIDE * number).collect();
    layout.space.retract(&state.q, &aside, &mut q);
    let at = Point {
        lambda: &lambda,
        ..state.point()
    };
    let beside = Point { q: &q, ..at };
    let mut found = Vec::new();
    let compared = check_balance_at(system, &layout, &beside, &acceleration, &mut found);
    if compared.is_err() {
        // Functions need not be defined beside the state.
        found.clear();
        check_balance_at(system, &layout, &at, &acceleration, &mut found)?;
    }
    for fault in found {
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    Ok(())
}

/// The same at one point. What methods ask for together is compared together: a system may write one of these sets and not another one.
fn check_balance_at(
    system: &mut Evaluator,
    layout: &Layout,
    at: &Point,
    acceleration: &[f64],
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    check_forces(system, layout, at, acceleration, faults)?;
    for rows in 0..8 {
        let wanted = [rows & 1 != 0, rows & 2 != 0, rows & 4 != 0];
        check_rows(system, layout, at, acceleration, wanted, faults)?;
    }
    for rows in 0..4 {
        let wanted = [rows & 1 != 0, rows & 2 != 0];
        check_derivatives(system, layout, at, acceleration, wanted, faults)?;
    }
    Ok(())
}

/// f + Gᵀ λ - M a, and of what size its terms are.
fn check_forces(
    system: &mut Evaluator,
    layout: &Layout,
    at: &Point,
    acceleration: &[f64],
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    let (rates, entries, rows) = (layout.rate_count(), layout.jacobian.nnz(), layout.rows());
    let values = || [rates, rows, entries].map(|length| vec![0.0; length]);
    let (mut together, mut alone) = (values(), values());
    let mut sizes = vec![0.0; rates];
    let [forces, position, jacobian] = &mut together;
    let mut wanted = Balance {
        forces: Some(forces),
        position: Some((position, FACTOR)),
        jacobian: Some(jacobian),
        sizes: Some(&mut sizes),
        ..Balance::default()
    };
    if !system.system().balance(at, acceleration, &mut wanted)? {
        return Ok(());
    }
    let [forces, position, jacobian] = &mut alone;
    let mut mass = vec![0.0; layout.mass.nnz()];
    system.rates(at, forces)?;
    system.mass_matrix(at, &mut mass)?;
    system.position_constraint(at, &mut position[..layout.position_rows])?;
    for row in position.iter_mut() {
        *row *= FACTOR;
    }
    system.constraint_jacobian(at, jacobian)?;
    let motion = &mut forces[..layout.dimension()];
    // A force and what each joint exerts have together at least the size of their sum, and at most that of all its terms.
    let mut most: Vec<f64> = motion.iter().map(|force| force.abs()).collect();
    (layout.jacobian).add_transposed_sizes(jacobian, 1.0, at.lambda, &mut most);
    (layout.jacobian).multiply_transpose_add(jacobian, 1.0, at.lambda, motion);
    let bounds = motion.iter().zip(most).zip(&sizes);
    let parts: Vec<f64> = bounds
        .map(|((sum, most), size)| size.max(sum.abs()).min(most))
        .collect();
    layout.mass.multiply_add(&mass, -1.0, acceleration, motion);
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

/// The same forces with constraint rows at some of the levels: position, velocity, acceleration.
fn check_rows(
    system: &mut Evaluator,
    layout: &Layout,
    at: &Point,
    acceleration: &[f64],
    levels: [bool; 3],
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    let (dimension, rows) = (layout.dimension(), layout.rows());
    let values = || [dimension, rows, rows, rows].map(|length| vec![0.0; length]);
    let (mut together, mut alone) = (values(), values());
    let [forces, position, velocity, biased] = &mut together;
    let mut wanted = Balance {
        forces: Some(forces),
        position: levels[0].then_some((&mut position[..], FACTOR)),
        velocity: levels[1].then_some(&mut velocity[..]),
        acceleration: levels[2].then_some(&mut biased[..]),
        ..Balance::default()
    };
    if !system.system().balance(at, acceleration, &mut wanted)? {
        return Ok(());
    }
    let [forces, position, velocity, biased] = &mut alone;
    let mut mass = vec![0.0; layout.mass.nnz()];
    let mut jacobian = vec![0.0; layout.jacobian.nnz()];
    system.rates(at, forces)?;
    system.mass_matrix(at, &mut mass)?;
    system.constraint_jacobian(at, &mut jacobian)?;
    system.position_constraint(at, position)?;
    for row in position.iter_mut() {
        *row *= FACTOR;
    }
    system.velocity_constraint(at, velocity)?;
    system.acceleration_bias(at, biased)?;
    (layout.jacobian).multiply_transpose_add(&jacobian, 1.0, at.lambda, forces);
    layout.mass.multiply_add(&mass, -1.0, acceleration, forces);
    (layout.jacobian).multiply_add(&jacobian, 1.0, acceleration, biased);
    let functions = [
        "balance of forces",
        "position constraint",
        "constraint at velocity level",
        "constraint at acceleration level",
    ];
    for (level, wanted) in levels.into_iter().enumerate() {
        if !wanted {
            alone[1 + level].clear();
        }
    }
    compare(&functions, &alone, &together, faults);
    Ok(())
}

/// The derivatives of forces, and of rows at velocity and acceleration level if these are wanted.
fn check_derivatives(
    system: &mut Evaluator,
    layout: &Layout,
    at: &Point,
    acceleration: &[f64],
    [of_velocity, of_acceleration]: [bool; 2],
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    let Ok(pattern) = layout.stiffness_pattern() else {
        // The layout's own check says so.
        return Ok(());
    };
    let dimension = layout.dimension();
    let entries = || vec![0.0; layout.jacobian.nnz()];
    let (mut stiffness, mut rates) = (vec![0.0; pattern.nnz()], RatesJacobian::new(layout));
    let (mut velocity, mut biased, mut by_velocity) = (entries(), entries(), entries());
    let mut wanted = BalanceDerivatives {
        rates: &mut rates,
        stiffness: &mut stiffness,
        velocity_rows: of_velocity.then_some(&mut velocity[..]),
        acceleration_rows: of_acceleration.then_some([&mut biased[..], &mut by_velocity[..]]),
    };
    if !(system.system()).balance_derivatives(at, acceleration, &mut wanted)? {
        return Ok(());
    }
    // The derivative by q stands in two patterns.
    let sum = |stiffness: &[f64], rates: &[f64]| {
        let mut sum = vec![0.0; dimension * dimension];
        for (row, column, position) in pattern.iter() {
            sum[row * dimension + column] -= stiffness[position];
        }
        for (row, column, position) in layout.rates.iter() {
            sum[row * dimension + column] += rates[position];
        }
        sum
    };
    let together = [
        sum(&stiffness, &rates.by_position),
        std::mem::take(&mut rates.by_velocity),
        velocity,
        biased,
        by_velocity,
    ];
    let mut rates = RatesJacobian::new(layout);
    let (mut velocity, mut biased, mut by_velocity) = (entries(), entries(), entries());
    system.rates_jacobian(at, &mut rates)?;
    system.geometric_stiffness(at, acceleration, &mut stiffness)?;
    // What has not been wanted is zero on both sides.
    if of_velocity {
        system.velocity_constraint_jacobian(at, &mut velocity)?;
    }
    if of_acceleration {
        system.acceleration_constraint_jacobian(at, acceleration, &mut biased, &mut by_velocity)?;
    }
    let alone = [
        sum(&stiffness, &rates.by_position),
        rates.by_velocity,
        velocity,
        biased,
        by_velocity,
    ];
    let functions = [
        "derivative of the balance of forces by q",
        "derivative of the force by v",
        "derivative of the constraint at velocity level by q",
        "derivative of the constraint at acceleration level by q",
        "derivative of the constraint at acceleration level by v",
    ];
    // A system without exact ones has differences in their place.
    let exact = system.system().second_derivatives().is_some();
    let tolerance = if exact { TOGETHER } else { BY_DIFFERENCES };
    compare_within(tolerance, &functions, &alone, &together, faults);
    Ok(())
}

fn compare(
    functions: &[&'static str],
    alone: &[Vec<f64>],
    together: &[Vec<f64>],
    faults: &mut Vec<SystemFault>,
) {
    compare_within(TOGETHER, functions, alone, together, faults);
}

/// Notes the first value of each function that is not the same together with others, but for this part of the largest.
fn compare_within(
    tolerance: f64,
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
            (*a - *b).abs() > tolerance * (1.0 + largest) || b.is_nan()
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
