//! Declaration macros of midge.
