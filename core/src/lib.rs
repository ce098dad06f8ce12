#![no_std]
#![forbid(unsafe_code)]
#![doc = "The Model Context Protocol for anything with a byte stream."]

#[cfg(test)]
extern crate std;

pub mod bytes;
