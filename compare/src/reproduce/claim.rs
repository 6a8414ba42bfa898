//! A claim of a paper: the sentence, the criterion, and the verdict.

use crate::report::TextTable;
use serde::Serialize;
use std::fmt;

/// What measurements say about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// The number is within the bound.
    #[serde(rename = "holds")]
    Holds,
    /// The number is beyond the bound.
    #[serde(rename = "does not hold")]
    DoesNotHold,
    /// There is no number, or the verdict depends on something that the paper does not state.
    #[serde(rename = "undecided")]
    Undecided,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::Undecided => "undecided",
        })
    }
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds {
            Self::Holds
        } else {
            Self::DoesNotHold
        }
    }
}

impl Verdict {
    /// What several measurements of one claim say together: undecided where they differ.
    pub fn of_all(holds: &[bool]) -> Self {
        match holds.iter().all(|other| other == &holds[0]) {
            true if !holds.is_empty() => holds[0].into(),
            _ => Self::Undecided,
        }
    }
}

/// Where a row is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Table {
    /// Claims of the paper.
    #[serde(rename = "claims of the paper")]
    Claims,
    /// Not claims of the paper: the same measurements with other settings, and sentences about other work.
    #[serde(rename = "additional checks")]
    Additional,
    /// Step counts of published runs.
    #[serde(rename = "published counts")]
    Counts,
    /// Published end values.
    #[serde(rename = "end values")]
    EndValues,
}

impl Table {
    const ALL: [Self; 4] = [
        Self::Claims,
        Self::Additional,
        Self::Counts,
        Self::EndValues,
    ];
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Claims => "claims of the paper",
            Self::Additional => "additional checks",
            Self::Counts => "published counts",
            Self::EndValues => "end values",
        })
    }
}

/// What is claimed, and by which criterion it is judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statement {
    /// Where it is counted.
    pub table: Table,
    /// The figure, table or section.
    pub place: String,
    /// What is claimed.
    pub claim: String,
    /// The sentence of the paper, word for word; null where it has none.
    pub sentence: Option<&'static str>,
    /// The number that decides, and its bound in words.
    pub criterion: String,
    /// The bound alone, such as `at least 10`; null where it stands in the criterion only.
    pub bound: Option<String>,
    /// What would change the verdict; `-` for nothing that the paper leaves open.
    pub sensitive_to: String,
}

/// Nothing that the paper leaves open changes the verdict.
pub(super) const NOTHING: &str = "-";

impl Statement {
    /// A claim of the paper.
    ///
    /// A place that begins with a digit is a figure.
    pub fn new(
        place: &str,
        claim: impl Into<String>,
        sentence: &'static str,
        criterion: impl Into<String>,
        sensitive_to: impl Into<String>,
    ) -> Self {
        let place = match place.starts_with(|first: char| first.is_ascii_digit()) {
            true => format!("Fig. {place}"),
            false => place.to_owned(),
        };
        Self {
            table: Table::Claims,
            place,
            claim: claim.into(),
            sentence: Some(sentence),
            criterion: criterion.into(),
            bound: None,
            sensitive_to: sensitive_to.into(),
        }
    }

    /// The same with its bound alone.
    pub fn bounded(self, bound: impl Into<String>) -> Self {
        Self {
            bound: Some(bound.into()),
            ..self
        }
    }

    /// The same, counted elsewhere.
    pub fn counted_in(self, table: Table) -> Self {
        Self { table, ..self }
    }

    /// The verdict on it, and the number that decides.
    pub fn judge(self, verdict: impl Into<Verdict>, number: f64, measured: String) -> Claim {
        Claim {
            statement: self,
            verdict: verdict.into(),
            number: Some(number),
            measured,
            why: None,
        }
    }

    /// No verdict, since there is no number.
    pub fn unmeasured(self, reason: &str) -> Claim {
        Claim {
            statement: self,
            verdict: Verdict::Undecided,
            number: None,
            measured: "not measured".to_owned(),
            why: Some(reason.to_owned()),
        }
    }
}

/// A claim with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    #[serde(flatten)]
    pub statement: Statement,
    pub verdict: Verdict,
    /// The number that decides; null where there is none.
    pub number: Option<f64>,
    /// The numbers in words.
    pub measured: String,
    /// Why it does not hold or is undecided; null where it holds.
    pub why: Option<String>,
}

impl Claim {
    /// The number that decides, and its bound; empty where there is no number.
    pub fn decisive(&self) -> String {
        let number = self.number.map(short);
        match (number, &self.statement.bound) {
            (Some(number), Some(bound)) => format!("{number} ({bound})"),
            (number, _) => number.unwrap_or_default(),
        }
    }

    /// The same with the reason, which counts unless the claim holds.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        if self.verdict != Verdict::Holds {
            self.why = Some(reason.into());
        }
        self
    }
}

/// Claims that do not hold and that nobody has explained say so.
pub(super) fn explained(claims: &mut [Claim], quick: bool) {
    let reason = if quick {
        "a quick pass is too short to tell"
    } else {
        "no reason is known"
    };
    for claim in claims {
        if claim.verdict != Verdict::Holds && claim.why.is_none() {
            claim.why = Some(reason.to_owned());
        }
    }
}

/// A number with three digits, without an exponent where it is readable so.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !size.is_finite() {
        return format!("{value}");
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{value:.1e}");
    }
    let before = size.log10().floor() as i32;
    let text = format!("{value:.*}", (2 - before).max(0) as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// How many claims of a table have which verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tally {
    pub table: Table,
    pub holds: usize,
    pub does_not_hold: usize,
    pub undecided: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            table,
            holds,
            does_not_hold,
            undecided,
        } = self;
        write!(
            formatter,
            "{table}: holds {holds}, does not hold {does_not_hold}, undecided {undecided}"
        )
    }
}

/// The verdicts of each table that has any.
pub fn tallies(claims: &[Claim]) -> Vec<Tally> {
    let of = |table| {
        let own = claims.iter().filter(|claim| claim.statement.table == table);
        let count = |verdict| own.clone().filter(|claim| claim.verdict == verdict).count();
        Tally {
            table,
            holds: count(Verdict::Holds),
            does_not_hold: count(Verdict::DoesNotHold),
            undecided: count(Verdict::Undecided),
        }
    };
    let any = |tally: &Tally| tally.holds + tally.does_not_hold + tally.undecided > 0;
    Table::ALL.into_iter().map(of).filter(any).collect()
}

/// The verdicts as sentences, for the head of a report.
pub(super) fn headline(claims: &[Claim]) -> String {
    let texts: Vec<String> = tallies(claims)
        .iter()
        .map(|tally| format!("{tally}."))
        .collect();
    texts.join(" ")
}

/// All claims, one table for each place where they are counted. What all rows share stands in the caption.
pub(super) fn tables(claims: &[Claim]) -> Vec<TextTable> {
    let of = |tally: Tally| {
        let own: Vec<&Claim> = claims
            .iter()
            .filter(|claim| claim.statement.table == tally.table)
            .collect();
        let shared = |text: fn(&Claim) -> &str| {
            let first = own.first().map(|claim| text(claim))?;
            let alike = own.len() > 1 && own.iter().all(|claim| text(claim) == first);
            alike.then_some(first)
        };
        let criterion = shared(|claim| &claim.statement.criterion);
        let sensitive = shared(|claim| &claim.statement.sensitive_to);
        let mut caption = tally.to_string();
        for (label, text) in [("Criterion", criterion), ("Sensitive to", sensitive)] {
            caption.extend(text.map(|text| format!(". {label}: {text}")));
        }
        let mut table = TextTable {
            caption,
            header: ["place", "claim", "verdict", "measured"]
                .map(str::to_owned)
                .into(),
            rows: own.iter().map(|claim| cells(claim)).collect(),
            classes: own
                .iter()
                .map(|claim| class(claim.verdict).to_owned())
                .collect(),
            prose: true,
            ..TextTable::default()
        };
        let mut add = |name: &str, cell: &dyn Fn(&Claim) -> String| {
            if own.iter().all(|claim| cell(claim).is_empty()) {
                return;
            }
            table.header.push(name.to_owned());
            for (row, claim) in table.rows.iter_mut().zip(&own) {
                row.push(cell(claim));
            }
        };
        if criterion.is_none() {
            add("criterion", &|claim| claim.statement.criterion.clone());
        }
        add("why, and what it is sensitive to", &|claim| {
            let statement = &claim.statement;
            let why = claim.why.iter().map(|why| format!("Why: {why}."));
            let open = sensitive.is_none() && statement.sensitive_to != NOTHING;
            let open = open.then(|| format!("Sensitive to: {}.", statement.sensitive_to));
            why.chain(open).collect::<Vec<_>>().join("\n")
        });
        table
    };
    tallies(claims).into_iter().map(of).collect()
}

fn cells(claim: &Claim) -> Vec<String> {
    let statement = &claim.statement;
    let sentence = statement.sentence;
    vec![
        statement.place.clone(),
        match sentence {
            Some(sentence) => format!("{}\n\u{201c}{sentence}\u{201d}", statement.claim),
            None => statement.claim.clone(),
        },
        format!(
            "{}\n{}",
            claim.verdict,
            claim.decisive().replace(" (", "\n(")
        ),
        claim.measured.clone(),
    ]
}

/// The colour of a row.
pub(super) fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "good",
        Verdict::DoesNotHold => "bad",
        Verdict::Undecided => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement() -> Statement {
        Statement::new("1", "it rains", "It rains.", "wet", "an umbrella")
    }

    fn claim(holds: bool) -> Claim {
        statement().judge(holds, 1.0, String::new())
    }

    #[test]
    fn every_verdict_against_a_claim_has_a_reason() {
        assert_eq!(claim(true).because("it rains").why, None);
        let mut claims = [
            claim(true),
            claim(false).because("it rains"),
            claim(false),
            statement().unmeasured("no data"),
        ];
        explained(&mut claims, false);
        let reasons = claims.each_ref().map(|claim| claim.why.as_deref());
        let expected = [
            None,
            Some("it rains"),
            Some("no reason is known"),
            Some("no data"),
        ];
        assert_eq!(reasons, expected);
        claims[2].why = None;
        explained(&mut claims, true);
        let reasons = [1, 2].map(|index: usize| claims[index].why.as_deref());
        let quick = Some("a quick pass is too short to tell");
        assert_eq!(reasons, [Some("it rains"), quick]);
    }

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 1.875, 69.55, 4.05253, 2768.0, 1e5, 8.9e-15, 3.0].map(short);
        let expected = ["0", "1.88", "69.5", "4.05", "2768", "1.0e5", "8.9e-15", "3"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn what_all_rows_share_stands_in_the_caption() {
        let table = &tables(&[claim(true), claim(true)])[0];
        assert_eq!(table.header, ["place", "claim", "verdict", "measured"]);
        assert!(
            table
                .caption
                .ends_with("Criterion: wet. Sensitive to: an umbrella")
        );
        assert_eq!(table.rows[0][2], "holds\n1");
    }

    #[test]
    fn tables_are_counted_apart() {
        let additional = |holds: bool| {
            let statement = statement().counted_in(Table::Additional);
            statement.judge(holds, 1.0, String::new())
        };
        let claims = [
            claim(true),
            additional(true),
            claim(false),
            statement().unmeasured("no data"),
        ];
        assert_eq!(
            headline(&claims),
            "claims of the paper: holds 1, does not hold 1, undecided 1. additional checks: holds 1, does not hold 0, undecided 0."
        );
        assert_eq!(tables(&claims)[0].rows.len(), 3);
    }

    #[test]
    fn measurements_that_differ_decide_nothing() {
        assert_eq!(Verdict::of_all(&[true, true]), Verdict::Holds);
        assert_eq!(Verdict::of_all(&[false]), Verdict::DoesNotHold);
        assert_eq!(Verdict::of_all(&[true, false]), Verdict::Undecided);
        assert_eq!(Verdict::of_all(&[]), Verdict::Undecided);
    }
}
