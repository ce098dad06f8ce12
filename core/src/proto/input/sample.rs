//! Sampling: what a server wants the client's model to say.

use super::schema::{list, some_value};
use crate::json::Writer;
use crate::proto::info::some;
use crate::proto::revision::{Feature, Revision};
use crate::wire::base64::Encoder;

/// Runs the client's model (`sampling/createMessage`). Empty texts and slices are left out.
///
/// Written as `Sample { system: "…", ..Sample::new(&messages, 100) }`.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// What was said so far.
    pub messages: &'a [Message<'a>],
    /// Tokens that the model may write at most.
    pub max_tokens: u32,
    /// The system prompt.
    pub system: &'a str,
    /// Which model is wanted.
    pub preferences: Preferences<'a>,
    /// Context that the client is to add. Anything but [`Include::Nothing`] only for clients that declared
    /// `sampling.context`; deprecated from 2025-11-25.
    pub include: Option<Include>,
    /// The temperature, as a JSON number.
    pub temperature: &'a str,
    /// Texts that end what the model writes.
    pub stop: &'a [&'a str],
    /// For the provider of the model, as the text of a JSON object.
    pub metadata: &'a str,
    /// Tools that the model may use, as the text of a JSON array (from 2025-11-25).
    pub tools: &'a str,
    /// Whether the model must use them (from 2025-11-25).
    pub tool_choice: Option<ToolChoice>,
}

impl<'a> Sample<'a> {
    /// These messages, and no wishes.
    pub const fn new(messages: &'a [Message<'a>], max_tokens: u32) -> Self {
        Self {
            messages,
            max_tokens,
            system: "",
            preferences: Preferences::NONE,
            include: None,
            temperature: "",
            stop: &[],
            metadata: "",
            tools: "",
            tool_choice: None,
        }
    }

    /// Whether tools are given, or spoken of in a message.
    pub fn has_tools(&self) -> bool {
        let spoken = |c: &Content<'_>| matches!(c, Content::ToolUse { .. } | Content::ToolResult { .. });
        !self.tools.is_empty() || self.tool_choice.is_some() || self.any(spoken)
    }

    pub(super) fn is_in(&self, revision: Revision) -> bool {
        (revision.has(Feature::SampleTools) || !self.has_tools())
            && (revision.has(Feature::Audio) || !self.any(|c| matches!(c, Content::Audio { .. })))
    }

    fn any(&self, is: impl Fn(&Content<'_>) -> bool) -> bool {
        self.messages.iter().flat_map(|m| m.content).any(is)
    }

    pub(super) fn write(&self, w: &mut Writer<'_>, revision: Revision) {
        w.key("messages");
        w.array();
        for message in self.messages {
            message.write(w, revision);
        }
        w.close();
        self.preferences.write(w);
        some(w, true, "systemPrompt", self.system);
        some(w, true, "includeContext", self.include.map_or("", Include::name));
        some_value(w, "temperature", self.temperature);
        w.key("maxTokens");
        w.u64(u64::from(self.max_tokens));
        if !self.stop.is_empty() {
            w.key("stopSequences");
            list(w, self.stop.iter().copied());
        }
        some_value(w, "metadata", self.metadata);
        if revision.has(Feature::SampleTools) {
            some_value(w, "tools", self.tools);
            if let Some(choice) = self.tool_choice {
                w.key("toolChoice");
                w.object();
                w.member("mode", choice.name());
                w.close();
            }
        }
    }
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }

    /// The role of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::User, Self::Assistant].into_iter().find(|r| r.name() == name)
    }
}

/// Which model is wanted, as far as the server can tell. Empty for no wish.
#[derive(Clone, Copy, Debug)]
pub struct Preferences<'a> {
    /// Names of models, or parts of names, the best first.
    pub hints: &'a [&'a str],
    /// How much a low price counts, as a JSON number from 0 to 1.
    pub cost: &'a str,
    /// How much speed counts, as a JSON number from 0 to 1.
    pub speed: &'a str,
    /// How much ability counts, as a JSON number from 0 to 1.
    pub intelligence: &'a str,
}

impl Preferences<'_> {
    /// No wishes.
    pub const NONE: Self = Self { hints: &[], cost: "", speed: "", intelligence: "" };

    fn write(&self, w: &mut Writer<'_>) {
        let numbers = [
            ("costPriority", self.cost),
            ("speedPriority", self.speed),
            ("intelligencePriority", self.intelligence),
        ];
        if self.hints.is_empty() && numbers.iter().all(|(_, n)| n.is_empty()) {
            return;
        }
        w.key("modelPreferences");
        w.object();
        if !self.hints.is_empty() {
            w.key("hints");
            w.array();
            for name in self.hints {
                w.object();
                w.member("name", name);
                w.close();
            }
            w.close();
        }
        for (name, number) in numbers {
            some_value(w, name, number);
        }
        w.close();
    }
}

/// Context of MCP servers that the client is to add to the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Include {
    /// None.
    Nothing,
    /// That of the server that asks.
    ThisServer,
    /// That of all servers.
    AllServers,
}

impl Include {
    const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::ThisServer => "thisServer",
            Self::AllServers => "allServers",
        }
    }
}

/// Whether the model uses the tools it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    Auto,
    /// At least one.
    Required,
    /// None.
    Never,
}

impl ToolChoice {
    const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Required => "required",
            Self::Never => "none",
        }
    }
}

/// What one side said. Before 2025-11-25 a message holds one block: there each block becomes a message of its own.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Who said it.
    pub role: Role,
    /// What was said. If one block is a tool's result, all must be; each use of a tool is answered in the next message.
    pub content: &'a [Content<'a>],
}

impl<'a> Message<'a> {
    /// Something the user said.
    pub const fn user(content: &'a [Content<'a>]) -> Self {
        Self { role: Role::User, content }
    }

    /// Something the model said.
    pub const fn assistant(content: &'a [Content<'a>]) -> Self {
        Self { role: Role::Assistant, content }
    }

    fn write(&self, w: &mut Writer<'_>, revision: Revision) {
        let together = revision.has(Feature::SampleTools);
        match self.content {
            [one] => self.around(w, |w| one.write(w)),
            blocks if together => self.around(w, |w| {
                w.array();
                for block in blocks {
                    block.write(w);
                }
                w.close();
            }),
            blocks => {
                for block in blocks {
                    self.around(w, |w| block.write(w));
                }
            }
        }
    }

    fn around(&self, w: &mut Writer<'_>, content: impl FnOnce(&mut Writer<'_>)) {
        w.object();
        w.member("role", self.role.name());
        w.key("content");
        content(w);
        w.close();
    }
}

/// A block of a message.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// A text.
    Text(&'a str),
    /// An image.
    Image {
        /// Its bytes; they are encoded as they are written.
        data: &'a [u8],
        /// Its type.
        mime: &'a str,
    },
    /// A sound (from 2025-03-26).
    Audio {
        /// Its bytes; they are encoded as they are written.
        data: &'a [u8],
        /// Its type.
        mime: &'a str,
    },
    /// The model wants a tool to be run (from 2025-11-25).
    ToolUse {
        /// Names this use.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// Its arguments: JSON text, or a value of [`Answer`](super::Answer).
        input: &'a [u8],
    },
    /// What a tool answered (from 2025-11-25).
    ToolResult {
        /// Names the use.
        id: &'a str,
        /// The answer.
        text: &'a str,
        /// Content blocks as the text of a JSON array, in the place of `text` when not empty.
        blocks: &'a [u8],
        /// Whether the tool failed.
        is_error: bool,
    },
}

impl<'a> Content<'a> {
    /// What a tool answered to the use `id`.
    pub const fn tool_result(id: &'a str, text: &'a str) -> Self {
        Self::ToolResult { id, text, blocks: &[], is_error: false }
    }

    /// How a tool failed in the use `id`.
    pub const fn tool_error(id: &'a str, text: &'a str) -> Self {
        Self::ToolResult { id, text, blocks: &[], is_error: true }
    }

    fn write(&self, w: &mut Writer<'_>) {
        w.object();
        match *self {
            Self::Text(text) => text_members(w, text),
            Self::Image { data, mime } => media(w, "image", data, mime),
            Self::Audio { data, mime } => media(w, "audio", data, mime),
            Self::ToolUse { id, name, input } => {
                w.member("type", "tool_use");
                w.member("id", id);
                w.member("name", name);
                w.key("input");
                w.value(input);
            }
            Self::ToolResult { id, text, blocks, is_error } => {
                w.member("type", "tool_result");
                w.member("toolUseId", id);
                w.key("content");
                result_blocks(w, text, blocks);
                if is_error {
                    w.key("isError");
                    w.bool(true);
                }
            }
        }
        w.close();
    }
}

fn result_blocks(w: &mut Writer<'_>, text: &str, blocks: &[u8]) {
    if !blocks.is_empty() {
        return w.value(blocks);
    }
    w.array();
    w.object();
    text_members(w, text);
    w.close();
    w.close();
}

fn text_members(w: &mut Writer<'_>, text: &str) {
    w.member("type", "text");
    w.member("text", text);
}

fn media(w: &mut Writer<'_>, kind: &str, data: &[u8], mime: &str) {
    w.member("type", kind);
    w.key("data");
    w.begin_str();
    let mut encoder = Encoder::new();
    encoder.encode_into(data, &mut |piece| w.put(piece));
    encoder.finish(&mut |piece| w.put(piece));
    w.end_str();
    w.member("mimeType", mime);
}
