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
    /// Why it does not hold, or could not be measured; null where it holds.
    pub why: Option<String>,
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
            why: None,
        }
    }

    /// A claim that could not be measured.
    pub fn unmeasured(figure: &'static str, claim: impl Into<String>, reason: &str) -> Self {
        Self {
            figure,
            claim: claim.into(),
            holds: None,
            number: None,
            measured: "not measured".to_owned(),
            why: Some(reason.to_owned()),
        }
    }

    /// The same with the reason, which counts if the claim does not hold.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        if self.holds == Some(false) {
            self.why = Some(reason.into());
        }
        self
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

/// Claims that do not hold and that nobody has explained say so.
pub(super) fn explained(claims: &mut [Claim], quick: bool) {
    let reason = if quick {
        "a quick pass is too short to tell"
    } else {
        "no reason is known"
    };
    for claim in claims {
        if claim.holds == Some(false) && claim.why.is_none() {
            claim.why = Some(reason.to_owned());
        }
    }
}

/// How many claims hold.
pub fn held(claims: &[Claim]) -> usize {
    let held = claims.iter().filter(|claim| claim.holds == Some(true));
    held.count()
}

/// All claims as a table.
pub fn table(claims: &[Claim]) -> TextTable {
    let class = |claim: &Claim| match claim.holds {
        Some(true) => "good",
        Some(false) => "bad",
        None => "",
    };
    TextTable {
        caption: String::new(),
        header: [
            "figure",
            "the paper's claim",
            "verdict",
            "measured here",
            "why not",
        ]
        .map(str::to_owned)
        .into(),
        rows: claims
            .iter()
            .map(|claim| {
                vec![
                    claim.figure.to_owned(),
                    claim.claim.clone(),
                    claim.verdict().to_owned(),
                    claim.measured.clone(),
                    claim.why.clone().unwrap_or_default(),
                ]
            })
            .collect(),
        classes: claims.iter().map(|claim| class(claim).to_owned()).collect(),
        prose: true,
        ..TextTable::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_against_a_claim_has_a_reason() {
        let claim = |holds| Claim::new("1", "a", holds, 1.0, String::new());
        assert_eq!(claim(true).because("it rains").why, None);
        let mut claims = [
            claim(true),
            claim(false).because("it rains"),
            claim(false),
            Claim::unmeasured("1", "a", "no data"),
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
        assert_eq!(held(&claims), 1);
    }
}
