//! The stream: read and written at the same time, so that neither side waits for the other for ever.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::Connection;
use crate::process::Child;
use crate::stream::Link;

/// How long a server that takes no more bytes has to end, or to say what it still has to say.
const DEAF: Duration = Duration::from_secs(1);
/// Commands taken at once, so that the stream has its turn.
const COMMANDS: usize = 64;

/// Both directions and the clock.
pub(super) struct Wire {
    pub(super) reader: Box<dyn AsyncRead + Send + Unpin>,
    /// `None` after it has failed.
    pub(super) writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    pub(super) child: Option<Child>,
    /// Bytes may be held back in the writer.
    unflushed: bool,
    ended: bool,
    /// The engine knows that the stream has ended.
    pub(super) told: bool,
    /// When a server counts as gone that takes no more bytes.
    deaf_until: Option<Instant>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Wire {
    pub fn new(link: Link) -> Self {
        let Link { reader, writer, child } = link;
        Self {
            reader,
            writer: Some(writer),
            child,
            unflushed: false,
            ended: false,
            told: false,
            deaf_until: None,
            alarm: None,
        }
    }

    /// No more bytes will come.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    pub fn is_told(&self) -> bool {
        self.told
    }

    /// The server takes no more bytes; it may still have something to say.
    fn went_deaf(&mut self) {
        self.writer = None;
        self.unflushed = false;
        self.deaf_until = Some(Instant::now() + DEAF);
    }

    /// Whether the clock has reached `at`.
    fn rings(&mut self, cx: &mut Context<'_>, at: Instant) -> bool {
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(at)));
        if alarm.deadline() > at {
            alarm.as_mut().reset(at);
        }
        // Most moments pass without need, for the call is answered before: an alarm that comes too early costs less than
        // setting it for each call.
        while alarm.as_mut().poll(cx).is_ready() {
            if at <= Instant::now() {
                return true;
            }
            alarm.as_mut().reset(at);
        }
        false
    }
}

impl Connection<'_> {
    /// Moves bytes until something has changed.
    pub(super) async fn wait(&mut self) {
        poll_fn(|cx| {
            let changed = self.write(cx) | self.read(cx) | self.hear(cx) | self.is_time(cx);
            if changed { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Writes what there is; whether anything moved.
    pub(super) fn write(&mut self, cx: &mut Context<'_>) -> bool {
        let mut moved = false;
        loop {
            let bytes = self.engine.send_buf();
            if bytes.is_empty() {
                break;
            }
            let Some(writer) = &mut self.wire.writer else {
                // Nobody will read it.
                let all = bytes.len();
                self.engine.send_ack(all);
                moved = true;
                continue;
            };
            match Pin::new(writer).poll_write(cx, bytes) {
                Poll::Ready(Ok(n)) if n > 0 => {
                    self.engine.send_ack(n);
                    self.wire.unflushed = true;
                }
                Poll::Ready(_) => self.wire.went_deaf(),
                Poll::Pending => return moved,
            }
            moved = true;
        }
        self.flush(cx) | moved
    }

    fn flush(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(writer) = self.wire.writer.as_mut().filter(|_| self.wire.unflushed) else { return false };
        match Pin::new(writer).poll_flush(cx) {
            Poll::Ready(Ok(())) => self.wire.unflushed = false,
            Poll::Ready(Err(_)) => {
                self.wire.went_deaf();
                return true;
            }
            Poll::Pending => {}
        }
        false
    }

    /// Whether all that was to be sent is.
    pub(super) fn is_sent(&self) -> bool {
        self.engine.send_buf().is_empty() && !self.wire.unflushed
    }

    fn read(&mut self, cx: &mut Context<'_>) -> bool {
        if self.wire.ended {
            return false;
        }
        let room = self.engine.recv_buf();
        if room.is_empty() {
            // Full of what cannot be worked on before something is sent.
            return false;
        }
        let mut buf = ReadBuf::new(room);
        match Pin::new(&mut self.wire.reader).poll_read(cx, &mut buf) {
            Poll::Pending => return false,
            Poll::Ready(Ok(())) if !buf.filled().is_empty() => {
                let n = buf.filled().len();
                self.engine.recv_ack(n);
            }
            Poll::Ready(_) => self.wire.ended = true,
        }
        true
    }

    /// Takes commands and answers in.
    fn hear(&mut self, cx: &mut Context<'_>) -> bool {
        let mut heard = false;
        for _ in 0..COMMANDS {
            match self.commands.poll_recv(cx) {
                Poll::Ready(Some(command)) => self.inbox.push_back(command),
                Poll::Ready(None) => {
                    self.leaving = true;
                    return true;
                }
                Poll::Pending => break,
            }
            heard = true;
        }
        while let Poll::Ready(Some(given)) = self.given.poll_recv(cx) {
            self.answers.push_back(given);
            heard = true;
        }
        heard
    }

    /// Whether something is due.
    fn is_time(&mut self, cx: &mut Context<'_>) -> bool {
        let engine =
            self.engine.deadline().and_then(|at| self.epoch.checked_add(Duration::from_millis(at.0)));
        let Some(at) = [engine, self.queue_by, self.wire.deaf_until].into_iter().flatten().min() else {
            return false;
        };
        if !self.wire.rings(cx, at) {
            return false;
        }
        if self.wire.deaf_until.is_some_and(|until| until <= Instant::now()) {
            self.wire.deaf_until = None;
            self.wire.ended = true;
        }
        true
    }
}
