//! Results as people read them.

use crate::failure::Failure;
use crate::output::Output;
use crate::safe;
use crate::save::Saver;
use crate::screen::Style;
use midge_host::{Content, Contents, PromptResult, ReadResult, Resource, ToolResult};
use serde::Serialize;
use serde_json::Value;

/// Builds the text of a result, and saves its bytes on the way.
pub struct Show<'o> {
    out: &'o Output,
    saver: Saver,
    /// What bytes without a name are called.
    hint: String,
    text: String,
}

impl<'o> Show<'o> {
    pub fn new(out: &'o Output, saver: Saver, hint: &str) -> Self {
        Self { out, saver, hint: hint.to_owned(), text: String::new() }
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Prints what was shown, or for scripts the whole `result`.
    pub fn finish(self, result: &impl Serialize) -> Result<(), Failure> {
        if !self.out.json || self.saver.takes_stdout() {
            return self.print();
        }
        self.saver.paths().iter().for_each(|path| self.out.note(&format!("saved as {path}")));
        self.out.document(&serde_json::to_value(result).unwrap_or_default())
    }

    /// Prints the text, beside stdout when that is for bytes.
    pub fn print(self) -> Result<(), Failure> {
        if self.saver.wanted() && self.saver.saved() == 0 {
            self.out.note("nothing was saved: the answer has no bytes");
        }
        if self.saver.takes_stdout() {
            if !self.text.is_empty() {
                self.out.note(self.text.trim_end());
            }
            return Ok(());
        }
        self.out.print(&self.text)
    }

    pub fn tool_result(&mut self, result: &ToolResult) -> Result<(), Failure> {
        for content in &result.content {
            self.content(content)?;
        }
        if let Some(structured) = &result.structured
            && !has_twin(result, structured)
        {
            self.body(&format!("{structured:#}"));
        }
        Ok(())
    }

    /// Contents are texts as they are; a heading tells them apart when there are several.
    pub fn read_result(&mut self, result: &ReadResult) -> Result<(), Failure> {
        for contents in &result.contents {
            if result.contents.len() > 1 {
                let heading = safe::line(&[&contents.uri, ":"].concat());
                self.line(&self.out.stdout.paint(Style::Dim, &heading));
            }
            match &contents.text {
                Some(text) if self.saver.wanted() => {
                    let size = text.len();
                    let path = self.saver.put(text.as_bytes(), &contents.uri, mime(contents), self.out)?;
                    self.bytes_line("text", mime(contents), size, path);
                }
                Some(text) => self.body(text),
                None => self.blob("blob", contents)?,
            }
        }
        Ok(())
    }

    pub fn prompt_result(&mut self, result: &PromptResult) -> Result<(), Failure> {
        for message in &result.messages {
            let role = safe::line(&[&message.role, ":"].concat());
            self.line(&self.out.stdout.paint(Style::Bold, &role));
            self.content(&message.content)?;
        }
        Ok(())
    }

    fn content(&mut self, content: &Content) -> Result<(), Failure> {
        match content {
            Content::Text { text, .. } => self.body(text),
            Content::Image { mime_type, .. } => self.media("image", mime_type, content)?,
            Content::Audio { mime_type, .. } => self.media("audio", mime_type, content)?,
            Content::Resource { resource, .. } => self.embedded(resource)?,
            Content::Link(link) => self.link(link),
            other => self.body(&other.to_value().to_string()),
        }
        Ok(())
    }

    fn media(&mut self, what: &str, mime: &str, content: &Content) -> Result<(), Failure> {
        let Some(bytes) = content.bytes() else {
            self.line(&format!("{what} {}, not valid base64", safe::line(mime)));
            return Ok(());
        };
        let path = self.saver.put(&bytes, &self.hint, Some(mime), self.out)?;
        self.bytes_line(what, Some(mime), bytes.len(), path);
        Ok(())
    }

    fn embedded(&mut self, resource: &Contents) -> Result<(), Failure> {
        let Some(text) = &resource.text else {
            return self.blob(&safe::line(&format!("resource {}", resource.uri)), resource);
        };
        let kind = resource.mime_type.as_ref().map(|mime| format!(" {mime}")).unwrap_or_default();
        let heading = safe::line(&format!("resource {}{kind}:", resource.uri));
        self.line(&self.out.stdout.paint(Style::Dim, &heading));
        self.body(text);
        Ok(())
    }

    fn blob(&mut self, what: &str, contents: &Contents) -> Result<(), Failure> {
        let Some(bytes) = contents.bytes() else {
            self.line(&format!("{what}, neither text nor valid base64"));
            return Ok(());
        };
        let path = self.saver.put(&bytes, &contents.uri, mime(contents), self.out)?;
        self.bytes_line(what, mime(contents), bytes.len(), path);
        Ok(())
    }

    fn link(&mut self, link: &Resource) {
        let name = link.title.as_ref().unwrap_or(&link.name);
        let mime = link.mime_type.as_ref().map(|mime| format!(" ({mime})")).unwrap_or_default();
        let about = link.description.as_ref().map(|about| format!(": {about}")).unwrap_or_default();
        self.line(&safe::line(&format!("link {} {name}{mime}{about}", link.uri)));
    }

    fn bytes_line(&mut self, what: &str, mime: Option<&str>, size: usize, path: Option<String>) {
        let mime = mime.map(|mime| format!(" {}", safe::line(mime))).unwrap_or_default();
        let saved = path.map(|path| format!(", saved as {path}")).unwrap_or_default();
        self.line(&format!("{what}{mime}, {} bytes{saved}", grouped(size)));
    }

    /// A server's text, ended with a line end.
    fn body(&mut self, text: &str) {
        self.text += &self.out.stdout.body(text);
        if !text.is_empty() && !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }
}

fn mime(contents: &Contents) -> Option<&str> {
    contents.mime_type.as_deref()
}

/// Whether a text says the same as the structured result, as servers do for clients that know only texts.
fn has_twin(result: &ToolResult, structured: &Value) -> bool {
    // Servers whose results are no objects wrap them in one, and not in the text.
    let only =
        structured.as_object().filter(|object| object.len() == 1).and_then(|object| object.values().next());
    let says = |content: &Content, value: &Value| {
        let text = content.text().map(str::trim);
        text.is_some_and(|text| value.as_str().is_some_and(|told| told.trim() == text))
            || content.json().is_some_and(|told| told == *value)
    };
    let mut wanted = [Some(structured), only].into_iter().flatten();
    wanted.any(|value| result.content.iter().any(|content| says(content, value)))
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::Screen;
    use serde_json::json;

    fn shown(result: Value, terminal: bool) -> String {
        let mut out = Output::new(false, true);
        out.stdout = Screen { terminal, ..Screen::plain() };
        let mut show = Show::new(&out, Saver::nowhere(), "tool");
        show.tool_result(&serde_json::from_value(result).unwrap()).unwrap();
        show.text
    }

    #[test]
    fn shows_every_kind_of_content() {
        let result = json!({"content": [
            {"type": "text", "text": "one\ntwo"},
            {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
            {"type": "audio", "data": "!", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "x://a", "mimeType": "text/plain", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "x://b", "blob": "AAAA"}},
            {"type": "resource_link", "uri": "x://c", "name": "c", "mimeType": "text/css", "description": "Colours"},
            {"type": "hologram", "n": 1},
        ]});
        assert_eq!(
            shown(result, false),
            "one\ntwo\nimage image/png, 5 bytes\naudio audio/wav, not valid base64\n\
             resource x://a text/plain:\ninside\nresource x://b, 3 bytes\nlink x://c c (text/css): Colours\n\
             {\"type\":\"hologram\",\"n\":1}\n"
        );
    }

    #[test]
    fn structured_results_are_shown_once() {
        let twin =
            json!({"content": [{"type": "text", "text": "{\"a\": 1}"}], "structuredContent": {"a": 1}});
        assert_eq!(shown(twin, false), "{\"a\": 1}\n");
        let wrapped =
            json!({"content": [{"type": "text", "text": "hey"}], "structuredContent": {"content": "hey\n"}});
        assert_eq!(shown(wrapped, false), "hey\n");
        let list = json!({"content": [{"type": "text", "text": "[1]"}], "structuredContent": {"all": [1]}});
        assert_eq!(shown(list, false), "[1]\n");
        let alone = json!({"content": [{"type": "text", "text": "Done."}], "structuredContent": {"a": 9007199254740993_u64}});
        assert_eq!(shown(alone, false), "Done.\n{\n  \"a\": 9007199254740993\n}\n");
    }

    #[test]
    fn texts_are_harmless_on_terminals_only() {
        let hostile = json!({"content": [{"type": "text", "text": "\u{1b}[2Jx"}]});
        assert_eq!(shown(hostile.clone(), true), "␛[2Jx\n");
        assert_eq!(shown(hostile, false), "\u{1b}[2Jx\n");
        let named = json!({"content": [{"type": "image", "data": "", "mimeType": "a\u{1b}b\nc"}]});
        assert_eq!(shown(named, false), "image a␛b c, 0 bytes\n");
    }

    #[test]
    fn groups_digits() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
