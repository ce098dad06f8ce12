//! The client against the example servers, in every revision.

#[path = "connection/asking.rs"]
mod asking;
#[path = "connection/calls.rs"]
mod calls;
#[path = "connection/ending.rs"]
mod ending;
#[path = "connection/odd.rs"]
mod odd;
#[path = "connection/servers.rs"]
mod servers;
#[path = "connection/watching.rs"]
mod watching;
