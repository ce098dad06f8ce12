//! The stack that a message takes does not depend on the message.
//!
//! Each case runs in a process of its own, on a thread with a stack of fixed size of which a part is used up first. The
//! largest part that can be used up before the engine overflows the rest measures the engine's need.

use midge::{Config, Event, Millis, Server};
use midge_examples::everything::{CATALOG, Everything};
use midge_tests::replay::Memory;
use midge_tests::transcript::Head;
use std::hint::black_box;
use std::process::{Command, Stdio};

const STACK_BYTES: usize = 256 << 10;
const PAGE_BYTES: usize = 4096;
const CASE: &str = "MIDGE_STACK_CASE";
const USED: &str = "MIDGE_STACK_USED";

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// What is sent, the receive buffer it meets, and a piece of the one answer.
fn case(name: &str) -> (String, usize, &'static str) {
    let list = |x: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{{{META},"x":{x}}}}}"#) + "\n"
    };
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    match name {
        "flat" => (list("0"), 4096, "static-text"),
        // Two levels are the message's own.
        "deepest" => (list(&nested(125)), 4096, "static-text"),
        "too deep" => (list(&nested(126)), 4096, "nested deeper"),
        "a million, kept" => ("[".repeat(1_000_000) + "\n", 1 << 20, "nested deeper"),
        "a million, with an id" => (list(&"[".repeat(1_000_000)), 2 << 20, "nested deeper"),
        "a million, too long" => (list(&"[".repeat(1_000_000)), 4096, "longer than the receive buffer"),
        other => panic!("no case {other}"),
    }
}

/// Uses up `bytes` of the stack, or a little more, then runs `then`.
#[inline(never)]
fn use_up(bytes: usize, then: &mut dyn FnMut()) {
    let piece = black_box([0_u8; 64]);
    if bytes == 0 {
        then()
    } else {
        use_up_more(bytes, then)
    }
    black_box(piece);
}

#[inline(never)]
fn use_up_more(bytes: usize, then: &mut dyn FnMut()) {
    let here = 0_u8;
    let start = USED_FROM.with(std::cell::Cell::get);
    let used = start.wrapping_sub(std::ptr::from_ref(&here).addr());
    use_up(if used >= bytes { 0 } else { bytes }, then);
    black_box(here);
}

thread_local! {
    static USED_FROM: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn serve(input: &str, memory: &mut Memory, out: &mut Vec<u8>) {
    let mut state = Everything::default();
    let mut server = Server::new(&CATALOG, memory.storage(), Config::default()).expect("memory");
    let mut input = input.as_bytes();
    loop {
        match server.poll(Millis(0)) {
            Event::Idle if input.is_empty() => return,
            Event::Idle => {
                let room = server.recv_buf();
                let n = room.len().min(input.len());
                room[..n].copy_from_slice(&input[..n]);
                server.recv_ack(n);
                input = &input[n..];
            }
            Event::Send => {
                let n = server.send_buf().1.len();
                out.extend_from_slice(server.send_buf().1);
                server.send_ack(n);
            }
            Event::Call(call) => CATALOG.run(call, &mut state, None),
            Event::Cancelled(_) | Event::Expired(_) | Event::Ended => {}
        }
    }
}

/// The process that is measured; does nothing when the suite runs it.
#[test]
fn measured_process() {
    let (Ok(name), Ok(used)) = (std::env::var(CASE), std::env::var(USED)) else { return };
    let used: usize = used.parse().expect("a number");
    let (input, rx, answer) = case(&name);
    let head = format!(r#"{{"about":"","rx":{rx}}}"#);
    let head: Head = serde_json::from_str(&head).expect("a head");
    let mut memory = Memory::new(&head, 8192);
    let mut out = Vec::with_capacity(1 << 16);
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let here = 0_u8;
        USED_FROM.with(|from| from.set(std::ptr::from_ref(&here).addr()));
        use_up(used, &mut || serve(&input, &mut memory, &mut out));
        black_box(here);
        out
    });
    let out = thread.expect("a thread").join().expect("it ran");
    let out = String::from_utf8(out).expect("text");
    assert_eq!(out.lines().count(), 1, "{out}");
    assert!(out.contains(answer), "{name}: {out}");
}

/// Whether the case still runs when `used` bytes of the stack are gone.
fn runs(name: &str, used: usize) -> bool {
    Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "measured_process"])
        .env(CASE, name)
        .env(USED, used.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the process starts")
        .success()
}

/// Bytes of stack that the case needs, give or take 256.
fn need(name: &str) -> usize {
    assert!(runs(name, 0), "{name} does not run at all");
    let (mut runs_at, mut fails_at) = (0, STACK_BYTES);
    assert!(!runs(name, fails_at), "a stack that is used up still serves");
    while fails_at - runs_at > 256 {
        let middle = runs_at.midpoint(fails_at);
        if runs(name, middle) { runs_at = middle } else { fails_at = middle }
    }
    STACK_BYTES - runs_at
}

/// Answering a list takes more than refusing a message, so like is compared with like; and nothing takes more than the
/// flat message that is served.
#[test]
fn any_depth_takes_the_same_stack() {
    let served = need("flat");
    let refused = need("too deep");
    println!("flat, served: {served} bytes of stack; refused for one level too many: {refused}");
    for (name, like) in [
        ("deepest", served),
        ("a million, kept", refused),
        ("a million, with an id", refused),
        ("a million, too long", refused),
    ] {
        let bytes = need(name);
        println!("{name}: {bytes} bytes of stack");
        assert!(bytes.abs_diff(like) <= PAGE_BYTES, "{name} takes {bytes} bytes, its like {like}");
        assert!(bytes <= served + 256, "{name} takes {bytes} bytes, a flat message {served}");
    }
}
