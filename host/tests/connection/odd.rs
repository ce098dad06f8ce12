//! What the example servers do not do.

use std::path::Path;
use std::sync::Arc;

use midge_host::client::BoxFuture;
use midge_host::{Answers, CallOptions, Client, Command, Era, Error, Options, Question, Reply, Target};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::servers::*;

async fn odd(options: Options) -> Client {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/connection/odd.py");
    let target = Target::Process(Command::new("python3").arg(script));
    within(Client::connect(&target, options)).await.unwrap()
}

#[tokio::test]
async fn metadata_of_the_caller_stands_beside_that_of_the_connection() {
    for era in BOTH {
        let client = odd(options(era)).await;
        for with_progress in [false, true] {
            let progress = with_progress.then(|| mpsc::unbounded_channel().0);
            let call = CallOptions { progress, ..CallOptions::default() };
            let params = object(json!({ "name": "meta", "_meta": { "traceparent": "00-ab-cd-01" } }));
            let result = within(client.request("tools/call", params, call)).await.unwrap();
            let meta: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(meta["traceparent"], "00-ab-cd-01", "{era:?}: {meta}");
            assert_eq!(meta.get("progressToken").is_some(), with_progress, "{era:?}: {meta}");
            let version = meta.get("io.modelcontextprotocol/protocolVersion");
            assert_eq!(version.is_some(), era == Era::Modern, "{era:?}: {meta}");
        }
        let params = object(json!({ "name": "meta", "_meta": 1 }));
        let error = client.request("tools/call", params, CallOptions::default()).await.unwrap_err();
        assert!(matches!(error, Error::Input(_)), "{error:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn pages_are_given_up_that_are_larger_together_than_a_message_may_be() {
    for era in BOTH {
        let client = odd(Options { max_message: 1 << 20, ..options(era) }).await;
        let error = within(client.tools()).await.unwrap_err();
        assert!(matches!(error, Error::TooLarge { cap, .. } if cap == 1 << 20), "{era:?}: {error:?}");
        assert_eq!(said(&client, "on", json!({})).await, "on");
        client.close().await;
    }
}

#[tokio::test]
async fn an_item_that_cannot_be_is_named() {
    let client = odd(options(Era::Modern)).await;
    let error = within(client.resources()).await.unwrap_err().to_string();
    assert!(error.contains("resources/list") && error.contains("uri"), "{error}");
    client.close().await;
}

/// A user who never answers.
struct Away;

impl Answers for Away {
    fn answer(&self, _: Question) -> BoxFuture<'static, Reply> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_server_that_asks_too_much_at_once_is_told() {
    let client = odd(Options { answers: Some(Arc::new(Away)), ..options(Era::Handshake) }).await;
    assert_eq!(said(&client, "ask", json!({ "questions": 300 })).await, "asked");
    within(async { while said(&client, "answers", json!({})).await != r#"{"error": 44}"# {} }).await;
    client.close().await;
}
