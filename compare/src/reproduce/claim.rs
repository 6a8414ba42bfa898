//! A claim of a paper, and whether it holds here.

use crate::report::TextTable;
use serde::Serialize;

/// A claim of a paper, and whether it holds here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// The figure or section.
    pub figure: &'static str,
    /// What the paper says.
    pub claim: String,
    /// Whether it holds; null where it could not be measured.
    pub holds: Option<bool>,
    /// The number that decides.
    pub number: Option<f64>,
    /// The number and its criterion in words.
    pub measured: String,
}

impl Claim {
    /// A claim decided by a number.
    pub fn new(
        figure: &'static str,
        claim: impl Into<String>,
        holds: bool,
        number: f64,
        measured: String,
    ) -> Self {
        Self {
            figure,
            claim: claim.into(),
            holds: Some(holds),
            number: Some(number),
            measured,
        }
    }

    /// A claim that could not be measured.
    pub fn unmeasured(figure: &'static str, claim: impl Into<String>, reason: &str) -> Self {
        Self {
            figure,
            claim: claim.into(),
            holds: None,
            number: None,
            measured: format!("not measured: {reason}"),
        }
    }

    /// The verdict in words.
    pub fn verdict(&self) -> &'static str {
        match self.holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "not measured",
        }
    }
}

/// All claims as a table.
pub fn table(claims: &[Claim]) -> TextTable {
    let class = |claim: &Claim| {
        if claim.holds == Some(true) {
            "good"
        } else {
            "bad"
        }
    };
    TextTable {
        caption: String::new(),
        header: ["figure", "the paper's claim", "verdict", "measured here"]
            .map(str::to_owned)
            .into(),
        rows: claims
            .iter()
            .map(|claim| {
                let verdict = claim.verdict().to_owned();
                vec![
                    claim.figure.to_owned(),
                    claim.claim.clone(),
                    verdict,
                    claim.measured.clone(),
                ]
            })
            .collect(),
        classes: claims.iter().map(|claim| class(claim).to_owned()).collect(),
        prose: true,
    }
}
