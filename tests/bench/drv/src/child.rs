//! A server process on two pipes, spoken to from one thread without ever blocking on a full pipe.

use std::fs::read_to_string;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;

/// More than one pipe holds, so that one read takes all there is.
const READ_BYTES: usize = 256 * 1024;
/// Answers are read to a page's start: on some processors the kernel's copy is twice as slow to an address a little above.
const PAGE: usize = 4096;
/// No answer takes this long; a server that hangs must end the run, not hang it.
const SILENCE_S: i64 = 60;
const EXIT_LIMIT: Duration = Duration::from_secs(10);

/// A running server.
pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    buf: Pages,
    held: usize,
}

/// Bytes that begin on a page.
struct Pages {
    bytes: Vec<u8>,
    at: usize,
}

impl Pages {
    fn new(len: usize) -> Self {
        let bytes = vec![0; len + PAGE];
        let at = bytes.as_ptr().align_offset(PAGE);
        Self { bytes, at }
    }

    fn len(&self) -> usize {
        self.bytes.len() - PAGE
    }

    fn get(&mut self, from: usize, to: usize) -> &mut [u8] {
        &mut self.bytes[self.at + from..self.at + to]
    }
}

fn late() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, format!("the server was silent for {SILENCE_S} s"))
}

impl Server {
    /// Starts the command; it inherits the processor this thread is pinned to.
    pub fn start(command: &[String]) -> io::Result<Self> {
        let (program, args) = command
            .split_first()
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "no server command"))?;
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("cannot start {program}: {error}")))?;
        let stdin = child.stdin.take().ok_or_else(late)?;
        let stdout = child.stdout.take().ok_or_else(late)?;
        ioctl_fionbio(&stdin, true)?;
        Ok(Self { child, stdin: Some(stdin), stdout, buf: Pages::new(READ_BYTES), held: 0 })
    }

    /// Writes all of `bytes`, taking in answers whenever the server cannot take more.
    pub fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let stdin = self.stdin.as_mut().ok_or(ErrorKind::BrokenPipe)?;
            match stdin.write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait_for_room()?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until the server takes or gives something, and takes what it gives: it may be waiting for that.
    fn wait_for_room(&mut self) -> io::Result<()> {
        let stdin = self.stdin.as_ref().ok_or(ErrorKind::BrokenPipe)?;
        let mut ports = [PollFd::new(stdin, PollFlags::OUT), PollFd::new(&self.stdout, PollFlags::IN)];
        if poll(&mut ports, Some(&Timespec { tv_sec: SILENCE_S, tv_nsec: 0 }))? == 0 {
            return Err(late());
        }
        if ports[1].revents().is_empty() {
            return Ok(());
        }
        self.take_in().map(|_| ())
    }

    /// One read; returns where the new bytes begin.
    fn take_in(&mut self) -> io::Result<usize> {
        if self.held + READ_BYTES > self.buf.len() {
            let mut larger = Pages::new(2 * self.buf.len());
            larger.get(0, self.held).copy_from_slice(self.buf.get(0, self.held));
            self.buf = larger;
        }
        let from = self.held;
        let end = self.buf.len();
        let got = self.stdout.read(self.buf.get(from, end))?;
        if got == 0 {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "the server closed its output"));
        }
        self.held += got;
        Ok(from)
    }

    /// Reads until `lines` newlines are held; returns all that is held. The pipe stays blocking for reads, so that the
    /// usual answer costs one system call.
    pub fn wait_lines(&mut self, lines: usize) -> io::Result<&[u8]> {
        let mut seen = memchr::memchr_iter(b'\n', self.buf.get(0, self.held)).count();
        while seen < lines {
            let from = self.take_in()?;
            seen += memchr::memchr_iter(b'\n', self.buf.get(from, self.held)).count();
        }
        Ok(self.buf.get(0, self.held))
    }

    /// Forgets what is held.
    pub fn clear(&mut self) {
        self.held = 0;
    }

    /// The most memory the process ever had resident, in KiB.
    pub fn peak_kib(&self) -> io::Result<u64> {
        let status = read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok())
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "no VmHWM in the status of the process"))
    }

    /// Closes its input and waits for it to leave.
    pub fn finish(mut self) -> io::Result<()> {
        drop(self.stdin.take());
        let begun = Instant::now();
        while self.child.try_wait()?.is_none() {
            if begun.elapsed() > EXIT_LIMIT {
                self.child.kill()?;
                self.child.wait()?;
                return Err(io::Error::new(
                    ErrorKind::TimedOut,
                    "the server did not leave when its input ended",
                ));
            }
            std::thread::yield_now();
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A run that ends early must not leave a process behind; one that has left already is only reaped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
