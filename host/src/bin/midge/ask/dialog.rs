//! The conversation with the user about one question.

use super::Heard;
use super::address::Address;
use super::field::Field;
use crate::args::schema::plain;
use crate::safe;
use crate::screen::{Screen, Style, wrap};
use midge_host::Question;
use serde_json::{Map, Value};

/// Someone to talk to.
pub trait Talk {
    /// Says a line or several.
    fn say(&mut self, text: &str);
    /// Waits for a line, after `prompt`.
    fn listen(&mut self, prompt: &str) -> Heard;
}

/// What the user has decided.
#[derive(Debug, PartialEq)]
pub enum Decision {
    Accept(Map<String, Value>),
    Decline,
    Cancel,
    /// The question is of a kind that was not offered.
    Unknown,
}

/// Talks to the user.
pub struct Dialog<'n, T> {
    talk: T,
    screen: Screen,
    known_as: Option<&'n str>,
}

impl<'n, T: Talk> Dialog<'n, T> {
    pub fn new(talk: T, screen: Screen, known_as: Option<&'n str>) -> Self {
        Self { talk, screen, known_as }
    }

    pub fn ask(&mut self, question: &Question) -> Decision {
        let decision = match question {
            Question::Form { message, schema, server, call } => {
                self.head(server, call.as_deref(), message);
                self.form(schema)
            }
            Question::Url { message, url, server, .. } => {
                self.head(server, None, message);
                self.url(url)
            }
            _ => return Decision::Unknown,
        };
        match decision {
            Ok(content) => Decision::Accept(content),
            Err(decision) => decision,
        }
    }

    /// Who asks, and what. The name is the one that the user has given the server, if any: a server can call itself anything.
    fn head(&mut self, server: &str, call: Option<&str>, message: &str) {
        let server = safe::line(self.known_as.unwrap_or(server));
        let call = call.map(|call| format!(" ({})", safe::line(call))).unwrap_or_default();
        let head = self.screen.paint(Style::Bold, &format!("The server {server} asks{call}:"));
        self.talk.say(&format!("\n{head}"));
        // Marked in each line: a message is not to look like what midge itself says about the question.
        self.talk.say(wrap(&safe::block(message), "  | ", self.screen.width).trim_end_matches('\n'));
    }

    fn form(&mut self, schema: &Value) -> Result<Map<String, Value>, Decision> {
        let fields = Field::all(schema);
        let help = "* must be answered; Enter takes what stands in [ ]; d declines; Ctrl-C cancels";
        self.talk.say(&self.screen.paint(Style::Dim, &format!("  {help}")));
        let mut content = Map::new();
        for field in &fields {
            if let Some(value) = self.field(field)? {
                content.insert(field.name.to_owned(), value);
            }
        }
        // A form without fields is a question with two answers.
        if fields.is_empty() && !self.agrees("  Agree? (yes or no) ")? {
            return Err(Decision::Decline);
        }
        Ok(content)
    }

    fn field(&mut self, field: &Field<'_>) -> Result<Option<Value>, Decision> {
        let star = if field.required { "*" } else { "" };
        let name = self.screen.paint(Style::Name, &safe::line(field.title().unwrap_or(field.name)));
        let about = field.about().map(|about| format!(": {}", safe::line(about))).unwrap_or_default();
        self.talk.say(&format!("  {name}{star}{about}"));
        for (at, choice) in field.choices().iter().enumerate() {
            let title = choice.title.map(|title| format!("  {}", safe::line(title))).unwrap_or_default();
            self.talk.say(&format!("    {}  {}{title}", at + 1, safe::line(&plain(choice.value))));
        }
        let default =
            field.default().map(|value| format!(" [{}]", safe::line(&written(value)))).unwrap_or_default();
        let prompt = format!("    {}{default}: ", safe::line(&field.kind()));
        loop {
            let text = self.line(&prompt)?;
            match taken(field, &text) {
                Ok(value) => return Ok(value),
                Err(why) => {
                    self.talk.say(&self.screen.paint(Style::Warn, &format!("    {}", safe::line(&why))))
                }
            }
        }
    }

    /// A line that is neither a refusal nor the end.
    fn line(&mut self, prompt: &str) -> Result<String, Decision> {
        loop {
            match self.talk.listen(prompt) {
                Heard::Line(text) if matches!(text.trim(), "d" | "D") => return Err(Decision::Decline),
                Heard::Line(text) => return Ok(text),
                Heard::Stale => self.talk.say("    That line was for the question before. Once more:"),
                Heard::End | Heard::Interrupted => return Err(Decision::Cancel),
                Heard::Over => {
                    self.talk.say("  The server does not wait for this answer any more.");
                    return Err(Decision::Cancel);
                }
            }
        }
    }

    fn agrees(&mut self, prompt: &str) -> Result<bool, Decision> {
        loop {
            match self.line(prompt)?.trim().to_ascii_lowercase().as_str() {
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => {}
            }
        }
    }

    /// midge opens nothing: the user sees the whole URL, decides, and opens it where it is safe.
    fn url(&mut self, url: &str) -> Result<Map<String, Value>, Decision> {
        let address = Address::new(url);
        let screen = self.screen;
        self.talk.say("  It wants you to open this page:");
        self.talk.say(&format!("    {}", address.shown(|host| screen.paint(Style::Bold, host))));
        if !address.is_page() {
            let why = "  This is no page on a host (https or http): midge declines.";
            self.talk.say(&screen.paint(Style::Bad, why));
            return Err(Decision::Decline);
        }
        self.talk.say(&format!(
            "  It leads to the host {}.",
            screen.paint(Style::Bold, &safe::line(address.host()))
        ));
        for warning in address.warnings() {
            self.talk.say(&screen.paint(Style::Bad, &format!("  Careful: {warning}.")));
        }
        self.talk.say(&screen.paint(
            Style::Dim,
            "  midge does not open it. Open it in a browser if you trust the server and this host.",
        ));
        if self.agrees("  Tell the server that you agree to open it? (yes, no; Ctrl-C cancels) ")? {
            return Ok(Map::new());
        }
        Err(Decision::Decline)
    }
}

/// What the user's line means for `field`: nothing is its default, or no value.
fn taken(field: &Field<'_>, text: &str) -> Result<Option<Value>, String> {
    let value = match text {
        "" => match field.default() {
            Some(value) => return Ok(Some(value.clone())),
            None if field.required => return Err("this has to be answered; \"\" is the empty text".into()),
            None => return Ok(None),
        },
        "\"\"" => field.read(""),
        // The one text that means something else.
        "\\d" => field.read("d"),
        text => field.read(text),
    };
    value.map(Some)
}

/// A default as the user would write it.
fn written(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        value => plain(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::VecDeque;

    #[derive(Default)]
    struct Script {
        lines: VecDeque<Heard>,
        said: String,
    }

    impl Talk for &mut Script {
        fn say(&mut self, text: &str) {
            self.said += &format!("{text}\n");
        }

        fn listen(&mut self, prompt: &str) -> Heard {
            self.said += &format!("{prompt}<\n");
            self.lines.pop_front().unwrap_or(Heard::End)
        }
    }

    fn asked(question: &Question, lines: &[&str]) -> (Decision, String) {
        let lines = lines.iter().map(|line| Heard::Line((*line).to_owned())).collect();
        let mut script = Script { lines, said: String::new() };
        let decision = Dialog::new(&mut script, Screen::plain(), None).ask(question);
        (decision, script.said)
    }

    fn form(schema: Value) -> Question {
        Question::Form {
            message: "Set it\x1b[2J up".into(),
            schema,
            server: "home".into(),
            call: Some("call".into()),
        }
    }

    fn accepted(content: Value) -> Decision {
        Decision::Accept(content.as_object().unwrap().clone())
    }

    #[test]
    fn asks_every_field() {
        let question = form(json!({"properties": {
            "sure": {"type": "boolean", "description": "Whether to"},
            "mode": {"type": "string", "enum": ["heat", "off"], "default": "off"},
            "note": {"type": "string"},
            "count": {"type": "integer", "minimum": 1},
        }, "required": ["sure"]}));
        let (decision, said) = asked(&question, &["", "perhaps", "yes", "", "", "0", "2"]);
        assert_eq!(decision, accepted(json!({"sure": true, "mode": "off", "count": 2})));
        for part in [
            "The server home asks (call):",
            "  | Set it␛[2J up\n",
            "  sure*: Whether to\n    yes or no: <\n    this has to be answered",
            "    write yes or no\n",
            "    1  heat\n    2  off\n    number or value [off]: <\n",
            "    takes integer, at least 1, not 0\n",
        ] {
            assert!(said.contains(part), "{part:?} is not in\n{said}");
        }
        assert!(!said.contains('\x1b'));
    }

    #[test]
    fn declines_and_cancels() {
        let question = form(json!({"properties": {"name": {"type": "string"}}, "required": ["name"]}));
        assert_eq!(asked(&question, &["d"]).0, Decision::Decline);
        assert_eq!(asked(&question, &[]).0, Decision::Cancel);
        assert_eq!(asked(&question, &["\\d"]).0, accepted(json!({"name": "d"})));
        assert_eq!(asked(&question, &["\"\""]).0, accepted(json!({"name": ""})));
        for (heard, says) in [(Heard::Interrupted, false), (Heard::Over, true)] {
            let mut script = Script { lines: [heard].into(), said: String::new() };
            assert_eq!(Dialog::new(&mut script, Screen::plain(), None).ask(&question), Decision::Cancel);
            assert_eq!(script.said.contains("any more"), says);
        }
    }

    #[test]
    fn a_form_without_fields_is_a_question() {
        let question = form(json!({"type": "object", "properties": {}}));
        assert_eq!(asked(&question, &["", "yes"]).0, accepted(json!({})));
        assert_eq!(asked(&question, &["no"]).0, Decision::Decline);
    }

    #[test]
    fn urls_need_consent() {
        let url = |url: &str| Question::Url {
            message: "Sign in".into(),
            url: url.into(),
            server: "home".into(),
            id: None,
        };
        let (decision, said) = asked(&url("https://example.com/sign-in?x=1"), &["yes"]);
        assert_eq!(decision, accepted(json!({})));
        assert!(said.contains("https://example.com/sign-in?x=1\n") && !said.contains("Careful"), "{said}");
        let (decision, said) = asked(&url("http://xn--pple-43d.com/"), &["", "no"]);
        assert_eq!(decision, Decision::Decline);
        assert_eq!(said.matches("Careful").count(), 2, "{said}");
        assert_eq!(asked(&url("https://example.com"), &[]).0, Decision::Cancel);
        let (decision, said) = asked(&url("javascript://localhost/%0aalert(1)"), &["yes"]);
        assert!(decision == Decision::Decline && said.contains("declines"), "{said}");
    }

    #[test]
    fn a_message_does_not_pass_for_what_midge_says() {
        let message = "Sign in\n\n  It leads to the host good.com.".into();
        let question =
            Question::Url { message, url: "https://evil.com".into(), server: "home".into(), id: None };
        let said = asked(&question, &["no"]).1;
        let hosts = |line: &&str| line.starts_with("  It leads to the host ");
        assert_eq!(said.lines().filter(hosts).collect::<Vec<_>>(), ["  It leads to the host evil.com."]);
    }

    #[test]
    fn the_users_name_for_a_server_is_shown() {
        let mut script = Script::default();
        let question = form(json!({}));
        Dialog::new(&mut script, Screen::plain(), Some("mine")).ask(&question);
        assert!(script.said.contains("The server mine asks"), "{}", script.said);
    }
}
