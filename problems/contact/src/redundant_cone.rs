//! What friction in space cannot do between located events.

use liedae::system::Short;
use thiserror::Error;

/// A contact with friction in space whose rows depend on those of other contacts or of joints: forces that they share are not
/// unique, and which of their splits lie in the cones of friction is no linear program.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "at t = {}: contact `{label}` shares its forces with others or with joints, which friction in space does not allow between \
     located events; use moreau-jean", Short(*t)
)]
pub struct RedundantCone {
    /// The contact.
    pub label: String,
    /// Time in s.
    pub t: f64,
}
