//! All tests of the command and of the repository. One program, as each links the whole of the command's library.

mod common;

mod command;
mod foreign;
mod repository;
