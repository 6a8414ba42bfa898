//! Equations and numbers of a problem, as `describe` has them.

use super::text::counted;
use crate::experiment::{EntryTables, KeyMeaning, ProblemTables};
use liedae_problems::Cell;
use serde::Serialize;

/// Rows of a table that is open from the beginning.
const MOST_OPEN: usize = 12;

/// Characters of an entry that stands in one line.
const MOST_IN_LINE: usize = 48;

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// What is read.
    pub text: String,
    /// How it is set: `n` as a number, `long` in several lines.
    pub class: &'static str,
}

impl From<String> for Entry {
    fn from(text: String) -> Self {
        let class = if text.parse::<f64>().is_ok() {
            "n"
        } else if text.chars().count() > MOST_IN_LINE {
            "long"
        } else {
            ""
        };
        Self { text, class }
    }
}

/// A table with its columns explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sheet {
    /// What it holds.
    pub title: String,
    /// How many rows there are.
    pub count: String,
    /// Names of the columns, which are set as the numbers below them are.
    pub columns: Vec<Entry>,
    /// Its rows.
    pub rows: Vec<Vec<Entry>>,
    /// What its keys mean.
    pub keys: Vec<KeyMeaning>,
    /// Whether it is open from the beginning.
    pub is_open: bool,
}

/// Equations and numbers. Fields are as the template reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tables {
    /// Equations and sentences: the sign of the multipliers first.
    pub equations: Vec<String>,
    /// Kinds and labels of events.
    pub events: Vec<String>,
    /// The tables.
    pub sheets: Vec<Sheet>,
    /// What the tables do not say.
    pub not_stated: Vec<String>,
}

impl Sheet {
    fn new(title: &str, columns: &[String], rows: Vec<Vec<Entry>>, keys: Vec<KeyMeaning>) -> Self {
        let columns = columns.iter().enumerate().map(|(index, name)| {
            let mut below = rows.iter().filter_map(|row| row.get(index));
            let is_number = below.all(|entry| entry.class == "n" || entry.text == MISSING);
            Entry {
                text: name.clone(),
                class: if is_number { "n" } else { "" },
            }
        });
        Self {
            title: title.to_owned(),
            count: counted(rows.len(), "row", "rows"),
            is_open: rows.len() <= MOST_OPEN,
            columns: columns.collect(),
            rows,
            keys,
        }
    }
}

/// Stands where an entry does not have a key.
const MISSING: &str = "–";

impl Tables {
    /// Those of a problem.
    ///
    /// # Errors
    /// A body with modes cannot be written as JSON, which is a defect of this crate.
    pub fn of(tables: &ProblemTables) -> Result<Self, serde_json::Error> {
        let mut found = Self {
            equations: tables.dynamics.iter().map(|&words| words.into()).collect(),
            events: tables.events.clone(),
            ..Self::default()
        };
        if let Some(mechanism) = &tables.mechanism {
            found.equations.extend(mechanism.laws.iter().cloned());
            found.not_stated.clone_from(&mechanism.not_stated);
            found.add_mechanism(&mechanism.as_text()?);
        }
        if let Some(formulation) = &tables.formulation {
            found
                .equations
                .extend(formulation.equations.iter().cloned());
            for table in &formulation.tables {
                let row =
                    |row: &Vec<Cell>| row.iter().map(|cell| cell.to_string().into()).collect();
                let rows = table.rows.iter().map(row).collect();
                let sheet = Sheet::new(&table.title, &table.columns, rows, Vec::new());
                found.sheets.push(sheet);
            }
        }
        Ok(found)
    }

    fn add_mechanism(&mut self, mechanism: &EntryTables) {
        let single = mechanism.single.iter().map(|(key, value)| {
            let meanings: Vec<String> = (mechanism.meanings(key))
                .map(|known| match known.key == *key {
                    true => known.meaning.clone(),
                    false => format!("{}: {}", known.key, known.meaning),
                })
                .collect();
            [key.clone(), value.clone(), meanings.join(" ")]
                .map(Entry::from)
                .to_vec()
        });
        let columns = ["key", "value", "meaning"].map(str::to_owned);
        let single = Sheet::new("mechanism", &columns, single.collect(), Vec::new());
        self.sheets.push(Sheet {
            is_open: true,
            ..single
        });
        for table in &mechanism.tables {
            let row = |row: &Vec<Option<String>>| {
                let entries = row.iter().map(|cell| cell.as_deref().unwrap_or(MISSING));
                entries.map(|text| Entry::from(text.to_owned())).collect()
            };
            let rows = table.rows.iter().map(row).collect();
            let keys = mechanism.meanings(&table.key).cloned().collect();
            self.sheets
                .push(Sheet::new(&table.key, &table.columns, rows, keys));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Named;
    use liedae_problems::Formulation;

    #[test]
    fn numbers_stand_on_the_right_and_long_tables_are_closed() -> Result<(), serde_json::Error> {
        let rows = (0..20).map(|index| [Cell::from("a"), Cell::from(0.5 * f64::from(index))]);
        let formulation = Formulation::new(["y' = k y"]).with_table("rates", ["name", "k"], rows);
        let tables = ProblemTables {
            dynamics: None,
            definitions: Named::default(),
            events: Vec::new(),
            formulation: Some(formulation.with_constants([("g", 9.81, "m/s2")])),
            mechanism: None,
        };
        let found = Tables::of(&tables)?;
        assert_eq!(found.equations, ["y' = k y"]);
        let [rates, constants] = found.sheets.as_slice() else {
            panic!("{:?}", found.sheets);
        };
        assert_eq!((rates.is_open, constants.is_open), (false, true));
        assert_eq!(rates.count, "20 rows");
        let classes = constants.columns.iter().map(|column| column.class);
        assert_eq!(classes.collect::<Vec<_>>(), ["", "n", ""]);
        assert_eq!(rates.rows[3][1].text, "1.5");
        Ok(())
    }
}
