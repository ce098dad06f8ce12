//! A client against a server that misbehaves in one chosen way (`tests/badpeer`): every call ends with the right error
//! within its deadline, and other calls are unaffected.

#[path = "badpeer/answers.rs"]
mod answers;
#[path = "badpeer/asking.rs"]
mod asking;
#[path = "badpeer/connecting.rs"]
mod connecting;
#[path = "badpeer/ending.rs"]
mod ending;
#[path = "badpeer/noise.rs"]
mod noise;
mod peer;
#[path = "badpeer/tasks.rs"]
mod tasks;
#[path = "badpeer/time.rs"]
mod time;
