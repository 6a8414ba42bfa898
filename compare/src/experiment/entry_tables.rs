//! The lists of a mechanism file as tables of text: what `describe` prints and the pages of the test set show.

use super::ReadableTables;
use serde::Serialize;
use serde_json::{Map, Value};

/// A key with its meaning and unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyMeaning {
    /// The path of the key, such as `bodies.mass`.
    pub key: String,
    /// Meaning and unit.
    pub meaning: String,
}

/// A list of a mechanism: bodies, joints, forces and so on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntryTable {
    /// Its key.
    pub key: String,
    /// The keys of its entries: `name` first if any entry has one, then by the alphabet.
    pub columns: Vec<String>,
    /// One row an entry; nothing where the entry does not have the key.
    pub rows: Vec<Vec<Option<String>>>,
}

/// A mechanism as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EntryTables {
    /// Keys with one value, such as `gravity`.
    pub single: Vec<(String, String)>,
    /// The lists.
    pub tables: Vec<EntryTable>,
    /// Meanings of keys, in the order of the mechanism.
    pub keys: Vec<KeyMeaning>,
}

impl EntryTables {
    /// The meanings of the keys of a table or of a single value: its own and those inside.
    pub fn meanings<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'s KeyMeaning> {
        let is_inside = move |path: &str| {
            let inside = path.strip_prefix(key);
            inside.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ']))
        };
        self.keys.iter().filter(move |known| is_inside(&known.key))
    }
}

impl ReadableTables {
    /// The same as text.
    ///
    /// # Errors
    /// A body with modes cannot be written as JSON, which is a defect of this crate.
    pub fn as_text(&self) -> Result<EntryTables, serde_json::Error> {
        let mut parts = match &self.model {
            Value::Object(parts) => parts.clone(),
            _ => Map::new(),
        };
        if !self.modal_bodies.is_empty() {
            let bodies = serde_json::to_value(&self.modal_bodies)?;
            parts.insert("modal_bodies".to_owned(), bodies);
        }
        let mut found = EntryTables::default();
        for (key, value) in &parts {
            let entries = value.as_array().map_or(&[][..], Vec::as_slice);
            if entries.first().is_some_and(Value::is_object) {
                found.tables.push(EntryTable::of(key, entries));
            } else if !value.is_null() {
                found.single.push((key.clone(), text(value)));
            }
        }
        let keys = self.keys.0.iter().map(|(key, meaning)| KeyMeaning {
            key: key.clone(),
            meaning: meaning.clone(),
        });
        found.keys = keys.collect();
        Ok(found)
    }
}

impl EntryTable {
    fn of(key: &str, entries: &[Value]) -> Self {
        let entries: Vec<&Map<String, Value>> =
            entries.iter().filter_map(Value::as_object).collect();
        let mut columns: Vec<String> = Vec::new();
        for key in entries.iter().flat_map(|entry| entry.keys()) {
            if !columns.contains(key) {
                columns.push(key.clone());
            }
        }
        columns.sort_by_key(|key| (key != "name", key.clone()));
        let row = |entry: &&Map<String, Value>| {
            let cells = columns.iter().map(|key| entry.get(key));
            cells
                .map(|value| value.filter(|value| !value.is_null()).map(text))
                .collect()
        };
        Self {
            key: key.to_owned(),
            rows: entries.iter().map(row).collect(),
            columns,
        }
    }
}

/// A value with blanks behind commas, where lines may break. Words have no quotation marks, unless they are inside a list.
fn text(value: &Value) -> String {
    match value {
        Value::String(words) => words.clone(),
        other => inside(other),
    }
}

fn inside(value: &Value) -> String {
    match value {
        Value::Array(entries) => {
            let entries: Vec<String> = entries.iter().map(inside).collect();
            format!("[{}]", entries.join(", "))
        }
        Value::Object(entries) => {
            let known = entries.iter().filter(|(_, value)| !value.is_null());
            let entries: Vec<String> = known
                .map(|(key, value)| format!("{key} = {}", inside(value)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Named;
    use serde_json::json;

    #[test]
    fn lists_are_tables_and_all_else_is_single() -> Result<(), serde_json::Error> {
        let keys = [
            "joints",
            "joints.kind",
            "joints.kind = weld",
            "joints_of_rubber",
        ];
        let tables = ReadableTables {
            model: json!({
                "gravity": [0.0, -9.81],
                "title": "a",
                "joints": [
                    { "kind": "weld", "name": "foot", "bodies": ["a", "b"] },
                    { "law": { "load": { "force": 2.5 }, "point": null }, "kind": "pin" },
                ],
            }),
            modal_bodies: Vec::new(),
            laws: Vec::new(),
            keys: Named(keys.map(|key| (key.to_owned(), "m".to_owned())).to_vec()),
            not_stated: Vec::new(),
        };
        let found = tables.as_text()?;
        let single = [("gravity", "[0.0, -9.81]"), ("title", "a")];
        let single = single.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(found.single, single);
        let [joints] = found.tables.as_slice() else {
            panic!("{:?}", found.tables);
        };
        assert_eq!(joints.columns, ["name", "bodies", "kind", "law"]);
        let row = |index: usize| -> Vec<&str> {
            let cells = joints.rows[index].iter();
            cells.map(|cell| cell.as_deref().unwrap_or("-")).collect()
        };
        assert_eq!(row(0), ["foot", r#"["a", "b"]"#, "weld", "-"]);
        assert_eq!(row(1), ["-", "-", "pin", "{ load = { force = 2.5 } }"]);
        let meanings = found.meanings("joints").map(|known| known.key.as_str());
        assert_eq!(meanings.collect::<Vec<_>>(), &keys[..3]);
        Ok(())
    }
}
