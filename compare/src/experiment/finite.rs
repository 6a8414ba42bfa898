//! JSON of numbers that may not be finite: those become null, and null is read as NaN.

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

/// Errors that may be missing: null means unknown. An error that is not a number counts as infinite, since no solution can be
/// worse, and is written as a word.
pub mod size {
    use super::{Deserialize, Deserializer};
    use serde::{Serialize, Serializer};

    /// The text for infinity, which programs that parse numbers accept.
    pub const INFINITE: &str = "Infinity";

    /// Infinite where it is not a number.
    pub fn of(value: f64) -> f64 {
        if value.is_nan() { f64::INFINITY } else { value }
    }

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Word(String),
    }

    /// Writes a size.
    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        let written = value.map(|value| match value.is_finite() {
            true => Written::Number(value),
            false => Written::Word(INFINITE.to_owned()),
        });
        written.serialize(serializer)
    }

    /// Reads a size.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        let written: Option<Written> = Option::deserialize(deserializer)?;
        match written {
            None => Ok(None),
            Some(Written::Number(value)) => Ok(Some(value)),
            Some(Written::Word(word)) if word == INFINITE => Ok(Some(f64::INFINITY)),
            Some(Written::Word(word)) => Err(serde::de::Error::custom(format!(
                "`{word}` is neither a number nor {INFINITE}"
            ))),
        }
    }
}

/// Two sizes that are known together, or not at all.
pub mod sizes {
    use super::{Deserialize, Deserializer};

    /// Reads both, NaN where null stands.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<[f64; 2]>, D::Error> {
        let values: Option<[Option<f64>; 2]> = Option::deserialize(deserializer)?;
        Ok(values.map(|both| both.map(|value| value.unwrap_or(f64::NAN))))
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
