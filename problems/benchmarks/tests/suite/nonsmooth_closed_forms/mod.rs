//! Problems with contacts against closed forms: moments of events, velocities, impulses.

mod cradle;
mod refusals;
mod repeated;
mod rods;
mod run;
mod single;
