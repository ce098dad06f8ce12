//! Who waits for what, and what becomes of each event.

use std::collections::HashMap;
use std::sync::Arc;

use midge::client::{Body, Ending, Event, Failure, PeerError, QuestionId, Stray, Ticket};
use midge::session::rows::List;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::time::Instant;

use super::super::call::{Failed, Reply, Start, What};
use super::super::notice::{Notice, Progress};
use super::super::options::Options;
use super::super::server::{self, Server};
use super::super::shared::Shared;
use super::NotConnected;
use super::ask::{Given, Open};
use super::failure;
use super::tell::Teller;
use crate::client::untrusted;
use crate::error::Error;

/// Bytes of a junk line that a notice shows.
const JUNK_BYTES: usize = 200;
/// Bytes of the message of a report of progress that are kept: many reports may wait.
const MESSAGE_BYTES: usize = 4 << 10;

/// What comes next.
pub(super) enum Next {
    More,
    /// Nothing more can be done before bytes have moved.
    Quiet,
    /// This call is over, and the server is to be told.
    GiveUp(Ticket),
    Ended,
}

/// A call that is out.
pub(super) struct Entry {
    pub start: Start,
    pages: Vec<Vec<u8>>,
    pages_bytes: usize,
    began: Instant,
    /// Why the user's side did not answer what the server asked for it.
    pub withheld: Option<String>,
}

impl Entry {
    pub fn of(start: Start) -> Self {
        Self { start, pages: Vec::new(), pages_bytes: 0, began: Instant::now(), withheld: None }
    }

    fn end(mut self, reply: Reply) {
        if let Some(to) = self.start.reply.take() {
            // Nobody may wait for it any more.
            let _ = to.send(reply);
        }
    }
}

/// The desk of one connection.
pub(super) struct Desk {
    pub(super) options: Options,
    pub(super) teller: Teller,
    /// Where answers to questions come in.
    pub(super) given: mpsc::UnboundedSender<Given>,
    ready: Option<Ready>,
    /// What a connection begins with.
    pub(super) first: &'static str,
    pub(super) shared: Arc<Shared>,
    connecting: bool,
    pub(super) server: Arc<str>,
    pub(super) entries: HashMap<Ticket, Entry>,
    tickets: HashMap<u64, Ticket>,
    pub(super) questions: HashMap<QuestionId, Open>,
}

/// Where it is told whether there is a connection.
type Ready = oneshot::Sender<Result<Server, NotConnected>>;

impl Desk {
    pub fn new(
        options: Options,
        shared: Arc<Shared>,
        notices: broadcast::Sender<Notice>,
        given: mpsc::UnboundedSender<Given>,
        (ready, first): (Ready, &'static str),
    ) -> Self {
        Self {
            options,
            teller: Teller::new(notices),
            given,
            ready: Some(ready),
            first,
            shared,
            connecting: true,
            server: "the server".into(),
            entries: HashMap::new(),
            tickets: HashMap::new(),
            questions: HashMap::new(),
        }
    }

    pub fn cap(&self) -> usize {
        self.options.max_message
    }

    pub fn is_connecting(&self) -> bool {
        self.connecting
    }

    pub fn enter(&mut self, ticket: Ticket, entry: Entry) {
        self.tickets.insert(entry.start.key, ticket);
        self.entries.insert(ticket, entry);
    }

    /// Forgets a call that nobody waits for.
    pub fn leave(&mut self, key: u64) -> Option<Ticket> {
        let ticket = self.tickets.remove(&key)?;
        self.entries.remove(&ticket);
        self.withdraw(|open| open.call == Some(ticket));
        Some(ticket)
    }

    pub fn on(&mut self, event: Event<'_>) -> Next {
        match event {
            Event::Idle | Event::Send => return Next::Quiet,
            Event::Ended => return Next::Ended,
            Event::Connected { revision, said } => self.connected(server::read(revision, said.raw())),
            Event::Refused(why) => {
                let refused = failure::refusal(why, self);
                self.tell(Err(refused));
            }
            Event::Done(ticket, ending) => self.done(ticket, ending),
            Event::Page(ticket, body) => return self.page(ticket, &body),
            Event::Progress(ticket, body) => self.progress(ticket, &body),
            Event::Task(ticket, body) => self.task(ticket, &body),
            Event::Listening(ticket, body) => self.listening(ticket, &body),
            Event::Asked(question) => self.asked(question),
            Event::Withdrawn(id) => {
                if let Some(open) = self.questions.remove(&id) {
                    open.task.abort();
                }
            }
            other => self.notice(other),
        }
        Next::More
    }

    fn connected(&mut self, server: Result<Server, Error>) {
        self.connecting = false;
        if let Ok(server) = &server {
            self.server = server.name.as_str().into();
        }
        self.tell(server.map_err(NotConnected::from));
    }

    /// Tells whoever asked for the connection.
    pub fn tell(&mut self, outcome: Result<Server, NotConnected>) {
        if let Some(ready) = self.ready.take() {
            let _ = ready.send(outcome);
        }
    }

    /// Takes a page. All of a list may have as many bytes as one message: the pages of a bad server never end.
    fn page(&mut self, ticket: Ticket, body: &Body<'_>) -> Next {
        let cap = self.cap();
        let Some(entry) = self.entries.get_mut(&ticket) else { return Next::More };
        entry.pages_bytes += body.raw().len();
        if entry.pages_bytes <= cap {
            entry.pages.push(body.raw().to_vec());
            return Next::More;
        }
        let needed = entry.pages_bytes;
        if let Some(entry) = self.entries.remove(&ticket) {
            self.tickets.remove(&entry.start.key);
            entry.end(Err(Failed::Here(Error::TooLarge { needed, cap })));
        }
        Next::GiveUp(ticket)
    }

    fn done(&mut self, ticket: Ticket, ending: Ending<'_>) {
        self.withdraw(|open| open.call == Some(ticket));
        let Some(mut entry) = self.entries.remove(&ticket) else { return };
        self.tickets.remove(&entry.start.key);
        let reply = match ending {
            Ending::Result(body) => {
                let mut pages = std::mem::take(&mut entry.pages);
                pages.push(body.raw().to_vec());
                Ok(pages)
            }
            Ending::Sliced => Ok(std::mem::take(&mut entry.pages)),
            Ending::Error(PeerError { body, .. }) => Err(Failed::Peer(body.raw().to_vec())),
            Ending::Failed(why) => Err(self.failed(&entry, why)),
        };
        entry.end(reply);
    }

    fn failed(&self, entry: &Entry, why: Failure) -> Failed {
        match why {
            Failure::Ended => Failed::Ended,
            _ => Failed::Here(failure::of_call(entry, entry.began.elapsed(), why, self)),
        }
    }

    fn progress(&mut self, ticket: Ticket, body: &Body<'_>) {
        #[derive(Deserialize)]
        struct Said {
            progress: f64,
            #[serde(default)]
            total: Option<f64>,
            #[serde(default)]
            message: Option<String>,
        }
        let Some(to) = self.entries.get(&ticket).and_then(|e| e.start.progress.as_ref()) else { return };
        match untrusted::from_slice(body.raw()) {
            Ok(Said { progress, total, mut message }) => {
                message.iter_mut().for_each(|text| cut(text, MESSAGE_BYTES));
                // The receiver may be gone; the call goes on.
                let _ = to.send(Progress { progress, total, message });
            }
            Err(error) => self.stray(|| format!("progress that cannot be read: {error}")),
        }
    }

    fn task(&mut self, ticket: Ticket, body: &Body<'_>) {
        let Some(entry) = self.entries.get(&ticket) else { return };
        let said: Value = untrusted::from_slice(body.raw()).unwrap_or_default();
        let text = |key| said.get(key).and_then(Value::as_str).map(str::to_owned);
        let call = entry.start.label.clone();
        let (status, message) = (text("status").unwrap_or_default(), text("statusMessage"));
        self.teller.tell(Notice::Task { call, status, message }, body.raw().len());
    }

    fn listening(&mut self, ticket: Ticket, body: &Body<'_>) {
        let Some(entry) = self.entries.get_mut(&ticket) else { return };
        if let What::Listen(_, granted) = &mut entry.start.what
            && let Some(granted) = granted.take()
        {
            let _ = granted.send(body.raw().to_vec());
        }
    }

    /// Ends the user's tasks that answer what nobody waits for.
    pub(super) fn withdraw(&mut self, over: impl Fn(&Open) -> bool) {
        self.questions.retain(|_, open| {
            let over = over(open);
            if over {
                open.task.abort();
            }
            !over
        });
    }

    fn notice(&mut self, event: Event<'_>) {
        match event {
            Event::Stray(stray) => self.odd(stray),
            _ if !self.teller.has_listeners() => {}
            Event::Changed(List::Tools) => self.send(Notice::ToolsChanged),
            Event::Changed(List::Prompts) => self.send(Notice::PromptsChanged),
            Event::Changed(_) => self.send(Notice::ResourcesChanged),
            Event::Log(body) => {
                let said: Value = untrusted::from_slice(body.raw()).unwrap_or_default();
                self.teller.tell(failure::log(said), body.raw().len());
            }
            Event::Updated(body) => {
                let said: Value = untrusted::from_slice(body.raw()).unwrap_or_default();
                match said.get("uri").and_then(Value::as_str) {
                    Some(uri) => self.teller.tell(Notice::Updated { uri: uri.into() }, uri.len()),
                    None => self.stray(|| "an update of a resource that is not named".into()),
                }
            }
            Event::Notified(method, params) => {
                let method = method.text().unwrap_or_default().to_owned();
                let bytes = method.len() + params.raw().len();
                let params = untrusted::from_slice(params.raw()).unwrap_or_default();
                self.teller.tell(Notice::Other { method, params }, bytes);
            }
            _ => {}
        }
    }

    fn odd(&mut self, stray: Stray<'_>) {
        let beginning = |line: &[u8]| {
            let cut = line.get(..JUNK_BYTES).unwrap_or(line);
            String::from_utf8_lossy(cut).into_owned()
        };
        match stray {
            // Logs like to begin with a level in brackets, which looks like a batch that broke off.
            Stray::Line(line) | Stray::Broken(line @ [b'[', ..], _) => {
                self.send(Notice::Junk { line: beginning(line) })
            }
            Stray::Broken(line, error) => {
                self.stray(|| format!("a broken message ({}): {}", error.kind.phrase(), beginning(line)))
            }
            Stray::TooLong(bytes) => {
                self.stray(|| format!("a message of {bytes} bytes, which does not fit and answers no call"))
            }
            Stray::Response(line) => {
                self.stray(|| format!("a response that nobody waits for: {}", beginning(line)))
            }
            Stray::Request(line) => {
                self.stray(|| format!("a request that was not taken: {}", beginning(line)))
            }
            Stray::Error(error) => {
                self.stray(|| format!("an error that answers no call: {}", beginning(error.body.raw())))
            }
        }
    }

    fn stray(&mut self, what: impl FnOnce() -> String) {
        if self.teller.has_listeners() {
            self.send(Notice::Stray { what: what() });
        }
    }

    /// Tells something short.
    pub(super) fn send(&mut self, notice: Notice) {
        self.teller.tell(notice, 0);
    }
}

/// Cuts `text` to at most `bytes`, between characters.
fn cut(text: &mut String, bytes: usize) {
    if text.len() > bytes {
        let end = (0..=bytes).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or_default());
    }
}
