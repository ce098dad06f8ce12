//! A server process ends when its input does.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const INIT: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n"
);
const SLOW: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_slow","arguments":{"ms":600000}}}"#;

/// The fixture server, built beside this test.
fn everything() -> &'static PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let test = std::env::current_exe().expect("this test has a path");
        let target = test.ancestors().nth(3).expect("target/<profile>/deps/<test>");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["build", "--quiet", "--package", "midge-examples", "--bin", "everything", "--target-dir"])
            .arg(target)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("cargo runs");
        assert!(built.success(), "the fixture server is built");
        target.join("debug").join(format!("everything{}", std::env::consts::EXE_SUFFIX))
    })
}

fn start(stdin: Stdio) -> Child {
    Command::new(everything()).stdin(stdin).stdout(Stdio::piped()).spawn().expect("it starts")
}

fn piped() -> (Child, ChildStdin) {
    let mut child = start(Stdio::piped());
    let stdin = child.stdin.take().expect("piped");
    (child, stdin)
}

/// Waits for the end, not for long, and gives what was said and how it ended.
fn ended(mut child: Child) -> (String, ExitStatus) {
    let from = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status;
        }
        if from.elapsed() > Duration::from_secs(5) {
            child.kill().expect("it can be ended");
            panic!("the server did not end within 5 seconds of its input");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut said = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut said).expect("UTF-8");
    }
    (said, status)
}

#[test]
fn b30_the_process_ends_with_its_input() {
    let (said, status) = ended(start(Stdio::null()));
    assert!(status.success() && said.is_empty(), "{said}");

    let ping = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
    for (input, lines) in [
        (INIT.to_owned(), 1),
        // A last line without its newline is answered.
        (format!("{INIT}{ping}"), 2),
        (format!("{INIT}{{\"jsonrpc\":\"2.0\",\"id\":3,\"met"), 2),
        // A deferred call waits, and what was asked after it is owed.
        (format!("{INIT}{SLOW}\n{ping}\n"), 2),
        (format!("{INIT}{SLOW}"), 1),
    ] {
        let (child, mut stdin) = piped();
        stdin.write_all(input.as_bytes()).expect("it listens");
        drop(stdin);
        let (said, status) = ended(child);
        assert!(status.success(), "{input}: {status}");
        assert_eq!(said.lines().count(), lines, "{input}\n{said}");
    }
}

#[test]
fn b30_the_process_ends_while_a_call_waits() {
    let (mut child, mut stdin) = piped();
    stdin.write_all(format!("{INIT}{SLOW}\n").as_bytes()).expect("it listens");
    // The handshake is answered, so the server is past reading and waits for the call's time.
    let mut first = [0; 16];
    child.stdout.as_mut().expect("piped").read_exact(&mut first).expect("an answer");
    assert!(child.try_wait().expect("it can be waited for").is_none(), "it runs while its input is open");
    drop(stdin);
    assert!(ended(child).1.success());
}

/// What a killed parent leaves: neither end of the pipes is held any more.
#[test]
fn b30_the_process_ends_without_a_reader() {
    let (mut child, mut stdin) = piped();
    drop(child.stdout.take());
    stdin.write_all(INIT.as_bytes()).expect("it listens");
    drop(stdin);
    let (_, status) = ended(child);
    assert!(!status.success(), "what was owed could not be sent");
}
