//! The task of one connection: it owns the engine and the stream, and runs nothing of the user's.

mod ask;
mod close;
mod desk;
mod failure;
mod start;
mod tell;
mod wire;

use std::collections::VecDeque;
use std::sync::Arc;

use midge::client::{Call, Config, Storage};
use midge::{Buf, Can, Info, Millis};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::Instant;

use super::call::{Command, Start};
use super::connect;
use super::notice::Notice;
use super::options::Options;
use super::server::Server;
use super::shared::{Ended, Shared};
use crate::error::Error;
use crate::stream::Link;

use ask::Given;
use desk::{Desk, Next};
use wire::Wire;

/// Calls that are out at once; more wait here for their turn.
const CALLS: usize = 256;
/// The receive buffer before a message needs more.
const RX_BYTES: usize = 64 << 10;
/// The transmit buffer before a message needs more.
const TX_BYTES: usize = 16 << 10;
/// What a buffer keeps of the memory it has grown to, once no call is out.
const KEEP_BYTES: usize = 1 << 20;
/// What calls leave behind while the server asks. Zeroed pages cost nothing until they are used.
const PARK_BYTES: usize = 16 << 20;

/// What a connection is made of.
pub(super) struct Plan {
    pub link: Link,
    pub options: Options,
    pub config: Config,
    pub shared: Arc<Shared>,
    pub notices: broadcast::Sender<Notice>,
    pub commands: mpsc::UnboundedReceiver<Command>,
    pub ready: oneshot::Sender<Result<Server, NotConnected>>,
    pub ended: watch::Sender<Option<Ended>>,
}

/// Why there is no connection.
#[derive(Debug)]
pub(super) struct NotConnected {
    pub error: Error,
    /// The server ended at the question which revision it speaks.
    pub probed_to_death: bool,
}

impl From<Error> for NotConnected {
    fn from(error: Error) -> Self {
        Self { error, probed_to_death: false }
    }
}

/// A connection at work.
pub(super) struct Connection<'b> {
    engine: midge::Client<'b>,
    wire: Wire,
    desk: Desk,
    commands: mpsc::UnboundedReceiver<Command>,
    given: mpsc::UnboundedReceiver<Given>,
    /// What came from the handles and is not looked at yet.
    inbox: VecDeque<Command>,
    /// Calls that wait for their turn.
    queue: VecDeque<Start>,
    /// No call in the queue is late before.
    queue_by: Option<Instant>,
    /// Answers that wait for room.
    answers: VecDeque<Given>,
    /// All handles are gone, or one of them has asked for the end.
    leaving: bool,
    epoch: Instant,
}

/// Runs a connection from its first byte to the end of the server's process.
pub(super) async fn drive(plan: Plan) {
    let Plan { link, options, config, shared, notices, commands, ready, ended } = plan;
    let cap = options.max_message;
    let info = Info::new(super::shared::kept(&options.name), super::shared::kept(&options.version));
    let can = options.declared();
    let (mut rx, mut tx) = (vec![0; RX_BYTES.min(cap)], vec![0; TX_BYTES.min(cap)]);
    let (mut calls, mut park) = (vec![Call::FREE; CALLS], vec![0; PARK_BYTES]);
    let mut meta = vec![0; meta_bytes(&info)];
    let storage = Storage {
        rx: Buf::Growing { bytes: &mut rx, cap },
        tx: Buf::Growing { bytes: &mut tx, cap },
        calls: &mut calls,
        park: &mut park,
        meta: &mut meta,
    };
    let (given_in, given) = mpsc::unbounded_channel();
    let engine = match engine(&info, can, storage, config) {
        Ok(engine) => engine,
        Err(error) => {
            // Nobody waits for the answer any more: then there is nobody to tell.
            let _ = ready.send(Err(error.into()));
            return;
        }
    };
    let (grace, first) = (options.grace, connect::first(config.start));
    let desk = Desk::new(options, shared.clone(), notices, given_in, (ready, first));
    let mut connection = Connection::new(engine, Wire::new(link), desk, (commands, given));
    connection.run().await;
    connection.close(grace).await;
    ended.send_replace(Some(shared.ended().unwrap_or_default()));
}

/// Room for what every request says: the fixed part, and the names in their longest spelling.
fn meta_bytes(info: &Info) -> usize {
    512 + 6 * (info.name.len() + info.version.len())
}

fn engine<'b>(
    info: &'b Info,
    can: Can,
    storage: Storage<'b>,
    config: Config,
) -> Result<midge::Client<'b>, Error> {
    midge::Client::new(info, can, storage, config)
        .map_err(|error| Error::Input(format!("the client cannot be set up: {}", error.kind.phrase())))
}

impl<'b> Connection<'b> {
    fn new(
        engine: midge::Client<'b>,
        wire: Wire,
        desk: Desk,
        (commands, given): (mpsc::UnboundedReceiver<Command>, mpsc::UnboundedReceiver<Given>),
    ) -> Self {
        Self {
            engine,
            wire,
            desk,
            commands,
            given,
            inbox: VecDeque::new(),
            queue: VecDeque::new(),
            queue_by: None,
            answers: VecDeque::new(),
            leaving: false,
            epoch: Instant::now(),
        }
    }

    /// Runs until the stream has ended, or nobody wants it any more.
    async fn run(&mut self) {
        loop {
            if self.listen() {
                return;
            }
            self.obey();
            if self.leaving {
                return;
            }
            if self.wire.has_ended() && !self.wire.is_told() {
                self.post_mortem().await;
                continue;
            }
            if self.desk.entries.is_empty() {
                self.engine.shed(KEEP_BYTES);
            }
            self.wait().await;
        }
    }

    fn now(&self) -> Millis {
        Millis(self.epoch.elapsed().as_millis() as u64)
    }

    /// Takes in all that the engine has to tell; whether that was the last.
    fn listen(&mut self) -> bool {
        loop {
            let now = self.now();
            match self.desk.on(self.engine.poll(now)) {
                Next::More => {}
                Next::GiveUp(ticket) => {
                    // Nobody waits for it any more.
                    let _ = self.engine.cancel(ticket);
                }
                Next::Quiet => return false,
                Next::Ended => return true,
            }
        }
    }

    /// Does what the handles want, as far as there is room.
    fn obey(&mut self) {
        while let Some(command) = self.inbox.pop_front() {
            match command {
                Command::Start(start) => self.queue_up(*start),
                Command::Cancel(key) => self.cancel(key),
                Command::Close => self.leaving = true,
            }
        }
        self.answer();
        self.start();
    }
}
