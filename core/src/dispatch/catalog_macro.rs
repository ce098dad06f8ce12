//! The `catalog!` macro.
