//! The repository: documents, packages, what the program knows of its sources, results of others.

mod build_script;
mod documents;
mod independent;
mod outside;
mod packages;
