//! Lists with more entries than have a place: the parser keeps as many as it needs and says nothing (toml 1.2.1, findings/toml-cuts-arrays.sh).

use super::error::FileError;
use serde::Serialize;
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

/// A list of which a part has no place.
struct Cut {
    span: Range<usize>,
    stated: usize,
    kept: usize,
}

/// Refuses a text of which `read` has less than it states.
pub(super) fn refuse_cut<T: Serialize>(text: &str, read: &T) -> Result<(), FileError> {
    let (Ok(stated), Ok(kept)) = (DeTable::parse(text), Table::try_from(read)) else {
        // Entries that are not tables have been refused before.
        return Ok(());
    };
    match in_table(stated.get_ref(), &kept) {
        None => Ok(()),
        Some(Cut { span, stated, kept }) => {
            let reason = format!("there are {stated} entries: expected {kept}");
            Err(FileError::new(text, span, reason))
        }
    }
}

fn in_table(stated: &DeTable, kept: &Table) -> Option<Cut> {
    let mut entries = stated.iter();
    entries.find_map(|(key, value)| in_value(value, kept.get(key.get_ref().as_ref())?))
}

fn in_value(stated: &Spanned<DeValue>, kept: &Value) -> Option<Cut> {
    match (stated.get_ref(), kept) {
        (DeValue::Array(stated_list), Value::Array(kept_list)) => {
            let (count, places) = (stated_list.len(), kept_list.len());
            if count > places {
                return Some(Cut {
                    span: stated.span(),
                    stated: count,
                    kept: places,
                });
            }
            let mut pairs = stated_list.iter().zip(kept_list);
            pairs.find_map(|(stated, kept)| in_value(stated, kept))
        }
        (DeValue::Table(stated), Value::Table(kept)) => in_table(stated, kept),
        _ => None,
    }
}
