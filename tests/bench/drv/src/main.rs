//! Measures servers over stdio, all on one processor core, in interleaved rounds; prints one JSON line per figure.
//!
//! `drv [--core N] [--rounds N] [--divide N] -- NAME ERA COMMAND... [-- NAME ERA COMMAND...]...`
//! `drv --emit ERA LINE_BYTES COUNT` writes the input for a server that reads a file.
//!
//! ERA is `line`, `handshake` or `modern`; `list-handshake` and `list-modern` take only `tools/list`.

mod child;
mod measure;
mod msg;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use measure::{Effort, process};
use msg::Era;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

const USAGE: &str =
    "usage: drv [--core N] [--rounds N] [--divide N] -- NAME ERA COMMAND... [-- NAME ERA COMMAND...]...
       drv --emit line|handshake|modern LINE_BYTES COUNT";
const DEFAULT_ROUNDS: u64 = 5;

struct Subject {
    name: String,
    era: Era,
    lists_only: bool,
    command: Vec<String>,
}

struct Options {
    core: Option<usize>,
    rounds: u64,
    effort: Effort,
    subjects: Vec<Subject>,
}

fn usage() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, USAGE)
}

fn number(text: Option<&String>) -> io::Result<u64> {
    text.and_then(|t| t.parse().ok()).ok_or_else(usage)
}

fn subject(words: &[String]) -> io::Result<Subject> {
    let [name, era, command @ ..] = words else { return Err(usage()) };
    let short = era.strip_prefix("list-");
    let parsed = Era::parse(short.unwrap_or(era)).ok_or_else(usage)?;
    if command.is_empty() {
        return Err(usage());
    }
    Ok(Subject { name: name.clone(), era: parsed, lists_only: short.is_some(), command: command.to_vec() })
}

fn parse(args: &[String]) -> io::Result<Options> {
    let mut parts = args.split(|arg| arg == "--");
    let mut options =
        Options { core: None, rounds: DEFAULT_ROUNDS, effort: Effort { divide: 1 }, subjects: Vec::new() };
    let flags = parts.next().unwrap_or_default();
    for pair in flags.chunks(2) {
        let value = number(pair.get(1))?;
        match pair[0].as_str() {
            "--core" => options.core = Some(value as usize),
            "--rounds" => options.rounds = value.max(1),
            "--divide" => options.effort.divide = value.max(1),
            _ => return Err(usage()),
        }
    }
    options.subjects = parts.map(subject).collect::<io::Result<_>>()?;
    if options.subjects.is_empty() { Err(usage()) } else { Ok(options) }
}

/// Pins this thread, and with it every process it starts, to one core: the last one unless told.
fn pin(core: Option<usize>) -> io::Result<usize> {
    let allowed = sched_getaffinity(None)?;
    let last = (0..CpuSet::MAX_CPU).rev().find(|&cpu| allowed.is_set(cpu));
    let core = core.or(last).ok_or_else(usage)?;
    let mut one = CpuSet::new();
    one.set(core);
    sched_setaffinity(None, &one)?;
    Ok(core)
}

fn measure(options: &Options) -> io::Result<()> {
    let core = pin(options.core)?;
    let mut out = io::stdout();
    for round in 0..options.rounds {
        // Another subject begins each round, so that none always runs after the same one.
        let count = options.subjects.len();
        for turn in 0..count {
            let subject = &options.subjects[(turn + round as usize) % count];
            let figures = process(&subject.command, subject.era, &options.effort, subject.lists_only)
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", subject.name)))?;
            for figure in figures {
                writeln!(
                    out,
                    r#"{{"round":{round},"core":{core},"subject":"{}","figure":"{}","unit":"{}","value":{:.3},"samples":{}}}"#,
                    subject.name, figure.name, figure.unit, figure.value, figure.samples
                )?;
            }
        }
    }
    Ok(())
}

fn run(args: &[String]) -> io::Result<()> {
    if args.first().is_some_and(|arg| arg == "--emit") {
        let era = args.get(1).and_then(|name| Era::parse(name)).ok_or_else(usage)?;
        let mut out = io::BufWriter::new(io::stdout().lock());
        msg::emit(&mut out, era, number(args.get(2))? as usize, number(args.get(3))?)?;
        return out.flush();
    }
    measure(&parse(args)?)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("drv: {error}");
            ExitCode::FAILURE
        }
    }
}
