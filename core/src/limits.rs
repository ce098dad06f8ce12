//! Every bound, by name and unit.
//!
//! Crossing one fails that message alone, with an answer that carries its id where the id could be read; the stream
//! goes on at the next newline. Sizes that depend on memory are the lengths of the slices in
//! [`Storage`](crate::session::server::Storage).

/// Nesting depth of a message, in containers. Equal to what `serde_json` accepts, so that a text refused here is
/// refused by common peers too.
pub const DEPTH_MAX: u8 = 127;

/// Length of a request id, in bytes of its JSON text, quotes included. A UUID in quotes takes 38.
pub const ID_MAX_BYTES: usize = 64;

/// Length of a progress token, in bytes of its JSON text, quotes included.
pub const TOKEN_MAX_BYTES: usize = 64;

/// Elements of one batch (2025-03-26 only). Further ones are refused one by one.
pub const BATCH_MAX: u16 = 64;

/// Error answers in a row to lines that are no message at all, before the engine falls silent. Any good message starts
/// the count anew. Two peers that answer each other's error lines would otherwise never stop.
pub const JUNK_ANSWERS_MAX: u8 = 4;

/// Arguments of one tool.
pub const ARGS_MAX: usize = 32;

/// Values of one completion (MCP, every revision: at most 100).
pub const COMPLETION_VALUES_MAX: u8 = 100;

/// Characters of a tool name, as recommended from 2025-11-25 on.
pub const TOOL_NAME_MAX: usize = 128;

/// Resource URIs of one `subscriptions/listen` request.
pub const LISTEN_URIS_MAX: usize = 16;

/// Questions of one round of a call, where the server keeps them: in the handshake revisions, and in tasks. Elsewhere they
/// are a part of the result, and only the transmit buffer bounds them.
pub const ASKS_MAX: u8 = 16;

/// Rounds in which one call may ask its client. A handler that never has enough must not go on for ever.
pub const ASK_ROUNDS_MAX: u8 = 16;

/// Members of `inputResponses` that are looked at; those behind them count as absent.
pub const INPUT_RESPONSES_MAX: u8 = 32;

/// How long a client has to answer what it is asked, in milliseconds, and how long its `requestState` is good, unless
/// [`Config`](crate::Config) says otherwise: ten minutes.
pub const ASK_MS: u64 = 600_000;

/// How long a task is kept, in milliseconds, unless [`Config`](crate::Config) says otherwise: an hour.
pub const TASK_TTL_MS: u64 = 3_600_000;

/// How often clients should look at a task, in milliseconds, unless [`Config`](crate::Config) says otherwise.
pub const TASK_POLL_MS: u64 = 1_000;

/// How long a server has to answer `server/discover`, in milliseconds, unless the client's
/// [`Config`](crate::client::Config) says otherwise: many servers of the handshake revisions say nothing to it.
pub const PROBE_MS: u64 = 10_000;

/// How long it has to answer `initialize`, in milliseconds, unless [`Config`](crate::client::Config) says otherwise: some
/// take many seconds to start.
pub const CONNECT_MS: u64 = 60_000;

/// How long it has to answer a call, in milliseconds, unless [`Config`](crate::client::Config) says otherwise.
pub const CALL_MS: u64 = 60_000;

/// Pages of a list that is read whole.
pub const PAGES_MAX: u16 = 1_000;
