//! Servers that ask: without end, what nobody declared, where it is not allowed, with states that must come back.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use midge_host::client::BoxFuture;
use midge_host::{Answers, CallOptions, Era, Error, Options, Question, Reply};
use serde_json::{Value, json};

use crate::peer::*;

#[tokio::test]
async fn asking_without_end_is_given_up_after_some_rounds() {
    let client = connect_with("ask_forever", agreeing(Era::Modern)).await;
    let (result, ()) =
        tokio::join!(call(&client, "bad", json!({}), CallOptions::default()), others_work(&client));
    let error = result.unwrap_err();
    assert!(matches!(error, Error::TooManyRounds), "{error:?}");
    let rounds: u32 = said(&client, "rounds", json!({})).await.parse().unwrap();
    assert!((2..=100).contains(&rounds), "{rounds} rounds");
    close(client).await;
}

/// Each question is a request of its own there, and none of them is late: it is the outermost deadline that ends the call.
#[tokio::test]
async fn asking_without_end_does_not_outlast_the_outermost_deadline() {
    let client = connect_with("ask_forever", agreeing(Era::Handshake)).await;
    tokio::join!(runs_out(&client, "bad", json!({}), ms(1000)), others_work(&client));
    let rounds: u32 = said(&client, "rounds", json!({})).await.parse().unwrap();
    assert!(rounds >= 2, "{rounds} rounds");
    others_work(&client).await;
    close(client).await;
}

/// While the user is asked no call is late, but not for ever: so often at most does a question start the time anew.
#[tokio::test]
async fn asking_without_end_does_not_move_the_deadline_for_ever() {
    let client = connect_with("ask_forever", agreeing(Era::Handshake)).await;
    let (result, ()) = tokio::join!(call(&client, "bad", json!({}), timeout(ms(300))), others_work(&client));
    let error = result.unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. } | Error::TooManyRounds), "{error:?}");
    others_work(&client).await;
    close(client).await;
}

/// A user who never answers.
struct Away(Arc<AtomicUsize>);

impl Answers for Away {
    fn answer(&self, _: Question) -> BoxFuture<'static, Reply> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_user_who_does_not_answer_holds_up_only_the_call_that_asks() {
    for era in ERAS {
        let asked = Arc::new(AtomicUsize::new(0));
        let away = Options { answers: Some(Arc::new(Away(asked.clone()))), ..options(era) };
        let client = connect_with("ids_seen", away).await;
        tokio::join!(runs_out(&client, "ask", json!({}), ms(800)), others_work(&client));
        assert_eq!(asked.load(Ordering::SeqCst), 1, "{era:?}");
        others_work(&client).await;
        close(client).await;
    }
}

/// A user who takes longer to answer than a call may.
struct Ponders;

impl Answers for Ponders {
    fn answer(&self, question: Question) -> BoxFuture<'static, Reply> {
        let reply = Agrees.answer(question);
        Box::pin(async move {
            tokio::time::sleep(ms(900)).await;
            reply.await
        })
    }
}

#[tokio::test]
async fn the_time_in_which_the_user_thinks_does_not_count() {
    for era in ERAS {
        let ponders = Options { answers: Some(Arc::new(Ponders)), ..options(era) };
        let client = connect_with("ids_seen", ponders).await;
        let start = Instant::now();
        let result = call(&client, "ask", json!({}), timeout(ms(600))).await;
        assert_eq!(result.unwrap().text(), "asked", "{era:?}");
        assert!(start.elapsed() >= ms(2600), "{era:?}: three answers in {:?}", start.elapsed());
        close(client).await;
    }
}

#[tokio::test]
async fn what_was_not_declared_is_refused_and_answered_nowhere() {
    for kind in ["form", "url", "sampling", "roots", "unknown"] {
        let client = connect("ask_undeclared", Era::Handshake).await;
        let text = said(&client, "bad", json!({ "kind": kind })).await;
        assert!(text == "error -32601" || text == "error -32602", "{kind}: {text}");
        others_work(&client).await;
        close(client).await;

        let client = connect("ask_undeclared", Era::Modern).await;
        let (result, ()) = tokio::join!(
            call(&client, "bad", json!({ "kind": kind }), CallOptions::default()),
            others_work(&client)
        );
        let error = result.expect_err(kind);
        assert!(matches!(error, Error::Invalid(_)), "{kind}: {error:?}");
        close(client).await;
    }
}

#[tokio::test]
async fn a_question_of_no_known_kind_is_refused_by_a_client_that_answers_others() {
    let client = connect_with("ask_undeclared", agreeing(Era::Handshake)).await;
    assert_eq!(said(&client, "bad", json!({ "kind": "unknown" })).await, "error -32601");
    let text = said(&client, "bad", json!({ "kind": "form" })).await;
    let reply: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(reply, json!({ "action": "accept", "content": { "go": true } }));
    close(client).await;

    let client = connect_with("ask_undeclared", agreeing(Era::Modern)).await;
    let error = call(&client, "bad", json!({ "kind": "unknown" }), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error:?}");
    let text = said(&client, "bad", json!({ "kind": "form" })).await;
    let replies: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(replies, json!({ "q": { "action": "accept", "content": { "go": true } } }));
    close(client).await;
}

#[tokio::test]
async fn a_round_where_none_may_be_is_an_error() {
    let client = connect_with("ask_where_not_allowed", agreeing(Era::Modern)).await;
    let error = within(LONG, client.tools()).await.unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error:?}");
    for kind in ["empty", "list", "state"] {
        let (result, ()) = tokio::join!(
            call(&client, "bad", json!({ "kind": kind }), timeout(ms(20_000))),
            others_work(&client)
        );
        let error = result.expect_err(kind);
        assert!(matches!(error, Error::Invalid(_)), "{kind}: {error:?}");
    }
    close(client).await;
}

#[tokio::test]
async fn a_state_comes_back_as_it_was() {
    for ask in [false, true] {
        let client = connect_with("state_bytes", agreeing(Era::Modern)).await;
        assert_eq!(said(&client, "bad", json!({ "ask": ask })).await, "state same");
        close(client).await;
    }
}

#[tokio::test]
async fn a_state_without_a_question_is_another_try() {
    let client = connect("state_only", Era::Modern).await;
    for rounds in [0, 1, 3] {
        let text = said(&client, "bad", json!({ "rounds": rounds })).await;
        assert_eq!(text, format!("{rounds} rounds"));
    }
    let (result, ()) = tokio::join!(
        call(&client, "bad", json!({ "rounds": -1 }), CallOptions::default()),
        others_work(&client)
    );
    let error = result.unwrap_err();
    assert!(matches!(error, Error::TooManyRounds), "{error:?}");
    close(client).await;
}

#[tokio::test]
async fn every_request_has_an_id_of_its_own() {
    for era in ERAS {
        let client = connect_with("ids_seen", agreeing(era)).await;
        let asks = (0..4).map(|_| said(&client, "ask", json!({}))).collect::<Vec<_>>();
        for ask in asks {
            assert_eq!(ask.await, "asked");
        }
        others_work(&client).await;
        let ids = told(&client, "ids_seen").await;
        let ids: Vec<String> = ids.as_array().unwrap().iter().map(Value::to_string).collect();
        // Connecting, the four calls (and their three rounds each), the echoes, this call.
        let asked = if era == Era::Modern { 16 } else { 4 };
        assert_eq!(ids.len(), 1 + asked + 9 + 1, "{era:?}: {ids:?}");
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "{era:?}: {ids:?}");
        close(client).await;
    }
}
