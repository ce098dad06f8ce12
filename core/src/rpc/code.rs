//! Error codes.

/// Not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// JSON, but no message.
pub const INVALID_REQUEST: i32 = -32600;
/// No such method here.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// Parameters that cannot be.
pub const INVALID_PARAMS: i32 = -32602;
/// The server failed.
pub const INTERNAL_ERROR: i32 = -32603;
/// No such resource, up to 2025-11-25.
pub const RESOURCE_NOT_FOUND: i32 = -32002;
/// A header and the body disagree (HTTP, 2026-07-28).
pub const HEADER_MISMATCH: i32 = -32020;
/// The client did not declare a capability that is needed (2026-07-28).
pub const MISSING_CAPABILITY: i32 = -32021;
/// A revision that is not served (2026-07-28).
pub const UNSUPPORTED_VERSION: i32 = -32022;
