//! Cases of what answers hold.

use midge_host::{CallOptions, Error, Notice};
use serde_json::{Value, json};

use crate::peer::*;

#[tokio::test]
async fn b10_a_cursor_that_is_null_is_none() {
    for era in ERAS {
        let client = connect("null_cursor", era).await;
        assert_eq!(client.tools().await.unwrap().len(), 2, "{era:?}");
        assert_eq!(client.prompts().await.unwrap().len(), 1);
        assert_eq!(client.resources().await.unwrap().len(), 1);
        assert_eq!(client.templates().await.unwrap().len(), 1);
        let seen = told(&client, "seen").await;
        let lists = seen["requests"].as_array().unwrap().iter();
        assert_eq!(lists.filter(|r| r[1].as_str().unwrap().ends_with("/list")).count(), 4, "{era:?}: {seen}");
        close(client).await;
    }
}

#[tokio::test]
async fn b11_a_cursor_that_comes_again_ends_the_list_with_an_error() {
    for era in ERAS {
        let client = connect("cursor_loop", era).await;
        let error = within(LONG, client.tools()).await.unwrap_err();
        assert!(matches!(error, Error::Pages(_)), "{era:?}: {error:?}");
        let seen = told(&client, "seen").await;
        let pages = seen["requests"].as_array().unwrap().iter().filter(|r| r[1] == "tools/list").count();
        assert!((2..=3).contains(&pages), "{era:?}: {pages} pages were asked for");
        others_work(&client).await;
        close(client).await;
    }
}

#[tokio::test]
async fn b13_responses_to_nothing_are_reported_and_the_call_has_its_own() {
    for era in ERAS {
        let client = connect("wrong_ids", era).await;
        for kind in ["null_error", "absent_error", "other", "repeat", "null", "absent"] {
            let mut notices = client.notices();
            let text = said(&client, "bad", json!({ "kind": kind, "then": true })).await;
            assert_eq!(text, "the true answer", "{era:?}, {kind}");
            notice(&mut notices, |n| matches!(n, Notice::Stray { .. }).then_some(())).await;
        }
        others_work(&client).await;
        close(client).await;
    }
}

#[tokio::test]
async fn b14_integers_keep_every_digit() {
    for era in ERAS {
        let client = connect("bigint", era).await;
        let result = call(&client, "bad", json!({}), CallOptions::default()).await.unwrap();
        let held = result.structured.expect("there is structured content");
        assert_eq!(held["id"].as_i64(), Some(9_007_199_254_740_993), "{era:?}");
        assert_eq!(held["u"].as_u64(), Some(u64::MAX));
        assert_eq!(held["min"].as_i64(), Some(i64::MIN));
        assert_eq!(held["f"].as_f64(), Some(0.1));
        assert_eq!(held["e"].as_f64(), Some(1e3));
        assert_eq!(held["big"].to_string(), "123456789012345678901234567890");
        let again: Value = serde_json::from_str(&held.to_string()).unwrap();
        assert_eq!(again, held);
        close(client).await;

        let client = connect("numbers_kept", era).await;
        let text = r#"{"id":9007199254740993,"u":18446744073709551615,"min":-9223372036854775808,"f":0.1,"big":123456789012345678901234567890}"#;
        let arguments: Value = serde_json::from_str(text).unwrap();
        assert_eq!(said(&client, "arguments", arguments).await, text, "{era:?}");
        close(client).await;
    }
}

#[tokio::test]
async fn b21_a_tool_error_needs_no_structured_content_and_a_result_does() {
    for era in ERAS {
        let client = connect("error_structured", era).await;
        assert!(client.tools().await.unwrap().iter().any(|t| t.output_schema.is_some()));
        let shaped = |kind: &str| call(&client, "shaped", json!({ "kind": kind }), CallOptions::default());
        let failed = shaped("error").await.unwrap();
        assert!(failed.is_error && failed.structured.is_none(), "{era:?}: {failed:?}");
        assert_eq!(failed.text(), "boom");
        assert_eq!(shaped("good").await.unwrap().structured, Some(json!({ "n": 1 })), "{era:?}");
        let error = shaped("missing").await.unwrap_err();
        assert!(matches!(error, Error::Invalid(_)), "{era:?}: {error:?}");
        others_work(&client).await;
        close(client).await;
    }
}

#[tokio::test]
async fn b23_both_codes_for_no_such_resource_mean_the_same() {
    for era in ERAS {
        let client = connect("not_found", era).await;
        let read = |uri: &'static str| {
            let client = client.clone();
            async move { client.read_resource(uri, CallOptions::default()).await.unwrap_err() }
        };
        for uri in ["note:///none", "note:///-32002", "note:///-32602"] {
            let error = read(uri).await;
            assert!(error.is_not_found(), "{era:?}, {uri}: {error:?}");
        }
        for uri in ["note:///-32603", "note:///-32001", "note:///0"] {
            let error = read(uri).await;
            assert!(!error.is_not_found(), "{era:?}, {uri}: {error:?}");
            assert!(matches!(error, Error::Peer(_)), "{era:?}, {uri}: {error:?}");
        }
        close(client).await;
    }
}
