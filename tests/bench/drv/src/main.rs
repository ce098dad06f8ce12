//! Measures servers over stdio, all on one processor core, in interleaved blocks; prints one JSON line per block.
//!
//! `drv [--core N] [--rounds N] [--blocks N] -- NAME ERA COMMAND... [-- NAME ERA COMMAND...]...`
//!
//! A round starts every server afresh. Inside it a figure is taken in blocks of some milliseconds, each server in turn, so
//! that a slow stretch of the machine meets all of them alike.
//!
//! `drv --emit ERA LINE_BYTES COUNT` writes the input for a server that reads a file: calls of `echo`, or `tools/list`
//! requests where LINE_BYTES is `list`.
//!
//! ERA is `line`, `handshake` or `modern`; `list-handshake` and `list-modern` take only `tools/list`.

mod child;
mod measure;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use child::Server;
use drv::msg::{self, Era};
use measure::{FIGURES, Figure, Kind, block, start};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

const USAGE: &str =
    "usage: drv [--core N] [--rounds N] [--blocks N] -- NAME ERA COMMAND... [-- NAME ERA COMMAND...]...
       drv --emit line|handshake|modern LINE_BYTES|list COUNT";
const DEFAULT_ROUNDS: u64 = 5;
const DEFAULT_BLOCKS: u64 = 15;

struct Subject {
    name: String,
    era: Era,
    lists_only: bool,
    command: Vec<String>,
}

struct Options {
    core: Option<usize>,
    rounds: u64,
    blocks: u64,
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
        Options { core: None, rounds: DEFAULT_ROUNDS, blocks: DEFAULT_BLOCKS, subjects: Vec::new() };
    let flags = parts.next().unwrap_or_default();
    for pair in flags.chunks(2) {
        let value = number(pair.get(1))?;
        match pair[0].as_str() {
            "--core" => options.core = Some(value as usize),
            "--rounds" => options.rounds = value.max(1),
            "--blocks" => options.blocks = value.max(1),
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

impl Subject {
    fn has(&self, figure: &Figure) -> bool {
        match figure.kind {
            Kind::List => self.era != Era::Line,
            Kind::Memory => true,
            Kind::Echo(_) | Kind::Pipelined => !self.lists_only,
        }
    }

    /// Says which server an error came from.
    fn name_in<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", self.name)))
    }
}

/// All blocks of one figure; each block asks every server in turn, another one first each time.
fn figure_of(
    options: &Options,
    servers: &mut [Server],
    round: u64,
    core: usize,
    figure: &Figure,
) -> io::Result<()> {
    let blocks = if matches!(figure.kind, Kind::Memory) { 1 } else { options.blocks };
    let count = options.subjects.len();
    for number in 0..blocks {
        for turn in 0..count {
            let which = (turn + number as usize) % count;
            let subject = &options.subjects[which];
            if !subject.has(figure) {
                continue;
            }
            let value = subject.name_in(block(&mut servers[which], subject.era, figure))?;
            writeln!(
                io::stdout(),
                r#"{{"round":{},"core":{core},"subject":"{}","figure":"{}","unit":"{}","value":{value:.3},"samples":{}}}"#,
                round * options.blocks + number,
                subject.name,
                figure.name,
                figure.unit,
                figure.samples
            )?;
        }
    }
    Ok(())
}

fn measure(options: &Options) -> io::Result<()> {
    let core = pin(options.core)?;
    for round in 0..options.rounds {
        let begin = |subject: &Subject| subject.name_in(start(&subject.command, subject.era));
        let mut servers = options.subjects.iter().map(begin).collect::<io::Result<Vec<_>>>()?;
        for figure in &FIGURES {
            figure_of(options, &mut servers, round, core, figure)?;
        }
        for (server, subject) in servers.into_iter().zip(&options.subjects) {
            subject.name_in(server.finish())?;
        }
    }
    Ok(())
}

fn run(args: &[String]) -> io::Result<()> {
    if args.first().is_some_and(|arg| arg == "--emit") {
        let era = args.get(1).and_then(|name| Era::parse(name)).ok_or_else(usage)?;
        let line = match args.get(2).map(String::as_str) {
            Some("list") => msg::list_call(era, None),
            _ => msg::echo_call(era, number(args.get(2))? as usize),
        };
        let mut out = io::BufWriter::new(io::stdout().lock());
        msg::emit(&mut out, era, line, number(args.get(3))?)?;
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
