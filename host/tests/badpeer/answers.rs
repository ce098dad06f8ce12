//! Answers under other ids, answers that are none, and pages without an end.

use midge_host::{CallOptions, Era, Error, Notice};
use serde_json::json;

use crate::peer::*;

/// Under which ids `wrong_ids` answers: those that belong to nothing.
const WRONG: [&str; 7] = ["other", "string", "null", "absent", "null_error", "absent_error", "repeat"];

#[tokio::test]
async fn an_answer_under_another_id_is_not_the_call_s() {
    for era in ERAS {
        let client = connect("wrong_ids", era).await;
        for kind in WRONG {
            let mut notices = client.notices();
            let alone = times_out(&client, "bad", json!({ "kind": kind }), ms(250));
            tokio::join!(alone, others_work(&client));
            notice(&mut notices, |n| matches!(n, Notice::Stray { .. }).then_some(())).await;
            let text = said(&client, "bad", json!({ "kind": kind, "then": true })).await;
            assert_eq!(text, "the true answer", "{era:?}, {kind}");
        }
        close(client).await;
    }
}

#[tokio::test]
async fn the_first_of_two_answers_counts() {
    for era in ERAS {
        let client = connect("wrong_ids", era).await;
        let mut notices = client.notices();
        assert_eq!(said(&client, "bad", json!({ "kind": "twice" })).await, "first", "{era:?}");
        notice(&mut notices, |n| matches!(n, Notice::Stray { .. }).then_some(())).await;
        others_work(&client).await;
        close(client).await;
    }
}

/// What is no result.
const BAD: [&str; 15] = [
    "array",
    "string",
    "null",
    "number",
    "content_text",
    "both",
    "neither",
    "error_without_code",
    "error_code_text",
    "error_text",
    "error_null",
    "error_code_huge",
    "unknown_type",
    "type_number",
    "cut",
];

#[tokio::test]
async fn an_answer_that_is_no_result_is_an_error_of_its_call() {
    for era in ERAS {
        let client = connect("bad_result", era).await;
        for kind in BAD {
            // Before 2026-07-28 `resultType` is a member like any other.
            if era == Era::Handshake && kind.contains("type") {
                continue;
            }
            let (result, ()) = tokio::join!(
                call(&client, "bad", json!({ "kind": kind }), CallOptions::default()),
                others_work(&client)
            );
            let error = result.expect_err(kind);
            assert!(matches!(error, Error::Invalid(_)), "{era:?}, {kind}: {error:?}");
        }
        close(client).await;
    }
}

#[tokio::test]
async fn what_is_merely_unusual_is_an_answer() {
    for era in ERAS {
        let client = connect("bad_result", era).await;
        for kind in ["no_jsonrpc", "jsonrpc_1"] {
            assert_eq!(said(&client, "bad", json!({ "kind": kind })).await, "good", "{era:?}, {kind}");
        }
        for kind in ["no_content", "content_items"] {
            let result = call(&client, "bad", json!({ "kind": kind }), CallOptions::default()).await.unwrap();
            assert_eq!(result.text(), "", "{era:?}, {kind}");
        }
        if era == Era::Handshake {
            for kind in ["unknown_type", "type_number"] {
                let result = call(&client, "bad", json!({ "kind": kind }), CallOptions::default()).await;
                assert!(result.unwrap().content.is_empty(), "{kind}");
            }
        }
        let wordless = json!({ "kind": "error_without_message" });
        let error = call(&client, "bad", wordless, CallOptions::default()).await.unwrap_err();
        let Error::Peer(ref peer) = error else { panic!("{era:?}: {error:?}") };
        assert_eq!(peer.code, -32000, "{era:?}");
        others_work(&client).await;
        close(client).await;
    }
}

#[tokio::test]
async fn pages_without_an_end_are_an_error() {
    for era in ERAS {
        for scenario in ["cursor_loop", "cursor_cycle", "cursor_forever"] {
            let client = connect(scenario, era).await;
            let lists = [
                within(LONG, client.tools()).await.err(),
                within(LONG, client.resources()).await.err(),
                within(LONG, client.templates()).await.err(),
                within(LONG, client.prompts()).await.err(),
            ];
            for (at, error) in lists.into_iter().enumerate() {
                assert!(matches!(error, Some(Error::Pages(_))), "{era:?}, {scenario}, list {at}: {error:?}");
            }
            others_work(&client).await;
            close(client).await;
        }
    }
}

#[tokio::test]
async fn an_empty_cursor_is_a_cursor() {
    for era in ERAS {
        let client = connect("empty_cursor", era).await;
        let names: Vec<String> = client.tools().await.unwrap().into_iter().map(|t| t.name).collect();
        assert_eq!(names, ["echo", "seen"], "{era:?}");
        let seen = told(&client, "seen").await;
        let pages = seen["requests"].as_array().unwrap().iter().filter(|r| r[1] == "tools/list").count();
        assert_eq!(pages, 2, "{era:?}: {seen}");
        close(client).await;
    }
}
