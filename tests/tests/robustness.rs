//! What peers and applications should not do: the engine neither panics nor stalls, and the stream stays whole.

#[path = "robustness/abuse.rs"]
mod abuse;
#[path = "robustness/asking.rs"]
mod asking;
#[path = "robustness/bench.rs"]
mod bench;
#[path = "robustness/buffers.rs"]
mod buffers;
#[path = "robustness/lists.rs"]
mod lists;
mod peer;
#[path = "robustness/random.rs"]
mod random;
#[path = "robustness/waiting.rs"]
mod waiting;
