//! Friction of joints that sticks, slips and reverses, against closed forms.

mod block;
mod capturing;
mod derivatives;
mod jam;
mod random;
mod runs;
mod slider_crank;
mod spatial;
