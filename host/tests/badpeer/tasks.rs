//! Tasks that are slow, fail, ask, vanish or make no sense, in both forms.

use std::time::Duration;

use midge_host::{CallOptions, Client, Era, Error, ToolResult};
use serde_json::{Value, json};

use crate::peer::*;

/// A call that runs as a task: in 2025-11-25 because it asks to, in 2026-07-28 because the server may.
async fn run(client: &Client, arguments: Value, deadline: Duration) -> Result<ToolResult, Error> {
    let with = CallOptions { task: Some(Duration::from_secs(60)), ..timeout(deadline) };
    call(client, "run", arguments, with).await
}

#[tokio::test]
async fn a_task_is_waited_for_at_the_server_s_pace() {
    for era in ERAS {
        let client = connect("task_slow", era).await;
        let (result, ()) = tokio::join!(run(&client, json!({ "ms": 600 }), ms(30_000)), others_work(&client));
        assert_eq!(result.unwrap().text(), "the task's result", "{era:?}");
        let polls = told(&client, "polls").await;
        let interval = polls["interval"].as_i64().unwrap();
        for gap in polls["gaps"].as_array().unwrap() {
            // A timer may be a little early by rounding; a loop without one is far below.
            assert!(gap.as_i64().unwrap() >= interval / 2, "{era:?}: {polls}");
        }
        close(client).await;
    }
}

#[tokio::test]
async fn a_client_that_wants_no_task_gets_a_result_in_the_handshake_revisions() {
    let client = connect("task_slow", Era::Handshake).await;
    let result = call(&client, "run", json!({ "ms": 60_000 }), timeout(ms(20_000))).await;
    assert_eq!(result.unwrap().text(), "without a task");
    close(client).await;
}

/// Each look at a task is a request of its own, and a sign of life: the outermost deadline ends the call.
#[tokio::test]
async fn a_task_that_does_not_end_is_cancelled_at_the_outermost_deadline() {
    for era in ERAS {
        let client = connect("task_slow", era).await;
        let task = Some(Duration::from_secs(60));
        let with = CallOptions { task, max: Some(ms(700)), ..CallOptions::default() };
        let start = std::time::Instant::now();
        let error = call(&client, "run", json!({ "ms": 600_000 }), with).await.unwrap_err();
        passed(start, ms(700));
        assert!(matches!(error, Error::TimedOut { .. }), "{era:?}: {error:?}");
        until(|| async {
            let states = told(&client, "states").await;
            (states == json!({ "task-1": "cancelled" })).then_some(())
        })
        .await;
        others_work(&client).await;
        close(client).await;
    }
}

#[tokio::test]
async fn a_task_that_fails_is_the_call_s_failure() {
    for era in ERAS {
        let client = connect("task_fails", era).await;
        let error = run(&client, json!({}), ms(30_000)).await.unwrap_err();
        let Error::Peer(ref peer) = error else { panic!("{era:?}: {error:?}") };
        assert_eq!((peer.code, peer.message.as_str()), (-32603, "the task broke"), "{era:?}");
        let result = run(&client, json!({ "kind": "tool" }), ms(30_000)).await.unwrap();
        assert!(result.is_error, "{era:?}: {result:?}");
        assert_eq!(result.text(), "boom");
        others_work(&client).await;
        close(client).await;
    }
}

#[tokio::test]
async fn a_task_that_asks_is_answered() {
    for era in ERAS {
        let client = connect_with("task_asks", agreeing(era)).await;
        let result = run(&client, json!({}), ms(30_000)).await.unwrap();
        let answer: Value = serde_json::from_str(&result.text()).expect("the answer as JSON");
        assert_eq!(answer, json!({ "action": "accept", "content": { "go": true } }), "{era:?}");
        others_work(&client).await;
        close(client).await;
    }
}

#[tokio::test]
async fn a_task_that_is_forgotten_is_an_error() {
    for era in ERAS {
        let client = connect("task_vanishes", era).await;
        let (result, ()) = tokio::join!(run(&client, json!({}), ms(30_000)), others_work(&client));
        let error = result.unwrap_err();
        let Error::Peer(ref peer) = error else { panic!("{era:?}: {error:?}") };
        assert_eq!(peer.code, -32602, "{era:?}: {error}");
        close(client).await;
    }
}

#[tokio::test]
async fn a_task_that_makes_no_sense_ends_by_its_deadline() {
    for era in ERAS {
        let client = connect("task_odd", era).await;
        let error = run(&client, json!({ "kind": "no_id" }), ms(20_000)).await.unwrap_err();
        assert!(matches!(error, Error::Invalid(_)), "{era:?}: {error:?}");
        let (task, max) = (Some(Duration::from_secs(60)), Some(ms(700)));
        let with = CallOptions { task, max, ..CallOptions::default() };
        let error = call(&client, "run", json!({ "kind": "status" }), with).await.unwrap_err();
        assert!(matches!(error, Error::Invalid(_) | Error::TimedOut { .. }), "{era:?}: {error:?}");
        let result = run(&client, json!({ "kind": "null_interval" }), ms(30_000)).await.unwrap();
        assert_eq!(result.text(), "the task's result", "{era:?}");
        others_work(&client).await;
        close(client).await;
    }
}

#[tokio::test]
async fn a_server_that_wants_to_be_asked_without_a_pause_is_not() {
    for era in ERAS {
        let client = connect("task_odd", era).await;
        let result = run(&client, json!({ "kind": "fast" }), ms(30_000)).await.unwrap();
        assert_eq!(result.text(), "the task's result", "{era:?}");
        // The task takes 200 ms; as many polls as fit would be thousands.
        let polls = told(&client, "polls").await["polls"].as_u64().unwrap();
        assert!(polls <= 100, "{era:?}: {polls} polls");
        close(client).await;
    }
}
