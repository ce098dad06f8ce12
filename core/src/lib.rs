#![no_std]
#![forbid(unsafe_code)]
#![doc = "The Model Context Protocol for anything with a byte stream."]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod bytes;
pub mod error;
pub mod json;
pub mod limits;
pub mod sink;
pub mod time;
