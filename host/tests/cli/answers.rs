//! What is asked for is on stdout, and nothing else.

use crate::tool::{MIDGE, Scratch, everything, midge, run, server, thermostat};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// The picture that the example server has.
const PNG_HEAD: &[u8] = b"\x89PNG\r\n";

#[test]
fn info_tells_revision_and_era() {
    for (era, revision, kind) in [
        ("auto", "2026-07-28", "modern"),
        ("modern", "2026-07-28", "modern"),
        ("handshake", "2025-11-25", "handshake"),
        ("2025-06-18", "2025-06-18", "handshake"),
        ("2025-03-26", "2025-03-26", "handshake"),
        ("2024-11-05", "2024-11-05", "handshake"),
    ] {
        let info = thermostat(&["--json", "--era", era, "info"]).json();
        assert_eq!((&info["revision"], &info["era"]), (&json!(revision), &json!(kind)), "{era}");
        assert_eq!(info["name"], "midge-thermostat");
    }
    let shown = thermostat(&["info"]);
    for part in ["midge-thermostat\n", "2026-07-28 (modern)\n", "tools", "Reads and sets the heating"] {
        assert!(shown.text().contains(part), "{part:?} is not in\n{}", shown.out);
    }
    assert_eq!(shown.err, "");
}

#[test]
fn lists_are_tables_or_documents() {
    let tools = thermostat(&["tools"]);
    let head = tools.text().lines().next().unwrap();
    assert_eq!(head.split_whitespace().collect::<Vec<_>>().join(" "), "TOOL TITLE ARGUMENTS WHAT IT DOES");
    let line = tools.out.lines().find(|line| line.starts_with("set_target")).unwrap();
    assert_eq!(
        line.split_whitespace().collect::<Vec<_>>().join(" "),
        "set_target Set target celsius* Sets the temperature to reach."
    );
    let narrow = midge(&["tools", &server("thermostat")]).env("COLUMNS", "60").output().unwrap();
    let narrow = String::from_utf8(narrow.stdout).unwrap();
    assert!(narrow.lines().all(|line| line.chars().count() <= 60) && narrow.contains('…'), "{narrow}");
    let long = thermostat(&["tools", "--long"]);
    assert!(long.text().contains("celsius*  number, 5 to 35"), "{}", long.out);
    let document = thermostat(&["--json", "tools"]).json();
    let names: Vec<&str> =
        document["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read", "set_target", "set_mode", "self_test"]);
    let resources = thermostat(&["--json", "resources"]).json();
    assert_eq!(resources["resources"][0]["uri"], "home://status");
    assert_eq!(resources["resourceTemplates"][0]["uriTemplate"], "home://rooms/{room}");
    assert!(thermostat(&["prompts"]).text().contains("room* tone"));
    assert_eq!(thermostat(&["--json", "prompts"]).json()["prompts"][0]["name"], "comfort");
}

#[test]
fn calls_are_typed_by_the_schema() {
    let result = thermostat(&["--json", "call", "set_target", "celsius=22.5"]).json();
    assert_eq!(result["structuredContent"]["target"], json!(22.5));
    assert_eq!(result["content"][0]["type"], "text");
    assert_eq!(everything(&["call", "echo", "text=12"]).text(), "12\n");
    assert_eq!(everything(&["call", "echo", "--args", r#"{"text":"from args"}"#]).text(), "from args\n");
    assert_eq!(everything(&["call", "echo", "text=@@at"]).text(), "@at\n");
}

#[test]
fn arguments_come_from_stdin_and_files() {
    let scratch = Scratch::new("args");
    let file = scratch.path("args.json");
    std::fs::write(&file, r#"{"text":"from a file"}"#).unwrap();
    assert_eq!(everything(&["call", "echo", "--args", &format!("@{file}")]).text(), "from a file\n");
    std::fs::write(&file, "text of a file").unwrap();
    assert_eq!(everything(&["call", "echo", &format!("text=@{file}")]).text(), "text of a file\n");
    let mut child = midge(&["call", "echo", "--args", "-", "--", &server("everything")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"text":"from stdin"}"#).unwrap();
    assert_eq!(String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap(), "from stdin\n");
}

#[test]
fn every_kind_of_content_is_shown() {
    let shown = everything(&["call", "test_multiple_content_types"]);
    let lines: Vec<&str> = shown.text().lines().collect();
    assert_eq!(lines[0], "Multiple content types test:");
    assert!(lines[1].starts_with("image image/png, ") && lines[1].ends_with(" bytes"), "{}", lines[1]);
    assert_eq!(lines[2], "resource test://mixed-content-resource application/json:");
    let link = everything(&["call", "test_resource_link"]);
    assert!(link.text().starts_with("link test://static-text static-text (text/plain)"), "{}", link.out);
}

#[test]
fn numbers_stay_exact() {
    let run = everything(&["--json", "call", "test_structured_content"]);
    assert!(run.text().contains("9007199254740993"), "{}", run.out);
    let shown = everything(&["call", "test_structured_content"]);
    assert!(shown.text().contains("9007199254740993"), "{}", shown.out);
}

#[test]
fn resources_are_read_and_saved() {
    let text = "This is the content of the static text resource.";
    assert_eq!(everything(&["read", "test://static-text"]).text(), format!("{text}\n"));
    let blob = everything(&["read", "test://static-binary"]);
    assert!(blob.text().starts_with("blob image/png, "), "{}", blob.out);
    let scratch = Scratch::new("read");
    let dir = scratch.path("");
    for name in ["static-binary.png", "static-binary-2.png"] {
        let saved = everything(&["read", "test://static-binary", "--out", &dir]);
        assert!(saved.text().ends_with(&format!("saved as {}\n", scratch.path(name))), "{}", saved.out);
        assert!(std::fs::read(scratch.path(name)).unwrap().starts_with(PNG_HEAD));
    }
    let file = scratch.path("mine.png");
    std::fs::write(&file, "precious").unwrap();
    let refused = everything(&["call", "test_image_content", "--out", &file]);
    assert!(refused.failed(2).contains("--force"), "{}", refused.err);
    assert_eq!(std::fs::read(&file).unwrap(), b"precious");
    assert_eq!(everything(&["call", "test_image_content", "--out", &file, "--force"]).code, 0);
    assert!(std::fs::read(&file).unwrap().starts_with(PNG_HEAD));
    let bytes =
        midge(&["read", "test://static-binary", "--out", "-", "--", &server("everything")]).output().unwrap();
    assert_eq!(bytes.stdout, std::fs::read(scratch.path("static-binary.png")).unwrap());
}

#[test]
fn prompts_and_completions() {
    let run = thermostat(&["get", "comfort", "room=kitchen", "tone=brief"]);
    assert!(run.text().starts_with("user:\n") && run.out.contains("in the kitchen"), "{}", run.out);
    let document = thermostat(&["--json", "get", "comfort", "room=12"]).json();
    assert_eq!(document["messages"][0]["role"], "user");
    let run = everything(&["complete", "prompt", "test_prompt_with_arguments", "arg1="]);
    assert!(run.text().lines().count() > 0, "{run:?}");
    let document =
        everything(&["--json", "complete", "prompt", "test_prompt_with_arguments", "arg1="]).json();
    let values: Vec<&str> =
        document["completion"]["values"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(run.out.lines().collect::<Vec<_>>(), values);
}

#[test]
fn logs_are_beside_the_answer() {
    for era in ["modern", "handshake"] {
        let run = everything(&["--era", era, "--log", "debug", "call", "test_tool_with_logging"]);
        assert!(!run.text().contains("[info"), "{run:?}");
        assert_eq!(run.err.lines().filter(|line| line.starts_with("[info")).count(), 3, "{era}: {run:?}");
        let quiet =
            everything(&["--quiet", "--era", era, "--log", "debug", "call", "test_tool_with_logging"]);
        assert_eq!((quiet.text(), quiet.err.as_str()), (run.text(), ""));
    }
}

#[test]
fn servers_come_from_a_file() {
    let scratch = Scratch::new("config");
    let file = scratch.path("mcp.json");
    let config = json!({"mcpServers": {
        "home": {"command": server("thermostat")},
        "all": {"command": "sh", "args": ["-c", "test \"$A$B\" = 12 && exec \"$0\"", server("everything")], "env": {"A": "1"}},
    }});
    std::fs::write(&file, config.to_string()).unwrap();
    let info = run(&["--config", &file, "--server", "home", "--json", "info"]).json();
    assert_eq!(info["name"], "midge-thermostat");
    let echo = run(&["-c", &file, "-s", "all", "-e", "B=2", "call", "echo", "text=x"]);
    assert_eq!(echo.text(), "x\n");
    let none = run(&["--config", &file, "info"]);
    assert!(none.failed(2).contains("home, all"), "{}", none.err);
    let wrong = run(&["--config", &file, "--server", "hone", "info"]);
    assert!(wrong.failed(2).contains("`hone`"), "{}", wrong.err);
}

#[test]
fn the_demo_tells_its_story() {
    server("thermostat");
    let demo = run(&["demo"]);
    for part in [
        "midge-thermostat",
        "$ midge call set_target celsius=22.5 -- ",
        "`celsius` takes number, 5 to 35, not `warm`",
        "The demo answers: {\"sure\":true}",
        "self_test runs as a task: working\nSelf-test passed",
        "Cooking heats it",
        "it ended by itself",
    ] {
        assert!(demo.text().contains(part), "{part:?} is not in\n{}", demo.out);
    }
    assert_eq!(demo.err, "");
    let before_tasks = run(&["--era", "2025-06-18", "demo"]);
    assert!(before_tasks.text().contains("self_test: valve (2 of 4)\n"), "{}", before_tasks.out);
}

#[test]
fn the_demo_says_how_to_build_its_server() {
    let scratch = Scratch::new("demo");
    let alone = scratch.path("midge");
    std::fs::copy(MIDGE, &alone).unwrap();
    let run = std::process::Command::new(&alone).arg("demo").env_remove("CARGO").output().unwrap();
    assert_eq!(run.status.code(), Some(3));
    let told = String::from_utf8(run.stderr).unwrap();
    assert!(told.contains("cargo build") && told.contains("--bin thermostat"), "{told}");
}
