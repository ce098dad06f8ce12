//! JSON-RPC 2.0 as MCP narrows it: ids, message classes, members, error codes.

pub mod code;
pub mod emit;
pub mod envelope;
pub mod id;
pub mod params;
