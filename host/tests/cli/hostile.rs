//! Servers that mean harm: what they say neither steers the terminal nor stops the command.

use crate::fake::{Does, Fake, notification, one_tool};
use crate::tool::{midge, run};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Far more than any of this takes, and far less than what these servers would like it to take.
const SOON: Duration = Duration::from_secs(30);

/// A server with these tools, whose calls are answered with nothing.
fn with_tools(tools: Value) -> Fake {
    Fake::new(move |message| match message["method"].as_str() {
        Some("tools/list") => Does::Answers(json!({ "tools": tools })),
        _ => Does::Answers(json!({ "content": [] })),
    })
}

/// A server that says this much of itself.
fn saying(instructions: String) -> Fake {
    Fake::over(move |message| match message["method"].as_str() {
        Some("initialize") => Does::Answers(json!({
            "protocolVersion": "2025-11-25", "serverInfo": {"name": "fake", "version": "1"},
            "capabilities": {}, "instructions": instructions,
        })),
        Some("server/discover") => Does::Fails(json!({"code": -32601, "message": "Method not found"})),
        _ => Does::Says(Vec::new()),
    })
}

/// Schemas that a careless walk never comes to the end of.
fn endless() -> Vec<Value> {
    let twice = json!([{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]);
    let levels = (0..8).map(|level| {
        let below: Vec<Value> =
            (0..40).map(|_| json!({ "$ref": format!("#/$defs/{}", level + 1) })).collect();
        (level.to_string(), if level == 7 { json!({"type": "null"}) } else { json!({ "anyOf": below }) })
    });
    vec![
        json!({"type": "object", "allOf": twice.clone(), "properties": {"x": {"type": "string"}}}),
        json!({"anyOf": twice.clone(), "oneOf": twice.clone(), "properties": {"x": {"$ref": "#"}}}),
        json!({"properties": {"x": {"$ref": "#/$defs/tree"}},
            "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}),
        json!({"properties": {"x": {"$ref": "#/$defs/0"}},
            "$defs": Value::Object(levels.collect())}),
    ]
}

#[test]
fn schemas_that_never_end_do() {
    for schema in endless() {
        let began = Instant::now();
        let list = || with_tools(json!([{"name": "act", "inputSchema": schema}]));
        assert!(run(&["tools", &list().target()]).text().contains("act"), "{schema}");
        assert!(run(&["tools", "--long", &list().target()]).text().contains("act"), "{schema}");
        for word in ["x=5", "x:={\"x\":{\"x\":[1]}}"] {
            let code = run(&["call", "act", word, "--", &list().target()]).code;
            assert!(matches!(code, 0 | 2), "{schema} {word}: {code}");
        }
        assert!(began.elapsed() < SOON, "{schema}: {:?}", began.elapsed());
    }
}

#[test]
fn long_texts_are_not_a_way_to_keep_one_waiting() {
    let began = Instant::now();
    let words = "a b ".repeat(250_000);
    assert!(run(&["info", &saying(words.clone()).target()]).text().len() > words.trim().len());
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[test]
fn one_long_name_does_not_make_every_line_long() {
    let mut tools = vec![json!({"name": "n".repeat(200_000), "inputSchema": {}, "description": "Long."})];
    tools.extend((0..2_000).map(|n| json!({"name": format!("t{n}"), "inputSchema": {}, "description": "x"})));
    let shown = run(&["tools", &with_tools(json!(tools)).target()]);
    assert!(shown.text().contains(&"n".repeat(200_000)), "in a pipe nothing is cut");
    assert!(shown.text().len() < 2_000_000, "{} bytes", shown.text().len());
}

/// A server that says `data` in a log message as soon as it is asked for log messages.
fn logging(data: &'static str) -> Fake {
    Fake::over(move |message| match message["method"].as_str() {
        Some("initialize") => Does::Answers(json!({
            "protocolVersion": "2025-11-25", "serverInfo": {"name": "fake", "version": "1"},
            "capabilities": {"tools": {}, "resources": {"subscribe": true}, "logging": {}},
        })),
        Some("server/discover") => Does::Fails(json!({"code": -32601, "message": "Method not found"})),
        Some("notifications/initialized") => Does::Says(Vec::new()),
        Some("resources/subscribe") => {
            let data: Value = serde_json::from_str(data).unwrap();
            let log = json!({"level": "error", "logger": "l", "data": data});
            Does::Says(vec![
                json!({"jsonrpc": "2.0", "id": message["id"], "result": {}}).to_string(),
                notification("notifications/message", log),
            ])
        }
        Some("tools/list") => Does::Answers(one_tool()),
        _ => {
            let log = json!({"level": "error", "data": "the pump\nmidge: is on fire"});
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"content": []}});
            Does::Says(vec![notification("notifications/message", log), answer.to_string()])
        }
    })
}

#[test]
fn log_messages_begin_no_line_of_their_own() {
    let fake = logging(r#""one\n   0.100 s  the list of tools has changed""#);
    let shown = run(&["watch", "--count", "1", "--uri", "x://a", &fake.target()]);
    assert!(shown.text().lines().skip(1).all(|line| line.starts_with("             ")), "{shown:?}");
    let fake = logging("0");
    let shown = run(&["call", "act", "--", &fake.target()]);
    assert!(shown.err.contains("the pump") && !shown.err.contains("\nmidge:"), "{shown:?}");
}

#[cfg(unix)]
#[test]
fn log_messages_on_a_terminal() {
    use crate::terminal::Terminal;
    // JSON does not escape these.
    let fake = logging("{\"a\":\"\u{9b}31m\u{202e}\"}");
    let (_, seen) = Terminal::run(&["watch", "--count", "1", "--uri", "x://a", &fake.target()]).end();
    assert!(seen.contains("<U+009B>31m<U+202E>"), "{seen:?}");
    assert!(!seen.contains('\u{9b}') && !seen.contains('\u{202e}'), "{seen:?}");
    // The colours of midge itself are not a server's text.
    let fake = logging("0");
    let (_, seen) = Terminal::run(&["call", "act", "--", &fake.target()]).end();
    assert!(seen.contains("\x1b[31m[error]\x1b[0m the pump") && !seen.contains('␛'), "{seen:?}");
}

#[cfg(unix)]
fn ends_by(signal: &str, mut child: std::process::Child) {
    let kill = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > SOON {
            child.kill().unwrap();
            panic!("{signal} does not end it");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
}

#[cfg(unix)]
#[test]
fn signals_end_a_command_that_waits_for_its_input() {
    for signal in ["-INT", "-TERM"] {
        let mut command = midge(&["call", "act", "--args", "-", "--", "tcp:127.0.0.1:1"]);
        let child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // It begins to read when it has begun to listen for signals.
        std::thread::sleep(Duration::from_millis(500));
        ends_by(signal, child);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn signals_end_a_command_whose_output_nobody_reads() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let fake = saying("x".repeat(1_000_000));
        let child = midge(&["info", &fake.target()]).stdout(Stdio::piped()).spawn().unwrap();
        fake.wait_for("notifications/initialized");
        std::thread::sleep(Duration::from_millis(500));
        ends_by(signal, child);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    let fake = Fake::new(|_| Does::Says(Vec::new()));
    let watch = midge(&["watch", "--for", "2", &fake.target()]);
    let mut nohup = std::process::Command::new("sh");
    nohup.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(watch.get_program()).args(watch.get_args());
    let mut child = nohup.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    fake.wait_for("notifications/initialized");
    std::process::Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn an_answer_is_for_the_question_it_was_begun_for() {
    let question = |id: &str, message: &str| {
        json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create",
            "params": {"message": message, "requestedSchema": {"type": "object", "properties": {}}}})
        .to_string()
    };
    let (saw, shown) = std::sync::mpsc::channel();
    let shown = std::sync::Mutex::new(shown);
    let fake = Fake::new(move |message| match (message["method"].as_str(), message["id"].as_str()) {
        (Some("tools/list"), _) => Does::Answers(one_tool()),
        (Some("tools/call"), _) => {
            let ping = json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"}).to_string();
            Does::Says(vec![question("one", "Cake?"), ping])
        }
        (None, Some("ping")) => {
            // Not before the first question was seen.
            let seen = shown.lock().unwrap().recv_timeout(Duration::from_secs(60));
            seen.expect("the first question is shown");
            let over = notification("notifications/cancelled", json!({"requestId": "one"}));
            Does::Says(vec![over, question("two", "Delete all?")])
        }
        (None, Some("two")) => {
            let action = message["result"]["action"].clone();
            let text = json!([{"type": "text", "text": format!("action={action}")}]);
            // The call is the fourth request of midge's own, or whichever it was.
            Does::Says(
                (0..10)
                    .map(|id| json!({"jsonrpc": "2.0", "id": id, "result": {"content": text}}).to_string())
                    .collect(),
            )
        }
        _ => Does::Says(Vec::new()),
    });
    let mut terminal = crate::terminal::Terminal::run(&["call", "act", "--", &fake.target()]);
    terminal.see("Cake?");
    saw.send(()).unwrap();
    terminal.see("Delete all?");
    // Before it, nobody has begun to read.
    terminal.see_times("Agree?", 2);
    terminal.write("yes\n");
    terminal.see("That line was for the question before");
    terminal.write("no\n");
    let (_, seen) = terminal.end();
    assert!(seen.contains("action=\"decline\""), "{seen}");
}

#[cfg(unix)]
#[test]
fn words_that_are_no_text_are_a_mistake() {
    use std::os::unix::ffi::OsStrExt;
    let word = std::ffi::OsStr::from_bytes(b"a\xff");
    let said = midge(&["--json", "call"]).arg(word).output().unwrap();
    assert_eq!(said.status.code(), Some(2), "{said:?}");
    assert_eq!(serde_json::from_slice::<Value>(&said.stdout).unwrap()["error"]["kind"], "usage");
}
