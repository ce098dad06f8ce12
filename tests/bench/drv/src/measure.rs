//! The figures of one server process.

use std::io::{self, ErrorKind};
use std::time::Instant;

use crate::child::Server;
use crate::msg::{self, Era, FIRST_ID, Line};

/// How often each figure is taken.
pub struct Effort {
    /// Parts of the full number of samples: 1 is all of them, 10 a tenth.
    pub divide: u64,
}

const SIZES: [(&str, usize, u64); 3] =
    [("echo_100B", 100, 6000), ("echo_10KiB", 10 * 1024, 2000), ("echo_1MiB", 1024 * 1024, 60)];
const LIST_SAMPLES: u64 = 400;
const LIST_PAGE_CAP: usize = 10_000;
const PIPELINED: u64 = 60_000;
/// What one server is given for the pipelined figure, so that a slow one does not take minutes.
const PIPELINED_LIMIT_S: f64 = 1.5;
const WINDOW: u64 = 64;

/// One figure of one process.
pub struct Figure {
    /// Its name, for example `echo_100B`.
    pub name: &'static str,
    /// Its unit: `us`, `req/s`, `KiB` or `pages`.
    pub unit: &'static str,
    /// The value; of latencies the median.
    pub value: f64,
    /// How many samples it is taken from.
    pub samples: usize,
}

fn wrong(text: &[u8]) -> io::Error {
    let start = String::from_utf8_lossy(&text[..text.len().min(300)]).into_owned();
    io::Error::new(ErrorKind::InvalidData, format!("unexpected answer: {start}"))
}

/// The middle of the samples.
pub fn median(samples: &mut [f64]) -> f64 {
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

fn sequential(server: &mut Server, era: Era, bytes: usize, count: u64) -> io::Result<Vec<f64>> {
    let mut line = msg::echo_call(era, bytes);
    let mut samples = Vec::new();
    let warm_up = (count / 10).max(3);
    for n in 0..warm_up + count {
        let id = FIRST_ID + n;
        line.set_id(id);
        let took = exchange(server, &line.bytes)?;
        check(server, era, &line, id)?;
        if n >= warm_up {
            samples.push(took);
        }
    }
    Ok(samples)
}

/// Requests per second in bursts of `WINDOW`: one write, then all its answers. A server that writes answers one by one
/// does best this way; topping the window up at each answer costs it a change of process per call.
fn pipelined(server: &mut Server, era: Era, total: u64, limit_s: f64) -> io::Result<f64> {
    let mut line = msg::echo_call(era, 100);
    exchange(server, &line.bytes)?;
    check(server, era, &line, FIRST_ID)?;
    let answer_bytes = server.wait_lines(1)?.len();
    let mut burst = Vec::with_capacity(line.bytes.len() * WINDOW as usize);
    let mut sent = 0;
    let begun = Instant::now();
    while sent < total && begun.elapsed().as_secs_f64() < limit_s {
        burst.clear();
        for _ in 0..WINDOW {
            sent += 1;
            line.set_id(FIRST_ID + sent);
            burst.extend_from_slice(&line.bytes);
        }
        server.clear();
        server.send(&burst)?;
        let answers = server.wait_lines(WINDOW as usize)?;
        // Ids have one width, so right answers have one length; an error would have another.
        if answers.len() != answer_bytes * WINDOW as usize {
            return Err(wrong(answers));
        }
    }
    Ok(sent as f64 / begun.elapsed().as_secs_f64())
}

/// The cursor of a list answer, if it has one. The driver only needs it unescaped, which cursors without quotes are.
fn next_cursor(answer: &[u8]) -> Option<String> {
    let key = b"\"nextCursor\":\"";
    let from = memchr::memmem::rfind(answer, key)? + key.len();
    let len = memchr::memchr(b'"', &answer[from..])?;
    Some(String::from_utf8_lossy(&answer[from..from + len]).into_owned())
}

/// The whole list, page by page; microseconds and pages.
fn list(server: &mut Server, era: Era, id: u64) -> io::Result<(f64, usize)> {
    let mut line = msg::list_call(era, None);
    let mut took = 0.0;
    for page in 1..=LIST_PAGE_CAP {
        line.set_id(id);
        took += exchange(server, &line.bytes)?;
        check(server, era, &line, id)?;
        match next_cursor(server.wait_lines(1)?) {
            None => return Ok((took, page)),
            Some(cursor) => line = msg::list_call(era, Some(&cursor)),
        }
    }
    Err(wrong(b"tools/list has no last page"))
}

/// Starts one process, greets it and takes its figures. `lists_only` leaves the echo calls out.
pub fn process(command: &[String], era: Era, effort: &Effort, lists_only: bool) -> io::Result<Vec<Figure>> {
    let mut server = Server::start(command)?;
    let mut figures = Vec::new();
    if let Some((request, notification)) = msg::greeting(era) {
        exchange(&mut server, request.as_bytes())?;
        server.send(notification.as_bytes())?;
    }
    let times = |count: u64| (count / effort.divide).max(10);
    if !lists_only {
        small_figures(&mut server, era, &times, &mut figures)?;
    }
    if era != Era::Line {
        let mut samples = Vec::new();
        let mut pages = 0;
        for n in 0..times(LIST_SAMPLES) {
            let (took, count) = list(&mut server, era, FIRST_ID + n)?;
            samples.push(took);
            pages = count;
        }
        figures.push(Figure {
            name: "tools_list",
            unit: "us",
            samples: samples.len(),
            value: median(&mut samples),
        });
        figures.push(Figure { name: "tools_list_pages", unit: "pages", samples: 1, value: pages as f64 });
    }
    if !lists_only {
        let (name, bytes, count) = SIZES[2];
        latency(&mut server, era, name, bytes, times(count), &mut figures)?;
    }
    let peak = server.peak_kib()? as f64;
    figures.push(Figure { name: "peak_rss", unit: "KiB", samples: 1, value: peak });
    server.finish()?;
    Ok(figures)
}

fn small_figures(
    server: &mut Server,
    era: Era,
    times: &impl Fn(u64) -> u64,
    figures: &mut Vec<Figure>,
) -> io::Result<()> {
    for (name, bytes, count) in SIZES.into_iter().take(2) {
        latency(server, era, name, bytes, times(count), figures)?;
    }
    let limit_s = PIPELINED_LIMIT_S * times(PIPELINED) as f64 / PIPELINED as f64;
    let rate = pipelined(server, era, times(PIPELINED), limit_s)?;
    figures.push(Figure { name: "pipelined_64", unit: "req/s", samples: 1, value: rate });
    // Before the large messages, so that buffers grown for them do not hide what a small exchange needs.
    let peak = server.peak_kib()? as f64;
    figures.push(Figure { name: "peak_rss_small", unit: "KiB", samples: 1, value: peak });
    Ok(())
}

fn latency(
    server: &mut Server,
    era: Era,
    name: &'static str,
    bytes: usize,
    count: u64,
    figures: &mut Vec<Figure>,
) -> io::Result<()> {
    let mut samples = sequential(server, era, bytes, count)?;
    figures.push(Figure { name, unit: "us", samples: samples.len(), value: median(&mut samples) });
    Ok(())
}
