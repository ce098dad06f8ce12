//! Cases of bytes and lines.

use midge_host::{Era, Notice};
use serde_json::json;

use crate::peer::*;

#[tokio::test]
async fn b02_characters_that_are_cut_between_two_reads_arrive_whole() {
    for era in ERAS {
        let client = connect("cut_utf8", era).await;
        assert_eq!(said(&client, "cut", json!({})).await, "é — 😀 漢", "{era:?}");
        // The other direction, and every byte of an answer by itself.
        let text = "é — 😀 漢 \u{2028} \u{7f} \u{0}";
        assert_eq!(said(&client, "echo", json!({ "text": text })).await, text, "{era:?}");
        close(client).await;
        let client = connect("drip", era).await;
        assert_eq!(said(&client, "echo", json!({ "text": text })).await, text, "{era:?}");
        close(client).await;
    }
}

#[tokio::test]
async fn b03_a_long_line_and_the_small_answer_right_behind_it_arrive() {
    for era in ERAS {
        let client = connect("long_lines", era).await;
        for bytes in [65_535, 65_536, 65_537, 1 << 20, 5 << 20] {
            let (long, small) = tokio::join!(
                said(&client, "line", json!({ "bytes": bytes })),
                said(&client, "echo", json!({ "text": "small" }))
            );
            assert!(long.len() < bytes && long.len() > bytes - 200, "{era:?}: {} of {bytes}", long.len());
            assert!(long.bytes().all(|b| b == b'l'));
            assert_eq!(small, "small");
        }
        close(client).await;
    }
}

#[tokio::test]
async fn b04_lines_that_end_with_crlf_are_lines() {
    for era in ERAS {
        let client = connect("crlf", era).await;
        // Four endings take turns: more calls than that.
        for n in 0..6 {
            let text = format!("line {n}\r");
            assert_eq!(said(&client, "echo", json!({ "text": text })).await, text, "{era:?}");
        }
        assert_eq!(client.tools().await.unwrap()[0].name, "echo");
        close(client).await;
    }
}

#[tokio::test]
async fn b06_log_lines_on_stdout_are_reported_and_skipped() {
    for era in ERAS {
        let client = connect("junk", era).await;
        let mut notices = client.notices();
        assert_eq!(said(&client, "echo", json!({ "text": "x" })).await, "x", "{era:?}");
        for wanted in ["Server ready", "[info] {not json}", "\u{1b}[32mOK\u{1b}[0m"] {
            notice(&mut notices, |n| matches!(n, Notice::Junk { line } if line == wanted).then_some(()))
                .await;
        }
        // Nothing was written because of them: connecting, the echo and this call.
        let seen = told(&client, "seen").await;
        let connecting = if era == Era::Handshake { 2 } else { 1 };
        assert_eq!(seen["lines"], json!(connecting + 2), "{era:?}: {seen}");
        close(client).await;
    }
}

#[tokio::test]
async fn b12_notifications_that_nobody_knows_are_ignored() {
    for era in ERAS {
        let client = connect("unknown_notifications", era).await;
        let mut notices = client.notices();
        for n in 0..3 {
            assert_eq!(said(&client, "echo", json!({ "text": n.to_string() })).await, n.to_string());
        }
        let params = notice(&mut notices, |n| match n {
            Notice::Other { method, params } if method == "notifications/stderr" => Some(params.clone()),
            _ => None,
        })
        .await;
        assert_eq!(params, json!({ "content": "x" }));
        notice(&mut notices, |n| {
            matches!(n, Notice::Other { method, .. } if method == "window/logMessage").then_some(())
        })
        .await;
        let seen = told(&client, "seen").await;
        let connecting = if era == Era::Handshake { 2 } else { 1 };
        assert_eq!(seen["lines"], json!(connecting + 4), "{era:?}: {seen}");
        close(client).await;
    }
}
