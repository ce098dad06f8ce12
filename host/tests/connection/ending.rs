//! Ends of connections, and what is left of them.

use std::time::Duration;

use midge_host::{CallOptions, Client, Command, Era, Error, How, Notice, Options, Target, blocking};
use serde_json::{Map, json};

use crate::servers::*;

/// A variable that marks the processes of one test.
const MARK: &str = "MIDGE_TEST_MARK";

fn marked(mark: &str) -> Target {
    Target::Process(command("everything").env(MARK, mark))
}

/// The processes with that mark in their environment.
#[cfg(target_os = "linux")]
fn marked_processes(mark: &str) -> Vec<String> {
    let wanted = format!("{MARK}={mark}");
    let numbers =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let has = |pid: &String| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|b| *b == 0).any(|variable| variable == wanted.as_bytes())
    };
    numbers.filter(|name| name.bytes().all(|b| b.is_ascii_digit())).filter(has).collect()
}

#[cfg(not(target_os = "linux"))]
fn marked_processes(_: &str) -> Vec<String> {
    Vec::new()
}

async fn none_is_left(mark: &str) {
    within(async {
        while !marked_processes(mark).is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn close_ends_the_process_and_the_calls() {
    for era in BOTH {
        let mark = format!("close-{era:?}-{}", std::process::id());
        let client = Client::connect(&marked(&mark), options(era)).await.unwrap();
        assert_eq!(marked_processes(&mark).len(), if cfg!(target_os = "linux") { 1 } else { 0 });
        let other = client.clone();
        let slow = other.call_tool("test_slow", object(json!({ "ms": 600_000 })), CallOptions::default());
        let closing = async {
            said(&client.clone(), "echo", json!({ "text": "behind" })).await;
            within(client.clone().close()).await
        };
        let (slow, closed) = tokio::join!(slow, closing);
        assert!(matches!(slow, Err(Error::Closed { .. })), "{era:?}: {slow:?}");
        let exit = closed.exit.unwrap();
        assert!(exit.how == How::ByItself && exit.status.unwrap().success(), "{era:?}: {exit:?}");
        assert!(marked_processes(&mark).is_empty(), "{era:?}");
        let late = other.tools().await;
        assert!(matches!(late, Err(Error::Closed { .. })), "{era:?}: {late:?}");
        assert_eq!(within(other.close()).await.exit, Some(exit), "{era:?}");
    }
}

#[tokio::test]
async fn the_last_client_that_is_dropped_ends_the_process() {
    let mark = format!("drop-{}", std::process::id());
    let client = Client::connect(&marked(&mark), options(Era::Auto)).await.unwrap();
    let mut notices = client.notices();
    drop(client.clone());
    assert_eq!(said(&client, "echo", json!({ "text": "still" })).await, "still");
    drop(client);
    none_is_left(&mark).await;
    let mut closed = false;
    while let Ok(notice) = within(notices.recv()).await {
        closed |= matches!(notice, Notice::Closed { .. });
    }
    assert!(closed);
}

#[test]
fn a_dropped_blocking_client_leaves_nothing() {
    let mark = format!("blocking-{}", std::process::id());
    let client = blocking::Client::connect(&marked(&mark), options(Era::Auto)).unwrap();
    assert_eq!(client.tools().unwrap().len(), 44);
    drop(client);
    assert!(marked_processes(&mark).is_empty());
}

#[test]
fn a_runtime_that_ends_leaves_nothing() {
    let mark = format!("runtime-{}", std::process::id());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = runtime.block_on(Client::connect(&marked(&mark), options(Era::Auto))).unwrap();
    drop(runtime);
    assert!(marked_processes(&mark).is_empty());
    drop(client);
}

#[cfg(unix)]
#[tokio::test]
async fn an_end_that_nobody_asked_for_says_what_is_known_of_it() {
    let script = "echo the disk is full >&2; exit 3";
    let target = Target::Process(Command::new("sh").arg("-c").arg(script));
    for era in [Era::Auto, Era::Handshake, Era::Modern] {
        let error = within(Client::connect(&target, options(era))).await.unwrap_err();
        let Error::Closed { stderr, exit, .. } = &error else { panic!("{era:?}: {error:?}") };
        assert_eq!(stderr.trim(), "the disk is full", "{era:?}");
        assert_eq!(exit.unwrap().status.unwrap().code(), Some(3), "{era:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_the_question_ended_is_started_anew_and_known_from_then_on() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let count = dir.join(format!("starts-{}", std::process::id()));
    let script = r#"echo x >> "$1"; read -r first; case $first in *server/discover*) exit 1;; esac
        (printf '%s\n' "$first"; cat) | "$2""#;
    let everything = command("everything").program;
    let command = Command::new("sh").arg("-c").arg(script).arg("sh").arg(&count).arg(everything);
    let target = Target::Process(command);
    for (connection, starts) in [(1, 2), (2, 3)] {
        let client = within(Client::connect(&target, options(Era::Auto))).await.unwrap();
        assert_eq!(client.server().revision, midge::Revision::V2025_11_25);
        assert_eq!(said(&client, "echo", json!({ "text": "hi" })).await, "hi");
        let lines = std::fs::read_to_string(&count).unwrap().lines().count();
        assert_eq!(lines, starts, "connection {connection}");
        client.close().await;
    }
    std::fs::remove_file(&count).unwrap();
}

/// A server that says nothing to the question, and what it was asked first, line by line.
#[cfg(unix)]
fn silent(asked: &std::path::Path) -> Target {
    let script = r#"while read -r line; do
            case $line in *server/discover*) echo discover >> "$1";;
            *) echo initialize >> "$1"; (printf '%s\n' "$line"; cat) | "$2";;
            esac
        done"#;
    let everything = command("everything").program;
    Target::Process(Command::new("sh").arg("-c").arg(script).arg("sh").arg(asked).arg(everything))
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_says_nothing_to_the_question_is_not_asked_again() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let asked = dir.join(format!("asked-{}", std::process::id()));
    let target = silent(&asked);
    for wanted in ["discover\ninitialize\n", "discover\ninitialize\ninitialize\n"] {
        let quick = Options { probe_timeout: Duration::from_millis(300), ..options(Era::Auto) };
        let client = within(Client::connect(&target, quick)).await.unwrap();
        assert_eq!(said(&client, "echo", json!({ "text": "hi" })).await, "hi");
        assert_eq!(std::fs::read_to_string(&asked).unwrap(), wanted);
        client.close().await;
    }
    std::fs::remove_file(&asked).unwrap();
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let target = Target::Process(Command::new("no-such-program-anywhere"));
    let error = Client::connect(&target, Options::default()).await.unwrap_err();
    assert!(matches!(error, Error::Spawn { .. }), "{error:?}");
    assert!(error.to_string().contains("no-such-program-anywhere"), "{error}");
}

#[tokio::test]
async fn any_stream_will_do() {
    let (ours, theirs) = tokio::io::duplex(64);
    let server = tokio::spawn(async move {
        let mut child = tokio::process::Command::new(command("everything").program)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let (mut input, mut output) = tokio::io::split(theirs);
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let from = tokio::spawn(async move { tokio::io::copy(&mut stdout, &mut output).await });
        tokio::io::copy(&mut input, &mut stdin).await.unwrap();
        drop(stdin);
        child.wait().await.unwrap();
        from.await.unwrap().unwrap();
    });
    let (reader, writer) = tokio::io::split(ours);
    let client = within(Client::over(reader, writer, options(Era::Auto))).await.unwrap();
    assert_eq!(said(&client, "echo", json!({ "text": "x".repeat(100_000) })).await.len(), 100_000);
    let closed = within(client.close()).await;
    assert_eq!(closed.exit, None);
    within(server).await.unwrap();
}

#[tokio::test]
async fn lists_that_are_not_offered_are_not_asked_for() {
    let client = connect("thermostat", Era::Auto).await;
    let result = client.request("resources/list", Map::new(), CallOptions::default()).await.unwrap();
    assert_eq!(result["resources"][0]["uri"], "home://status");
    let level = client.set_log_level(midge::Level::Info).await;
    assert!(matches!(level, Err(Error::NotOffered(_))), "{level:?}");
    client.close().await;
}
