//! Servers that ask, and tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use midge::Can;
use midge::proto::revision::Feature;
use midge_host::client::BoxFuture;
use midge_host::{Answers, CallOptions, Era, Error, Options, Question, Reply, Root};
use serde_json::{Map, json};

use crate::servers::*;

/// A user, and a model, that answer everything.
struct Willing;

impl Answers for Willing {
    fn answer(&self, question: Question) -> BoxFuture<'static, Reply> {
        Box::pin(async move {
            match question {
                Question::Form { schema, server, .. } => {
                    assert!(server.starts_with("midge"), "{server}");
                    let fields = object(schema["properties"].clone());
                    Reply::Accept(fields.into_iter().map(|(name, field)| (name, value(&field))).collect())
                }
                Question::Url { url, .. } => {
                    assert!(url.starts_with("https://"), "{url}");
                    Reply::Accept(Map::new())
                }
                Question::Sample { .. } => Reply::Sampled(json!({
                    "role": "assistant", "model": "test", "stopReason": "endTurn",
                    "content": { "type": "text", "text": "Paris" },
                })),
                other => panic!("{other:?}"),
            }
        })
    }

    fn can(&self) -> Can {
        Can::ELICIT.and(Can::ELICIT_URL).and(Can::SAMPLE)
    }
}

/// A value that fits a field of a form.
fn value(field: &serde_json::Value) -> serde_json::Value {
    match field["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => json!(30),
        Some("array") => json!([]),
        _ => field["enum"].get(0).or(field["oneOf"][0].get("const")).cloned().unwrap_or(json!("Ada")),
    }
}

fn willing(era: Era) -> Options {
    let roots = vec![Root { uri: "file:///work".into(), name: Some("work".into()) }];
    Options { answers: Some(Arc::new(Willing)), roots: Some(roots), ..options(era) }
}

#[tokio::test]
async fn what_the_server_asks_is_answered_in_every_revision_that_can() {
    for (era, revision) in eras() {
        let client = connect_with("everything", willing(era)).await;
        let mut wanted = vec![
            ("test_sampling", json!({ "prompt": "Capital?" }), "Paris"),
            ("test_list_roots", json!({}), "1"),
        ];
        if revision.has(Feature::Elicitation) {
            wanted.push(("test_elicitation", json!({ "message": "Who?" }), "accept"));
            wanted.push(("test_input_required_result_elicitation", json!({}), "Ada"));
            wanted.push(("test_input_required_result_multi_round", json!({}), ""));
        }
        if revision.has(Feature::UrlMode) {
            wanted.push(("test_elicitation_url", json!({}), "accept"));
        }
        for (tool, arguments, part) in wanted {
            let result = call(&client, tool, arguments).await;
            assert!(!result.is_error, "{era:?}, {tool}: {result:?}");
            assert!(result.text().contains(part), "{era:?}, {tool}: {}", result.text());
        }
        client.close().await;
    }
}

/// A user who says no, fails, or never answers.
struct Difficult(&'static str, Arc<AtomicUsize>);

impl Answers for Difficult {
    fn answer(&self, _: Question) -> BoxFuture<'static, Reply> {
        let (what, asked) = (self.0, self.1.clone());
        asked.fetch_add(1, Ordering::SeqCst);
        match what {
            "panics" => panic!("the user's code fails"),
            "panics later" => Box::pin(async { panic!("the user's code fails") }),
            "declines" => Box::pin(async { Reply::Decline }),
            "refuses" => Box::pin(async { Reply::Error { code: -32000, message: "not now".into() } }),
            _ => Box::pin(std::future::pending()),
        }
    }
}

fn difficult(era: Era, what: &'static str) -> (Options, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let answers = Arc::new(Difficult(what, asked.clone()));
    (Options { answers: Some(answers), ..options(era) }, asked)
}

#[tokio::test]
async fn whatever_the_user_s_side_does_the_call_ends() {
    for era in BOTH {
        for what in ["panics", "panics later", "declines", "refuses"] {
            let (options, asked) = difficult(era, what);
            let client = connect_with("everything", options).await;
            let arguments = object(json!({ "message": "Who?" }));
            let result =
                within(client.call_tool("test_elicitation", arguments, CallOptions::default())).await;
            assert_eq!(asked.load(Ordering::SeqCst), 1, "{era:?}, {what}");
            match (what, era, &result) {
                ("declines", _, Ok(said)) => assert!(said.text().contains("decline"), "{said:?}"),
                // An answer of the handshake revisions can be an error; in 2026-07-28 there is none to give.
                (_, Era::Handshake, Ok(_)) => {}
                ("refuses", Era::Modern, Err(Error::Input(told))) => {
                    assert!(told.contains("not now"), "{told}")
                }
                (_, Era::Modern, Err(Error::Input(_))) => {}
                _ => panic!("{era:?}, {what}: {result:?}"),
            }
            assert_eq!(said(&client, "echo", json!({ "text": "on" })).await, "on");
            client.close().await;
        }
    }
}

#[tokio::test]
async fn a_user_who_thinks_holds_nobody_up_and_is_left_when_the_call_is_over() {
    for era in BOTH {
        let (options, asked) = difficult(era, "thinks");
        let client = connect_with("everything", options).await;
        let max = CallOptions { max: Some(Duration::from_millis(300)), ..CallOptions::default() };
        let asking = client.call_tool("test_elicitation", object(json!({ "message": "Who?" })), max);
        let (result, text) = tokio::join!(within(asking), said(&client, "echo", json!({ "text": "on" })));
        assert!(matches!(result, Err(Error::TimedOut { .. })), "{era:?}: {result:?}");
        assert_eq!((text.as_str(), asked.load(Ordering::SeqCst)), ("on", 1), "{era:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn a_call_that_becomes_a_task_has_its_result_in_the_end() {
    for era in BOTH {
        let client = connect_with("thermostat", willing(era)).await;
        let mut notices = client.notices();
        let task = CallOptions { task: Some(LONG), ..CallOptions::default() };
        let result = within(client.call_tool("self_test", Map::new(), task)).await.unwrap();
        assert!(result.text().starts_with("Self-test passed"), "{era:?}: {result:?}");
        let mut told = 0;
        while let Ok(notice) = notices.try_recv() {
            if let midge_host::Notice::Task { call, .. } = notice {
                assert_eq!(call, "tools/call self_test");
                told += 1;
            }
        }
        assert!(told > 0, "{era:?}");
        client.close().await;
    }
}
