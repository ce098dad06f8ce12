//! What a server asks a client for, and what comes back: forms, URLs, the model, the roots.
//!
//! One vocabulary for both eras: the same [`Ask`] is a request of the server's up to 2025-11-25 and an entry of
//! `inputRequests` from 2026-07-28 on (basic/patterns/mrtr); what only some revisions have is left out of the others, and
//! [`Ask::is_in`] says when that is not possible.

mod answer;
mod check;
mod form;
mod sample;
mod schema;

pub use answer::{Action, Answer, Root, ToolUse};
pub use form::{Choice, Field, FieldKind, Form, Format};
pub use sample::{Content, Include, Message, Preferences, Role, Sample, ToolChoice};

use super::client::Can;
use super::revision::{Feature, Revision};
use crate::json::Writer;

/// What is asked.
///
/// # Memory
/// Borrowed throughout, so that it can be a `const`.
#[derive(Clone, Copy, Debug)]
pub enum Ask<'a> {
    /// The user fills in a form.
    Form(Form<'a>),
    /// The user opens a URL.
    Url(UrlAsk<'a>),
    /// The model says something.
    Sample(Sample<'a>),
    /// The client tells its roots. Deprecated in 2026-07-28.
    Roots,
}

/// A URL for the user to open (from 2025-11-25): for secrets, payments, signing in.
///
/// The user accepts to open it, no more; that something came of it is learnt elsewhere. The URL must carry no secret of
/// the user's and sign nobody in, and whoever opens it must be checked to be the same user (client/elicitation, "Security
/// Considerations").
#[derive(Clone, Copy, Debug)]
pub struct UrlAsk<'a> {
    /// Why the server asks, for the user.
    pub message: &'a str,
    /// The URL.
    pub url: &'a str,
    /// `elicitationId`, unique among those of the client (2025-11-25 only).
    pub id: &'a str,
}

impl<'a> Ask<'a> {
    /// Asks the user to fill in `fields`.
    pub const fn form(message: &'a str, fields: &'a [Field<'a>]) -> Self {
        Self::Form(Form { message, fields, schema: "" })
    }

    /// Asks the user to open `url`; `id` names this in later messages (2025-11-25 only).
    pub const fn url(message: &'a str, url: &'a str, id: &'a str) -> Self {
        Self::Url(UrlAsk { message, url, id })
    }

    /// Asks the model to go on after `messages`, with at most `max_tokens`.
    pub const fn sample(messages: &'a [Message<'a>], max_tokens: u32) -> Self {
        Self::Sample(Sample::new(messages, max_tokens))
    }

    /// The method that asks it.
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Form(_) | Self::Url(_) => "elicitation/create",
            Self::Sample(_) => "sampling/createMessage",
            Self::Roots => "roots/list",
        }
    }

    /// What the client must have declared to be asked this.
    pub fn needs(&self) -> Can {
        match self {
            Self::Form(_) => Can::ELICIT,
            Self::Url(_) => Can::ELICIT_URL,
            Self::Sample(sample) if sample.has_tools() => Can::SAMPLE_WITH_TOOLS,
            Self::Sample(_) => Can::SAMPLE,
            Self::Roots => Can::LIST_ROOTS,
        }
    }

    /// Whether this can be asked in `revision`: forms from 2025-06-18, with a choice of several from 2025-11-25; URLs and
    /// tools of the model from 2025-11-25; sounds from 2025-03-26.
    pub fn is_in(&self, revision: Revision) -> bool {
        match self {
            Self::Form(form) => {
                let several = form.fields.iter().any(|f| matches!(f.kind, FieldKind::ManyOf { .. }));
                let needed = if several && form.schema.is_empty() {
                    Feature::FormChoices
                } else {
                    Feature::Elicitation
                };
                revision.has(needed)
            }
            Self::Url(_) => revision.has(Feature::UrlMode),
            Self::Sample(sample) => sample.is_in(revision),
            Self::Roots => true,
        }
    }

    /// Writes the members of `params`, an object that is open, in the form of `revision`, which [has it](Self::is_in).
    ///
    /// `task` is the id of the task that asks, empty for none (2025-11-25 tasks: `related-task`).
    pub fn write_params(&self, w: &mut Writer<'_>, revision: Revision, task: &str) {
        match self {
            Self::Form(form) => {
                if revision.has(Feature::UrlMode) {
                    w.member("mode", "form");
                }
                w.member("message", form.message);
                w.key("requestedSchema");
                schema::write(form, w, revision);
            }
            Self::Url(ask) => {
                w.member("mode", "url");
                w.member("message", ask.message);
                if revision.has(Feature::ElicitationId) {
                    w.member("elicitationId", ask.id);
                }
                w.member("url", ask.url);
            }
            Self::Sample(sample) => sample.write(w, revision),
            Self::Roots => {}
        }
        if !task.is_empty() {
            related(w, task);
        }
    }
}

/// `_meta` of a message that belongs to a task (2025-11-25 basic/utilities/tasks, "Related Task").
pub(crate) fn related(w: &mut Writer<'_>, task: &str) {
    w.key("_meta");
    w.object();
    w.key("io.modelcontextprotocol/related-task");
    w.object();
    w.member("taskId", task);
    w.close();
    w.close();
}
