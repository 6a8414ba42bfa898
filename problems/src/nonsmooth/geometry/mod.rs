//! Gaps between bodies, and how fast their surfaces slide.
//!
//! [`plane`] has the contacts of plane bodies with coordinates x, y, θ. Those of bodies in space belong to the
//! mechanisms that they act in: [`crate::multibody::SurfaceContact`].
//!
//! ```text
//!        body B                 gap g > 0: apart,  g = 0: touching,  g < 0: penetrating (m)
//!       \_____/  p_B
//!          ↑ n                  n: unit normal from body A to body B
//!   t ──→ ─┼─── p_A             t: unit tangent, n turned by -90° (n up, t to the right)
//!    body A                     sliding velocity: t · (velocity of B at p_B - velocity of A at p_A) (m/s)
//! ```
//!
//! p_A and p_B are the closest points of the two bodies, p_B = p_A + g n, so that the rate of the gap is
//! n · (velocity of B at p_B - velocity of A at p_A), and a multiplier λ ≥ 0 of the gap is the force λ n in N on body B
//! and -λ n on body A. Exchanging the bodies changes the signs of n and t and of the relative velocity, hence neither
//! the gap nor the sliding velocity.
//!
//! Source: F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996, ch. 4,
//! doi:10.1002/9783527618385.

pub mod plane;

mod error;

pub use error::GeometryError;
