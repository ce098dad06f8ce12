//! Deadlines, cancelling, and answers that come after either.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use midge_host::client::CancellationToken;
use midge_host::{CallOptions, Client, Error, Notice};
use serde_json::{Value, json};

use crate::peer::*;

#[tokio::test]
async fn a_slow_call_holds_up_nobody() {
    for era in ERAS {
        let client = connect("slow", era).await;
        let done = Arc::new(AtomicUsize::new(0));
        let slow = {
            let (client, done) = (client.clone(), done.clone());
            tokio::spawn(async move {
                let text = said(&client, "slow", json!({ "ms": 2000, "text": "at last" })).await;
                (text, done.load(Ordering::SeqCst))
            })
        };
        for n in 0..50 {
            assert_eq!(said(&client, "echo", json!({ "text": n.to_string() })).await, n.to_string());
            done.fetch_add(1, Ordering::SeqCst);
        }
        let (text, before) = slow.await.unwrap();
        assert_eq!(text, "at last");
        assert!(before > 0, "{era:?}: no other call was answered before the slow one");
        close(client).await;
    }
}

#[tokio::test]
async fn an_answer_after_the_deadline_is_a_stray() {
    for era in ERAS {
        let client = connect("slow", era).await;
        let mut notices = client.notices();
        times_out(&client, "slow", json!({ "ms": 800, "text": "too late" }), ms(200)).await;
        others_work(&client).await;
        notice(&mut notices, |n| matches!(n, Notice::Stray { .. }).then_some(())).await;
        others_work(&client).await;
        // The server was told that nobody waits any more.
        let seen = told(&client, "seen").await;
        assert_eq!(seen["cancelled"], json!([slow_call(&seen)]), "{era:?}: {seen}");
        close(client).await;
    }
}

/// The id of the first tool call that the server has seen.
fn slow_call(seen: &Value) -> Value {
    let requests = seen["requests"].as_array().expect("a list");
    requests.iter().find(|r| r[1] == "tools/call").expect("there was a call")[0].clone()
}

#[tokio::test]
async fn progress_starts_the_deadline_anew_but_not_the_outermost() {
    for era in ERAS {
        let client = connect("slow", era).await;
        let working = json!({ "ms": 250, "steps": 16 });
        let (progress, mut reported) = tokio::sync::mpsc::unbounded_channel();
        let start = Instant::now();
        let with =
            CallOptions { timeout: Some(ms(2500)), progress: Some(progress), ..CallOptions::default() };
        let result = call(&client, "working", working.clone(), with).await.unwrap();
        assert!(start.elapsed() > ms(2500), "{era:?}: it took only {:?}", start.elapsed());
        assert_eq!(result.text(), "worked");
        let mut steps = Vec::new();
        while let Ok(step) = reported.try_recv() {
            assert_eq!(step.total, Some(16.0));
            steps.push(step.progress);
        }
        assert_eq!(steps, (1..=16).map(f64::from).collect::<Vec<_>>());

        let (progress, _reported) = tokio::sync::mpsc::unbounded_channel();
        let bounded = CallOptions {
            timeout: Some(ms(2500)),
            max: Some(ms(1000)),
            progress: Some(progress),
            ..CallOptions::default()
        };
        let start = Instant::now();
        let error = call(&client, "working", working, bounded).await.unwrap_err();
        passed(start, ms(1000));
        assert!(matches!(error, Error::TimedOut { .. }), "{era:?}: {error:?}");
        others_work(&client).await;
        close(client).await;
    }
}

/// Starts a call that is only answered after it was cancelled, and waits until the server has it.
async fn begun(client: &Client, with: CallOptions) -> tokio::task::JoinHandle<Result<(), Error>> {
    let (progress, mut reported) = tokio::sync::mpsc::unbounded_channel();
    let with = CallOptions { progress: Some(progress), ..with };
    let task = tokio::spawn({
        let client = client.clone();
        async move { call(&client, "bad", json!({}), with).await.map(|_| ()) }
    });
    within(LONG, reported.recv()).await.expect("the server reports that it has begun");
    task
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once_and_what_comes_for_it_later_is_ignored() {
    for era in ERAS {
        let client = connect("after_cancel", era).await;
        let mut notices = client.notices();
        let token = CancellationToken::new();
        let call =
            begun(&client, CallOptions { cancel: Some(token.clone()), ..CallOptions::default() }).await;
        token.cancel();
        let error = within(SLACK, call).await.unwrap().unwrap_err();
        assert!(matches!(error, Error::Cancelled), "{era:?}: {error:?}");
        notice(&mut notices, |n| matches!(n, Notice::Stray { .. }).then_some(())).await;
        others_work(&client).await;
        let seen = told(&client, "seen").await;
        assert_eq!(seen["cancelled"], json!([slow_call(&seen)]), "{era:?}: {seen}");
        close(client).await;
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled() {
    for era in ERAS {
        let client = connect("after_cancel", era).await;
        let task = begun(&client, CallOptions::default()).await;
        task.abort();
        assert!(within(SLACK, task).await.unwrap_err().is_cancelled());
        let seen = until(|| async {
            let seen = told(&client, "seen").await;
            (seen["cancelled"] != json!([])).then_some(seen)
        })
        .await;
        assert_eq!(seen["cancelled"], json!([slow_call(&seen)]), "{era:?}: {seen}");
        others_work(&client).await;
        close(client).await;
    }
}

#[tokio::test]
async fn a_token_that_is_cancelled_before_the_call_sends_nothing() {
    let client = connect("after_cancel", midge_host::Era::Modern).await;
    let token = CancellationToken::new();
    token.cancel();
    let with = CallOptions { cancel: Some(token), ..CallOptions::default() };
    let error = call(&client, "bad", json!({}), with).await.unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error:?}");
    others_work(&client).await;
    close(client).await;
}
