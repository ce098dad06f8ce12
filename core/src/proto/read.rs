//! What servers answer, as a client reads it: views over the received text, nothing is copied.
//!
//! Every view keeps [`members`](ToolInfo::members) at hand, for what later revisions add and servers invent. A member of the
//! wrong type reads as absent: a client does not refuse a list for one odd entry.

use crate::json::num::to_u64;
use crate::json::text::content;
use crate::json::view::{Items, Members};

macro_rules! view {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'e>(Members<'e>);

        impl<'e> $name<'e> {
            /// Reads the object with these members.
            pub const fn of(members: Members<'e>) -> Self {
                Self(members)
            }

            /// All that it says.
            pub const fn members(self) -> Members<'e> {
                self.0
            }
        }
    };
}

view! {
    /// What a server says of itself: the result of `initialize` or `server/discover`.
    Hello
}
view! {
    /// An entry of `tools/list`.
    ToolInfo
}
view! {
    /// An entry of `resources/list` or `resources/templates/list`, or a link to a resource.
    ResourceInfo
}
view! {
    /// An entry of `prompts/list`.
    PromptInfo
}
view! {
    /// The result of `tools/call`.
    ToolResult
}
view! {
    /// What stands in a resource: an entry of `contents`, or an embedded one.
    Contents
}
view! {
    /// The result of `completion/complete`.
    Completion
}

impl<'e> Hello<'e> {
    /// The server's name and version; empty when it does not say.
    pub fn name_and_version(self) -> (&'e str, &'e str) {
        let who = self.who();
        (who.text("name").unwrap_or(""), who.text("version").unwrap_or(""))
    }

    /// Who the server is: in `_meta` from 2026-07-28 on, where earlier drafts had it beside.
    pub fn who(self) -> Members<'e> {
        let signed = self.0.object("_meta").object("io.modelcontextprotocol/serverInfo");
        if signed.text("name").is_some() { signed } else { self.0.object("serverInfo") }
    }

    /// How to use it, for the model.
    pub fn instructions(self) -> Option<&'e str> {
        self.0.text("instructions")
    }
}

impl<'e> ToolInfo<'e> {
    /// Its name, for `tools/call`.
    pub fn name(self) -> &'e str {
        self.0.text("name").unwrap_or("")
    }

    /// Its name for people: `title`, else the one of its annotations, else its name.
    pub fn title(self) -> &'e str {
        let annotated = self.0.object("annotations").text("title");
        self.0.text("title").or(annotated).unwrap_or(self.name())
    }

    /// What it does.
    pub fn about(self) -> &'e str {
        self.0.text("description").unwrap_or("")
    }

    /// The schema of its arguments, softened.
    pub fn input_schema(self) -> &'e [u8] {
        self.0.get("inputSchema").unwrap_or(b"{}")
    }

    /// The schema of its structured result, softened.
    pub fn output_schema(self) -> Option<&'e [u8]> {
        self.0.get("outputSchema")
    }

    /// Whether it says that it changes nothing. A hint, of a server that may lie.
    pub fn is_read_only(self) -> bool {
        self.0.object("annotations").is_true("readOnlyHint")
    }
}

impl<'e> ResourceInfo<'e> {
    /// Its URI, or the template for URIs.
    pub fn uri(self) -> &'e str {
        self.0.text("uri").or(self.0.text("uriTemplate")).unwrap_or("")
    }

    /// Its name for people: `title`, else its name.
    pub fn title(self) -> &'e str {
        self.0.text("title").or(self.0.text("name")).unwrap_or("")
    }

    /// What it is.
    pub fn about(self) -> &'e str {
        self.0.text("description").unwrap_or("")
    }

    /// Its type.
    pub fn mime(self) -> &'e str {
        self.0.text("mimeType").unwrap_or("")
    }

    /// Its size in bytes, if the server says.
    pub fn bytes(self) -> Option<u64> {
        to_u64(self.0.get("size")?).ok()
    }
}

impl<'e> PromptInfo<'e> {
    /// Its name, for `prompts/get`.
    pub fn name(self) -> &'e str {
        self.0.text("name").unwrap_or("")
    }

    /// Its name for people: `title`, else its name.
    pub fn title(self) -> &'e str {
        self.0.text("title").unwrap_or(self.name())
    }

    /// What it is for.
    pub fn about(self) -> &'e str {
        self.0.text("description").unwrap_or("")
    }

    /// Its arguments: name, what it is, whether it must be there.
    pub fn arguments(self) -> impl Iterator<Item = (&'e str, &'e str, bool)> {
        self.0.items("arguments").map(Members::of).map(|argument| {
            let about = argument.text("description").unwrap_or("");
            (argument.text("name").unwrap_or(""), about, argument.is_true("required"))
        })
    }
}

/// A piece of content.
#[derive(Clone, Copy)]
pub enum Block<'e> {
    /// Text.
    Text(&'e str),
    /// An image: base64, and its type.
    Image(&'e str, &'e str),
    /// A sound: base64, and its type.
    Audio(&'e str, &'e str),
    /// An embedded resource.
    Resource(Contents<'e>),
    /// A link to a resource.
    Link(ResourceInfo<'e>),
    /// Of a type that is not known.
    Other(Members<'e>),
}

impl<'e> Block<'e> {
    /// Reads the block with these members.
    pub fn of(block: Members<'e>) -> Self {
        let data = || (block.text("data").unwrap_or(""), block.text("mimeType").unwrap_or(""));
        match (block.text("type"), block.text("text")) {
            (Some("text"), Some(text)) => Self::Text(text),
            (Some("image"), _) => Self::Image(data().0, data().1),
            (Some("audio"), _) => Self::Audio(data().0, data().1),
            (Some("resource"), _) => Self::Resource(Contents::of(block.object("resource"))),
            (Some("resource_link"), _) => Self::Link(ResourceInfo::of(block)),
            _ => Self::Other(block),
        }
    }
}

impl<'e> ToolResult<'e> {
    /// Whether the tool failed; its content says why, for the model.
    pub fn is_error(self) -> bool {
        self.0.is_true("isError")
    }

    /// Its content.
    pub fn content(self) -> impl Iterator<Item = Block<'e>> {
        self.0.items("content").map(Members::of).map(Block::of)
    }

    /// Its structured content, softened: for [`from_value`](crate::json::from_value).
    pub fn structured(self) -> Option<&'e [u8]> {
        self.0.get("structuredContent")
    }
}

impl<'e> Contents<'e> {
    /// Whose contents they are.
    pub fn uri(self) -> &'e str {
        self.0.text("uri").unwrap_or("")
    }

    /// Their type.
    pub fn mime(self) -> &'e str {
        self.0.text("mimeType").unwrap_or("")
    }

    /// The text, if it is one.
    pub fn text(self) -> Option<&'e str> {
        self.0.text("text")
    }

    /// The bytes in base64, if it is no text.
    pub fn blob(self) -> Option<&'e str> {
        self.0.text("blob")
    }
}

impl<'e> Completion<'e> {
    /// How the value may go on.
    pub fn values(self) -> impl Iterator<Item = &'e str> {
        self.0.object("completion").items("values").filter_map(content)
    }

    /// Whether there are more.
    pub fn has_more(self) -> bool {
        self.0.object("completion").is_true("hasMore")
    }
}

/// The contents of the result of `resources/read`.
pub fn contents(result: Members<'_>) -> impl Iterator<Item = Contents<'_>> {
    result.items("contents").map(Members::of).map(Contents::of)
}

/// The messages of the result of `prompts/get`: who says it, and what.
pub fn messages<'e>(result: Members<'e>) -> impl Iterator<Item = (&'e str, Block<'e>)> {
    let of =
        |message: Members<'e>| (message.text("role").unwrap_or(""), Block::of(message.object("content")));
    result.items("messages").map(Members::of).map(of)
}

/// The entries of a page: `tools`, `resources`, `resourceTemplates` or `prompts`.
pub fn entries<'e>(page: Members<'e>, name: &str) -> impl Iterator<Item = Members<'e>> {
    Items::of(page.get(name).unwrap_or(b"")).map(Members::of)
}
