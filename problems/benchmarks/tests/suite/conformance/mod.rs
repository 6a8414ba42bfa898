//! The conformance suite: the methods of the framework go through it, and it finds what is wrong with broken ones.

mod broken;
mod flawed;
mod registered;
