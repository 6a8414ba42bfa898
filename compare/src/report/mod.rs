//! Charts and pages: from numbers to SVG and HTML that open without a network.

mod axis;
mod boxes;
mod chart;
mod columns;
mod comparison;
mod costs;
mod frame;
mod marker;
mod overview;
mod page;
mod problem;
mod profiles;
mod runs;
mod series;
mod shares;
mod solved;
#[cfg(test)]
mod synthetic;
mod tolerances;

pub use axis::Axis;
pub use chart::{Chart, LineStyle, Series};
pub use comparison::comparison;
pub use overview::{energy_words, overview};
pub use page::{Alternative, Figure, Gallery, Page, STYLE, Section, TextTable, made_how};
pub use problem::problem;
pub use shares::shares;
pub use tolerances::tolerances;

/// A text between tags or quotes.
fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
