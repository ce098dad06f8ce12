//! Calls of every kind, a million of them, against a model that says what each is owed: one answer or none, never two,
//! and nothing is left behind. The engine may not allocate meanwhile.
//!
//! `MIDGE_SOAK_CALLS` asks for more calls than the usual number, `MIDGE_SOAK_SEED` for one session again.

#[path = "soak/call.rs"]
mod call;
#[path = "soak/catalog.rs"]
mod catalog;
#[path = "soak/client.rs"]
mod client;
#[path = "soak/driver.rs"]
mod driver;
#[path = "soak/ending.rs"]
mod ending;
#[path = "soak/engine.rs"]
mod engine;
#[path = "soak/found.rs"]
mod found;
#[path = "soak/model.rs"]
mod model;

/// Calls of one session, for its memory is of one size.
const SESSION: u64 = 5000;
/// Calls when nothing is said: some seconds without optimization.
const USUAL: u64 = 15_000;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")))
}

#[test]
fn every_call_gets_what_it_is_owed() {
    if let Some(seed) = variable("MIDGE_SOAK_SEED") {
        driver::run(seed, SESSION);
        return;
    }
    let calls = variable("MIDGE_SOAK_CALLS").unwrap_or(USUAL);
    let (mut answers, mut cancelled, mut questions, mut limits, mut untold) = (0, 0, 0, 0, 0);
    for seed in 1..=calls.div_ceil(SESSION) {
        let model = driver::run(seed, SESSION);
        answers += model.answers;
        cancelled += model.cancelled;
        questions += model.last_question;
        limits += model.limits;
        untold += model.untold;
    }
    println!(
        "{calls} calls: {answers} answered, {cancelled} given up, {questions} questions, {limits} limits, {untold} untold"
    );
    assert!(cancelled * 20 > calls / 2 && questions * 10 > calls, "the mix has gone stale");
}
