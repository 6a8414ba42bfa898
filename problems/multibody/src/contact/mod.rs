//! Contacts between bodies of a mechanism, as the user states them.
//!
//! ```text
//!        second body            gap g > 0: apart,  g = 0: touching,  g < 0: penetrating (m)
//!       \_____/  p_2
//!          ↑ n                  n: unit normal from the first body to the second
//!       ─-─┼─-─  p_1            t₁, t₂: orthonormal tangents
//!     first body                sliding velocities: tᵢ · (velocity of body 2 at p_2 - velocity of body 1 at p_1) (m/s)
//! ```
//!
//! The multiplier λ ≥ 0 of a gap is the force λ n in N on the second body and -λ n on the first.

#[cfg(feature = "convex")]
mod convex;
mod derivatives;
mod pairs;
mod shape;
mod touch;
mod unilateral;

#[cfg(feature = "files")]
pub(crate) use pairs::StatedContact;
pub(crate) use pairs::{Placed, PlacedSurface, partners};
pub use shape::{Shape, Surface, SurfaceContact};
pub use touch::Touch;
