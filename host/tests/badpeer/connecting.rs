//! Servers that are silent, late, gone or of another time when a connection begins.

use std::time::Instant;

use midge::Revision;
use midge_host::{Client, Era, Error, Options, Target};

use crate::peer::*;

#[tokio::test]
async fn a_silent_server_is_given_up_at_the_deadline() {
    for era in [Era::Auto, Era::Handshake, Era::Modern, Era::Exactly(Revision::V2025_06_18)] {
        let options = Options { connect_timeout: ms(1500), probe_timeout: ms(300), ..options(era) };
        let options = Options { grace: midge_host::Grace::default(), ..options };
        let start = Instant::now();
        let error = within(LONG, Client::connect(&target("silent"), options)).await.err();
        let error = error.unwrap_or_else(|| panic!("{era:?}: nobody answered"));
        assert!(matches!(error, Error::TimedOut { .. }), "{era:?}: {error:?}");
        assert!(start.elapsed() < ms(1500) + SLACK, "{era:?}: {:?}", start.elapsed());
    }
}

#[tokio::test]
async fn a_server_that_is_silent_to_the_question_is_an_older_one() {
    let start = Instant::now();
    let options = Options { probe_timeout: ms(400), ..options(Era::Auto) };
    let client = connect_with("silent_on_probe", options).await;
    passed(start, ms(400));
    assert_eq!(client.server().revision, Revision::V2025_11_25);
    assert_eq!(client.server().name, "badpeer");
    others_work(&client).await;
    close(client).await;
}

#[tokio::test]
async fn an_answer_to_the_question_that_comes_too_late_is_ignored() {
    let options = Options { probe_timeout: ms(400), ..options(Era::Auto) };
    let client = connect_with("late_discover", options).await;
    assert_eq!(client.server().revision, Revision::V2025_11_25);
    others_work(&client).await;
    assert_eq!(client.server().revision, Revision::V2025_11_25);
    close(client).await;
}

/// Its answer to the question comes after it was taken for an older server, which it then denies to be.
#[tokio::test]
async fn a_server_that_only_starts_slowly_is_spoken_to_in_its_own_revision() {
    let options = Options { probe_timeout: ms(300), ..options(Era::Auto) };
    let client = connect_with("slow_start", options).await;
    assert_eq!(client.server().revision, Revision::V2026_07_28);
    others_work(&client).await;
    close(client).await;
}

#[tokio::test]
async fn a_server_that_ends_at_the_question_is_started_anew() {
    let client = connect("dies_on_probe", Era::Auto).await;
    assert_eq!(client.server().revision, Revision::V2025_11_25);
    others_work(&client).await;
    close(client).await;
}

#[tokio::test]
async fn a_server_that_ends_at_the_only_question_is_an_error_that_says_so() {
    let error = within(LONG, Client::connect(&target("dies_on_probe"), options(Era::Modern))).await.err();
    let error = error.expect("there is no server");
    assert!(matches!(error, Error::Closed { .. } | Error::Refused { .. }), "{error:?}");
}

#[tokio::test]
async fn without_a_common_revision_the_server_s_own_are_named() {
    for era in [Era::Auto, Era::Modern, Era::Handshake, Era::Exactly(Revision::V2026_07_28)] {
        let error = within(LONG, Client::connect(&target("no_common"), options(era))).await.err();
        let error = error.unwrap_or_else(|| panic!("{era:?}: there is no common revision"));
        let Error::Refused { ref supported, .. } = error else { panic!("{era:?}: {error:?}") };
        assert_eq!(*supported, ["2099-01-01"], "{era:?}");
        assert!(error.to_string().contains("2099-01-01"), "{error}");
    }
}

/// Nobody has a handle to close then.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_could_not_be_connected_to_is_gone() {
    for (scenario, era) in [("silent", Era::Auto), ("no_common", Era::Auto), ("no_common", Era::Handshake)] {
        let file = std::env::temp_dir().join(format!("badpeer-{}-{scenario}-{era:?}", std::process::id()));
        let target = Target::Process(command(scenario).env("BADPEER_PID_FILE", &file));
        let options = Options { connect_timeout: ms(2000), probe_timeout: ms(300), ..options(era) };
        let connected = within(LONG, Client::connect(&target, options)).await;
        assert!(connected.is_err(), "{scenario}, {era:?}");
        let pid = std::fs::read_to_string(&file).expect("the server has written down its id");
        std::fs::remove_file(&file).unwrap();
        let process = std::path::Path::new("/proc").join(pid.trim());
        until(|| async { (!process.exists()).then_some(()) }).await;
    }
}

#[tokio::test]
async fn a_healthy_server_is_spoken_to_in_its_newest_revision() {
    let client = connect("echo", Era::Auto).await;
    assert_eq!(client.server().revision, Revision::V2026_07_28);
    assert_eq!(told(&client, "seen").await["requests"][0][1], "server/discover");
    others_work(&client).await;
    close(client).await;
}

#[tokio::test]
async fn after_connecting_silence_ends_at_each_call_s_own_deadline() {
    for era in ERAS {
        let client =
            connect_with("silent_after_connect", Options { call_timeout: ms(700), ..options(era) }).await;
        let echo = serde_json::json!({ "text": "x" });
        let start = Instant::now();
        let (tools, (), ()) = tokio::join!(
            within(LONG, client.tools()),
            times_out(&client, "echo", echo.clone(), ms(300)),
            times_out(&client, "echo", echo.clone(), ms(500)),
        );
        passed(start, ms(700));
        assert!(matches!(tools, Err(Error::TimedOut { .. })), "{era:?}: {tools:?}");
        close(client).await;
    }
}
