//! The figures of one server process.

use std::io::{self, ErrorKind};
use std::time::Instant;

use crate::child::Server;
use drv::msg::{self, Era, FIRST_ID, Line};

const LIST_PAGE_CAP: usize = 10_000;
const WINDOW: u64 = 64;

/// What can be measured of a process.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Latency of a call whose line has so many bytes.
    Echo(usize),
    /// Requests per second in bursts of 64.
    Pipelined,
    /// Latency of the whole `tools/list`, all its pages.
    List,
    /// Peak resident memory so far.
    Memory,
}

/// One thing to measure: its name, its unit, and how many samples make a block.
pub struct Figure {
    /// For example `echo_100B`.
    pub name: &'static str,
    /// `us`, `req/s` or `KiB`.
    pub unit: &'static str,
    /// What is measured.
    pub kind: Kind,
    /// Samples of one block; the block's value is their median.
    pub samples: u64,
}

const fn figure(name: &'static str, unit: &'static str, kind: Kind, samples: u64) -> Figure {
    Figure { name, unit, kind, samples }
}

/// In the order of measuring. Memory is read once before the large messages, whose buffers would hide what small
/// exchanges need.
pub const FIGURES: [Figure; 7] = [
    figure("echo_100B", "us", Kind::Echo(100), 200),
    figure("echo_10KiB", "us", Kind::Echo(10 * 1024), 60),
    figure("pipelined_64", "req/s", Kind::Pipelined, 20),
    figure("peak_rss_small", "KiB", Kind::Memory, 1),
    figure("tools_list", "us", Kind::List, 20),
    figure("echo_1MiB", "us", Kind::Echo(1024 * 1024), 4),
    figure("peak_rss", "KiB", Kind::Memory, 1),
];

fn wrong(text: &[u8]) -> io::Error {
    let start = String::from_utf8_lossy(&text[..text.len().min(300)]).into_owned();
    io::Error::new(ErrorKind::InvalidData, format!("unexpected answer: {start}"))
}

/// The middle of the samples.
fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

/// One request line and its answer; microseconds from the first byte out to the last byte in.
fn exchange(server: &mut Server, line: &[u8]) -> io::Result<f64> {
    server.clear();
    let begun = Instant::now();
    server.send(line)?;
    server.wait_lines(1)?;
    Ok(begun.elapsed().as_secs_f64() * 1e6)
}

/// Fails unless the answer held is the right one.
fn check(server: &mut Server, era: Era, line: &Line, id: u64) -> io::Result<()> {
    let answer = server.wait_lines(1)?;
    let right = if era == Era::Line {
        answer == line.bytes
    } else {
        let has = |part: &str| memchr::memmem::find(answer, part.as_bytes()).is_some();
        answer.ends_with(b"\n") && has(&format!("\"id\":{id}")) && has("\"result\"") && has(&line.text)
    };
    if right { Ok(()) } else { Err(wrong(answer)) }
}

/// The warm-up before the samples of a block: another process has just used the caches.
fn warm_up(samples: u64) -> u64 {
    (samples / 10).max(1)
}

fn sequential(server: &mut Server, era: Era, bytes: usize, count: u64) -> io::Result<Vec<f64>> {
    let mut line = msg::echo_call(era, bytes);
    let mut samples = Vec::new();
    for n in 0..warm_up(count) + count {
        let id = FIRST_ID + n;
        line.set_id(id);
        let took = exchange(server, &line.bytes)?;
        check(server, era, &line, id)?;
        samples.push(took);
    }
    samples.drain(..warm_up(count) as usize);
    Ok(samples)
}

/// Requests per second of each burst of `WINDOW`: one write, then all its answers. A server that writes answers one by
/// one does best this way; topping the window up at each answer costs it a change of process per call.
fn pipelined(server: &mut Server, era: Era, count: u64) -> io::Result<Vec<f64>> {
    let mut line = msg::echo_call(era, 100);
    exchange(server, &line.bytes)?;
    check(server, era, &line, FIRST_ID)?;
    let answer_bytes = server.wait_lines(1)?.len();
    let mut burst = Vec::with_capacity(line.bytes.len() * WINDOW as usize);
    let mut samples = Vec::new();
    let mut id = FIRST_ID;
    for _ in 0..warm_up(count) + count {
        burst.clear();
        for _ in 0..WINDOW {
            id += 1;
            line.set_id(id);
            burst.extend_from_slice(&line.bytes);
        }
        server.clear();
        let begun = Instant::now();
        server.send(&burst)?;
        let answers = server.wait_lines(WINDOW as usize)?;
        samples.push(WINDOW as f64 / begun.elapsed().as_secs_f64());
        // Ids have one width, so right answers have one length; an error would have another.
        if answers.len() != answer_bytes * WINDOW as usize {
            return Err(wrong(answers));
        }
    }
    samples.drain(..warm_up(count) as usize);
    Ok(samples)
}

/// The cursor of a list answer, if it has one. The driver only needs it unescaped, which cursors without quotes are.
fn next_cursor(answer: &[u8]) -> Option<String> {
    let key = b"\"nextCursor\":\"";
    let from = memchr::memmem::rfind(answer, key)? + key.len();
    let len = memchr::memchr(b'"', &answer[from..])?;
    Some(String::from_utf8_lossy(&answer[from..from + len]).into_owned())
}

/// The whole list, page by page, in microseconds.
fn list(server: &mut Server, era: Era, id: u64) -> io::Result<f64> {
    let mut line = msg::list_call(era, None);
    let mut took = 0.0;
    for _ in 0..LIST_PAGE_CAP {
        line.set_id(id);
        took += exchange(server, &line.bytes)?;
        check(server, era, &line, id)?;
        match next_cursor(server.wait_lines(1)?) {
            None => return Ok(took),
            Some(cursor) => line = msg::list_call(era, Some(&cursor)),
        }
    }
    Err(wrong(b"tools/list has no last page"))
}

/// Starts one process and greets it.
pub fn start(command: &[String], era: Era) -> io::Result<Server> {
    let mut server = Server::start(command)?;
    if let Some((request, notification)) = msg::greeting(era) {
        exchange(&mut server, request.as_bytes())?;
        server.send(notification.as_bytes())?;
    }
    Ok(server)
}

/// One block of a figure: the median of its samples.
pub fn block(server: &mut Server, era: Era, figure: &Figure) -> io::Result<f64> {
    let mut samples = match figure.kind {
        Kind::Echo(bytes) => sequential(server, era, bytes, figure.samples)?,
        Kind::Pipelined => pipelined(server, era, figure.samples)?,
        Kind::List => {
            (0..figure.samples).map(|n| list(server, era, FIRST_ID + n)).collect::<io::Result<_>>()?
        }
        Kind::Memory => vec![server.peak_kib()? as f64],
    };
    Ok(median(&mut samples))
}
