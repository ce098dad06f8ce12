//! Content: what a tool, a prompt, a resource or a completion answers with.

use super::io::{Io, Role, Stage};
use crate::json::Writer;
use crate::json::ser::to_writer;
use crate::limits::COMPLETION_VALUES_MAX;
use crate::proto::info::some;
use crate::proto::revision::Feature;
use crate::session::slots::Shape;
use crate::sink::{Buf, Fill, Sink};
use crate::wire::base64::Encoder;
use serde::Serialize;

impl<'e> Io<'e> {
    /// Who speaks in the messages that follow, in a prompt; at first it is the user.
    pub fn role(&mut self, role: Role) {
        self.role = role;
    }

    /// Annotations of the next item, as the text of a JSON object, such as `{"audience":["user"],"priority":0.8}`.
    pub fn annotate(&mut self, annotations: &'e str) {
        self.annotations = annotations;
    }

    /// Adds a text: to a tool's result or a prompt a text block, to a resource its contents, to a completion a value.
    pub fn text(&mut self, text: &str) {
        self.text_with(|w| w.text(text));
    }

    /// [`text`](Self::text), written piece by piece with [`Writer::text`].
    pub fn text_with(&mut self, text: impl FnOnce(&mut Writer<'_>)) {
        match self.reply.shape() {
            // What most tools answer with, in as few pieces as can be.
            Shape::Tool if self.annotations.is_empty() => {
                if let Some(w) = self.item() {
                    w.raw_key(b"{\"type\":\"text\",\"text\":");
                    w.begin_str();
                    text(w);
                    w.end_str();
                    w.put(b"}");
                    w.set_comma(true);
                }
            }
            Shape::Tool | Shape::Prompt => self.block(b"text", |w| {
                w.raw_key(b"\"text\":");
                w.begin_str();
                text(w);
                w.end_str();
            }),
            Shape::Resource | Shape::Template => {
                let (uri, mime) = (self.contents_uri(), self.listed_mime());
                self.contents(uri, mime, b"\"text\":", |w| {
                    w.begin_str();
                    text(w);
                    w.end_str();
                });
            }
            Shape::PromptCompletion | Shape::TemplateCompletion => self.completion_value(text),
        }
    }

    /// Adds a JSON value as text.
    pub fn json_text(&mut self, value: impl FnOnce(&mut Writer<'_>)) {
        match self.reply.shape() {
            Shape::Tool | Shape::Prompt => self.block(b"text", |w| {
                w.raw_key(b"\"text\":");
                w.twin(value);
            }),
            Shape::Resource | Shape::Template => {
                let (uri, mime) = (self.contents_uri(), self.listed_mime());
                self.contents(uri, mime, b"\"text\":", |w| w.twin(value));
            }
            Shape::PromptCompletion | Shape::TemplateCompletion => {}
        }
    }

    fn completion_value(&mut self, text: impl FnOnce(&mut Writer<'_>)) {
        if self.count >= COMPLETION_VALUES_MAX {
            self.more = true;
            return;
        }
        self.count = self.count.wrapping_add(1);
        if let Some(w) = self.item() {
            w.begin_str();
            text(w);
            w.end_str();
        }
    }

    /// Adds bytes: to a resource its contents, elsewhere an embedded resource. They are encoded as they are written.
    pub fn blob(&mut self, bytes: &[u8]) {
        self.blob_with(|w| base64(w, bytes));
    }

    pub(super) fn blob_with(&mut self, base64: impl FnOnce(&mut Writer<'_>)) {
        let (uri, mime) = (self.contents_uri(), self.listed_mime());
        self.contents(uri, mime, b"\"blob\":", base64);
    }

    /// Adds an image to a tool's result or a prompt.
    pub fn image(&mut self, bytes: &[u8], mime: &str) {
        self.block(b"image", |w| media(w, bytes, mime));
    }

    /// Adds a sound to a tool's result or a prompt. Before 2025-03-26 there is no such block: there it is an embedded
    /// resource.
    pub fn audio(&mut self, bytes: &[u8], mime: &str) {
        if self.revision().has(Feature::Audio) {
            self.block(b"audio", |w| media(w, bytes, mime));
        } else {
            self.embed_blob("data:audio", mime, bytes);
        }
    }

    /// Adds the text of a resource: to a resource as one of its contents, elsewhere embedded.
    pub fn embed_text(&mut self, uri: &str, mime: &str, text: &str) {
        self.contents(uri, mime, b"\"text\":", |w| w.str(text));
    }

    /// Adds the bytes of a resource: to a resource as one of its contents, elsewhere embedded.
    pub fn embed_blob(&mut self, uri: &str, mime: &str, bytes: &[u8]) {
        self.contents(uri, mime, b"\"blob\":", |w| base64(w, bytes));
    }

    /// Adds a link to a resource. Before 2025-06-18 there is no such block: there it is a text.
    pub fn link(&mut self, uri: &str, name: &str, about: &str, mime: &str) {
        if !self.revision().has(Feature::ResourceLink) {
            return self.block(b"text", |w| {
                w.raw_key(b"\"text\":");
                w.begin_str();
                for piece in [name, " <", uri, ">"] {
                    w.text(piece);
                }
                w.end_str();
            });
        }
        self.block(b"resource_link", |w| {
            w.member("uri", uri);
            w.member("name", name);
            some(w, true, "description", about);
            some(w, true, "mimeType", mime);
        });
    }

    /// Adds contents: bare in a resource's result, as an embedded resource elsewhere.
    fn contents(&mut self, uri: &str, mime: &str, key: &[u8], value: impl FnOnce(&mut Writer<'_>)) {
        let body = |w: &mut Writer<'_>| {
            w.object();
            w.member("uri", uri);
            some(w, true, "mimeType", mime);
            w.raw_key(key);
            value(w);
            w.close();
        };
        match self.reply.shape() {
            Shape::Tool | Shape::Prompt => self.block(b"resource", |w| {
                w.raw_key(b"\"resource\":");
                body(w);
            }),
            Shape::Resource | Shape::Template => {
                if let Some(w) = self.item() {
                    body(w);
                }
            }
            Shape::PromptCompletion | Shape::TemplateCompletion => {}
        }
    }

    /// Adds a content block: bare in a tool's result, as a message in a prompt.
    fn block(&mut self, kind: &[u8], body: impl FnOnce(&mut Writer<'_>)) {
        let prompt = self.reply.shape() == Shape::Prompt;
        if !matches!(self.reply.shape(), Shape::Tool | Shape::Prompt) {
            return;
        }
        let (role, annotations) = (self.role, core::mem::take(&mut self.annotations));
        let Some(w) = self.item() else { return };
        if prompt {
            w.raw_key(match role {
                Role::User => b"{\"role\":\"user\",\"content\":",
                Role::Assistant => b"{\"role\":\"assistant\",\"content\":",
            });
        }
        w.raw_key(b"{\"type\":\"");
        w.put(kind);
        w.put(b"\"");
        w.set_comma(true);
        body(w);
        if !annotations.is_empty() {
            w.key("annotations");
            w.raw(annotations.as_bytes());
        }
        w.put(if prompt { b"}}" } else { b"}" });
        w.set_comma(true);
    }

    /// Answers with a structured value (from 2025-06-18) and, unless other content was written before, with the same as
    /// text. It comes last: what is added after it is left out. Up to 2025-11-25 only an object may be structured; any other
    /// value is then text alone.
    pub fn structured<T: Serialize + ?Sized>(&mut self, value: &T) {
        self.structured_with(|w| {
            // What does not fit is latched by the sink; what serde refuses (a map key that is no string) is null.
            if to_writer(w, value).is_err() {
                w.null();
            }
        });
    }

    /// [`structured`](Self::structured), with a value that `value` writes; it is called more than once and must write the
    /// same each time.
    pub fn structured_with(&mut self, value: impl Fn(&mut Writer<'_>)) {
        let object = !self.revision().has(Feature::StructuredAny) && is_object(&value);
        self.structured_as(object, value);
    }

    /// [`structured_with`](Self::structured_with), with a value that is an object, or, if the revision allows it, any.
    pub(super) fn structured_as(&mut self, object: bool, value: impl Fn(&mut Writer<'_>)) {
        if matches!(self.stage, Stage::Closed | Stage::Answered) {
            return;
        }
        if self.stage == Stage::Fresh {
            self.json_text(&value);
        }
        let revision = self.revision();
        let allowed = self.reply.shape() == Shape::Tool
            && (revision.has(Feature::StructuredAny) || (revision.has(Feature::Structured) && object));
        if !allowed {
            return;
        }
        if let Some(w) = self.close_items() {
            w.raw_key(b"\"structuredContent\":");
            value(w);
        }
    }
}

/// Whether `value` writes an object: looks at the first byte alone.
fn is_object(value: &impl Fn(&mut Writer<'_>)) -> bool {
    let mut first = [0; 1];
    let mut fill = Fill::default();
    value(&mut Writer::new(Sink::new(Buf::from(&mut first), &mut fill, None)));
    first == *b"{"
}

fn media(w: &mut Writer<'_>, bytes: &[u8], mime: &str) {
    w.raw_key(b"\"data\":");
    base64(w, bytes);
    w.member("mimeType", mime);
}

fn base64(w: &mut Writer<'_>, bytes: &[u8]) {
    w.begin_str();
    let mut encoder = Encoder::new();
    encoder.encode_into(bytes, &mut |piece| w.put(piece));
    encoder.finish(&mut |piece| w.put(piece));
    w.end_str();
}
