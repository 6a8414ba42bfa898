//! liedae
fn main() {}
