//! What the page of a row says.

use super::diagrams::Diagrams;
use super::facts::Facts;
use super::look::{Look, Still};
use super::parts::Parts;
use super::tables::Tables;
use super::text::{Piece, with_links};
use super::values::{self, Outputs, ParameterLine, Start};
use super::{Place, difficulty, equations};
use crate::comparison::Comparison;
use crate::error::CommandError;
use crate::experiment::{Instance, ProblemTables, panic_words};
use crate::motion::filmed;
use crate::output::number;
use crate::registry::Registry;
use liedae_problems::catalogue::CatalogueRow;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Methods whose diagrams a page proposes where it has none: for what has bodies, and for everything else.
const PROPOSED: &str = "hem5,dop853,radau5,bdf";
const PROPOSED_GENERAL: &str = "radau5,bdf";

/// The name of the page of a row.
fn file(row: &CatalogueRow) -> String {
    format!("{}.html", row.id)
}

/// A page next to this one.
#[derive(Clone, Debug, Serialize)]
pub struct Neighbour {
    /// Its file.
    pub file: String,
    /// The identifier of its row.
    pub id: &'static str,
}

/// A command line and what it does.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The command.
    pub command: String,
    /// What it does.
    pub words: &'static str,
}

/// What the page of a row says. Fields are as the template reads them.
#[derive(Clone, Debug, Serialize)]
pub struct RowPage {
    /// Its file.
    pub file: String,
    pub id: &'static str,
    pub set: &'static str,
    pub set_title: &'static str,
    pub before: Option<Neighbour>,
    pub behind: Option<Neighbour>,
    /// Name of the problem with settings and end.
    pub name: &'static str,
    pub title: &'static str,
    pub remark: &'static str,
    pub description: &'static str,
    pub source: Vec<Piece>,
    pub look: Option<Look>,
    pub still: Option<Still>,
    pub equations: Vec<String>,
    pub parts: Parts,
    pub parts_summary: String,
    pub parameters: Vec<ParameterLine>,
    pub tables: Tables,
    pub start: Start,
    pub t_end: String,
    pub outputs: Outputs,
    pub facts: Option<Facts>,
    pub hard: Vec<String>,
    /// What is not hard, where nothing else is known.
    pub absent: String,
    pub commands: Vec<Line>,
    pub diagrams: Option<Diagrams>,
    /// How diagrams are made, where there are none.
    pub making: Vec<Line>,
    /// Whether the pages were made with a store of runs.
    pub has_results: bool,
    /// What is not on the page, and why.
    pub lacking: Vec<String>,
}

/// What the index says of a row.
#[derive(Clone, Debug, Serialize)]
pub struct IndexRow {
    pub file: String,
    pub id: &'static str,
    pub name: &'static str,
    pub title: &'static str,
    pub remark: &'static str,
    pub still: Option<String>,
    pub bodies: Option<usize>,
    pub unknowns: Option<usize>,
    pub freedom: Option<usize>,
    pub redundant: Option<usize>,
    pub digits: Option<String>,
    pub has_diagrams: bool,
    pub lacking: Vec<String>,
}

/// A mistake in a problem or a method is no reason to have no pages at all: what a panic says stands on the page of its row.
fn guarded<T>(work: impl FnOnce() -> Result<T, CommandError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => Err(panic_words(panic.as_ref())),
    }
}

impl RowPage {
    /// The page of a row; what cannot be had is said there.
    ///
    /// # Errors
    /// There is no such problem in the registry.
    pub fn of(
        registry: &Registry,
        place: &Place,
        compared: Option<&Comparison>,
    ) -> Result<Self, CommandError> {
        let row = place.row;
        let instance = Instance::read(registry.problems(), row.problem)?;
        let entry = instance.entry();
        let neighbour = |row: &'static CatalogueRow| Neighbour {
            file: file(row),
            id: row.id,
        };
        let mut page = Self {
            file: file(row),
            id: row.id,
            set: place.set.name,
            set_title: set_title(place.set.title),
            before: place.before.map(neighbour),
            behind: place.behind.map(neighbour),
            name: row.problem,
            title: entry.title,
            remark: row.remark,
            description: entry.description,
            source: with_links(entry.source),
            look: None,
            still: None,
            equations: Vec::new(),
            parts: Parts::default(),
            parts_summary: String::new(),
            parameters: Vec::new(),
            tables: Tables::default(),
            start: Start::default(),
            t_end: String::new(),
            outputs: Outputs::default(),
            facts: None,
            hard: Vec::new(),
            absent: String::new(),
            commands: Vec::new(),
            diagrams: None,
            making: Vec::new(),
            has_results: compared.is_some(),
            lacking: Vec::new(),
        };
        let lacks = |page: &mut Self, what: &str, reason: String| {
            page.lacking.push(format!("{what}: {reason}"));
        };
        let mut first = Vec::new();
        let mut method = "hem5";
        match guarded(|| {
            let seen = filmed(registry, row.problem)?;
            let (look, still) = Look::of(row.id, &seen)?;
            let first = seen.film.outputs.first().cloned().unwrap_or_default();
            Ok((look, still, first, seen.method))
        }) {
            Ok((look, still, values, by)) => {
                if let Some(reason) = look.lacking.clone() {
                    lacks(&mut page, "no run reaches the end", reason);
                }
                (page.look, page.still, first, method) = (Some(look), still, values, by);
            }
            Err(reason) => lacks(&mut page, "no picture", reason),
        }
        if let Err(reason) = guarded(|| page.state(&instance, row, &first)) {
            lacks(&mut page, "the problem cannot be built", reason);
        } else if let Err(reason) = guarded(|| page.numbers(&instance)) {
            lacks(&mut page, "no tables", reason);
        }
        match guarded(|| Facts::of(&instance)) {
            Ok(facts) => page.facts = Some(facts),
            Err(reason) => lacks(&mut page, "no analysis", reason),
        }
        if let Some(compared) = compared {
            match guarded(|| Diagrams::of(compared, &instance.label)) {
                Ok(diagrams) => page.diagrams = diagrams,
                Err(reason) => lacks(&mut page, "no work-precision diagrams", reason),
            }
        }
        page.absent = difficulty::absent(page.facts.as_ref());
        page.hard = difficulty::sentences(
            page.facts.as_ref(),
            &page.parts,
            page.look.as_ref(),
            &page.outputs,
        );
        let is_mechanism = (page.look.as_ref()).is_some_and(|look| look.moments.is_some());
        page.commands = commands(row.id, method, is_mechanism);
        page.making = making(row.id, !page.parts.bodies.is_empty());
        Ok(page)
    }

    /// What the problem itself says: equations, parts, parameters, start, outputs. `first` are outputs at the start.
    fn state(
        &mut self,
        instance: &Instance,
        row: &CatalogueRow,
        first: &[f64],
    ) -> Result<(), CommandError> {
        let mut case = instance.build()?;
        let drawing = case.problem.drawing.as_ref();
        let frames = drawing.map_or_else(Vec::new, |drawing| drawing.frames().to_vec());
        self.parameters = values::parameters(&case, row);
        self.start = values::start(&mut case);
        self.t_end = number(case.t_end);
        self.equations = equations::sentences(case.system());
        self.parts = Parts::of(case.system(), &frames);
        self.parts_summary = self.parts.summary();
        self.outputs = values::outputs(&case, first)?;
        Ok(())
    }

    /// Its equations and numbers.
    fn numbers(&mut self, instance: &Instance) -> Result<(), CommandError> {
        let mut case = instance.build()?;
        let tables = ProblemTables::of(&mut case, instance.stated());
        let tables = tables.map_err(|expected| CommandError::Value {
            option: "PROBLEM",
            value: instance.label.clone(),
            expected,
        })?;
        self.outputs.define(&tables.definitions);
        self.tables = Tables::of(&tables)?;
        Ok(())
    }

    /// What the index says of it.
    pub fn in_index(&self) -> IndexRow {
        let facts = self.facts.as_ref();
        IndexRow {
            file: self.file.clone(),
            id: self.id,
            name: self.name,
            title: self.title,
            remark: self.remark,
            still: self.still.as_ref().map(|still| still.file.clone()),
            bodies: (!self.parts.bodies.is_empty()).then_some(self.parts.bodies.len()),
            unknowns: facts.map(|facts| facts.unknowns),
            freedom: facts.and_then(|facts| facts.freedom),
            redundant: facts.and_then(|facts| facts.redundant),
            digits: self.outputs.digits.map(values::in_words),
            has_diagrams: self.diagrams.is_some(),
            lacking: self.lacking.clone(),
        }
    }
}

/// The title of a set without the words that all sets share.
pub fn set_title(title: &'static str) -> &'static str {
    title.split_once(": ").map_or(title, |(_, title)| title)
}

fn commands(id: &str, method: &str, is_mechanism: bool) -> Vec<Line> {
    let line = |command: String, words| Line { command, words };
    let mut lines = vec![
        line(format!("liedae run {id} --method {method}"), "solves it"),
        line(
            format!("liedae run {id} --method {method} --csv {id}.csv --samples 201"),
            "writes time and outputs",
        ),
    ];
    if is_mechanism {
        lines.push(line(
            format!("liedae run {id} --method {method} --animate {id}-motion.html"),
            "plays the motion",
        ));
    }
    lines.extend([
        line(
            format!("liedae describe {id}"),
            "what is on this page, as text or JSON",
        ),
        line(
            format!("liedae analyse {id}"),
            "degrees of freedom, redundant rows, equilibria, modes",
        ),
        line(
            format!("liedae verify-references --problems {id}"),
            "computes the reference once more",
        ),
    ]);
    lines
}

fn making(id: &str, has_bodies: bool) -> Vec<Line> {
    let methods = if has_bodies {
        PROPOSED
    } else {
        PROPOSED_GENERAL
    };
    vec![
        Line {
            command: format!(
                "liedae compare {id} --methods {methods} --tols 1e-3,1e-5,1e-7 --out results"
            ),
            words: "makes the runs",
        },
        Line {
            command: "liedae site --results results --out site".to_owned(),
            words: "writes these pages with the diagrams",
        },
    ]
}
