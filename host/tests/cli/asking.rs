//! Questions of servers, and their texts on a terminal.

use crate::failing::interrupt;
use crate::fake::{Does, Fake, one_tool};
use crate::terminal::Terminal;
use crate::tool::{everything, midge, server, thermostat};
use serde_json::json;

fn hot() -> Terminal {
    Terminal::run(&["call", "set_target", "celsius=31", "--", &server("thermostat")])
}

#[test]
fn a_form_is_asked_and_answered() {
    let mut terminal = hot();
    terminal.see("The server midge-thermostat asks");
    terminal.see("That is more than 30 °C. Are you sure?");
    terminal.see("yes or no");
    terminal.write("perhaps\n");
    terminal.see("write yes or no");
    terminal.write("yes\n");
    let (code, seen) = terminal.end();
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("\"target\":31"), "{seen}");
}

#[test]
fn a_form_is_declined_or_cancelled() {
    let mut terminal = hot();
    terminal.see("yes or no");
    terminal.write("d\n");
    let (code, seen) = terminal.end();
    assert!(code == 1 && seen.contains("did not agree"), "{seen}");
    let mut terminal = hot();
    terminal.see("yes or no");
    terminal.write("\x04");
    let (code, seen) = terminal.end();
    assert!(code == 1 && seen.contains("did not agree"), "{seen}");
    let mut terminal = hot();
    terminal.see("yes or no");
    interrupt(terminal.child.id());
    let (code, seen) = terminal.end();
    assert!(code == 1 && seen.contains("did not agree"), "the question is cancelled, not the call: {seen}");
}

#[test]
fn defaults_and_choices() {
    let mut terminal =
        Terminal::run(&["call", "test_elicitation_sep1034_defaults", "--", &server("everything")]);
    for prompt in ["John Doe", "[30]", "[95.5]", "[active]", "[yes]"] {
        terminal.see(prompt);
        terminal.write("\n");
    }
    let (code, seen) = terminal.end();
    let expected = r#"{"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}"#;
    assert!(code == 0 && seen.contains(expected), "{seen}");
    let mut terminal =
        Terminal::run(&["call", "test_elicitation_sep1330_enums", "--", &server("everything")]);
    for (prompt, answer) in [
        ("untitledSingle", "2"),
        ("titledSingle", "Third Option"),
        ("legacyEnum", "opt1"),
        ("untitledMulti", "1, option3"),
        ("titledMulti", ""),
    ] {
        terminal.see(prompt);
        terminal.write(&format!("{answer}\n"));
    }
    let (code, seen) = terminal.end();
    let expected = r#"{"untitledSingle":"option2","titledSingle":"value3","legacyEnum":"opt1","untitledMulti":["option1","option3"]}"#;
    assert!(code == 0 && seen.contains(expected), "{seen}");
}

#[test]
fn urls_are_shown_and_never_opened() {
    let mut terminal = Terminal::run(&["call", "test_elicitation_url", "--", &server("everything")]);
    terminal.see("Please sign in");
    terminal.see("sign-in\r\n");
    terminal.see("agree to open it?");
    terminal.write("yes\n");
    let (code, seen) = terminal.end();
    assert!(code == 0 && seen.contains("action=accept"), "{seen}");
}

#[test]
fn nothing_can_be_asked_where_nobody_is() {
    let alone = thermostat(&["call", "set_target", "celsius=31"]);
    assert!(alone.failed(1).contains("--yes"), "{alone:?}");
    let words = ["--no-input", "call", "set_target", "celsius=31", "--", &server("thermostat")];
    let (code, seen) = Terminal::run(&words).end();
    assert!(code == 1 && !seen.contains("yes or no"), "{seen}");
}

#[test]
fn yes_agrees() {
    let agreed = thermostat(&["--yes", "call", "set_target", "celsius=31"]);
    assert!(agreed.text().contains("\"target\":31"), "{agreed:?}");
    assert!(agreed.err.contains("agreed to: That is more than 30 °C"), "{agreed:?}");
    let agreed = everything(&["--yes", "--quiet", "call", "test_elicitation_sep1034_defaults"]);
    assert!(agreed.text().contains("action=accept") && agreed.err.is_empty(), "{agreed:?}");
}

/// A server with escape sequences in everything it says.
fn hostile() -> Fake {
    Fake::new(|message| match message["method"].as_str() {
        Some("tools/list") => Does::Answers(one_tool()),
        _ => Does::Answers(
            json!({"content": [{"type": "text", "text": "\u{1b}]0;owned\u{7}\u{1b}[2Jhello\u{9b}31m\u{202e}"}]}),
        ),
    })
}

#[test]
fn a_hostile_server_cannot_steer_the_terminal() {
    let fake = hostile();
    let (code, seen) = Terminal::run(&["call", "act", "--", &fake.target()]).end();
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("␛]0;owned␇␛[2Jhello<U+009B>31m<U+202E>"), "{seen:?}");
    // The bar may draw over its own line, but nothing of the server's is obeyed.
    assert!(!seen.contains("\x1b]0;") && !seen.contains("\x1b[2J") && !seen.contains('\u{9b}'), "{seen:?}");
    let fake = hostile();
    let piped = midge(&["call", "act", "--", &fake.target()]).output().unwrap();
    assert_eq!(
        String::from_utf8(piped.stdout).unwrap(),
        "\u{1b}]0;owned\u{7}\u{1b}[2Jhello\u{9b}31m\u{202e}\n"
    );
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let words = ["info", &server("thermostat")];
    let (_, coloured) = Terminal::run(&words).end();
    assert!(coloured.contains("\x1b[1mmidge-thermostat\x1b[0m"), "{coloured:?}");
    assert!(!thermostat(&["info"]).text().contains('\x1b'));
}
