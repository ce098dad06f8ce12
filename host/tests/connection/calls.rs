//! Lists, calls, and many of them at once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use midge::proto::revision::Feature;
use midge_host::{CallOptions, Content, Era, Error, Reference, blocking};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::servers::*;

#[tokio::test]
async fn a_server_says_who_it_is_and_what_it_has_in_every_revision() {
    for (era, revision) in eras() {
        let client = connect("thermostat", era).await;
        let server = client.server().clone();
        assert_eq!((server.revision, server.name.as_str()), (revision, "midge-thermostat"), "{era:?}");
        assert!(server.instructions.is_some_and(|text| text.contains("°C")), "{era:?}");
        let tools: Vec<String> = client.tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
        assert_eq!(tools, ["read", "set_target", "set_mode", "self_test"], "{era:?}");
        assert_eq!(client.resources().await.unwrap()[0].uri, "home://status", "{era:?}");
        assert_eq!(client.templates().await.unwrap()[0].uri_template, "home://rooms/{room}", "{era:?}");
        assert_eq!(client.prompts().await.unwrap()[0].arguments[0].name, "room", "{era:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn tools_resources_prompts_and_completions_answer_in_every_revision() {
    for (era, revision) in eras() {
        let client = connect("everything", era).await;
        assert_eq!(
            said(&client, "echo", json!({ "text": "ä \u{1F600} \"\\\n" })).await,
            "ä \u{1F600} \"\\\n"
        );
        let image = call(&client, "test_image_content", json!({})).await;
        let [Content::Image { mime_type, .. }] = &image.content[..] else { panic!("{era:?}: {image:?}") };
        assert_eq!(mime_type, "image/png");
        assert!(image.content[0].bytes().unwrap().starts_with(b"\x89PNG"));
        let failed = call(&client, "test_error_handling", json!({})).await;
        assert!(failed.is_error && failed.text().contains("intentionally"), "{era:?}: {failed:?}");
        if revision.has(Feature::Structured) {
            assert_eq!(client.tools().await.unwrap().len(), 44, "{era:?}");
            let value = call(&client, "test_structured_content", json!({})).await.structured.unwrap();
            assert_eq!(value.to_string(), r#"{"count":3,"big":9007199254740993}"#);
        }
        let read = client.read_resource("test://static-text", CallOptions::default()).await.unwrap();
        assert!(read.contents[0].text.as_deref().unwrap().starts_with("This is the content"));
        let arguments = BTreeMap::from([("arg1".into(), "a".into()), ("arg2".into(), "b".into())]);
        let prompt = client.get_prompt("test_prompt_with_arguments", arguments, CallOptions::default()).await;
        assert!(prompt.unwrap().messages[0].content.text().unwrap().contains("arg1='a', arg2='b'"));
        let reference = Reference::Prompt("test_prompt_with_arguments".into());
        let completion = client.complete(reference, ("arg1", ""), BTreeMap::new()).await.unwrap();
        assert!(!completion.values.is_empty(), "{era:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn errors_of_the_server_are_told_as_they_came() {
    for era in BOTH {
        let client = connect("everything", era).await;
        let missing = client.read_resource("test://nowhere", CallOptions::default()).await.unwrap_err();
        assert!(missing.is_not_found(), "{era:?}: {missing:?}");
        let unknown = client.call_tool("no_such", Map::new(), CallOptions::default()).await.unwrap_err();
        assert!(matches!(&unknown, Error::Peer(peer) if peer.code == -32602), "{era:?}: {unknown:?}");
        let method = client.request("no/such", Map::new(), CallOptions::default()).await.unwrap_err();
        assert!(matches!(&method, Error::Peer(peer) if peer.code == -32601), "{era:?}: {method:?}");
        match client.ping().await {
            Ok(()) => assert_eq!(era, Era::Handshake),
            Err(error) => assert!(era == Era::Modern && matches!(error, Error::NotOffered(_)), "{error:?}"),
        }
        client.close().await;
    }
}

#[tokio::test]
async fn progress_is_told_while_the_call_runs() {
    for (era, _) in eras() {
        let client = connect("everything", era).await;
        let (progress, mut told) = mpsc::unbounded_channel();
        let options = CallOptions { progress: Some(progress), ..CallOptions::default() };
        let result = within(client.call_tool("test_tool_with_progress", Map::new(), options)).await.unwrap();
        assert!(!result.is_error);
        let mut all = Vec::new();
        while let Some(step) = told.recv().await {
            all.push((step.progress as u32, step.total.map(|total| total as u32)));
        }
        assert_eq!(all, [(0, Some(100)), (50, Some(100)), (100, Some(100))], "{era:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_on_the_wire() {
    for era in BOTH {
        let client = connect("everything", era).await;
        let arguments = object(json!({ "ms": 600_000 }));
        let slow = client.call_tool("test_slow", arguments.clone(), CallOptions::default());
        // It is sent before it is dropped: the echo behind it was answered.
        let slow = async {
            tokio::select! {
                result = slow => panic!("{result:?}"),
                text = said(&client, "echo", json!({ "text": "behind" })) => assert_eq!(text, "behind"),
            }
        };
        slow.await;
        let token = midge_host::client::CancellationToken::new();
        let options = CallOptions { cancel: Some(token.clone()), ..CallOptions::default() };
        let told = client.call_tool("test_slow", arguments, options);
        let cancel = async {
            said(&client, "echo", json!({ "text": "behind" })).await;
            token.cancel();
        };
        let (result, ()) = tokio::join!(told, cancel);
        assert!(matches!(result, Err(Error::Cancelled)), "{era:?}: {result:?}");
        within(async { while said(&client, "test_cancelled_count", json!({})).await != "cancelled: 2" {} })
            .await;
        client.close().await;
    }
}

#[tokio::test]
async fn a_call_that_is_late_is_an_error_and_the_others_are_not() {
    for era in BOTH {
        let client = connect("everything", era).await;
        let start = Instant::now();
        let options = CallOptions { timeout: Some(Duration::from_millis(200)), ..CallOptions::default() };
        let slow = client.call_tool("test_slow", object(json!({ "ms": 600_000 })), options);
        let (slow, text) = tokio::join!(slow, said(&client, "echo", json!({ "text": "in time" })));
        assert_eq!(text, "in time");
        assert!(start.elapsed() >= Duration::from_millis(190));
        let error = slow.unwrap_err();
        assert!(
            matches!(&error, Error::TimedOut { what, .. } if what == "tools/call test_slow"),
            "{error:?}"
        );
        assert_eq!(error.to_string(), "no answer to tools/call test_slow within 0.2 s");
        client.close().await;
    }
}

#[tokio::test]
async fn more_calls_than_there_is_room_for_wait_for_their_turn() {
    for era in BOTH {
        let client = connect("everything", era).await;
        let all: Vec<_> = (0..2000)
            .map(|n| {
                let client = client.clone();
                tokio::spawn(async move { said(&client, "echo", json!({ "text": n.to_string() })).await })
            })
            .collect();
        for (n, one) in all.into_iter().enumerate() {
            assert_eq!(within(one).await.unwrap(), n.to_string(), "{era:?}");
        }
        client.close().await;
    }
}

#[tokio::test]
async fn a_large_result_is_whole_and_larger_ones_are_refused() {
    for era in BOTH {
        let limit = midge_host::Options { max_message: 8 << 20, ..options(era) };
        let client = connect_with("everything", limit).await;
        let read = async |size: usize| {
            within(client.read_resource(&format!("test://large-text/{size}"), CallOptions::default())).await
        };
        let result = read(5 << 20).await.unwrap();
        let text = result.contents[0].text.as_deref().unwrap();
        assert_eq!(text.len(), 5 << 20, "{era:?}");
        let (late, text) = tokio::join!(read(20 << 20), said(&client, "echo", json!({ "text": "small" })));
        let Err(Error::TooLarge { needed, cap }) = late else { panic!("{era:?}: {late:?}") };
        assert!(needed > cap && cap == 8 << 20, "{era:?}: {needed}");
        assert_eq!(text, "small");
        let huge = Value::from("x".repeat(9 << 20));
        let error = client.call_tool("echo", object(json!({ "text": huge })), CallOptions::default()).await;
        assert!(matches!(error, Err(Error::TooLarge { .. })), "{era:?}: {error:?}");
        client.close().await;
    }
}

#[test]
fn a_blocking_client_is_used_from_many_threads() {
    for era in BOTH {
        let client = blocking::Client::connect(&target("everything"), options(era)).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let client = client.clone();
                scope.spawn(move || {
                    for n in 0..100 {
                        let text = format!("{thread}/{n}");
                        let arguments = object(json!({ "text": text }));
                        let result = client.call_tool("echo", arguments, CallOptions::default()).unwrap();
                        assert_eq!(result.text(), text, "{era:?}");
                    }
                });
            }
        });
        let exit = client.close().exit.unwrap();
        assert!(exit.status.unwrap().success(), "{era:?}: {exit:?}");
    }
}

/// Sixteen threads write messages of a size that no pipe takes at once.
#[test]
fn large_arguments_of_many_threads_do_not_mix() {
    for era in BOTH {
        let client = Arc::new(blocking::Client::connect(&target("everything"), options(era)).unwrap());
        std::thread::scope(|scope| {
            for thread in 0..16_u8 {
                let client = client.clone();
                scope.spawn(move || {
                    for n in 0..4 {
                        let text = char::from(b'a' + thread).to_string().repeat(30_000 + n);
                        let arguments = object(json!({ "text": text }));
                        let result = client.call_tool("echo", arguments, CallOptions::default()).unwrap();
                        assert!(result.text() == text, "{era:?}: thread {thread}, call {n}");
                    }
                });
            }
        });
    }
}
