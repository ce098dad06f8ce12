//! Every failure has its exit code, and a sentence that says what to do.

use crate::fake::{Does, Fake, notification, one_tool};
use crate::tool::{everything, midge, run, server, thermostat};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// `act` is listed; what it does is `act`.
fn acting(act: impl Fn(&Value) -> Does + Send + 'static) -> Fake {
    Fake::new(move |message| match message["method"].as_str() {
        Some("tools/list") => Does::Answers(one_tool()),
        _ => act(message),
    })
}

#[test]
fn one_when_the_server_says_no() {
    let failed = everything(&["call", "test_error_handling"]);
    assert!(failed.failed(1).contains("intentionally"), "{failed:?}");
    assert_eq!(failed.out, "");
    let missing = everything(&["read", "test://nowhere"]);
    assert!(missing.failed(1).contains("test://nowhere"), "{missing:?}");
    let failed = everything(&["--json", "call", "test_error_handling"]);
    failed.failed(1);
    assert_eq!(serde_json::from_str::<Value>(&failed.out).unwrap()["isError"], true);
    let missing = everything(&["--json", "read", "test://nowhere"]);
    missing.failed(1);
    let error = &serde_json::from_str::<Value>(&missing.out).unwrap()["error"];
    assert_eq!((&error["kind"], &error["exit"]), (&json!("answer"), &json!(1)));
    assert!(error["code"].is_i64(), "{error}");
}

#[test]
fn two_when_the_command_line_is_wrong() {
    let told = |words: &[&str]| thermostat(words).failed(2).to_owned();
    assert!(
        told(&["call", "set_target", "celsius=warm"]).contains("`celsius` takes number, 5 to 35, not `warm`")
    );
    assert!(told(&["call", "set_target", "celsius=36"]).contains("5 to 35, not 36"));
    assert!(told(&["call", "set_target", "celcius=20"]).contains("did you mean `celsius`?"));
    assert!(told(&["call", "set_target"]).contains("`celsius` is required"));
    assert!(told(&["call", "set_mode", "mode=forst"]).contains("one of heat, frost, off"));
    assert!(told(&["call", "set_taget", "celsius=20"]).contains("did you mean `set_target`?"));
    assert!(told(&["call", "fly"]).contains("read, set_target, set_mode, self_test"));
    assert!(told(&["call", "read", "warm"]).contains("KEY=VALUE"));
    assert!(told(&["call", "read", "--args", "[]"]).contains("JSON object"));
    assert!(told(&["get", "comfort"]).contains("`room` is required"));
    assert!(told(&["get", "confort", "room=x"]).contains("did you mean `comfort`?"));
    assert!(run(&["tools"]).failed(2).contains("no server is named"));
    assert!(run(&["tools", "--jsn", "x"]).failed(2).contains("did you mean `--json`?"));
    let json = run(&["--json", "tools"]);
    assert_eq!(serde_json::from_str::<Value>(&json.out).unwrap()["error"]["kind"], "usage");
    // What does not fit the schema goes out when that is wanted; the server then refuses it.
    assert!(thermostat(&["call", "set_target", "celsius=36", "--no-check"]).failed(1).contains("celsius"));
}

#[test]
fn three_when_there_is_no_server() {
    let missing = run(&["tools", "no-such-program-anywhere"]);
    assert!(missing.failed(3).contains("no-such-program-anywhere"), "{missing:?}");
    assert!(run(&["tools", "tcp:127.0.0.1:1"]).failed(3).contains("tcp:127.0.0.1:1"));
    let fake = Fake::over(|message| match message["method"].as_str() {
        Some("initialize") => Does::Fails(json!({"code": -32000, "message": "closed on Sundays"})),
        _ => Does::Fails(json!({"code": -32601, "message": "Method not found"})),
    });
    assert!(run(&["tools", &fake.target()]).failed(3).contains("closed on Sundays"));
}

#[test]
#[cfg(unix)]
fn what_a_dying_server_said_is_shown() {
    let script = "echo the disk is full >&2; exit 3";
    let shown = run(&["tools", "sh", "-c", script]);
    assert!(shown.failed(3).contains("the disk is full"), "{shown:?}");
    let hidden = run(&["--stderr", "hide", "tools", "sh", "-c", script]);
    assert!(!hidden.failed(3).contains("the disk is full"), "{hidden:?}");
    let inherited = run(&["--stderr", "inherit", "tools", "sh", "-c", script]);
    assert!(inherited.failed(3).starts_with("the disk is full\n"), "{inherited:?}");
}

#[test]
fn four_when_nothing_comes_in_time() {
    let began = Instant::now();
    let fake = acting(|_| Does::Says(Vec::new()));
    let late = run(&["--timeout", "1", "call", "act", "--", &fake.target()]);
    assert!(late.failed(4).contains("1 s"), "{late:?}");
    let silent = Fake::over(|_| Does::Says(Vec::new()));
    run(&["--timeout", "1", "info", &silent.target()]).failed(4);
    let json = run(&["--json", "--timeout", "1", "info", &Fake::over(|_| Does::Says(Vec::new())).target()]);
    assert_eq!(serde_json::from_str::<Value>(&json.out).unwrap()["error"]["kind"], "timeout");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[test]
fn five_when_the_server_breaks_the_protocol_or_ends() {
    let ends = acting(|_| Does::Closes);
    run(&["call", "act", "--", &ends.target()]).failed(5);
    let odd = acting(|_| Does::Answers(json!(7)));
    run(&["call", "act", "--", &odd.target()]).failed(5);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = midge(&["tools", &server("everything")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let run = child.wait_with_output().unwrap();
    assert_eq!((run.status.code(), String::from_utf8(run.stderr).unwrap()), (Some(0), String::new()));
}

#[test]
fn watching_shows_events_and_ends() {
    let fake = eventful();
    let shown = run(&["watch", "--count", "3", "--uri", "x://a", &fake.target()]);
    let lines: Vec<&str> = shown.text().lines().map(|line| line.split_once(" s  ").unwrap().1).collect();
    assert_eq!(lines, ["x://a has changed", "the list of tools has changed", "[warning pump] hot␛[2J"]);
    let fake = eventful();
    let run = run(&["--json", "watch", "--count", "3", "--uri", "x://a", &fake.target()]);
    let events: Vec<Value> = run.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events[0]["uri"], "x://a");
    assert_eq!(events[1]["event"], "tools_changed");
    assert_eq!((&events[2]["level"], &events[2]["data"]), (&json!("warning"), &json!("hot\u{1b}[2J")));
}

/// Tells of changes as soon as it is subscribed to.
fn eventful() -> Fake {
    Fake::over(|message| match message["method"].as_str() {
        Some("initialize") => Does::Answers(json!({
            "protocolVersion": "2025-11-25", "serverInfo": {"name": "fake", "version": "1"},
            "capabilities": {"tools": {"listChanged": true}, "resources": {"subscribe": true}, "logging": {}},
        })),
        Some("server/discover") => Does::Fails(json!({"code": -32601, "message": "Method not found"})),
        Some("resources/subscribe") => Does::Says(vec![
            json!({"jsonrpc": "2.0", "id": message["id"], "result": {}}).to_string(),
            notification("notifications/resources/updated", json!({"uri": "x://a"})),
            notification("notifications/tools/list_changed", json!({})),
            notification(
                "notifications/message",
                json!({"level": "warning", "logger": "pump", "data": "hot\u{1b}[2J"}),
            ),
        ]),
        _ => Does::Says(Vec::new()),
    })
}

#[test]
fn a_watch_ends_in_time_or_with_the_server() {
    let fake = Fake::new(|_| Does::Says(Vec::new()));
    assert_eq!(run(&["watch", "--for", "0.3", &fake.target()]).text(), "");
    // It closes instead of subscribing.
    let fake = Fake::over(|message| match message["method"].as_str() {
        Some("initialize") => Does::Answers(json!({
            "protocolVersion": "2025-11-25", "serverInfo": {"name": "fake", "version": "1"},
            "capabilities": {"resources": {"subscribe": true}},
        })),
        Some("server/discover") => Does::Fails(json!({"code": -32601, "message": "Method not found"})),
        Some("resources/subscribe") => Does::Closes,
        _ => Does::Says(Vec::new()),
    });
    run(&["watch", "--uri", "x://a", &fake.target()]).failed(5);
}

#[test]
#[cfg(unix)]
fn an_interrupt_cancels_the_call() {
    let fake = acting(|_| Does::Says(Vec::new()));
    let child = midge(&["call", "act", "--", &fake.target()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let call = fake.wait_for("tools/call");
    interrupt(child.id());
    let run = child.wait_with_output().unwrap();
    assert_eq!(run.status.code(), Some(130));
    assert_eq!(String::from_utf8(run.stderr).unwrap(), "midge: interrupted\n");
    let cancelled = fake.wait_for("notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_leaves_no_server_behind() {
    let words = ["call", "test_slow", "ms=60000", "--", &server("everything")];
    let child = midge(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    let servers = loop {
        let servers = children(child.id());
        if !servers.is_empty() {
            break servers;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "the server starts");
    };
    interrupt(child.id());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    for server in servers {
        assert!(!std::path::Path::new(&format!("/proc/{server}")).exists(), "{server} is still there");
    }
}

#[cfg(unix)]
pub fn interrupt(process: u32) {
    let status = std::process::Command::new("kill").args(["-INT", &process.to_string()]).status().unwrap();
    assert!(status.success());
}

#[cfg(target_os = "linux")]
fn children(process: u32) -> Vec<u32> {
    let parent = format!("{process}");
    let stats = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let pid: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.to_owned();
        (fields == parent).then_some(pid)
    });
    stats.collect()
}
