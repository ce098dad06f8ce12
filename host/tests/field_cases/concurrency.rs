//! Cases of several things at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use midge_host::client::BoxFuture;
use midge_host::{Answers, CallOptions, Client, Era, Filter, Notice, Options, Question, Reply};
use serde_json::json;
use tokio::sync::Mutex;

use crate::peer::*;

const WRITERS: usize = 16;
const CALLS: usize = 50;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b07_messages_of_many_writers_do_not_mix() {
    for era in ERAS {
        let client = connect("many_writers", era).await;
        let writers: Vec<_> = (0..WRITERS).map(|w| tokio::spawn(writer(client.clone(), w))).collect();
        for writer in writers {
            // 80 MiB go through a slow reader, twice.
            within(LONG * 4, writer).await.unwrap();
        }
        let counts = told(&client, "broken").await;
        assert_eq!(counts["broken"], json!(0), "{era:?}: {counts}");
        let requests = counts["requests"].as_u64().unwrap();
        let most = WRITERS * (CALLS + CALLS / 10);
        let range = (WRITERS * CALLS + 2) as u64..=(most + 2) as u64;
        assert!(range.contains(&requests), "{era:?}: {counts}");
        others_work(&client).await;
        close(client).await;
    }
}

/// Calls with 100 KiB of arguments, each with an answer of its own, and a tenth more that are given up.
async fn writer(client: Client, writer: usize) {
    let text = "w".repeat(100 << 10);
    for n in 0..CALLS {
        let tag = format!("{writer}/{n}");
        if n % 10 == 0 {
            let given_up =
                call(&client, "size", json!({ "text": &text, "tag": "given up" }), CallOptions::default());
            let _ = tokio::time::timeout(ms(1), given_up).await;
        }
        let answer = said(&client, "size", json!({ "text": &text, "tag": &tag })).await;
        assert_eq!(answer, format!("{tag}:{}", text.len()));
    }
}

#[tokio::test]
async fn b18_progress_counts_in_the_order_of_the_wire() {
    for era in ERAS {
        let client = connect("progress_race", era).await;
        for (kind, wanted) in [("one_read", 50), ("late", 0)] {
            let (progress, mut reported) = tokio::sync::mpsc::unbounded_channel();
            let with = CallOptions { progress: Some(progress), ..CallOptions::default() };
            let result = call(&client, "bad", json!({ "kind": kind, "steps": 50 }), with).await.unwrap();
            assert_eq!(result.text(), "done");
            let mut steps = Vec::new();
            while let Ok(step) = reported.try_recv() {
                steps.push(step.progress);
            }
            assert_eq!(steps, (1..=wanted).map(f64::from).collect::<Vec<_>>(), "{era:?}, {kind}");
            // What comes too late breaks nothing.
            others_work(&client).await;
        }
        for kind in ["backwards", "foreign"] {
            let (progress, _reported) = tokio::sync::mpsc::unbounded_channel();
            let with = CallOptions { progress: Some(progress), ..CallOptions::default() };
            let result = call(&client, "bad", json!({ "kind": kind, "steps": 5 }), with).await.unwrap();
            assert_eq!(result.text(), "done", "{era:?}, {kind}");
            others_work(&client).await;
        }
        close(client).await;
    }
}

/// The call ends only because the handler of a notification that it causes has asked for the tools meanwhile.
async fn asks_from_a_handler(era: Era) {
    let client = connect("list_changed_storm", era).await;
    let watch = match era {
        Era::Modern => Some(client.watch(Filter { tools: true, ..Filter::default() }).await.unwrap()),
        _ => None,
    };
    let mut notices = client.notices();
    let handler = tokio::spawn({
        let client = client.clone();
        async move {
            notice(&mut notices, |n| matches!(n, Notice::ToolsChanged).then_some(())).await;
            let tools = client.tools().await.unwrap();
            if era == Era::Handshake {
                client.ping().await.unwrap();
            }
            tools.len()
        }
    });
    let text = said(&client, "bad", json!({ "count": 200 })).await;
    assert_eq!(text, "listed", "{era:?}");
    assert_eq!(within(LONG, handler).await.unwrap(), 3);
    others_work(&client).await;
    drop(watch);
    close(client).await;
}

#[tokio::test]
async fn b20_a_handler_of_a_notification_may_call_the_server() {
    for era in ERAS {
        asks_from_a_handler(era).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b20_a_handler_on_another_thread_may_too() {
    for era in ERAS {
        asks_from_a_handler(era).await;
    }
}

/// Answers after it has itself made a call over the connection that asks.
struct CallsBack(Arc<Mutex<Option<Client>>>, Arc<AtomicUsize>);

impl Answers for CallsBack {
    fn answer(&self, _: Question) -> BoxFuture<'static, Reply> {
        let (client, called) = (self.0.clone(), self.1.clone());
        Box::pin(async move {
            let client = client.lock().await.clone().expect("the connection stands");
            assert_eq!(said(&client, "echo", json!({ "text": "from inside" })).await, "from inside");
            called.fetch_add(1, Ordering::SeqCst);
            Reply::Accept(json!({ "go": true }).as_object().cloned().unwrap_or_default())
        })
    }
}

#[tokio::test]
async fn b20_whoever_answers_a_question_may_call_the_server() {
    for era in ERAS {
        let (slot, called) = (Arc::new(Mutex::new(None)), Arc::new(AtomicUsize::new(0)));
        let answers = Arc::new(CallsBack(slot.clone(), called.clone()));
        let client = connect_with("ids_seen", Options { answers: Some(answers), ..options(era) }).await;
        *slot.lock().await = Some(client.clone());
        assert_eq!(said(&client, "ask", json!({})).await, "asked", "{era:?}");
        assert_eq!(called.load(Ordering::SeqCst), 3, "{era:?}");
        slot.lock().await.take();
        close(client).await;
    }
}
