//! `--yes`: every question is answered with its defaults and with yes.

use super::field::Field;
use crate::output::Output;
use crate::safe;
use midge::Can;
use midge_host::client::BoxFuture;
use midge_host::{Answers, Question, Reply};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Agrees. It opens no URLs: nobody would look at them.
pub struct Agree(pub Arc<Output>);

impl Answers for Agree {
    fn answer(&self, question: Question) -> BoxFuture<'static, Reply> {
        let Question::Form { message, schema, .. } = question else {
            return Box::pin(async { Reply::Decline });
        };
        let message = safe::line(&message);
        let reply = match agreed(&schema) {
            Ok(content) => {
                self.0.note(&format!("agreed to: {message} ({})", Value::Object(content.clone())));
                Reply::Accept(content)
            }
            Err(field) => {
                self.0.note(&format!("declined: {message} (`{}` has no default)", safe::line(&field)));
                Reply::Decline
            }
        };
        Box::pin(async { reply })
    }

    fn can(&self) -> Can {
        Can::ELICIT
    }
}

/// The defaults; what must be there and has none is yes, if it can be.
///
/// # Errors
/// The name of a field that must be there, has no default, and is no yes or no.
pub fn agreed(schema: &Value) -> Result<Map<String, Value>, String> {
    let mut content = Map::new();
    for field in Field::all(schema) {
        let value = match field.default() {
            Some(value) => value.clone(),
            None if field.is_boolean() => Value::Bool(true),
            None if field.required => return Err(field.name.to_owned()),
            None => continue,
        };
        content.insert(field.name.to_owned(), value);
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn agrees_with_defaults() {
        let schema = json!({"properties": {
            "sure": {"type": "boolean"}, "loud": {"type": "boolean", "default": false},
            "name": {"type": "string", "default": "x"}, "note": {"type": "string"},
        }, "required": ["sure", "name"]});
        assert_eq!(
            Value::Object(agreed(&schema).unwrap()),
            json!({"sure": true, "loud": false, "name": "x"})
        );
        let open = json!({"properties": {"name": {"type": "string"}}, "required": ["name"]});
        assert_eq!(agreed(&open), Err("name".to_owned()));
    }
}
