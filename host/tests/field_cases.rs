//! Faults that people met in public implementations, those that concern clients, one test each; the numbers are those
//! of the list of field cases.

#[path = "field_cases/concurrency.rs"]
mod concurrency;
#[path = "field_cases/framing.rs"]
mod framing;
mod peer;
#[path = "field_cases/results.rs"]
mod results;
