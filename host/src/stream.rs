//! Streams to servers.
