//! Event capturing: contacts, impacts and friction, in joints too, within steps of fixed size and without locating events.
//!
//! [`MoreauJean`] is the method, [`ImpactSolver`] what finds the impulses of its contacts and joints.

mod compliance;
mod contacts;
mod correction;
mod dynamics;
mod friction;
mod gauge;
mod impact;
mod iterate;
mod joints;
mod law;
mod moreau_jean;

pub use contacts::ContactImpulse;
pub use friction::{JointLaw, Joints};
pub use gauge::ImpulseGauge;
pub use impact::{ImpactError, ImpactSolver, ImpactStatistics, UnsolvedImpact};
pub use joints::JointImpulse;
pub use law::ContactLaw;
pub use moreau_jean::MoreauJean;
