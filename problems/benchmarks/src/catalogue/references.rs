//! End values of problems that two methods have computed, with the digits in which they agree.

use crate::error::TableError;
use std::fmt;
use std::sync::LazyLock;

const NAME: &str = "references";
const HEADER: &str = "problem,t,output,digits,value,by";
const FIELDS: usize = 6;

/// What precedes the header of the file.
const COMMENT: &str = "\
# End values of problems by two methods, some by a third run, at tight tolerances; `liedae verify-references --write FILE` writes them.
# digits: decimal digits of the output's largest absolute value over the run in which the first agrees with the others, at most the median over the outputs of the
# problem that do not vanish; or in which a closed form is right.
# by: the methods with their tolerances, or what confirms them; the value is that of the first.
";

/// One output of a problem at the end of its run.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceValue {
    /// The output.
    pub output: String,
    /// Decimal digits, relative to the output's largest absolute value over the run, in which the runs agree, at most the median over
    /// the outputs of the problem; of a closed form those in which it is right.
    pub digits: f64,
    /// Its value, in the output's unit.
    pub value: f64,
    /// The methods with their tolerances, or a closed form with the run that confirms it; the value is that of the first.
    pub by: String,
}

/// End values of problems, by their names with settings and the end in s.
///
/// ```
/// use liedae_problems::catalogue::ReferenceTable;
///
/// let text = "problem,t,output,digits,value,by\nchain:n=2,3,tipz,9.7,-1.25e0,mdop5 1e-12 + dop853 1e-12\n";
/// let table = ReferenceTable::parse(text)?;
/// assert_eq!(table.values("chain:n=2", 3.0)[0].value, -1.25);
/// assert!(table.values("chain:n=2", 2.0).is_empty());
/// assert!(table.to_string().ends_with(text));
/// # Ok::<(), liedae_problems::TableError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReferenceTable {
    /// In the order of the file.
    problems: Vec<(String, f64, Vec<ReferenceValue>)>,
}

static STANDARD: LazyLock<Result<ReferenceTable, TableError>> =
    LazyLock::new(|| ReferenceTable::parse(include_str!("../../data/references.csv")));

impl ReferenceTable {
    /// The values that come with this crate.
    ///
    /// # Errors
    /// The file is damaged, which is a defect of this crate.
    pub fn standard() -> Result<&'static Self, TableError> {
        STANDARD.as_ref().map_err(Clone::clone)
    }

    /// Reads lines `problem,t,output,digits,value,by` below a header; those that start with `#` are comments.
    ///
    /// # Errors
    /// There is no header, or a line has other fields or no finite numbers.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let table = || NAME.to_owned();
        let mut lines = (text.lines().enumerate())
            .map(|(index, line)| (index + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        if lines.next().is_none_or(|(_, header)| header != HEADER) {
            return Err(TableError::Empty { table: table() });
        }
        let mut found = Self::default();
        for (line, text) in lines {
            let fields: Vec<&str> = text.split(',').collect();
            let &[problem, t, output, digits, value, by] = fields.as_slice() else {
                return Err(TableError::Fields {
                    table: table(),
                    line,
                    found: fields.len(),
                    expected: FIELDS,
                });
            };
            let number = |text: &str| {
                let number = text.parse().ok().filter(|number: &f64| number.is_finite());
                number.ok_or_else(|| TableError::Number {
                    table: table(),
                    line,
                    text: text.to_owned(),
                })
            };
            let row = ReferenceValue {
                output: output.to_owned(),
                digits: number(digits)?,
                value: number(value)?,
                by: by.to_owned(),
            };
            let t = number(t)?;
            match found.problems.last_mut() {
                Some((name, end, values)) if name == problem && *end == t => values.push(row),
                _ => found.problems.push((problem.to_owned(), t, vec![row])),
            }
        }
        Ok(found)
    }

    /// The values of a problem, written with the settings that differ from its defaults and in their order, as in
    /// `newton-cradle:n=5:e=0.5`, for a run that ends at `t_end` in s. None where it is not known.
    pub fn values(&self, problem: &str, t_end: f64) -> &[ReferenceValue] {
        let known = self.place(problem, t_end);
        known.map_or(&[], |index| &self.problems[index].2)
    }

    /// Replaces the values of a problem, or adds them behind all others.
    pub fn replace(&mut self, problem: &str, t_end: f64, values: Vec<ReferenceValue>) {
        match self.place(problem, t_end) {
            Some(index) => self.problems[index].2 = values,
            None => self.problems.push((problem.to_owned(), t_end, values)),
        }
    }

    /// Problems with their ends in s, in the order of the file.
    pub fn problems(&self) -> impl Iterator<Item = (&str, f64)> {
        let problems = self.problems.iter();
        problems.map(|(problem, t, _)| (problem.as_str(), *t))
    }

    fn place(&self, problem: &str, t_end: f64) -> Option<usize> {
        let mut known = self.problems.iter();
        known.position(|(name, t, _)| name == problem && *t == t_end)
    }
}

/// As [`ReferenceTable::parse`] reads it.
impl fmt::Display for ReferenceTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{COMMENT}{HEADER}")?;
        for (problem, t, values) in &self.problems {
            for row in values {
                let ReferenceValue {
                    output,
                    digits,
                    value,
                    by,
                } = row;
                writeln!(formatter, "{problem},{t},{output},{digits},{value:e},{by}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(output: &str, value: f64) -> ReferenceValue {
        ReferenceValue {
            output: output.to_owned(),
            digits: 9.5,
            value,
            by: "a 1e-12 + b 1e-12".to_owned(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut table = ReferenceTable::default();
        table.replace(
            "chain:n=2",
            3.0,
            vec![value("tipx", 0.1 + 0.2), value("tipz", -1e-300)],
        );
        table.replace("andrews", 0.05, vec![value("beta", 1.0 / 3.0)]);
        assert_eq!(ReferenceTable::parse(&table.to_string()), Ok(table.clone()));
        table.replace("chain:n=2", 3.0, vec![value("tipy", 2.0)]);
        assert_eq!(table.values("chain:n=2", 3.0), [value("tipy", 2.0)]);
        let ends: Vec<_> = table.problems().collect();
        assert_eq!(ends, [("chain:n=2", 3.0), ("andrews", 0.05)]);
    }

    #[test]
    fn damaged_files_are_refused() {
        for text in [
            "",
            "problem,t\n",
            "problem,t,output,digits,value,by\na,1,x,9\n",
            "problem,t,output,digits,value,by\na,1,x,9,nan,m\n",
            "problem,t,output,digits,value,by\na,one,x,9,1,m\n",
        ] {
            assert!(ReferenceTable::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_file_of_this_crate_names_registered_problems() -> Result<(), Box<dyn std::error::Error>>
    {
        let problems = crate::ProblemRegistry::standard();
        for (label, _) in ReferenceTable::standard()?.problems() {
            let mut parts = label.split(':');
            let entry = problems.lookup(parts.next().unwrap_or_default())?;
            entry.build_with(&parts.collect::<Vec<_>>())?;
        }
        Ok(())
    }
}
