//! Vectors, rotation matrices and the outputs that show an orientation.

use crate::error::TableError;
use crate::reference::{Reference, Table};
use liedae::manifold::{Factor, quaternion};
use liedae::scalar::Scalar;

/// How an orientation is represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrientationGroup {
    /// SO(3): rotation matrices.
    Matrix,
    /// Unit quaternions.
    Quaternion,
}

impl OrientationGroup {
    /// The factor of the configuration space.
    pub fn factor(self) -> Factor {
        match self {
            Self::Matrix => Factor::Rotation,
            Self::Quaternion => Factor::UnitQuaternion,
        }
    }

    /// The rotation matrix, row by row, of coordinates that start with those of the orientation.
    pub fn rotation<S: Scalar>(self, q: &[S]) -> [S; 9] {
        match self {
            Self::Matrix => std::array::from_fn(|entry| q[entry]),
            Self::Quaternion => quaternion::to_rotation(&std::array::from_fn(|entry| q[entry])),
        }
    }
}

/// Names of the outputs of an orientation: the quaternion with `qw` >= 0, then the rotation matrix, body to world, row
/// by row.
pub const ORIENTATION: [&str; 13] = [
    "qw", "qx", "qy", "qz", "Rxx", "Rxy", "Rxz", "Ryx", "Ryy", "Ryz", "Rzx", "Rzy", "Rzz",
];

/// Fills the outputs [`ORIENTATION`] from a rotation matrix.
pub(crate) fn write_orientation(rotation: &[f64; 9], out: &mut [f64]) {
    let unit = positive(quaternion::from_rotation(rotation));
    for (slot, value) in out.iter_mut().zip(unit.into_iter().chain(*rotation)) {
        *slot = value;
    }
}

/// Of the two quaternions of a rotation the one with a non-negative scalar part: a rotation matrix does not know the
/// sign that a continuous quaternion has reached.
pub(super) fn positive(unit: [f64; 4]) -> [f64; 4] {
    if unit[0] < 0.0 {
        unit.map(|part| -part)
    } else {
        unit
    }
}

const CHAINED: [&str; 8] = ["dqw", "dqx", "dqy", "dqz", "ddqw", "ddqx", "ddqy", "ddqz"];

/// Makes the columns `qw`, `qx`, `qy`, `qz` of a table interpolable with the body's angular velocity and acceleration
/// in the columns `Wx`, `Wy`, `Wz` and `Wdx`, `Wdy`, `Wdz`: q' = q (0, W) / 2.
pub(crate) fn interpolable_orientation(table: Table) -> Result<Table, TableError> {
    let from = [
        "qw", "qx", "qy", "qz", "Wx", "Wy", "Wz", "Wdx", "Wdy", "Wdz",
    ];
    let mut table = table.derive(&CHAINED, &from, |_, row, out| {
        let q = [row[0], row[1], row[2], row[3]];
        let (w, wd) = ([0.0, row[4], row[5], row[6]], [0.0, row[7], row[8], row[9]]);
        let rate = quaternion::product(&q, &w).map(|part| 0.5 * part);
        let (from_rate, from_q) = (quaternion::product(&rate, &w), quaternion::product(&q, &wd));
        out[..4].copy_from_slice(&rate);
        for part in 0..4 {
            out[4 + part] = 0.5 * (from_rate[part] + from_q[part]);
        }
    })?;
    for part in 0..4 {
        table = table.chain(&[from[part], CHAINED[part], CHAINED[4 + part]])?;
    }
    for (rate, second) in [("Wx", "Wdx"), ("Wy", "Wdy"), ("Wz", "Wdz")] {
        table = table.chain(&[rate, second])?;
    }
    Ok(table)
}

/// Adds the columns [`ORIENTATION`] from a table prepared by [`interpolable_orientation`].
pub(crate) fn orientation_columns(
    reference: Reference,
    table: &'static Table,
) -> Result<Reference, TableError> {
    let [qw, qx, qy, qz] = ["qw", "qx", "qy", "qz"].map(|name| table.require(name));
    let columns = [qw?, qx?, qy?, qz?];
    Ok(reference.with_closed_form(ORIENTATION, move |t, out| {
        let mut unit = [f64::NAN; 4];
        for (part, &column) in unit.iter_mut().zip(&columns) {
            *part = table.value(column, t).unwrap_or(f64::NAN);
        }
        let unit = positive(unit);
        for (slot, value) in out
            .iter_mut()
            .zip(unit.into_iter().chain(quaternion::to_rotation(&unit)))
        {
            *slot = value;
        }
    }))
}

/// The vector product.
pub(crate) fn cross<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// R x.
pub(crate) fn rotate<S: Scalar>(r: &[S; 9], x: [S; 3]) -> [S; 3] {
    std::array::from_fn(|row| r[3 * row] * x[0] + r[3 * row + 1] * x[1] + r[3 * row + 2] * x[2])
}

/// Rᵀ x.
pub(crate) fn rotate_back<S: Scalar>(r: &[S; 9], x: [S; 3]) -> [S; 3] {
    std::array::from_fn(|column| r[column] * x[0] + r[3 + column] * x[1] + r[6 + column] * x[2])
}
