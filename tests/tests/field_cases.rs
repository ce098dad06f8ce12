//! Faults that people met in public implementations, one test each; the numbers are those of the list of field cases.
//! Cases of clients and of HTTP are not here.

#[path = "field_cases/asking.rs"]
mod asking;
mod peer;
#[path = "field_cases/process.rs"]
mod process;
#[path = "field_cases/races.rs"]
mod races;
#[path = "field_cases/requests.rs"]
mod requests;
#[path = "field_cases/results.rs"]
mod results;
#[path = "field_cases/serving.rs"]
mod serving;
#[path = "field_cases/wire.rs"]
mod wire;
