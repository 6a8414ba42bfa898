//! Reports as one HTML file that needs nothing else.
//!
//! The page is complete without its script. With it, tables are sorted and filtered, methods switched on and off, axes
//! chosen, values read by hovering, charts and tables saved. Ten thousand rows open at once because nothing is done for
//! what is out of sight: sections are laid out when they come near (`content-visibility: auto`), and charts that are not
//! the first choice wait in `noscript` elements, which readers without a script see as they are, and which a browser with
//! script takes for text until the script reads them. In long reports all sections but the first wait so; the script
//! reads them when they come near or when it has nothing else to do, so that the browser's own search finds all rows a
//! moment later.

use crate::error::CommandError;
use crate::optimization;
use crate::output::Named;
use minijinja::{AutoEscape, Environment, context};
use serde::Serialize;

const TEMPLATE: &str = include_str!("templates/page.html");
/// How pages look: on screens, light and dark, and on paper.
pub const STYLE: [&str; 2] = [
    include_str!("templates/page.css"),
    include_str!("templates/print.css"),
];
/// Rows of tables that a page has at once; what follows waits for a moment.
const ROWS_AT_ONCE: usize = 1500;
/// Rows of a table that are shown before anybody asks for more: a table is laid out as a whole, out of sight or not.
const ROWS_OF_TABLE: usize = 300;
/// Small files, one idea each, that share one scope; the last calls the others.
const SCRIPT: [&str; 7] = [
    include_str!("templates/script/exports.js"),
    include_str!("templates/script/tables.js"),
    include_str!("templates/script/methods.js"),
    include_str!("templates/script/choices.js"),
    include_str!("templates/script/hover.js"),
    include_str!("templates/script/links.js"),
    include_str!("templates/script/main.js"),
];

/// A chart and what it shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The chart as an SVG element.
    pub svg: String,
    /// Caption.
    pub caption: String,
}

/// A figure that is one of several between which readers choose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alternative {
    /// What is chosen, by dimension of the choice, as a JSON object.
    pub choice: String,
    /// The figure.
    pub figure: Figure,
    /// Whether it shows the numbers of another alternative once more: left out where no script lets readers choose.
    pub repeats: bool,
}

impl Alternative {
    /// From pairs of a dimension of the choice and its value, as `("cost", "wall time")`.
    pub fn new(choice: &[(&str, &str)], figure: Figure, repeats: bool) -> Self {
        let named = choice.iter().map(|&(name, value)| (name.to_owned(), value));
        let choice = serde_json::to_string(&Named(named.collect()));
        Self {
            // Texts are always JSON.
            choice: choice.unwrap_or_default(),
            figure,
            repeats,
        }
    }
}

/// Figures of which readers choose one; without a script they see all.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Gallery {
    /// The figures, the first choice first.
    pub alternatives: Vec<Alternative>,
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
    /// Identifiers of the rows, to which points of charts lead; as many as rows or none.
    pub ids: Vec<String>,
    /// Whether the cells are texts rather than numbers.
    pub prose: bool,
}

impl TextTable {
    /// Classes that align columns of texts to the left: `c2` for the second.
    pub fn left(&self) -> String {
        // A number may stand in parentheses.
        let is_text = |cell: &String| {
            let plain = cell.trim_matches(['(', ')']);
            plain.chars().any(char::is_alphabetic)
                && plain.parse::<f64>().is_err()
                && plain != "failed"
        };
        let is_left = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .any(is_text)
        };
        let columns = (1..self.header.len()).filter(|&column| is_left(column));
        columns.map(|column| format!("c{} ", column + 1)).collect()
    }
}

/// A part of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Section {
    /// Heading.
    pub heading: String,
    /// Paragraphs.
    pub paragraphs: Vec<String>,
    /// Figures between which readers choose.
    pub galleries: Vec<Gallery>,
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
    /// What readers must know before they look at anything.
    pub warnings: Vec<String>,
    /// The command that made it, and what it is about.
    pub summary: Vec<String>,
    /// Its parts.
    pub sections: Vec<Section>,
}

impl Page {
    /// An empty page about runs of this program: it warns where the program was not optimized.
    pub fn of_this_build() -> Self {
        Self {
            warnings: optimization::warning().into_iter().collect(),
            ..Self::default()
        }
    }

    /// The page as HTML.
    pub fn html(&self) -> Result<String, CommandError> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        let (mut style, script) = (STYLE.concat(), SCRIPT.concat());
        let left = |section: &Section| section.tables.iter().map(TextTable::left).collect();
        let left: Vec<Vec<String>> = self.sections.iter().map(left).collect();
        let columns = self
            .sections
            .iter()
            .flat_map(|section| &section.tables)
            .map(|table| table.header.len())
            .max();
        for column in 2..=columns.unwrap_or(0) {
            style.push_str(&format!(
                ".c{column} :nth-child({column}):is(th, td) {{ text-align: left; }}\n"
            ));
        }
        let html = environment.render_str(
            TEMPLATE,
            context! { page => self, style, script, left, waiting => self.waiting(), rows => ROWS_OF_TABLE },
        )?;
        Ok(html)
    }

    /// Which sections wait until a script has time for them: those behind many rows.
    fn waiting(&self) -> Vec<bool> {
        let mut rows = 0;
        let waits = |section: &Section| {
            let waits = rows > ROWS_AT_ONCE;
            rows += section
                .tables
                .iter()
                .map(|table| table.rows.len())
                .sum::<usize>();
            waits
        };
        self.sections.iter().map(waits).collect()
    }
}

/// The section that says how a report was made: pairs of a label and a value, such as the version and the machine.
pub fn made_how(provenance: &[(String, String)]) -> Section {
    let pair = |(label, value): &(String, String)| vec![label.clone(), value.clone()];
    Section {
        heading: "How this was made".to_owned(),
        tables: vec![TextTable {
            header: vec!["what".to_owned(), "value".to_owned()],
            rows: provenance.iter().map(pair).collect(),
            prose: true,
            ..TextTable::default()
        }],
        ..Section::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(svg: &str) -> Figure {
        Figure {
            svg: svg.to_owned(),
            caption: "c".to_owned(),
        }
    }

    fn page(section: Section) -> Page {
        Page {
            title: "a < b".to_owned(),
            warnings: vec!["slow & loud".to_owned()],
            summary: vec!["made & read".to_owned()],
            sections: vec![section],
        }
    }

    #[test]
    fn text_is_escaped_and_charts_are_not() -> Result<(), CommandError> {
        let html = page(Section {
            heading: "one".to_owned(),
            figures: vec![figure("<svg></svg>")],
            tables: vec![TextTable {
                header: vec!["h".to_owned()],
                rows: vec![vec!["<td>".to_owned()]],
                classes: vec!["bad".to_owned()],
                ids: vec!["r7".to_owned()],
                ..TextTable::default()
            }],
            ..Section::default()
        })
        .html()?;
        assert!(html.contains("a &lt; b") && html.contains("made &amp; read"));
        let warning = html.find("<p class=\"warning\">slow &amp; loud</p>");
        assert!(warning.is_some() && warning < html.find("made &amp; read"));
        assert!(html.contains("<svg></svg>") && html.contains("&lt;td&gt;"));
        assert!(html.contains("<tr id=\"r7\" class=\"bad\">"));
        assert!(!html.contains("http:") && !html.contains("https:") && !html.contains("src="));
        Ok(())
    }

    #[test]
    fn columns_of_texts_are_aligned_to_the_left() {
        let row = |cells: [&str; 5]| cells.map(str::to_owned).to_vec();
        let table = TextTable {
            header: row(["problem", "method", "error", "rise", "done"]),
            rows: vec![
                row(["a", "hem5", "1e-3", "(2.0e-7)", "–"]),
                row(["b", "bdf", "failed", "–", "3 of 4"]),
            ],
            ..TextTable::default()
        };
        assert_eq!(table.left(), "c2 c5 ");
    }

    #[test]
    fn what_is_not_the_first_choice_waits() -> Result<(), CommandError> {
        let alternative = |cost: &str, svg: &str, repeats| {
            Alternative::new(&[("cost", cost)], figure(svg), repeats)
        };
        let alternatives = vec![
            alternative("\"time\"", "<svg id=a>", false),
            alternative("calls", "<svg id=b>", false),
            alternative("log calls", "<svg id=c>", true),
        ];
        let html = page(Section {
            galleries: vec![Gallery { alternatives }],
            ..Section::default()
        })
        .html()?;
        let before = |mark: &str| {
            html.split(mark)
                .next()
                .and_then(|text| text.rsplit("data-choice").next())
                .unwrap_or_default()
        };
        assert!(html.contains("{&quot;cost&quot;:&quot;calls&quot;}"));
        // The tag that each stands in.
        let tags: Vec<&str> = html
            .match_indices("data-choice")
            .filter_map(|(at, _)| html[..at].rsplit('<').next())
            .map(str::trim)
            .collect();
        assert_eq!(
            tags[..3],
            ["figure", "noscript", "template"],
            "{}",
            before("id=a")
        );
        Ok(())
    }
}
