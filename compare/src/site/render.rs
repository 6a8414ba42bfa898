//! Rendering of rows as HTML.

use super::row::{IndexRow, RowPage, set_title};
use crate::error::CommandError;
use crate::experiment::REFERENCE_DIGITS;
use crate::report::STYLE;
use liedae_problems::catalogue::TestSet;
use minijinja::{AutoEscape, Environment, context};

/// Turns pages into HTML; everything but pictures is escaped.
pub struct Renderer {
    environment: Environment<'static>,
}

const ROW: &str = "row.html";
const INDEX: &str = "index.html";

/// The files that all pages share, by names and texts.
pub fn files() -> [(&'static str, String); 2] {
    let own = include_str!("templates/site.css");
    [
        ("site.css", STYLE.concat() + own),
        ("site.js", include_str!("templates/site.js").to_owned()),
    ]
}

impl Renderer {
    /// Reads the templates.
    ///
    /// # Errors
    /// One is not right, which is a defect of this crate.
    pub fn new() -> Result<Self, CommandError> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.add_template(ROW, include_str!("templates/row.html"))?;
        environment.add_template(INDEX, include_str!("templates/index.html"))?;
        Ok(Self { environment })
    }

    /// The page of a row.
    ///
    /// # Errors
    /// The template asks for what there is not, which is a defect of this crate.
    pub fn row(&self, page: &RowPage) -> Result<String, CommandError> {
        let template = self.environment.get_template(ROW)?;
        Ok(template.render(context! { page, version => env!("CARGO_PKG_VERSION") })?)
    }

    /// The index of these sets; rows name their set.
    ///
    /// # Errors
    /// As [`row`](Self::row).
    pub fn index(
        &self,
        sets: &[&TestSet],
        rows: &[(&str, IndexRow)],
    ) -> Result<String, CommandError> {
        let of = |name: &str| {
            let rows = rows.iter().filter(|(set, _)| *set == name);
            rows.map(|(_, row)| row).collect::<Vec<_>>()
        };
        let sets: Vec<_> = (sets.iter())
            .map(|set| context! { name => set.name, title => set_title(set.title), rows => of(set.name) })
            .collect();
        let template = self.environment.get_template(INDEX)?;
        Ok(template.render(context! {
            sets,
            count => rows.len(),
            digits => format!("{REFERENCE_DIGITS:.0}"),
            version => env!("CARGO_PKG_VERSION"),
        })?)
    }
}
