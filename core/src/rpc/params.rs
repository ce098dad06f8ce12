//! Where the members of a request's `params` stand: found in the same pass that validates the message.

use crate::bytes::part;
use crate::json::scan::{Scan, Token};
use crate::json::text::same;

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

/// A member's name just scanned: less to copy than the scanner.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    pub start: usize,
    pub end: usize,
    pub marked: bool,
}

impl Key {
    #[inline]
    pub fn of(scan: &Scan) -> Self {
        Self { start: scan.start(), end: scan.end(), marked: scan.marked() }
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
            /// The place of the member whose name was just scanned.
            fn place(&mut self, b: &[u8], key: Key) -> Option<&mut Span> {
                if !key.marked {
                    // A match on byte strings compiles to a tree over length and bytes, a chain of `==` to calls.
                    return match part(b, key.start, key.end) {
                        $($key => Some(&mut self.$field),)*
                        _ => None,
                    };
                }
                // A name may be spelled with escapes; that is the same name.
                $(if same(b, key.start, key.end, $key) { return Some(&mut self.$field); })*
                None
            }

            /// Keeps where the value of the member stands whose name was just scanned, and moves past it.
            /// The token that began the value; `None` when the text is refused.
            pub(crate) fn keep(&mut self, b: &[u8], scan: &mut Scan) -> Option<Token> {
                let key = Key::of(scan);
                let token = scan.next(b);
                let start = value_start(scan, token);
                if !scan.skip(b, token) {
                    return None;
                }
                let end = scan.pos();
                let twice = match self.place(b, key) {
                    Some(place) => !core::mem::replace(place, Span::new(start, end)).is_absent(),
                    None => false,
                };
                self.twice |= twice;
                Some(token)
            }

            /// Reads the members of the object that `scan` has just opened; `None` when the text is refused.
            pub(crate) fn read(&mut self, b: &[u8], scan: &mut Scan) -> Option<()> {
                loop {
                    match scan.next(b) {
                        Token::Key => self.keep(b, scan)?,
                        Token::Error => return None,
                        _ => return Some(()),
                    };
                }
            }

            /// Reads the members of the object at `span` of `b`, which was scanned before; all absent if it is none.
            #[allow(dead_code, reason = "not every table is read from a span of its own")]
            pub(crate) fn of(b: &[u8], span: Span) -> Self {
                let mut members = Self::default();
                let mut scan = Scan::value(span.from());
                if !span.is_absent() && scan.next(b) == Token::BeginObject {
                    let _ = members.read(b, &mut scan);
                }
                members
            }
        }
    };
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

impl Members {
    /// [`Members::read`], and the members of `_meta` in the same pass.
    pub(crate) fn read_with_meta(&mut self, b: &[u8], scan: &mut Scan, meta: &mut Meta) -> Option<()> {
        loop {
            match scan.next(b) {
                Token::Key if self.is_meta(b, scan) => self.keep_meta(b, scan, meta)?,
                Token::Key => {
                    self.keep(b, scan)?;
                }
                Token::Error => return None,
                _ => return Some(()),
            }
        }
    }

    fn is_meta(&self, b: &[u8], scan: &Scan) -> bool {
        part(b, scan.start(), scan.end()) == b"_meta"
            || (scan.marked() && same(b, scan.start(), scan.end(), b"_meta"))
    }

    fn keep_meta(&mut self, b: &[u8], scan: &mut Scan, meta: &mut Meta) -> Option<()> {
        let token = scan.next(b);
        let start = value_start(scan, token);
        self.twice |= !self.meta.is_absent();
        match token {
            Token::BeginObject => meta.read(b, scan)?,
            Token::Error => return None,
            other => {
                scan.skip(b, other).then_some(())?;
            }
        }
        self.meta = Span::new(start, scan.pos());
        Some(())
    }
}
