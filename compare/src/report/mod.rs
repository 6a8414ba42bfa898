//! Charts and pages: from numbers to SVG and HTML that open without a network.

mod axis;
mod chart;
mod comparison;
mod marker;
mod overview;
mod page;
mod tolerances;

pub use axis::Axis;
pub use chart::{Chart, LineStyle, Series};
pub use comparison::comparison;
pub use overview::{energy_words, overview};
pub use page::{Figure, Page, Section, TextTable};
pub use tolerances::tolerances;
