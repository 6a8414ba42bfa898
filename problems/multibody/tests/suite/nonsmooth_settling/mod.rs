//! Accumulating impacts: balls at any location tolerance against closed forms, and rough mechanisms that rattle down to
//! rest with several contacts at once.

mod balls;
mod cases;
mod rest;
