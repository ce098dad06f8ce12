//! A whole server, and a client, as a C library, to be linked where panicking is impossible.
//!
//! The panic handler calls a function that nothing defines: if the compiler has left one way to it, the program does
//! not link. Only `ffi.rs` has `unsafe` code.

#![no_std]
#![deny(unsafe_code)]

mod asks;
mod catalog;
mod client;
mod drive;
#[allow(unsafe_code)]
mod ffi;
mod offers;
mod state;
mod tools;
#[cfg(feature = "async")]
mod waiting;
