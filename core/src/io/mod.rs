//! Drive loops over the stream traits that HALs implement.

#[cfg(feature = "io-blocking")]
pub mod blocking;
#[cfg(feature = "io-async")]
pub mod nonblocking;
