//! Requests: any, and those that have a shape of their own.

use super::call::{Call, Clock, Kind, Phase, Ticket, Wants};
use super::write::Marks;
use super::{Client, Link};
use crate::error::{Error, Kind as Fault};
use crate::json::{Raw, Writer};
use crate::proto::level::Level;
use crate::proto::method::Method;
use crate::proto::revision::Feature;
use crate::session::rows::List;
use crate::time::Millis;

/// Choices for one call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// How long the server has, in milliseconds; 0: as long as [`Config::call_ms`](super::Config::call_ms) says; `u64::MAX`:
    /// for ever. The time in which it waits for an answer of ours does not count, and neither does that of a task.
    pub timeout_ms: u64,
    /// How long it has at most, whatever progress it reports, in milliseconds; 0: no such end.
    pub max_ms: u64,
    /// Asks for progress.
    pub progress: bool,
    /// Progress starts the time anew.
    pub progress_extends: bool,
    /// Asks for log messages of this level and above (2026-07-28; elsewhere [`set_level`](Client::set_level) does).
    pub log_level: Option<Level>,
    /// Asks the server to run the call as a task and to keep its result this long, in milliseconds (2025-11-25; elsewhere
    /// the server decides).
    pub task_ms: Option<u64>,
    /// Takes a result that is larger than the receive buffer in slices, as it is: the engine reads none of it, so it neither
    /// asks nor becomes a task. Not for a list that is read whole, whose pages the engine must read.
    pub slices: bool,
    /// Further members of the request's `_meta`, an object: `traceparent`, keys of a vendor. Those that are the engine's are
    /// left out of it; so is all of it from the second page of a list on.
    pub meta: Option<Raw<'a>>,
}

/// What a [`listen`](Client::listen) is about.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter<'a> {
    /// Changes of the tool list.
    pub tools: bool,
    /// Changes of the prompt list.
    pub prompts: bool,
    /// Changes of the resource list.
    pub resources: bool,
    /// Updates of these resources.
    pub uris: &'a [&'a str],
}

/// Whose argument is to be completed.
#[derive(Clone, Copy, Debug)]
pub enum Reference<'a> {
    /// The prompt of that name.
    Prompt(&'a str),
    /// The resource template of that form.
    Resource(&'a str),
}

impl Client<'_> {
    /// Sends a request of any method; `params` writes the members of its params, an object that is open.
    ///
    /// # Errors
    /// `NotConnected` before [`Event::Connected`](super::Event::Connected); `NotInRevision` when the revision does not
    /// have the method; `SlotsFull`; `TxFull` when it does not fit into the transmit buffer, with the size needed; `Busy` when it
    /// will once what waits there is sent. Nothing is sent then.
    pub fn request(
        &mut self,
        method: &str,
        options: Options<'_>,
        params: impl FnOnce(&mut Writer<'_>),
    ) -> Result<Ticket, Error> {
        let known = Method::named(method.as_bytes());
        let kind = match known {
            Some(asks @ (Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead)) => Kind::Asks(asks),
            Some(Method::Listen) => Kind::Listen,
            _ => Kind::Plain,
        };
        self.start(method, kind, options, params)
    }

    fn start(
        &mut self,
        method: &str,
        kind: Kind,
        options: Options<'_>,
        params: impl FnOnce(&mut Writer<'_>),
    ) -> Result<Ticket, Error> {
        let revision = self.revision.filter(|_| self.link == Link::Up);
        let revision = revision.ok_or(Error::new(Fault::NotConnected, 0))?;
        let known = Method::named(method.as_bytes());
        if known == Some(Method::Initialize) || known.is_some_and(|m| !m.is_in(revision)) {
            return Err(Error::new(Fault::NotInRevision, 0));
        }
        let free = self.calls.iter().find(|c| c.phase == Phase::Free).map(|c| usize::from(c.number));
        let number = free.ok_or(Error::new(Fault::SlotsFull, self.calls.len().saturating_add(1)))?;
        let task = options.task_ms.filter(|_| revision.has(Feature::Tasks));
        let marks =
            Marks { token: options.progress.then_some(0), level: options.log_level, more: options.meta };
        let (id, head) = self.write_request(method, marks, |w| {
            params(w);
            if let Some(ttl_ms) = task {
                w.key("task");
                w.object();
                w.key("ttl");
                w.u64(ttl_ms);
                w.close();
            }
        })?;
        let mut call = planned(kind, &options, self.now, self.config.call_ms);
        (call.id, call.token, call.wants.task) = (id, id, task.is_some());
        let ticket = self.enter(number, call);
        if matches!(kind, Kind::Asks(_)) && revision.has(Feature::ResultType) {
            self.keep_params(ticket, head);
        }
        Ok(ticket)
    }

    /// Puts a call that is out into a free slot.
    fn enter(&mut self, number: usize, call: Call) -> Ticket {
        let now = self.now;
        self.started = true;
        let Some(slot) = self.calls.get_mut(number) else { return call.ticket() };
        let (number, generation) = (slot.number, slot.generation);
        *slot = Call { number, generation, ..call };
        slot.restart(now);
        slot.clock = Clock::New;
        slot.ticket()
    }

    /// Takes note of a moment at which something is to be looked at.
    pub(super) fn wake_by(&mut self, at: Option<Millis>) {
        self.wake = [self.wake, at].into_iter().flatten().min();
    }

    /// Calls a tool with `arguments`, a JSON object.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn call_tool(
        &mut self,
        name: &str,
        arguments: Raw<'_>,
        options: Options<'_>,
    ) -> Result<Ticket, Error> {
        self.request("tools/call", options, |w| {
            w.member("name", name);
            w.key("arguments");
            w.passed(arguments);
        })
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn read_resource(&mut self, uri: &str, options: Options<'_>) -> Result<Ticket, Error> {
        self.request("resources/read", options, |w| w.member("uri", uri))
    }

    /// Fetches a prompt with these arguments.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn get_prompt(
        &mut self,
        name: &str,
        arguments: &[(&str, &str)],
        options: Options<'_>,
    ) -> Result<Ticket, Error> {
        self.request("prompts/get", options, |w| {
            w.member("name", name);
            strings(w, "arguments", arguments);
        })
    }

    /// Asks how `value`, the beginning of the argument `name`, may go on; `context` are arguments that are chosen already
    /// (left out before 2025-06-18).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn complete(
        &mut self,
        of: Reference<'_>,
        (name, value): (&str, &str),
        context: &[(&str, &str)],
        options: Options<'_>,
    ) -> Result<Ticket, Error> {
        let with_context = self.speaks(Feature::CompletionContext) && !context.is_empty();
        self.request("completion/complete", options, |w| {
            w.key("ref");
            w.object();
            let (kind, key, text) = match of {
                Reference::Prompt(name) => ("ref/prompt", "name", name),
                Reference::Resource(uri) => ("ref/resource", "uri", uri),
            };
            w.member("type", kind);
            w.member(key, text);
            w.close();
            strings(w, "argument", &[("name", name), ("value", value)]);
            if with_context {
                w.key("context");
                w.object();
                strings(w, "arguments", context);
                w.close();
            }
        })
    }

    /// Reads a list whole: each page but the last comes as [`Event::Page`](super::Event::Page).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn list(&mut self, list: List, options: Options<'_>) -> Result<Ticket, Error> {
        self.start(list_method(list), Kind::Pages(list), options, |_| {})
    }

    /// Hears of changes from here on (2026-07-28; a server of the handshake revisions tells of its lists unasked, and of
    /// resources after [`subscribe`](Self::subscribe)). The call ends when the subscription does, or by
    /// [`cancel`](Self::cancel).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn listen(&mut self, filter: Filter<'_>) -> Result<Ticket, Error> {
        self.request("subscriptions/listen", Options::default(), |w| {
            w.key("notifications");
            w.object();
            for (name, on) in [
                ("toolsListChanged", filter.tools),
                ("promptsListChanged", filter.prompts),
                ("resourcesListChanged", filter.resources),
            ] {
                if on {
                    w.key(name);
                    w.bool(true);
                }
            }
            if !filter.uris.is_empty() {
                w.key("resourceSubscriptions");
                w.array();
                for uri in filter.uris {
                    w.str(uri);
                }
                w.close();
            }
            w.close();
        })
    }

    /// Hears of updates of a resource from here on, or no more (handshake revisions).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn subscribe(&mut self, uri: &str, on: bool, options: Options<'_>) -> Result<Ticket, Error> {
        let method = if on { "resources/subscribe" } else { "resources/unsubscribe" };
        self.request(method, options, |w| w.member("uri", uri))
    }

    /// Asks whether the server is there (handshake revisions).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn ping(&mut self, options: Options<'_>) -> Result<Ticket, Error> {
        self.request("ping", options, |_| {})
    }

    /// Wants log messages of `level` and above from here on (handshake revisions).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn set_level(&mut self, level: Level, options: Options<'_>) -> Result<Ticket, Error> {
        self.request("logging/setLevel", options, |w| w.member("level", level.name()))
    }

    /// Sends a notification; `params` writes the members of its params.
    ///
    /// # Errors
    /// `NotConnected`, `TxFull`, `Busy` as [`request`](Self::request).
    pub fn notify(&mut self, method: &str, params: impl FnOnce(&mut Writer<'_>)) -> Result<(), Error> {
        if self.link != Link::Up {
            return Err(Error::new(Fault::NotConnected, 0));
        }
        self.write_notification(method, params)
    }
}

/// A call of that kind as `options` want it.
fn planned(kind: Kind, options: &Options<'_>, now: Millis, call_ms: u64) -> Call {
    let timeout_ms = match options.timeout_ms {
        // A subscription has no end of its own.
        _ if kind == Kind::Listen => u64::MAX,
        0 => call_ms,
        ms => ms,
    };
    let (progress, extends, slices) = (options.progress, options.progress_extends, options.slices);
    Call {
        phase: Phase::Sent,
        kind,
        timeout_ms,
        limit: (options.max_ms > 0).then(|| now.after(options.max_ms)),
        log_level: options.log_level,
        wants: Wants { progress, extends, slices, task: false },
        ..Call::FREE
    }
}

pub(super) const fn list_method(list: List) -> &'static str {
    match list {
        List::Tools => "tools/list",
        List::Resources => "resources/list",
        List::Templates => "resources/templates/list",
        List::Prompts => "prompts/list",
    }
}

fn strings(w: &mut Writer<'_>, name: &str, members: &[(&str, &str)]) {
    w.key(name);
    w.object();
    for (name, text) in members {
        w.member(name, text);
    }
    w.close();
}
