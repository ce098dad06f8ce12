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

/// A call that is answered in windows is read again for each: receiving must leave it where it stands.
#[test]
fn a_call_is_not_moved_while_more_is_received() {
    let (mut rx, mut tx, mut slots) = ([0; 1024], [0; 512], [midge::Slot::FREE; 1]);
    let storage = midge::Storage {
        rx: (&mut rx).into(),
        tx: (&mut tx).into(),
        slots: &mut slots,
        subscriptions: &mut [],
        scratch: &mut [],
        park: &mut [],
    };
    let sealer = midge::HmacSealer::new(midge_tests::replay::KEY).expect("the key is long enough");
    let mut engine = engine::Engine::new(storage, midge::Config::default(), &sealer);
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"stream","arguments":{"m":"","n":40}}}"#;
    let input = format!("{hello}\n{call}\n");
    assert_eq!(engine.feed(input.as_bytes()), input.len());
    while engine.poll() == engine::Rest::Send {
        if engine.desk.runs > 0 {
            engine.feed(&[b'\n'; 200]);
        }
        engine.take(usize::MAX);
    }
    let out = String::from_utf8(std::mem::take(&mut engine.out)).expect("what is sent is UTF-8");
    assert!(out.contains(&catalog::PIECE.repeat(40)), "{out}");
}
