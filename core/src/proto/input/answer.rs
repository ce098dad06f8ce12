//! What came back.

use super::check::{Words, fault, twice};
use super::sample::Role;
use super::{Ask, Form};
use crate::bytes::at;
use crate::json::de::from_softened;
use crate::json::scan::{Scan, Token};
use crate::json::text::content;
use crate::json::view::{Items, Members};
use crate::json::write::decimal_text;
use serde::de::Deserialize;

/// What a client answered to an [`Ask`].
///
/// Everything in it is the client's or the user's word: an accepted form holds what its fields allow, and no more is
/// known of it.
///
/// # Memory
/// Borrows the message; a fault is kept in at most 96 bytes of words.
#[derive(Clone, Copy)]
pub struct Answer<'e> {
    action: Action,
    asked: Asked,
    content: &'e [u8],
    code: Option<i32>,
    message: &'e str,
    words: Words,
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The user agreed, or the client did as asked.
    Accepted,
    /// The user said no.
    Declined,
    /// The user dismissed the question without an answer.
    Cancelled,
    /// The client answered with an error: see [`Answer::code`].
    Failed,
    /// The answer did not come in time.
    Late,
    /// The answer is none: see [`Answer::explain`].
    Invalid,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Form,
    Sample,
    Roots,
    Nothing,
}

/// A directory or file that the client lets the server work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root<'e> {
    /// Where it is; a `file://` URI, says the protocol.
    pub uri: &'e str,
    /// Its name for the user; may be empty.
    pub name: &'e str,
}

/// The model wants a tool to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolUse<'e> {
    /// Names this use.
    pub id: &'e str,
    /// The tool.
    pub name: &'e str,
    /// Its arguments, an object, softened: to be read with [`from_value`](crate::json::from_value) and passed on with
    /// [`Content::ToolUse`](super::Content::ToolUse).
    pub input: &'e [u8],
}

/// JSON-RPC error of a client whose user said no (client/sampling, "Error Handling").
const REJECTED: i32 = -1;

impl<'e> Answer<'e> {
    /// Reads the result object `text` as the answer to `ask`. Strings must be [softened](crate::json::text::soften).
    ///
    /// Never fails: what is no answer to `ask` is [`Action::Invalid`]. What comes with a refusal is not looked at.
    pub fn read(ask: &Ask<'_>, text: &'e [u8]) -> Self {
        Self::taken(ask, text).unwrap_or_else(|words| Self { words, ..Self::bare(Action::Invalid) })
    }

    /// The client answered with the JSON-RPC error `code`.
    pub fn error(code: i32, message: &'e str) -> Self {
        let action = if code == REJECTED { Action::Declined } else { Action::Failed };
        Self { code: Some(code), message, ..Self::bare(action) }
    }

    /// The client did not answer in time.
    pub fn late() -> Self {
        Self::bare(Action::Late)
    }

    fn bare(action: Action) -> Self {
        Self { action, asked: Asked::Nothing, content: b"null", code: None, message: "", words: Words::NONE }
    }

    fn accept(asked: Asked, content: &'e [u8]) -> Self {
        Self { asked, content, ..Self::bare(Action::Accepted) }
    }

    fn taken(ask: &Ask<'_>, text: &'e [u8]) -> Result<Self, Words> {
        let members = whole_object(text).map_err(Words::of)?;
        let asked = match ask {
            Ask::Form(form) => return Self::elicited(Some(form), members),
            Ask::Url(_) => return Self::elicited(None, members),
            Ask::Sample(_) => {
                sampled(members)?;
                Asked::Sample
            }
            Ask::Roots => {
                listed(members)?;
                Asked::Roots
            }
        };
        Ok(Self::accept(asked, text))
    }

    fn elicited(form: Option<&Form<'_>>, members: Members<'e>) -> Result<Self, Words> {
        match (content(single(members, "action")?), form) {
            (Some("accept"), Some(form)) => Self::filled_in(form, single(members, "content")?),
            (Some("accept"), None) => Ok(Self::accept(Asked::Nothing, b"{}")),
            (Some("decline"), _) => Ok(Self::bare(Action::Declined)),
            (Some("cancel"), _) => Ok(Self::bare(Action::Cancelled)),
            _ => Err(Words::of("\"action\" must be one of \"accept\", \"decline\", \"cancel\"")),
        }
    }

    fn filled_in(form: &Form<'_>, content: &'e [u8]) -> Result<Self, Words> {
        let fields = if form.schema.is_empty() { form.fields } else { &[] };
        // A form whose fields are all optional may come back without any, in more than one spelling.
        let none = form.schema.is_empty() && matches!(content, b"" | b"null");
        let content: &[u8] = if none { b"{}" } else { content };
        if at(content, 0) != b'{' {
            return Err(Words::of("\"content\" must be an object"));
        }
        match fault(fields, content) {
            Some(words) => Err(words),
            None => Ok(Self::accept(Asked::Form, content)),
        }
    }

    /// How it ended.
    pub fn action(&self) -> Action {
        self.action
    }

    /// Whether there is what was asked for.
    pub fn accepted(&self) -> bool {
        self.action == Action::Accepted
    }

    /// The code of the JSON-RPC error, if the client answered with one.
    pub fn code(&self) -> Option<i32> {
        self.code
    }

    /// The message of the JSON-RPC error; empty if there is none.
    pub fn message(&self) -> &'e str {
        self.message
    }

    /// Hands a sentence on how it ended to `put`, in pieces: for the model, or a log.
    pub fn explain(&self, put: &mut dyn FnMut(&str)) {
        match self.action {
            Action::Accepted => put("The client answered."),
            Action::Declined => put("The user declined."),
            Action::Cancelled => put("The user dismissed the question."),
            Action::Late => put("The client did not answer in time."),
            Action::Failed => {
                let code = self.code.unwrap_or(0);
                put(if code < 0 {
                    "The client answered with error -"
                } else {
                    "The client answered with error "
                });
                put(decimal_text(code.unsigned_abs().into(), &mut [0; 20]));
                put(": ");
                put(self.message);
            }
            Action::Invalid => {
                put("The client's answer is not valid: ");
                self.words.put(put);
                put(".");
            }
        }
    }

    /// The field `field` of an accepted form. An `Option` is there also when the field is not.
    pub fn get<T: Deserialize<'e>>(&self, field: &str) -> Option<T> {
        if self.asked != Asked::Form {
            return None;
        }
        from_softened(self.result_of(Asked::Form).get(field).unwrap_or(b"")).ok()
    }

    /// The content of an accepted form, or the whole result of the model or the roots: softened JSON, to be read with
    /// [`from_value`](crate::json::from_value) and passed on with [`Writer::value`](crate::json::Writer::value). `{}` of
    /// an accepted URL, `null` when nothing was accepted.
    pub fn content(&self) -> &'e [u8] {
        self.content
    }

    /// The first text of what the model said; empty if there is none.
    pub fn text(&self) -> &'e str {
        self.blocks().find(|b| b.text("type") == Some("text")).and_then(|b| b.text("text")).unwrap_or("")
    }

    /// The tools that the model wants to be run (from 2025-11-25).
    pub fn tool_uses(&self) -> impl Iterator<Item = ToolUse<'e>> {
        self.blocks().filter(|b| b.text("type") == Some("tool_use")).filter_map(|b| {
            let input = b.get("input").filter(|v| at(v, 0) == b'{')?;
            Some(ToolUse { id: b.text("id")?, name: b.text("name")?, input })
        })
    }

    /// The name of the model that spoke; empty if none did.
    pub fn model(&self) -> &'e str {
        self.said("model")
    }

    /// Who speaks in what came back: mostly the model.
    pub fn role(&self) -> Option<Role> {
        Role::named(self.said("role"))
    }

    /// Why the model stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a word of the client's; empty if
    /// nothing is said.
    pub fn stop_reason(&self) -> &'e str {
        self.said("stopReason")
    }

    /// The roots of the client.
    pub fn roots(&self) -> impl Iterator<Item = Root<'e>> {
        let roots = self.result_of(Asked::Roots).get("roots").unwrap_or(b"");
        Items::of(roots).filter_map(|root| {
            let root = Members::of(root);
            Some(Root { uri: root.text("uri")?, name: root.text("name").unwrap_or("") })
        })
    }

    fn said(&self, name: &str) -> &'e str {
        self.result_of(Asked::Sample).text(name).unwrap_or("")
    }

    fn blocks(&self) -> impl Iterator<Item = Members<'e>> {
        one_or_more(self.result_of(Asked::Sample).get("content").unwrap_or(b"")).map(Members::of)
    }

    /// The members of the result, if it is one of `asked`.
    fn result_of(&self, asked: Asked) -> Members<'e> {
        Members::of(if self.asked == asked { self.content } else { b"" })
    }
}

/// The content blocks of a message: one, or an array of them.
fn one_or_more(blocks: &[u8]) -> impl Iterator<Item = &[u8]> {
    let one = (at(blocks, 0) == b'{').then_some(blocks);
    one.into_iter().chain(Items::of(blocks))
}

/// Walks through all of `text` once, so that nothing is in doubt afterwards.
fn whole_object(text: &[u8]) -> Result<Members<'_>, &'static str> {
    let mut scan = Scan::text_again();
    if scan.next(text) != Token::BeginObject {
        return Err("it must be an object");
    }
    loop {
        match scan.next(text) {
            Token::Error => return Err("it is not JSON"),
            Token::End if scan.escapes() => return Err("it was not unescaped before it was read"),
            Token::End => return Ok(Members::of(text)),
            _ => {}
        }
    }
}

/// The value of the member `name`, empty if there is none. Of two, others may have read the other one.
fn single<'e>(members: Members<'e>, name: &str) -> Result<&'e [u8], Words> {
    let mut values = members.named(name);
    let value = values.next().unwrap_or(b"");
    match values.next() {
        None => Ok(value),
        Some(_) => Err(twice(name)),
    }
}

fn sampled(members: Members<'_>) -> Result<(), Words> {
    if content(single(members, "role")?).and_then(Role::named).is_none() {
        return Err(Words::of("\"role\" must be \"user\" or \"assistant\""));
    }
    if content(single(members, "model")?).is_none() {
        return Err(Words::of("\"model\" must be a text"));
    }
    let blocks = single(members, "content")?;
    let is_block = |block: &[u8]| {
        let block = Members::of(block);
        block.text("type").is_some_and(|kind| kind != "text" || block.text("text").is_some())
    };
    if matches!(at(blocks, 0), b'{' | b'[') && one_or_more(blocks).all(is_block) {
        return Ok(());
    }
    Err(Words::of("\"content\" must be a content block or an array of them"))
}

fn listed(members: Members<'_>) -> Result<(), Words> {
    let roots = single(members, "roots")?;
    if at(roots, 0) == b'[' && Items::of(roots).all(|root| Members::of(root).text("uri").is_some()) {
        return Ok(());
    }
    Err(Words::of("\"roots\" must be an array of objects with a \"uri\""))
}
