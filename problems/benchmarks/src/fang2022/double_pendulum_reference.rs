//! The reference of the double pendulum at every time: from the nearest sample of the table by the equations of motion
//! in both angles.
//!
//! The lower bar whips round too fast for polynomials through samples 0.04 s apart (4e-9 m); one step of at most 0.02 s
//! by extrapolation of the midpoint rule (Gragg 1965; Hairer, Norsett and Wanner I, sec. II.9) is exact to round-off.

use crate::error::TableError;
use crate::reference::{Reference, Table};
use std::sync::LazyLock;

/// The columns of the table, in its order.
const COLUMNS: [&str; 23] = [
    "theta1",
    "theta2",
    "omega1",
    "omega2",
    "alpha1",
    "alpha2",
    "y1",
    "z1",
    "y2",
    "z2",
    "vy1",
    "vz1",
    "vy2",
    "vz2",
    "ay1",
    "az1",
    "ay2",
    "az2",
    "Fy_ground_on_1",
    "Fz_ground_on_1",
    "Fy_1_on_2",
    "Fz_1_on_2",
    "energy",
];

const MASSES: [f64; 2] = [78.0, 39.0];
const GRAVITY: f64 = 9.81;
/// Length of bar 1; its centre and that of bar 2 from their upper joints, in m.
const LENGTH: f64 = 4.0;
const HALF: [f64; 2] = [2.0, 1.0];

static EXACT: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    Table::parse(
        "double_pendulum_fang_exactJ",
        include_str!("../../data/double_pendulum_fang_exactJ.csv"),
    )
});
static SLENDER: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    Table::parse(
        "double_pendulum_fang_slender",
        include_str!("../../data/double_pendulum_fang_slender.csv"),
    )
});

/// The reference of the default parameters, with the bars' thickness in the inertia or without it.
pub(crate) fn reference(slender: bool) -> Result<Reference, TableError> {
    let (table, width) = if slender {
        (&SLENDER, 0.0)
    } else {
        (&EXACT, 0.05)
    };
    let table = table.as_ref().map_err(Clone::clone)?;
    let angles: Vec<usize> = COLUMNS[..4]
        .iter()
        .map(|name| table.require(name))
        .collect::<Result<_, _>>()?;
    let inertia = [0, 1].map(|bar| {
        let length: f64 = 2.0 * HALF[bar];
        MASSES[bar] * (width * width + length * length) / 12.0
    });
    let source = "Taylor integration of both angles in binary128, two precisions agree to 24 digits, with an \
                  independent Cartesian index-1 formulation in double precision to 12.1; between the 201 samples one \
                  extrapolation step in double precision, error below 1e-13";
    Ok(
        Reference::new(source, 0.0, 8.0, false).with_closed_form(COLUMNS, move |t, out| {
            let times = table.times();
            let after = times.partition_point(|&time| time < t).min(times.len() - 1);
            let before = after.saturating_sub(1);
            let nearest = if t - times[before] < times[after] - t {
                times[before]
            } else {
                times[after]
            };
            let start = std::array::from_fn(|index| {
                table.value(angles[index], nearest).unwrap_or(f64::NAN)
            });
            write(&inertia, &extrapolate(&inertia, start, t - nearest), out);
        }),
    )
}

/// Both angles and both rates, differentiated.
fn rates(inertia: &[f64; 2], [a, b, va, vb]: [f64; 4]) -> [f64; 4] {
    let (sine, cosine) = (a - b).sin_cos();
    let coupling = MASSES[1] * LENGTH * HALF[1];
    let first = MASSES[0] * HALF[0] * HALF[0] + inertia[0] + MASSES[1] * LENGTH * LENGTH;
    let second = MASSES[1] * HALF[1] * HALF[1] + inertia[1];
    let weight = GRAVITY * (MASSES[0] * HALF[0] + MASSES[1] * LENGTH);
    let moment_a = -coupling * sine * vb * vb - weight * a.sin();
    let moment_b = coupling * sine * va * va - GRAVITY * MASSES[1] * HALF[1] * b.sin();
    let across = coupling * cosine;
    let determinant = first * second - across * across;
    [
        va,
        vb,
        (second * moment_a - across * moment_b) / determinant,
        (first * moment_b - across * moment_a) / determinant,
    ]
}

/// One step by the midpoint rule with 2, 4, ..., 16 parts, extrapolated in the square of their size.
fn extrapolate(inertia: &[f64; 2], start: [f64; 4], h: f64) -> [f64; 4] {
    const LEVELS: usize = 8;
    let ahead = |y: &[f64; 4], rate: &[f64; 4], step: f64| -> [f64; 4] {
        std::array::from_fn(|i| y[i] + step * rate[i])
    };
    let parts = |level: usize| 2.0 * (level + 1) as f64;
    let mut values = [[0.0; 4]; LEVELS];
    for (level, value) in values.iter_mut().enumerate() {
        let step = h / parts(level);
        let (mut before, mut now) = (start, ahead(&start, &rates(inertia, start), step));
        for _ in 1..2 * (level + 1) {
            (before, now) = (now, ahead(&before, &rates(inertia, now), 2.0 * step));
        }
        *value = now;
    }
    // Neville's scheme, in place.
    for width in 1..LEVELS {
        for level in (width..LEVELS).rev() {
            let ratio = parts(level) / parts(level - width);
            let coarse = values[level - 1];
            for (fine, coarse) in values[level].iter_mut().zip(coarse) {
                *fine += (*fine - coarse) / (ratio * ratio - 1.0);
            }
        }
    }
    values[LEVELS - 1]
}

/// All columns from angles and rates.
fn write(inertia: &[f64; 2], state: &[f64; 4], out: &mut [f64]) {
    let [a, b, va, vb] = *state;
    let [_, _, alpha_a, alpha_b] = rates(inertia, *state);
    // Position, velocity and acceleration, each (y, z), of the end of an arm.
    let arm = |length: f64, angle: f64, rate: f64, second: f64| {
        let (sine, cosine) = angle.sin_cos();
        [
            [length * sine, -length * cosine],
            [length * cosine * rate, length * sine * rate],
            [
                length * (cosine * second - sine * rate * rate),
                length * (sine * second + cosine * rate * rate),
            ],
        ]
    };
    let one = arm(HALF[0], a, va, alpha_a);
    let (elbow, two) = (arm(LENGTH, a, va, alpha_a), arm(HALF[1], b, vb, alpha_b));
    let two: [[f64; 2]; 3] =
        std::array::from_fn(|i| [elbow[i][0] + two[i][0], elbow[i][1] + two[i][1]]);
    let on_2 = [MASSES[1] * two[2][0], MASSES[1] * (two[2][1] + GRAVITY)];
    let on_1 = [
        MASSES[0] * one[2][0] + on_2[0],
        MASSES[0] * (one[2][1] + GRAVITY) + on_2[1],
    ];
    let square = |v: [f64; 2]| v[0] * v[0] + v[1] * v[1];
    let kinetic = MASSES[0] * square(one[1])
        + MASSES[1] * square(two[1])
        + inertia[0] * va * va
        + inertia[1] * vb * vb;
    let potential = GRAVITY * (MASSES[0] * one[0][1] + MASSES[1] * two[0][1]);
    let angles = [a, b, va, vb, alpha_a, alpha_b];
    let moving = one
        .into_iter()
        .zip(two)
        .flat_map(|(one, two)| [one[0], one[1], two[0], two[1]]);
    let rest = [
        on_1[0],
        on_1[1],
        on_2[0],
        on_2[1],
        0.5 * kinetic + potential,
    ];
    for (slot, value) in out
        .iter_mut()
        .zip(angles.into_iter().chain(moving).chain(rest))
    {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_all_columns_at_the_samples_and_across_them() {
        for (slender, table) in [(false, &EXACT), (true, &SLENDER)] {
            let (reference, table) = (reference(slender).unwrap(), table.as_ref().unwrap());
            let width: f64 = if slender { 0.0 } else { 0.05 };
            let inertia = [
                78.0 * (width * width + 16.0) / 12.0,
                39.0 * (width * width + 4.0) / 12.0,
            ];
            let sample = |row: usize| -> [f64; 4] {
                std::array::from_fn(|i| table.column(COLUMNS[i]).unwrap()[row])
            };
            for (row, &t) in table.times().iter().enumerate() {
                for name in COLUMNS {
                    let (found, expected) = (
                        reference.value(name, t).unwrap(),
                        table.column(name).unwrap()[row],
                    );
                    assert!(
                        (found - expected).abs() < 1e-13 * (100.0 + expected.abs()),
                        "{name} {t}"
                    );
                }
                // Across a whole interval, twice as far as the reference ever goes.
                if row > 0 {
                    let h = t - table.times()[row - 1];
                    let found = extrapolate(&inertia, sample(row - 1), h);
                    for (found, expected) in found.into_iter().zip(sample(row)) {
                        assert!(
                            (found - expected).abs() < 2e-13 * (1.0 + expected.abs()),
                            "{t}: {found} {expected}"
                        );
                    }
                }
            }
        }
    }
}
