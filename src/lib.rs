//! liedae
