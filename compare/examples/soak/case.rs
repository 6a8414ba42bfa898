//! What a case comes to.

/// The result of one case.
pub struct Verdict {
    /// What was tried, for the counts of the summary.
    pub kind: &'static str,
    /// How it ended, for the counts of the summary.
    pub end: String,
    /// More about it, shown where the case is alone.
    pub detail: String,
    /// What is wrong, in words; nothing where all is well.
    pub finding: Option<String>,
}

impl Verdict {
    /// All is well.
    pub fn fine(kind: &'static str, end: impl Into<String>) -> Self {
        Self {
            kind,
            end: end.into(),
            detail: String::new(),
            finding: None,
        }
    }

    /// The same with more about it.
    pub fn because(self, detail: impl Into<String>) -> Self {
        Self {
            detail: detail.into(),
            ..self
        }
    }

    /// Something is wrong.
    pub fn finding(kind: &'static str, what: impl Into<String>) -> Self {
        Self {
            kind,
            end: "FINDING".to_owned(),
            detail: String::new(),
            finding: Some(what.into()),
        }
    }
}
