//! Servers that end in the middle of something, and one that does not end.

use std::time::Instant;

use midge_host::{CallOptions, Error, Grace, How, Notice, Options};
use serde_json::json;

use crate::peer::*;

fn is_closed(error: &Error) -> bool {
    matches!(error, Error::Closed { .. })
}

#[tokio::test]
async fn a_server_that_ends_in_the_middle_of_an_answer_ends_every_call() {
    for era in ERAS {
        let client = connect("dies_mid_line", era).await;
        others_work(&client).await;
        let mut notices = client.notices();
        let (bad, after) = tokio::join!(
            call(&client, "bad", json!({}), CallOptions::default()),
            call(&client, "echo", json!({ "text": "behind it" }), CallOptions::default()),
        );
        let (bad, after) = (bad.unwrap_err(), after.unwrap_err());
        assert!(is_closed(&bad) && is_closed(&after), "{era:?}: {bad:?}, {after:?}");
        let next = call(&client, "echo", json!({ "text": "after it" }), CallOptions::default()).await;
        assert!(next.as_ref().is_err_and(is_closed), "{era:?}: {next:?}");
        notice(&mut notices, |n| matches!(n, Notice::Closed { .. }).then_some(())).await;
        let exit = within(LONG, client.close()).await.exit.expect("there was a process");
        assert_eq!((exit.how, exit.status.and_then(|s| s.code())), (How::ByItself, Some(1)), "{era:?}");
    }
}

#[tokio::test]
async fn a_server_that_ends_at_a_call_is_told_with_its_last_words() {
    for era in ERAS {
        let client = connect("dies_on_call", era).await;
        let error = call(&client, "bad", json!({}), CallOptions::default()).await.unwrap_err();
        let Error::Closed { ref stderr, exit, .. } = error else { panic!("{era:?}: {error:?}") };
        assert!(stderr.contains("badpeer: out of luck"), "{era:?}: {stderr:?}");
        let code = exit.and_then(|e| e.status).and_then(|s| s.code());
        assert_eq!(code, Some(3), "{era:?}: {error}");
        assert!(error.to_string().contains("out of luck"), "{error}");
        within(LONG, client.close()).await;
    }
}

#[tokio::test]
async fn a_server_that_does_not_end_is_made_to() {
    for era in ERAS {
        let grace = Grace { eof: ms(300), term: ms(300) };
        let client = connect_with("stays_open", Options { grace, ..options(era) }).await;
        others_work(&client).await;
        let start = Instant::now();
        let exit = within(LONG, client.close()).await.exit.expect("there was a process");
        passed(start, ms(600));
        assert_eq!(exit.how, How::Killed, "{era:?}: {exit:?}");
    }
}

#[tokio::test]
async fn closing_ends_the_calls_that_wait() {
    for era in ERAS {
        let client = connect("slow", era).await;
        let waiting = tokio::spawn({
            let client = client.clone();
            async move { call(&client, "slow", json!({ "ms": 50_000 }), CallOptions::default()).await }
        });
        others_work(&client).await;
        close(client).await;
        let error = within(SLACK, waiting).await.unwrap().unwrap_err();
        assert!(matches!(error, Error::Closed { .. } | Error::Cancelled), "{era:?}: {error:?}");
    }
}
