//! The repository: documents, packages, what the program knows of its sources, results of others, rows of the test set.

mod build_script;
mod documents;
mod independent;
mod outside;
mod packages;
mod rows;
