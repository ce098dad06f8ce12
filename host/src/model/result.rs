//! Results of calls.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::content::{Content, Contents};
use super::list::null_is_empty;

/// What a tool answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// Blocks to show or to give to a model.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub content: Vec<Content>,
    /// The structured result; any JSON, `null` included, from 2026-07-28.
    #[serde(
        rename = "structuredContent",
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub structured: Option<Value>,
    /// Whether the tool failed: `content` then says why.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub is_error: bool,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
    /// Every other field.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl ToolResult {
    /// The text blocks, one below the other.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(Content::text).collect();
        texts.join("\n")
    }
}

/// A field that is there is `Some`, also when it is `null`.
fn present<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(d).map(Some)
}

/// What a resource holds; a folder may answer with several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadResult {
    /// The contents.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub contents: Vec<Contents>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
    /// Every other field.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A prompt with its arguments filled in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptResult {
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The messages.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub messages: Vec<PromptMessage>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
    /// Every other field.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A message of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromptMessage {
    /// `user` or `assistant`.
    pub role: String,
    /// What it says.
    pub content: Content,
    /// Every other field.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Values that an argument may be completed to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// Up to 100 values, the best first.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub values: Vec<String>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more than these.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub has_more: bool,
    /// Every other field.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Whose argument is to be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// A prompt's, by its name.
    Prompt(String),
    /// A resource template's, by its template.
    Resource(String),
}

impl Reference {
    /// The reference as it stands on the wire.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Prompt(name) => json!({ "type": "ref/prompt", "name": name }),
            Self::Resource(uri) => json!({ "type": "ref/resource", "uri": uri }),
        }
    }
}
