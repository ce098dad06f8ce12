//! A connection to `tests/badpeer/badpeer.py`, and what the tests of both suites ask of every connection.
#![allow(dead_code, reason = "each suite uses a part")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use midge_host::client::BoxFuture;
use midge_host::{
    Answers, CallOptions, Client, Command, Era, Error, Grace, How, Notice, Options, Question, Reply, Target,
    ToolResult,
};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// Both generations: `initialize`, and requests that describe themselves.
pub const ERAS: [Era; 2] = [Era::Handshake, Era::Modern];

/// What a machine that is busy with something else may add to a deadline.
pub const SLACK: Duration = Duration::from_secs(10);

/// Longer than anything here takes: whoever waits for this long hangs.
pub const LONG: Duration = Duration::from_secs(60);

pub const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// The bad peer in one of its scenarios, as a process.
pub fn command(scenario: &str) -> Command {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/badpeer/badpeer.py");
    Command::new("python3").arg(script).arg(scenario)
}

pub fn target(scenario: &str) -> Target {
    Target::Process(command(scenario))
}

/// Deadlines that no healthy call meets, so that each test sets the one it is about.
pub fn options(era: Era) -> Options {
    Options {
        era,
        connect_timeout: LONG,
        probe_timeout: LONG,
        call_timeout: LONG,
        grace: Grace { eof: LONG, term: LONG },
        ..Options::default()
    }
}

/// Options of a client whose user agrees to everything: `go` is true in every form.
pub fn agreeing(era: Era) -> Options {
    Options { answers: Some(Arc::new(Agrees)), ..options(era) }
}

pub struct Agrees;

impl Answers for Agrees {
    fn answer(&self, question: Question) -> BoxFuture<'static, Reply> {
        let fields = match question {
            Question::Form { .. } => json!({ "go": true }),
            _ => json!({}),
        };
        Box::pin(async move { Reply::Accept(fields.as_object().cloned().unwrap_or_default()) })
    }
}

pub async fn connect(scenario: &str, era: Era) -> Client {
    connect_with(scenario, options(era)).await
}

pub async fn connect_with(scenario: &str, options: Options) -> Client {
    let era = options.era;
    within(LONG, Client::connect(&target(scenario), options))
        .await
        .unwrap_or_else(|e| panic!("{scenario}, {era:?}: {e}"))
}

/// Fails the test when the future takes longer than `limit`, which is a hang.
pub async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(limit, future).await.unwrap_or_else(|_| panic!("no end within {limit:?}"))
}

/// Calls a tool; ends in any case, or the test fails.
pub async fn call(
    client: &Client,
    tool: &str,
    arguments: Value,
    call: CallOptions,
) -> Result<ToolResult, Error> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    within(LONG + SLACK, client.call_tool(tool, arguments, call)).await
}

/// The text of a call that must succeed.
pub async fn said(client: &Client, tool: &str, arguments: Value) -> String {
    let result = call(client, tool, arguments, CallOptions::default()).await;
    result.unwrap_or_else(|e| panic!("{tool}: {e}")).text()
}

/// The text of a call that must succeed, read as JSON.
pub async fn told(client: &Client, tool: &str) -> Value {
    serde_json::from_str(&said(client, tool, json!({})).await).expect("the tool answers with JSON")
}

/// Calls that have nothing to do with what went wrong, one after the other and all at once.
pub async fn others_work(client: &Client) {
    assert_eq!(said(client, "echo", json!({ "text": "by itself" })).await, "by itself");
    let all: Vec<_> = (0..8)
        .map(|n| {
            let client = client.clone();
            tokio::spawn(async move {
                let text = format!("at once {n}");
                assert_eq!(said(&client, "echo", json!({ "text": text })).await, text);
            })
        })
        .collect();
    for one in all {
        one.await.expect("an echo among several");
    }
}

pub fn timeout(deadline: Duration) -> CallOptions {
    CallOptions { timeout: Some(deadline), ..CallOptions::default() }
}

/// A call whose deadline must pass: the error is the right one, neither early nor much too late.
pub async fn times_out(client: &Client, tool: &str, arguments: Value, deadline: Duration) {
    let start = Instant::now();
    let error = call(client, tool, arguments, timeout(deadline)).await.expect_err("there is no answer");
    passed(start, deadline);
    assert!(matches!(error, Error::TimedOut { .. }), "{tool}: {error:?}");
}

/// The same for the deadline that nothing moves.
pub async fn runs_out(client: &Client, tool: &str, arguments: Value, deadline: Duration) {
    let start = Instant::now();
    let with = CallOptions { max: Some(deadline), ..CallOptions::default() };
    let error = call(client, tool, arguments, with).await.expect_err("there is no answer");
    passed(start, deadline);
    assert!(matches!(error, Error::TimedOut { .. }), "{tool}: {error:?}");
}

/// That a deadline has just passed.
pub fn passed(start: Instant, deadline: Duration) {
    let took = start.elapsed();
    assert!(took >= deadline.mul_f32(0.9), "{took:?} is before the deadline of {deadline:?}");
    assert!(took < deadline + SLACK, "{took:?} is long after the deadline of {deadline:?}");
}

/// Closes; the process must leave by itself when its input ends.
pub async fn close(client: Client) {
    let exit = within(LONG + LONG + SLACK, client.close()).await.exit.expect("there was a process");
    assert_eq!(exit.how, How::ByItself, "{exit:?}");
}

/// The next notice that `wanted` picks; the test fails when there is none for too long.
pub async fn notice<T>(notices: &mut Receiver<Notice>, wanted: impl Fn(&Notice) -> Option<T>) -> T {
    within(LONG, async {
        loop {
            match notices.recv().await {
                Ok(next) => {
                    if let Some(found) = wanted(&next) {
                        return found;
                    }
                }
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => panic!("the connection has ended"),
            }
        }
    })
    .await
}

/// Asks until the answer is the wanted one; the test fails when it never is.
pub async fn until<T, F: Future<Output = Option<T>>>(mut ask: impl FnMut() -> F) -> T {
    within(LONG, async {
        loop {
            if let Some(found) = ask().await {
                return found;
            }
            tokio::time::sleep(ms(10)).await;
        }
    })
    .await
}
