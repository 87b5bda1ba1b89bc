//! Under construction.

pub mod tree;
