//! Bytes that are no messages, messages in pieces, messages that are too many or too large.

use midge::Level;
use midge_host::{CallOptions, Client, Error, Notice, Options, Stderr, Target};
use serde_json::json;

use crate::peer::*;

/// Connects, lists and calls, in both generations.
async fn works(scenario: &str) {
    for era in ERAS {
        let client = connect(scenario, era).await;
        let tools: Vec<String> = client.tools().await.unwrap().into_iter().map(|t| t.name).collect();
        assert!(tools.iter().any(|name| name == "echo"), "{scenario}, {era:?}: {tools:?}");
        assert_eq!(
            client.read_resource("note:///1", CallOptions::default()).await.unwrap().contents.len(),
            1
        );
        others_work(&client).await;
        close(client).await;
    }
}

#[tokio::test]
async fn answers_that_come_byte_by_byte_are_answers() {
    works("drip").await;
}

#[tokio::test]
async fn junk_between_messages_is_skipped() {
    works("junk").await;
}

#[tokio::test]
async fn a_byte_order_mark_at_the_very_beginning_is_skipped() {
    works("bom").await;
}

#[tokio::test]
async fn a_server_that_fills_its_stderr_does_not_come_to_a_stop() {
    for stderr in [Stderr::Capture, Stderr::Null] {
        for era in ERAS {
            let target = Target::Process(command("stderr_noise").stderr(stderr));
            let client = within(LONG, Client::connect(&target, options(era))).await.unwrap();
            others_work(&client).await;
            close(client).await;
        }
    }
}

#[tokio::test]
async fn a_result_above_the_limit_fails_its_call_only() {
    for era in ERAS {
        let client = connect_with("huge", Options { max_message: 1 << 20, ..options(era) }).await;
        for mib in [1, 3] {
            let (huge, ()) = tokio::join!(
                call(&client, "huge", json!({ "mib": mib }), CallOptions::default()),
                others_work(&client)
            );
            let error = huge.expect_err("it is larger than the limit");
            let Error::TooLarge { needed, cap } = error else { panic!("{era:?}: {error:?}") };
            assert_eq!(cap, 1 << 20);
            assert!(needed > cap, "{era:?}: {needed} bytes are needed");
        }
        assert_eq!(client.tools().await.unwrap().len(), 3);
        close(client).await;
    }
}

#[tokio::test]
async fn a_result_of_many_mib_below_the_limit_is_a_result() {
    for era in ERAS {
        let client = connect("huge", era).await;
        let (text, ()) = tokio::join!(said(&client, "huge", json!({ "mib": 48 })), others_work(&client));
        assert_eq!(text.len(), 48 << 20);
        assert!(text.bytes().all(|b| b == b'h'));
        close(client).await;
    }
}

#[tokio::test]
async fn a_flood_of_notifications_drowns_no_answer() {
    for era in ERAS {
        let client = connect("flood", era).await;
        // Nobody reads these, as in most programs: it must not matter.
        let _unread = client.notices();
        let (text, ()) =
            tokio::join!(said(&client, "flood", json!({ "count": 40_000 })), others_work(&client));
        assert_eq!(text, "after the flood");
        assert_eq!(said(&client, "flood", json!({ "count": 20_000 })).await, "after the flood");
        close(client).await;
    }
}

#[tokio::test]
async fn a_storm_of_logs_is_heard_in_order() {
    for era in ERAS {
        let client = connect("log_storm", era).await;
        let mut notices = client.notices();
        let with = CallOptions { log_level: Some(Level::Debug), ..CallOptions::default() };
        let result = call(&client, "logs", json!({ "count": 18 }), with).await.unwrap();
        assert_eq!(result.text(), "logged");
        let levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
        for wanted in levels.iter().chain(&["none of these"]).chain(&levels) {
            let (level, logger) = notice(&mut notices, |n| match n {
                Notice::Log { level, logger, .. } => Some((level.clone(), logger.clone())),
                _ => None,
            })
            .await;
            assert_eq!((level.as_str(), logger.as_deref()), (*wanted, Some("storm")), "{era:?}");
        }
        let quiet = said(&client, "logs", json!({ "count": 20_000 })).await;
        assert_eq!(quiet, "logged");
        others_work(&client).await;
        close(client).await;
    }
}
