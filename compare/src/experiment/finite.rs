//! Numbers in JSON that need not be finite: what is not becomes null, and null is read as NaN.

use serde::{Deserialize, Deserializer};

/// Lists of numbers that may be missing as a whole.
pub mod option {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes numbers, null for those that are not finite.
    pub fn serialize<S: Serializer>(
        values: &Option<Vec<f64>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        values.serialize(serializer)
    }

    /// Reads numbers, NaN where null stands.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<f64>>, D::Error> {
        let values: Option<Vec<Option<f64>>> = Option::deserialize(deserializer)?;
        Ok(values.map(super::with_nan))
    }
}

/// Rows of numbers.
pub mod rows {
    use super::{Deserialize, Deserializer};

    /// Reads rows, NaN where null stands.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Vec<f64>>, D::Error> {
        let rows: Vec<Vec<Option<f64>>> = Vec::deserialize(deserializer)?;
        Ok(rows.into_iter().map(super::with_nan).collect())
    }
}

/// Reads a number, NaN where null stands.
pub fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value: Option<f64> = Option::deserialize(deserializer)?;
    Ok(value.unwrap_or(f64::NAN))
}

/// Reads a list, NaN where null stands.
pub fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    Ok(with_nan(Vec::deserialize(deserializer)?))
}

fn with_nan(values: Vec<Option<f64>>) -> Vec<f64> {
    let values = values.into_iter();
    values.map(|value| value.unwrap_or(f64::NAN)).collect()
}
