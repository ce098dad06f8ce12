//! stdin and stdout as a byte stream for midge's blocking loop.

use embedded_io::{ErrorType, Read, Write};
use midge::io::blocking::{self, App};
use midge::session::seal::{Pieces, Sealer, TAG_BYTES};
use midge::{Buf, Catalog, Config, Error, HmacSealer, Millis, Server, Slot, Storage, Task, Ticket};
use std::io;
use std::sync::OnceLock;
use std::time::{Instant, SystemTime};

/// Longest message, in bytes, unless `MIDGE_RX_BYTES` says otherwise. Memory that is never written is never used.
const RX_BYTES: usize = 16 << 20;
/// Replies larger than this leave in pieces; `MIDGE_TX_BYTES` says otherwise.
const TX_BYTES: usize = 256 << 10;
const PAGE: usize = 4096;
const SLOTS: usize = 64;
const TASKS: usize = 64;
const SUBSCRIPTIONS_BYTES: usize = 16 << 10;
const SCRATCH_BYTES: usize = 4 << 10;
/// What clients answer when they are asked: a picture in base64 may be among it.
const PARK_BYTES: usize = 4 << 20;

/// What an example does between messages. Both methods may be left as they are.
pub trait Work: Sized {
    /// Answers deferred calls whose time has come; gives the moment it wants to run again.
    fn idle(&mut self, server: &mut Server<'_>, now: Millis) -> Option<Millis> {
        let _ = (server, now);
        None
    }

    /// A deferred call is over without an answer from here.
    fn stopped(&mut self, ticket: Ticket) {
        let _ = ticket;
    }
}

impl Work for () {}

/// Serves `catalog` over stdin and stdout until stdin ends.
///
/// # Errors
/// The stream failed.
pub fn serve<C: Work>(catalog: &Catalog<C>, state: &mut C) -> Result<(), Error> {
    let (rx_bytes, tx_bytes) = (bytes("MIDGE_RX_BYTES", RX_BYTES), bytes("MIDGE_TX_BYTES", TX_BYTES));
    let (mut rx, mut tx) = (vec![0; rx_bytes + PAGE], vec![0; tx_bytes]);
    let mut slots = vec![Slot::FREE; SLOTS];
    let (mut subscriptions, mut scratch) = (vec![0; SUBSCRIPTIONS_BYTES], vec![0; SCRATCH_BYTES]);
    let mut park = vec![0; PARK_BYTES];
    let storage = Storage {
        rx: Buf::from(&mut from_page(&mut rx)[..rx_bytes]),
        tx: Buf::from(&mut tx[..]),
        slots: &mut slots,
        subscriptions: &mut subscriptions,
        scratch: &mut scratch,
        park: &mut park,
    };
    let sealer = Late(OnceLock::new());
    let mut tasks = vec![Task::FREE; TASKS];
    let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let config = Config { epoch_ms: unix.as_millis() as u64, ..Config::default() };
    let mut server = Server::new(catalog, storage, config)?;
    server.seal_with(&sealer);
    server.offer_tasks(&mut tasks, &random);
    blocking::serve(&mut server, catalog, state, &mut Stdio, &mut Host(Instant::now()))
}

/// The size that the environment asks for, or `default`.
fn bytes(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// A sealer whose key is made when it is first needed: most servers never ask, and code that is not run takes no memory.
struct Late(OnceLock<HmacSealer>);

impl Sealer for Late {
    fn tag(&self, message: &Pieces<'_>) -> [u8; TAG_BYTES] {
        self.0.get_or_init(sealer).tag(message)
    }
}

/// A sealer for as long as the process runs: a client cannot go on with a call that it began with another one.
fn sealer() -> HmacSealer {
    let mut key = [0; 32];
    random(&mut key);
    HmacSealer::new(&key).expect("32 bytes are a key")
}

/// Fills `bytes` with what nobody can guess.
///
/// # Panics
/// When the system has no randomness: a key or an id that can be guessed is worse than none.
fn random<const N: usize>(bytes: &mut [u8; N]) {
    getrandom::fill(bytes).expect("the system gives random bytes");
}

/// The bytes from the first page on that begins in `bytes`: the kernel copies to a page's start faster than beside it, on
/// some processors by half.
fn from_page(bytes: &mut [u8]) -> &mut [u8] {
    let skip = bytes.as_ptr().align_offset(PAGE).min(PAGE);
    &mut bytes[skip..]
}

/// stdin and stdout, unbuffered: the engine has the buffers.
pub struct Stdio;

impl ErrorType for Stdio {
    type Error = io::Error;
}

#[cfg(unix)]
impl Read for Stdio {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), buf)?)
    }
}

#[cfg(unix)]
impl Write for Stdio {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdout(), buf)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(unix))]
impl Read for Stdio {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        io::Read::read(&mut io::stdin(), buf)
    }
}

#[cfg(not(unix))]
impl Write for Stdio {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut io::stdout(), buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::Write::flush(&mut io::stdout())
    }
}

struct Host(Instant);

impl<C: Work> App<C, Stdio> for Host {
    fn now(&mut self) -> Millis {
        let elapsed = self.0.elapsed();
        Millis(elapsed.as_secs() * 1000 + u64::from(elapsed.subsec_millis()))
    }

    fn idle(&mut self, server: &mut Server<'_>, state: &mut C, now: Millis) -> Option<Millis> {
        state.idle(server, now)
    }

    #[cfg(unix)]
    fn wait(&mut self, _: &mut Stdio, until: Option<Millis>) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        // Without a deadline the read itself waits: one call less on every message.
        let Some(until) = until else { return true };
        let ms = until.0.saturating_sub(<Self as App<C, Stdio>>::now(self).0);
        let time = Timespec { tv_sec: (ms / 1000) as i64, tv_nsec: (ms % 1000) as i64 * 1_000_000 };
        let stdin = rustix::stdio::stdin();
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        matches!(poll(&mut fds, Some(&time)), Ok(n) if n > 0)
    }

    fn stopped(&mut self, state: &mut C, ticket: Ticket) {
        state.stopped(ticket);
    }
}
