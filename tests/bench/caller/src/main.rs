//! How long a call of `echo` takes through midge's clients, against a line that a bare echo sends back, in one run on one
//! processor core: the engine over its blocking loop, and the host's client, with and without async.
//!
//! `caller ECHOLINE SERVER [CALLS [SUBJECT]]` prints one JSON line per block and subject: the median of the block, in
//! microseconds. With SUBJECT, such as `engine/modern`, no other is started: for profilers.

mod engine;
mod host;
mod line;

use midge::Revision;
use std::io;
use std::process::ExitCode;
use std::time::Instant;

/// A call says so much that its line has about 100 bytes in 2025-11-25.
pub const TEXT: &str = "0123456789abcdef";
const BLOCK: usize = 500;

/// Something that can be called and waits for the answer.
pub trait Calls {
    /// One call; fails when the answer is not the text.
    fn call(&mut self) -> io::Result<()>;
}

/// The median of `count` calls, in nanoseconds.
fn block(subject: &mut dyn Calls, count: usize) -> io::Result<u128> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let began = Instant::now();
        subject.call()?;
        times.push(began.elapsed().as_nanos());
    }
    times.sort_unstable();
    Ok(times[count / 2])
}

fn wrong(what: impl std::fmt::Display) -> io::Error {
    io::Error::other(what.to_string())
}

type Subjects = Vec<(String, Box<dyn Calls>)>;

fn subjects(echoline: &str, server: &str, only: Option<&str>) -> io::Result<Subjects> {
    let mut subjects: Subjects = Vec::new();
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    if wanted("echoline") {
        subjects.push(("echoline".into(), Box::new(line::Line::start(echoline)?)));
    }
    for (era, revision) in [("handshake", Revision::V2025_11_25), ("modern", Revision::V2026_07_28)] {
        for client in ["engine", "host-async", "host-blocking"] {
            let name = format!("{client}/{era}");
            if !wanted(&name) {
                continue;
            }
            let subject: Box<dyn Calls> = match client {
                "engine" => Box::new(engine::Engine::start(server, revision)?),
                "host-async" => Box::new(host::Async::start(server, revision)?),
                _ => Box::new(host::Blocking::start(server, revision)?),
            };
            subjects.push((name, subject));
        }
    }
    Ok(subjects)
}

fn run(echoline: &str, server: &str, calls: usize, only: Option<&str>) -> io::Result<()> {
    pin()?;
    let mut subjects = subjects(echoline, server, only)?;
    for (_, subject) in &mut subjects {
        block(subject.as_mut(), BLOCK)?;
    }
    for round in 0..calls.div_ceil(BLOCK) {
        for (name, subject) in &mut subjects {
            let value = block(subject.as_mut(), BLOCK)? as f64 / 1000.0;
            println!(r#"{{"subject":"{name}","figure":"call_100B","round":{round},"value":{value}}}"#);
        }
    }
    Ok(())
}

/// Keeps this process and its children on the last core, so that a round trip is two switches and no wake-up elsewhere.
fn pin() -> io::Result<()> {
    let allowed = rustix::thread::sched_getaffinity(None)?;
    let last = (0..rustix::thread::CpuSet::MAX_CPU).rev().find(|core| allowed.is_set(*core));
    let mut one = rustix::thread::CpuSet::new();
    one.set(last.ok_or_else(|| wrong("no processor core is allowed"))?);
    Ok(rustix::thread::sched_setaffinity(None, &one)?)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [echoline, server, rest @ ..] = args.as_slice() else {
        eprintln!("usage: caller ECHOLINE SERVER [CALLS [SUBJECT]]");
        return ExitCode::from(2);
    };
    let calls = rest.first().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    match run(echoline, server, calls, rest.get(1).map(String::as_str)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("caller: {error}");
            ExitCode::FAILURE
        }
    }
}
