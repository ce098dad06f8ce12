//! The client without `async`.
