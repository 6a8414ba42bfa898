//! Friction of joints that sticks, slips and reverses, against closed forms.

#[path = "../common/mod.rs"]
mod common;

mod block;
mod capturing;
mod derivatives;
mod jam;
mod runs;
mod slider_crank;
mod spatial;
