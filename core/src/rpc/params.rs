//! Where the members of a request's `params` stand: found in the same pass that validates the message.

use crate::bytes::{at, blanks, find, part};
use crate::json::scan::{NAME_MAX, SOFT, Scan, Token};
use crate::json::text::{content_bytes, spell, value_end};

/// Where a value stands in a message; absent when both are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// The byte after.
    pub end: u32,
}

impl Span {
    /// No value.
    pub const ABSENT: Self = Self { start: 0, end: 0 };

    /// From `start` to `end`.
    #[inline]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// Whether there is no value.
    #[inline]
    pub const fn is_absent(self) -> bool {
        self.end == 0
    }

    /// The bytes in `b`.
    #[inline]
    pub const fn of(self, b: &[u8]) -> &[u8] {
        part(b, self.start as usize, self.end as usize)
    }

    /// The first byte, as an index.
    #[inline]
    pub const fn from(self) -> usize {
        self.start as usize
    }

    /// The byte after, as an index.
    #[inline]
    pub const fn to(self) -> usize {
        self.end as usize
    }
}

/// First byte of a value just scanned, its quote included.
#[inline]
pub(crate) fn value_start(scan: &Scan, token: Token) -> usize {
    match token {
        Token::Str => scan.start().wrapping_sub(1),
        _ => scan.start(),
    }
}

/// The member of the object at `object` of `b` that begins at byte `from`, or behind it: its name, quotes included, its
/// value, and where the next one is looked for. The text was scanned before; it may be softened, also from one member to the
/// next.
pub(crate) fn member_at(b: &[u8], from: usize, object: Span) -> Option<(Span, Span, usize)> {
    let mut start = blanks(b, from);
    if matches!(at(b, start), b'{' | b',') {
        start = blanks(b, start.wrapping_add(1));
    }
    if start >= object.to() || !matches!(at(b, start), b'"' | SOFT) {
        return None;
    }
    let name_end = value_end(b, start);
    let value = blanks(b, blanks(b, name_end).wrapping_add(1));
    let end = value_end(b, value);
    (at(b, object.from()) == b'{').then(|| (Span::new(start, name_end), Span::new(value, end), end))
}

/// The text of a name, escapes taken out, if it may be one that is known.
fn spelled<'n>(name: &'n [u8], room: &'n mut [u8; NAME_MAX]) -> &'n [u8] {
    match name {
        [b'"', raw @ .., b'"'] if find(raw, b'\\').is_some() => spell(raw, room),
        name => content_bytes(name).unwrap_or(b""),
    }
}

macro_rules! members {
    ($(#[$doc:meta])* $vis:vis struct $name:ident { $($(#[$mdoc:meta])* $field:ident: $key:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        $vis struct $name {
            $($(#[$mdoc])* pub $field: Span,)*
            /// A member that is known stood there twice.
            pub twice: bool,
        }

        impl $name {
            /// The place of the member `name`, and where to say that it is there twice. What stands first in the table is
            /// found first.
            #[inline(always)]
            pub(crate) fn place(&mut self, name: &[u8]) -> (Option<&mut Span>, &mut bool) {
                $(if name == $key.as_slice() {
                    return (Some(&mut self.$field), &mut self.twice);
                })*
                (None, &mut self.twice)
            }

            /// Reads the members of the object at `span` of `b`, which was scanned before; all absent if it is none.
            #[allow(dead_code, reason = "not every table is read from a span of its own")]
            pub(crate) fn of(b: &[u8], span: Span) -> Self {
                let mut members = Self::default();
                let mut room = [0; NAME_MAX];
                let mut next = span.from();
                while let Some((name, value, end)) = member_at(b, next, span) {
                    next = end;
                    let name = spelled(name.of(b), &mut room);
                    if let (Some(place), twice) = members.place(name) {
                        let before = core::mem::replace(place, value);
                        *twice |= !before.is_absent();
                    }
                }
                members
            }
        }
    };
}

members! {
    /// The members of a message.
    pub(crate) struct Seen {
        /// `jsonrpc`
        jsonrpc: b"jsonrpc",
        /// `id`
        id: b"id",
        /// `method`
        method: b"method",
        /// `params`
        params: b"params",
        /// `result` of a response.
        result: b"result",
        /// `error` of a response.
        error: b"error",
    }
}

members! {
    /// The members of `params` that any method knows.
    pub struct Members {
        /// `name` of a tool or prompt.
        name: b"name",
        /// `arguments` of a tool or prompt.
        arguments: b"arguments",
        /// `_meta`
        meta: b"_meta",
        /// `uri` of a resource.
        uri: b"uri",
        /// `cursor` of a list.
        cursor: b"cursor",
        /// `level` of `logging/setLevel`.
        level: b"level",
        /// `ref` of a completion.
        reference: b"ref",
        /// `argument` of a completion.
        argument: b"argument",
        /// `context` of a completion.
        context: b"context",
        /// `requestId` of a cancellation.
        request_id: b"requestId",
        /// `notifications` of `subscriptions/listen`.
        notifications: b"notifications",
        /// `protocolVersion` of `initialize`.
        version: b"protocolVersion",
        /// `capabilities` of `initialize`.
        capabilities: b"capabilities",
        /// `clientInfo` of `initialize`.
        client: b"clientInfo",
        /// `inputResponses` of a retried request.
        input_responses: b"inputResponses",
        /// `requestState` of a retried request.
        request_state: b"requestState",
        /// `task` of a task-augmented request.
        task: b"task",
        /// `taskId`
        task_id: b"taskId",
    }
}

members! {
    /// The members of a request's `_meta` that the engine acts on.
    pub struct Meta {
        /// The revision of this request (2026-07-28).
        version: b"io.modelcontextprotocol/protocolVersion",
        /// What the client can do (2026-07-28).
        capabilities: b"io.modelcontextprotocol/clientCapabilities",
        /// Who the client is; for display only.
        client: b"io.modelcontextprotocol/clientInfo",
        /// The least severe log messages wanted for this request (2026-07-28).
        log_level: b"io.modelcontextprotocol/logLevel",
        /// Asks for progress.
        progress_token: b"progressToken",
    }
}

members! {
    /// The members of small objects inside params.
    pub struct Inner {
        /// `type` of a completion's reference.
        kind: b"type",
        /// `name`
        name: b"name",
        /// `uri`
        uri: b"uri",
        /// `value`
        value: b"value",
        /// `arguments`
        arguments: b"arguments",
        /// `version`
        version: b"version",
    }
}

members! {
    /// What the client answered with, when it could not do what it was asked.
    pub struct Failure {
        /// `code`
        code: b"code",
        /// `message`
        message: b"message",
    }
}

members! {
    /// What a client says it can do, and in which ways.
    pub struct Ability {
        /// `sampling`
        sampling: b"sampling",
        /// `elicitation`
        elicitation: b"elicitation",
        /// `roots`
        roots: b"roots",
        /// `tools` of sampling.
        tools: b"tools",
        /// `form` of elicitation.
        form: b"form",
        /// `url` of elicitation.
        url: b"url",
        /// `extensions`
        extensions: b"extensions",
    }
}

members! {
    /// The extensions that a client declares.
    pub struct Extensions {
        /// Tasks.
        tasks: b"io.modelcontextprotocol/tasks",
    }
}

members! {
    /// What a request says of the task it wants to be.
    pub struct Augment {
        /// How long it is to be kept, in milliseconds.
        ttl: b"ttl",
    }
}

members! {
    /// What `subscriptions/listen` may ask for.
    pub struct Filter {
        /// Changes of the tool list.
        tools: b"toolsListChanged",
        /// Changes of the prompt list.
        prompts: b"promptsListChanged",
        /// Changes of the resource list.
        resources: b"resourcesListChanged",
        /// Updates of these resources.
        uris: b"resourceSubscriptions",
    }
}

members! {
    /// A JSON-RPC error.
    pub struct Fault {
        /// `code`
        code: b"code",
        /// `message`
        message: b"message",
        /// `data`
        data: b"data",
        /// `uri` of its data.
        uri: b"uri",
        /// `supported` of its data: revisions.
        supported: b"supported",
    }
}

members! {
    /// What a server says of itself.
    pub struct Said {
        /// `supportedVersions` of `server/discover`.
        versions: b"supportedVersions",
        /// `protocolVersion` of `initialize`.
        version: b"protocolVersion",
        /// `capabilities`
        capabilities: b"capabilities",
    }
}

members! {
    /// What a server says it offers, and how.
    pub struct Offer {
        /// `tools`
        tools: b"tools",
        /// `resources`
        resources: b"resources",
        /// `prompts`
        prompts: b"prompts",
        /// `completions`
        completions: b"completions",
        /// `logging`
        logging: b"logging",
        /// `tasks` (2025-11-25)
        tasks: b"tasks",
        /// `extensions` (2026-07-28)
        extensions: b"extensions",
        /// `listChanged` of a list.
        changes: b"listChanged",
        /// `subscribe` of resources.
        subscribe: b"subscribe",
    }
}

members! {
    /// The members of a result that a client acts on.
    pub struct Outcome {
        /// `resultType`
        result_type: b"resultType",
        /// `nextCursor` of a page.
        next_cursor: b"nextCursor",
        /// `inputRequests`: what the server asks.
        input_requests: b"inputRequests",
        /// `requestState`: what it wants back.
        request_state: b"requestState",
        /// `task` that the call has become (2025-11-25).
        task: b"task",
        /// `taskId` of a task.
        task_id: b"taskId",
        /// `status` of a task.
        status: b"status",
        /// `pollInterval` of a task (2025-11-25).
        poll: b"pollInterval",
        /// `pollIntervalMs` of a task (2026-07-28).
        poll_ms: b"pollIntervalMs",
        /// `result` of a task that is done (2026-07-28).
        result: b"result",
        /// `error` of a task that failed (2026-07-28).
        error: b"error",
    }
}

members! {
    /// The members of a notification's params that a client acts on.
    pub struct Told {
        /// `progressToken`
        token: b"progressToken",
        /// `requestId` of a cancellation.
        request_id: b"requestId",
        /// `notifications` that were granted.
        notifications: b"notifications",
        /// `_meta`
        meta: b"_meta",
        /// The subscription, in `_meta`.
        subscription: b"io.modelcontextprotocol/subscriptionId",
    }
}

members! {
    /// What a server asks.
    pub struct Asked {
        /// `method` of an entry of `inputRequests`.
        method: b"method",
        /// `params` of it.
        params: b"params",
        /// `mode` of an elicitation.
        mode: b"mode",
        /// `requestedSchema` of a form.
        schema: b"requestedSchema",
        /// `properties` of that schema.
        properties: b"properties",
        /// `default` of a property.
        default: b"default",
        /// `tools` of sampling.
        tools: b"tools",
    }
}
