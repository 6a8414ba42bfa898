//! Tables of samples, parsed from comma-separated text.

use super::hermite::{NODES, ORDERS, interpolate};
use crate::error::TableError;

/// Samples of many columns at increasing times.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    names: Vec<String>,
    times: Vec<f64>,
    /// One vector per column.
    values: Vec<Vec<f64>>,
    /// For each column the columns that are it, its rate, ... and its place among them.
    chains: Vec<Option<(Vec<usize>, usize)>>,
    period: Option<f64>,
}

impl Table {
    /// Parses comma-separated text whose header starts with the time; lines that start with `#` are comments.
    pub fn parse(name: &str, text: &str) -> Result<Self, TableError> {
        let table = || name.to_owned();
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let (_, header) = lines
            .next()
            .ok_or_else(|| TableError::Empty { table: table() })?;
        let names: Vec<String> = header
            .split(',')
            .skip(1)
            .map(|field| field.trim().to_owned())
            .collect();
        let mut times: Vec<f64> = Vec::new();
        let mut values = vec![Vec::new(); names.len()];
        for (line, text) in lines {
            let found = text.split(',').count();
            if found != names.len() + 1 {
                return Err(TableError::Fields {
                    table: table(),
                    line,
                    found,
                    expected: names.len() + 1,
                });
            }
            let mut fields = text.split(',').map(|field| {
                let number = field
                    .trim()
                    .parse()
                    .ok()
                    .filter(|number: &f64| number.is_finite());
                number.ok_or_else(|| TableError::Number {
                    table: table(),
                    line,
                    text: field.to_owned(),
                })
            });
            if let Some(time) = fields.next() {
                let time = time?;
                if times.last().is_some_and(|&last| last >= time) {
                    return Err(TableError::Times {
                        table: table(),
                        line,
                    });
                }
                times.push(time);
            }
            for (column, field) in values.iter_mut().zip(fields) {
                column.push(field?);
            }
        }
        if times.is_empty() {
            return Err(TableError::Empty { table: table() });
        }
        let chains = vec![None; names.len()];
        Ok(Self {
            name: table(),
            names,
            times,
            values,
            chains,
            period: None,
        })
    }

    /// States that each column after the first is the rate of the one before it: all become known between samples.
    pub fn chain(mut self, columns: &[&str]) -> Result<Self, TableError> {
        let columns = columns
            .iter()
            .map(|column| self.require(column))
            .collect::<Result<Vec<_>, _>>()?;
        for (place, &column) in columns.iter().enumerate() {
            self.chains[column] = Some((columns.clone(), place));
        }
        Ok(self)
    }

    /// States that the rows repeat after this many seconds, the last row being the first of the next period.
    pub fn periodic(mut self, period: f64) -> Self {
        self.period = Some(period);
        self
    }

    /// Adds columns computed from each row; `function` receives the time and the values of `from` and fills those of
    /// `to`.
    pub fn derive(
        mut self,
        to: &[&str],
        from: &[&str],
        function: impl Fn(f64, &[f64], &mut [f64]),
    ) -> Result<Self, TableError> {
        let sources = from
            .iter()
            .map(|column| self.require(column))
            .collect::<Result<Vec<_>, _>>()?;
        let mut inputs = vec![0.0; from.len()];
        let mut outputs = vec![0.0; to.len()];
        let mut columns = vec![Vec::with_capacity(self.times.len()); to.len()];
        for row in 0..self.times.len() {
            for (input, &source) in inputs.iter_mut().zip(&sources) {
                *input = self.values[source][row];
            }
            function(self.times[row], &inputs, &mut outputs);
            for (column, &output) in columns.iter_mut().zip(&outputs) {
                column.push(output);
            }
        }
        for (name, column) in to.iter().zip(columns) {
            self.names.push((*name).to_owned());
            self.values.push(column);
            self.chains.push(None);
        }
        Ok(self)
    }

    /// Names of the columns, without the time.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The sample times in s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The samples of a column.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.names
            .iter()
            .position(|known| known == name)
            .map(|index| self.values[index].as_slice())
    }

    /// The index of a column.
    pub fn require(&self, column: &str) -> Result<usize, TableError> {
        let found = self.names.iter().position(|name| name == column);
        found.ok_or_else(|| TableError::Column {
            table: self.name.clone(),
            column: column.to_owned(),
        })
    }

    /// The value of a column at a time: the sample there, or else an interpolant if the column's rates are known.
    pub fn value(&self, column: usize, t: f64) -> Option<f64> {
        let (first, last) = (*self.times.first()?, *self.times.last()?);
        let slack = 1e-12 * (last - first).max(f64::MIN_POSITIVE);
        let t = match self.period {
            Some(period) => first + (t - first).rem_euclid(period),
            None => t,
        };
        if !(first - slack..=last + slack).contains(&t) {
            return None;
        }
        let after = self
            .times
            .partition_point(|&time| time < t)
            .min(self.times.len() - 1);
        let samples = self.values.get(column)?;
        for index in [after.saturating_sub(1), after] {
            if (self.times[index] - t).abs() <= slack {
                return Some(samples[index]);
            }
        }
        let (chain, place) = self.chains.get(column)?.as_ref()?;
        self.between(chain, *place, after, t)
    }

    /// Interpolates a chain of columns in the interval that ends at the sample `after`.
    fn between(&self, chain: &[usize], place: usize, after: usize, t: f64) -> Option<f64> {
        let count = self.times.len();
        let orders = chain.len().min(ORDERS);
        let wide = NODES.min(count);
        let mut nodes = [0.0; NODES];
        let mut data = [[0.0; ORDERS]; NODES];
        for slot in 0..wide {
            let (index, shift) = match self.period {
                // The last row repeats the first, so there are count - 1 distinct ones.
                Some(period) if count > NODES => {
                    let distinct = count as i64 - 1;
                    let index = after as i64 + slot as i64 - (NODES / 2) as i64;
                    (
                        index.rem_euclid(distinct) as usize,
                        index.div_euclid(distinct) as f64 * period,
                    )
                }
                _ => (
                    after.saturating_sub(NODES / 2).min(count - wide) + slot,
                    0.0,
                ),
            };
            nodes[slot] = self.times[index] + shift;
            for (order, &column) in chain.iter().take(orders).enumerate() {
                data[slot][order] = self.values[column][index];
            }
        }
        interpolate(&nodes[..wide], &data[..wide], orders, t)
            .get(place)
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sine(period: Option<f64>) -> Table {
        let mut text = String::from("# a comment\nt,y,vy,ay,other\n");
        for i in 0..=20 {
            let t = f64::from(i) * std::f64::consts::TAU / 20.0;
            text.push_str(&format!(
                "{t:.17e},{:.17e},{:.17e},{:.17e},1\n",
                t.sin(),
                t.cos(),
                -t.sin()
            ));
        }
        let table = Table::parse("sine", &text)
            .unwrap()
            .chain(&["y", "vy", "ay"])
            .unwrap();
        match period {
            Some(period) => table.periodic(period),
            None => table,
        }
    }

    #[test]
    fn interpolates_chains_and_nothing_else() {
        let table = sine(None);
        for t in [0.1, 0.9, 3.0, 6.2] {
            assert!((table.value(0, t).unwrap() - f64::sin(t)).abs() < 1e-13);
            assert!((table.value(1, t).unwrap() - f64::cos(t)).abs() < 1e-12);
            assert!((table.value(2, t).unwrap() + f64::sin(t)).abs() < 1e-10);
            assert_eq!(table.value(3, t), None);
        }
        assert_eq!(table.value(3, table.times()[7]), Some(1.0));
        assert_eq!(table.value(0, 7.0), None);
        assert_eq!(table.value(0, f64::NAN), None);
    }

    #[test]
    fn wraps_periodic_tables() {
        let table = sine(Some(std::f64::consts::TAU));
        for t in [-0.1, 0.05, 6.25, 100.0] {
            assert!(
                (table.value(0, t).unwrap() - f64::sin(t)).abs() < 1e-13,
                "{t}"
            );
        }
    }

    #[test]
    fn rejects_malformed_text() {
        assert!(matches!(
            Table::parse("x", ""),
            Err(TableError::Empty { .. })
        ));
        assert!(matches!(
            Table::parse("x", "t,a"),
            Err(TableError::Empty { .. })
        ));
        assert!(matches!(
            Table::parse("x", "t,a\n0,1,2"),
            Err(TableError::Fields {
                line: 2,
                found: 3,
                ..
            })
        ));
        assert!(matches!(
            Table::parse("x", "t,a\n0,NaN"),
            Err(TableError::Number { line: 2, .. })
        ));
        assert!(matches!(
            Table::parse("x", "t,a\n0,1\n0,1"),
            Err(TableError::Times { line: 3, .. })
        ));
        assert!(matches!(
            sine(None).chain(&["y", "w"]),
            Err(TableError::Column { .. })
        ));
    }
}
