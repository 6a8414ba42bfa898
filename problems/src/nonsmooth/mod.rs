//! Mechanisms with unilateral contacts.

pub mod geometry;
