//! How a connection ends.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::super::notice::Notice;
use super::super::shared::Ended;
use super::Connection;
use super::desk::Desk;
use crate::error::Error;
use crate::process::{Exit, Grace};

/// How long a process whose stdout has ended is waited for before its calls hear of the end.
const EXIT: Duration = Duration::from_millis(500);
/// How long what is to be sent may take at the end, and the stream's own end.
const FLUSH: Duration = Duration::from_secs(1);

impl Desk {
    /// The error of whatever waits when the stream has ended.
    pub(super) fn closed(&self, what: String) -> Error {
        let Ended { stderr, exit } = self.shared.ended().unwrap_or_default();
        Error::Closed { what, stderr, exit }
    }
}

impl Connection<'_> {
    /// The stream has ended: finds out how the process did, and lets the engine end what is out.
    pub(super) async fn post_mortem(&mut self) {
        self.wire.writer = None;
        let mut ended = Ended::default();
        if let Some(child) = &mut self.wire.child {
            let exit = timeout(EXIT, child.wait(EXIT)).await;
            // Its end may be known while what it has left behind is still ending.
            ended.exit = match exit {
                Ok(exit) => Some(exit),
                Err(_) => timeout(Duration::ZERO, child.wait(Duration::ZERO)).await.ok(),
            };
            ended.stderr = child.stderr_tail();
        }
        self.desk.shared.end(ended);
        self.wire.told = true;
        self.engine.recv_end();
    }

    /// Ends what is still out, then the stream, then the process.
    pub(super) async fn close(mut self, grace: Grace) {
        let reason = match (self.wire.is_told(), self.leaving) {
            (true, _) => "the server ended the stream",
            (false, true) => "closed on this side",
            (false, false) => "no connection was made",
        };
        self.commands.close();
        self.desk.send(Notice::Closed { reason: reason.into() });
        self.desk.withdraw(|_| true);
        self.farewell();
        if !self.wire.is_told() {
            // What is given up is written when the engine is asked what is new.
            self.listen();
            // A server that takes nothing in is not waited for.
            let _ = timeout(FLUSH, self.flushed()).await;
        }
        if let Some(mut writer) = self.wire.writer.take() {
            let _ = timeout(FLUSH, writer.shutdown()).await;
        }
        let exit = self.end_child(grace).await;
        let stderr = self.wire.child.as_ref().map(|child| child.stderr_tail()).unwrap_or_default();
        self.desk.shared.end(Ended { exit, stderr });
    }

    /// Tells everybody who waits.
    fn farewell(&mut self) {
        let out: Vec<_> = self.desk.entries.drain().map(|(_, entry)| entry.start).collect();
        for mut start in out.into_iter().chain(self.queue.drain(..)) {
            let why = self.desk.closed(start.label.clone());
            start.fail(why);
        }
    }

    /// Waits until all is sent; what comes meanwhile is dropped, so that the server can read.
    async fn flushed(&mut self) {
        let mut rest = vec![0; 8 << 10];
        poll_fn(|cx| {
            while self.write(cx) {}
            if self.is_sent() {
                return Poll::Ready(());
            }
            drop_input(&mut *self.wire.reader, &mut rest, cx)
        })
        .await;
    }

    /// Ends the process, and reads on meanwhile: one whose pipe is full cannot end.
    async fn end_child(&mut self, grace: Grace) -> Option<Exit> {
        let child = self.wire.child.as_mut()?;
        let reader = &mut self.wire.reader;
        let drained = async {
            let mut rest = vec![0; 8 << 10];
            while reader.read(&mut rest).await.is_ok_and(|n| n > 0) {}
            std::future::pending().await
        };
        tokio::select! {
            exit = child.end(grace) => Some(exit),
            never = drained => never,
        }
    }
}

/// Reads and forgets; ready when there will be no more.
fn drop_input(
    reader: &mut (dyn AsyncRead + Send + Unpin),
    room: &mut [u8],
    cx: &mut std::task::Context<'_>,
) -> Poll<()> {
    loop {
        let mut buf = tokio::io::ReadBuf::new(room);
        match std::pin::Pin::new(&mut *reader).poll_read(cx, &mut buf) {
            Poll::Ready(Ok(())) if !buf.filled().is_empty() => {}
            Poll::Ready(_) => return Poll::Ready(()),
            Poll::Pending => return Poll::Pending,
        }
    }
}
