//! Set 3.

use super::CatalogueRow;

pub(super) const ROWS: [CatalogueRow; 0] = [];
