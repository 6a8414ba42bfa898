//! Pictures of a motion: stills as SVG, an animation as one HTML file, outputs as charts.
//!
//! What is drawn comes from the problem's [`Drawing`](liedae_problems::drawing::Drawing), where bodies are comes from a
//! [`Film`]. [`View`] says what is seen of it, `svg.rs` draws stills, and `motion.js` draws the same
//! primitives in a canvas: both know a dozen of them and an orthographic projection, and no more.

mod arrows;
mod filmed;
mod page;
mod plot;
mod stills;
mod svg;
mod view;

pub use filmed::{Filmed, LONGEST as LONGEST_PICTURE, filmed};
pub use page::page;
pub use plot::{Plot, plot};
pub use stills::picture;
