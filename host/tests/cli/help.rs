//! The command teaches itself.

use crate::tool::run;
use std::io::Write;
use std::process::{Command, Stdio};

const VERBS: [&str; 11] = [
    "info",
    "tools",
    "resources",
    "prompts",
    "call",
    "read",
    "get",
    "complete",
    "watch",
    "demo",
    "completions",
];

#[test]
fn help_names_every_verb_and_exit_code() {
    let help = run(&["--help"]);
    for verb in VERBS {
        assert!(help.text().lines().any(|line| line.trim_start().starts_with(&format!("{verb} "))), "{verb}");
        let about = run(&[verb, "--help"]);
        assert!(about.text().contains("Example:\n  midge "), "{verb} has no example");
    }
    for code in ["    0  done", "    1  ", "    2  ", "    3  ", "    4  ", "    5  ", "  130  interrupted"] {
        assert!(help.out.contains(code), "{code:?}");
    }
    assert!(help.out.contains("midge --json tools tcp:127.0.0.1:7777 | jq"));
    assert_eq!(run(&["fly"]).code, 2);
    assert!(run(&["--version"]).text().starts_with("midge "));
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]);
        for verb in VERBS {
            assert!(script.text().contains(verb), "{shell}: {verb}");
        }
    }
    let script = run(&["completions", "bash"]).out;
    // Where bash is not, its syntax cannot be looked at.
    if let Ok(mut bash) = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn() {
        bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        assert!(bash.wait().unwrap().success());
    }
}
