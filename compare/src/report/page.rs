//! Reports as one HTML file that needs nothing else.

use crate::error::CommandError;
use minijinja::{AutoEscape, Environment, context};
use serde::Serialize;

const TEMPLATE: &str = include_str!("templates/page.html");

/// A chart and what it shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The chart as an SVG element.
    pub svg: String,
    /// Caption.
    pub caption: String,
}

/// A table of texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TextTable {
    /// Caption above the table.
    pub caption: String,
    /// Column heads.
    pub header: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
    /// Classes of the rows (`good`, `bad` or empty), as many as rows or none.
    pub classes: Vec<String>,
    /// Whether the cells are texts rather than numbers.
    pub prose: bool,
}

/// A part of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Section {
    /// Heading.
    pub heading: String,
    /// Paragraphs.
    pub paragraphs: Vec<String>,
    /// Figures.
    pub figures: Vec<Figure>,
    /// Tables.
    pub tables: Vec<TextTable>,
}

/// A report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Page {
    /// Title.
    pub title: String,
    /// The command that made it, and what it is about.
    pub summary: Vec<String>,
    /// Its parts.
    pub sections: Vec<Section>,
}

impl Page {
    /// The page as HTML.
    pub fn html(&self) -> Result<String, CommandError> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        let html = environment.render_str(TEMPLATE, context! { page => self })?;
        Ok(html)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_charts_are_not() -> Result<(), CommandError> {
        let page = Page {
            title: "a < b".to_owned(),
            summary: vec!["made & read".to_owned()],
            sections: vec![Section {
                heading: "one".to_owned(),
                figures: vec![Figure {
                    svg: "<svg></svg>".to_owned(),
                    caption: "c".to_owned(),
                }],
                tables: vec![TextTable {
                    header: vec!["h".to_owned()],
                    rows: vec![vec!["<td>".to_owned()]],
                    classes: vec!["bad".to_owned()],
                    ..TextTable::default()
                }],
                ..Section::default()
            }],
        };
        let html = page.html()?;
        assert!(html.contains("a &lt; b") && html.contains("made &amp; read"));
        assert!(html.contains("<svg></svg>") && html.contains("&lt;td&gt;"));
        assert!(html.contains("class=\"bad\""));
        assert!(!html.contains("http:") && !html.contains("https:") && !html.contains("src="));
        Ok(())
    }
}
