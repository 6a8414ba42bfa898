//! The reference of the heavy top, made interpolable by taking the fast spin out.
//!
//! The top turns by 1.5 rad between two samples, too fast for polynomials. But its spin Wy is constant (the body is
//! symmetric about y and no moment acts about y), and seen from a frame that does not take part in it the motion is
//! slow. With S the rotation by Wy t about y and R = P S, P turns with O = S (W - Wy e_y), and
//! O' = S (W' + Wy e_y x W).

use super::orientation::{ORIENTATION, positive, rotate, rotate_back};
use crate::error::TableError;
use crate::reference::{Reference, Table};
use liedae::manifold::quaternion;
use std::sync::LazyLock;

/// Mass in kg, gravity in m/s^2 and spin in rad/s of the tabulated top.
const MASS: f64 = 15.0;
const GRAVITY: f64 = 9.81;
const SPIN: f64 = 150.0;

const FAST: [&str; 10] = [
    "qw", "qx", "qy", "qz", "Wx", "Wy", "Wz", "Wdx", "Wdy", "Wdz",
];

/// P as a quaternion with two rates, then O with one.
const SLOW: [&str; 18] = [
    "pw", "px", "py", "pz", "dpw", "dpx", "dpy", "dpz", "ddpw", "ddpx", "ddpy", "ddpz", "Ox", "Oy",
    "Oz", "dOx", "dOy", "dOz",
];

static TABLE: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    let mut table = Table::parse("heavy_top", include_str!("../../data/heavy_top.csv"))?
        .derive(&SLOW, &FAST, slow)?;
    for part in 0..4 {
        table = table.chain(&[SLOW[part], SLOW[4 + part], SLOW[8 + part]])?;
    }
    for axis in 12..15 {
        table = table.chain(&[SLOW[axis], SLOW[3 + axis]])?;
    }
    for chain in [["x", "vx", "ax"], ["y", "vy", "ay"], ["z", "vz", "az"]] {
        table = table.chain(&chain)?;
    }
    Ok(table)
});

/// The quaternion of S.
fn spun(t: f64) -> [f64; 4] {
    let (sine, cosine) = (0.5 * SPIN * t).sin_cos();
    [cosine, 0.0, sine, 0.0]
}

fn slow(t: f64, row: &[f64], out: &mut [f64]) {
    let spun = spun(t);
    let matrix = quaternion::to_rotation(&spun);
    let half = |q: &[f64; 4], w: &[f64; 3]| {
        quaternion::product(q, &[0.0, w[0], w[1], w[2]]).map(|part| 0.5 * part)
    };
    let p = quaternion::product(
        &[row[0], row[1], row[2], row[3]],
        &quaternion::conjugate(&spun),
    );
    let turning = rotate(&matrix, [row[4], 0.0, row[6]]);
    let turning_rate = rotate(
        &matrix,
        [row[7] + SPIN * row[6], 0.0, row[9] - SPIN * row[4]],
    );
    let rate = half(&p, &turning);
    let (from_rate, from_turning) = (half(&rate, &turning), half(&p, &turning_rate));
    out[..4].copy_from_slice(&p);
    out[4..8].copy_from_slice(&rate);
    for part in 0..4 {
        out[8 + part] = from_rate[part] + from_turning[part];
    }
    out[12..15].copy_from_slice(&turning);
    out[15..].copy_from_slice(&turning_rate);
}

/// The reference of the default parameters, known at every time in [0, 2] s.
pub(super) fn reference() -> Result<Reference, TableError> {
    let table = TABLE.as_ref().map_err(Clone::clone)?;
    let columns = |names: &[&str]| {
        names
            .iter()
            .map(|name| table.require(name))
            .collect::<Result<Vec<_>, _>>()
    };
    let source = "Taylor integration of minimal coordinates in binary128, two precisions agree to 28 digits, with \
                  independent double-precision code to 12.1; 200 samples, between them 1e-12 by interpolation";
    let reference = Reference::new(source, 0.0, 2.0, false);
    let reference = reference.with_table(
        table,
        ["x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"].map(|name| (name, name)),
    )?;

    let p = columns(&SLOW[..4])?;
    let reference = reference.with_closed_form(ORIENTATION, move |t, out| {
        let p = std::array::from_fn(|part| table.value(p[part], t).unwrap_or(f64::NAN));
        let q = positive(quaternion::product(&p, &spun(t)));
        for (slot, value) in out
            .iter_mut()
            .zip(q.into_iter().chain(quaternion::to_rotation(&q)))
        {
            *slot = value;
        }
    });

    let turning = columns(&SLOW[12..])?;
    let rates = ["Wx", "Wy", "Wz", "Wdx", "Wdy", "Wdz"];
    let reference = reference.with_closed_form(rates, move |t, out| {
        let matrix = quaternion::to_rotation(&spun(t));
        let at = |first: usize| {
            [0, 1, 2].map(|axis| table.value(turning[first + axis], t).unwrap_or(f64::NAN))
        };
        let w = rotate_back(&matrix, at(0));
        let wd = rotate_back(&matrix, at(3));
        out.copy_from_slice(&[
            w[0],
            SPIN,
            w[2],
            wd[0] - SPIN * w[2],
            0.0,
            wd[2] + SPIN * w[0],
        ]);
    });

    let accelerations = columns(&["ax", "ay", "az"])?;
    let reference = reference.with_closed_form(["Fx", "Fy", "Fz"], move |t, out| {
        for (axis, slot) in out.iter_mut().enumerate() {
            let lifted = if axis == 2 { GRAVITY } else { 0.0 };
            *slot = MASS * (table.value(accelerations[axis], t).unwrap_or(f64::NAN) + lifted);
        }
    });

    let invariants = columns(&["energy", "Lz"])?;
    Ok(reference.with_closed_form(["energy", "Lz"], move |_, out| {
        for (slot, &column) in out.iter_mut().zip(&invariants) {
            *slot = table.value(column, 0.0).unwrap_or(f64::NAN);
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is put together from slow parts agrees with the samples.
    #[test]
    fn agrees_with_the_table() {
        let (reference, table) = (reference().unwrap(), TABLE.as_ref().unwrap());
        for (index, &t) in table.times().iter().enumerate() {
            for name in [
                "Wx", "Wy", "Wz", "Wdx", "Wdy", "Wdz", "Fx", "Fy", "Fz", "energy", "Lz",
            ] {
                let (found, expected) = (
                    reference.value(name, t).unwrap(),
                    table.column(name).unwrap()[index],
                );
                assert!(
                    (found - expected).abs() < 1e-13 * (1000.0 + expected.abs()),
                    "{name} at {t}"
                );
            }
        }
    }
}
