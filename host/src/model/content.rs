//! Content blocks and the contents of resources.

use midge::wire::base64;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::list::Resource;
use crate::client::untrusted;

/// A block of a tool's result or of a prompt's message, by its `type`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// Every other field, `annotations` and `_meta` among them.
        more: Map<String, Value>,
    },
    /// An image.
    Image {
        /// Base64.
        data: String,
        /// Its MIME type.
        mime_type: String,
        /// Every other field.
        more: Map<String, Value>,
    },
    /// Sound.
    Audio {
        /// Base64.
        data: String,
        /// Its MIME type.
        mime_type: String,
        /// Every other field.
        more: Map<String, Value>,
    },
    /// A resource, whole.
    Resource {
        /// What it holds.
        resource: Contents,
        /// Every other field.
        more: Map<String, Value>,
    },
    /// A resource to be read.
    Link(Box<Resource>),
    /// A block of a type that is not known here, or one that lacks what its type needs.
    Other(Value),
}

impl Content {
    /// The bytes of an image, of sound, or of a resource that is no text.
    ///
    /// `None` for other blocks, and when the base64 is not valid.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Image { data, .. } | Self::Audio { data, .. } => decoded(data),
            Self::Resource { resource, .. } => resource.bytes(),
            _ => None,
        }
    }

    /// Its text, if it is text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Its text read as JSON, if it is that: servers write structured results so for clients that know only texts.
    pub fn json(&self) -> Option<Value> {
        untrusted::from_slice(self.text()?.as_bytes()).ok()
    }

    /// Reads a block; one that cannot be read as its type says becomes [`Content::Other`].
    pub fn of(value: Value) -> Self {
        Self::known(&value).unwrap_or(Self::Other(value))
    }

    fn known(value: &Value) -> Option<Self> {
        let mut more = value.as_object()?.clone();
        let kind = more.shift_remove("type")?;
        Some(match kind.as_str()? {
            "text" => Self::Text { text: taken(&mut more, "text")?, more },
            "image" => {
                let (data, mime_type) = media(&mut more)?;
                Self::Image { data, mime_type, more }
            }
            "audio" => {
                let (data, mime_type) = media(&mut more)?;
                Self::Audio { data, mime_type, more }
            }
            "resource" => {
                let resource = serde_json::from_value(more.shift_remove("resource")?).ok()?;
                Self::Resource { resource, more }
            }
            "resource_link" => Self::Link(Box::new(serde_json::from_value(Value::Object(more)).ok()?)),
            _ => return None,
        })
    }

    /// The block as it stands on the wire.
    pub fn to_value(&self) -> Value {
        let (kind, own, more) = match self {
            Self::Text { text, more } => ("text", vec![("text", text.as_str().into())], more),
            Self::Image { data, mime_type, more } => ("image", media_fields(data, mime_type), more),
            Self::Audio { data, mime_type, more } => ("audio", media_fields(data, mime_type), more),
            Self::Resource { resource, more } => {
                ("resource", vec![("resource", serde_json::to_value(resource).unwrap_or_default())], more)
            }
            Self::Link(link) => {
                return tagged("resource_link", serde_json::to_value(link).unwrap_or_default());
            }
            Self::Other(value) => return value.clone(),
        };
        let mut fields: Map<String, Value> = own.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        fields.extend(more.clone());
        tagged(kind, Value::Object(fields))
    }
}

fn media_fields(data: &str, mime_type: &str) -> Vec<(&'static str, Value)> {
    vec![("data", data.into()), ("mimeType", mime_type.into())]
}

/// `fields` with `type` before them.
fn tagged(kind: &str, fields: Value) -> Value {
    let mut all = Map::new();
    all.insert("type".into(), kind.into());
    if let Value::Object(fields) = fields {
        all.extend(fields);
    }
    Value::Object(all)
}

fn taken(fields: &mut Map<String, Value>, key: &str) -> Option<String> {
    match fields.shift_remove(key)? {
        Value::String(s) => Some(s),
        _ => None,
    }
}

fn media(fields: &mut Map<String, Value>) -> Option<(String, String)> {
    Some((taken(fields, "data")?, taken(fields, "mimeType")?))
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Value::deserialize(d).map(Self::of)
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(s)
    }
}

/// What a resource holds: text, or a blob.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contents {
    /// Which resource.
    pub uri: String,
    /// Its MIME type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The text, if it is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Base64, if it is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
    /// Every other field.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Contents {
    /// The bytes of the blob; `None` for text, and when the base64 is not valid.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        decoded(self.blob.as_deref()?)
    }
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.as_bytes().to_vec();
    let n = base64::decode_in_place(&mut bytes).ok()?;
    bytes.truncate(n);
    Some(bytes)
}
