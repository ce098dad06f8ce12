//! How a form's fields are written: the `requestedSchema` of each revision.

use super::form::{Choice, Field, FieldKind, Form};
use crate::json::Writer;
use crate::proto::info::some;
use crate::proto::revision::{Feature, Revision};

/// Writes the `requestedSchema` object.
pub(super) fn write(form: &Form<'_>, w: &mut Writer<'_>, revision: Revision) {
    if !form.schema.is_empty() {
        // Token by token, since a line break between two of them would end the message.
        return w.value(form.schema.as_bytes());
    }
    w.object();
    w.member("type", "object");
    w.key("properties");
    w.object();
    for field in form.fields {
        w.key(field.name);
        w.object();
        property(field, w, revision);
        w.close();
    }
    w.close();
    if form.fields.iter().any(|f| f.required) {
        w.key("required");
        list(w, form.fields.iter().filter(|f| f.required).map(|f| f.name));
    }
    w.close();
}

fn property(field: &Field<'_>, w: &mut Writer<'_>, revision: Revision) {
    w.member("type", type_of(&field.kind));
    some(w, true, "title", field.title);
    some(w, true, "description", field.about);
    let newer = revision.has(Feature::FormChoices);
    match field.kind {
        FieldKind::Text { min, max, format, default } => {
            counts(w, ("minLength", min), ("maxLength", max));
            some(w, true, "format", format.map_or("", |f| f.name()));
            default_text(w, default.filter(|_| newer));
        }
        FieldKind::Integer { min, max, default } => {
            integer(w, "minimum", Some(min).filter(|v| *v != i64::MIN));
            integer(w, "maximum", Some(max).filter(|v| *v != i64::MAX));
            integer(w, "default", default.filter(|_| newer));
        }
        FieldKind::Number { min, max, default } => {
            some_value(w, "minimum", min);
            some_value(w, "maximum", max);
            some_value(w, "default", if newer { default } else { "" });
        }
        FieldKind::Boolean { default } => {
            some_value(w, "default", default.map_or("", |on| if on { "true" } else { "false" }));
        }
        FieldKind::OneOf { choices, default, legacy } => {
            single(w, choices, newer && !legacy);
            default_text(w, default.filter(|_| newer));
        }
        FieldKind::ManyOf { choices, min, max, defaults } => {
            counts(w, ("minItems", min), ("maxItems", max));
            multiple(w, choices);
            if let Some(values) = defaults {
                w.key("default");
                list(w, values.iter().copied());
            }
        }
    }
}

fn type_of(kind: &FieldKind<'_>) -> &'static str {
    match kind {
        FieldKind::Text { .. } | FieldKind::OneOf { .. } => "string",
        FieldKind::Integer { .. } => "integer",
        FieldKind::Number { .. } => "number",
        FieldKind::Boolean { .. } => "boolean",
        FieldKind::ManyOf { .. } => "array",
    }
}

fn single(w: &mut Writer<'_>, choices: &[Choice<'_>], newer: bool) {
    if newer && are_titled(choices) {
        return titled(w, "oneOf", choices);
    }
    w.key("enum");
    list(w, choices.iter().map(|c| c.value));
    if are_titled(choices) {
        w.key("enumNames");
        list(w, choices.iter().map(title));
    }
}

fn multiple(w: &mut Writer<'_>, choices: &[Choice<'_>]) {
    w.key("items");
    w.object();
    if are_titled(choices) {
        titled(w, "anyOf", choices);
    } else {
        w.member("type", "string");
        w.key("enum");
        list(w, choices.iter().map(|c| c.value));
    }
    w.close();
}

fn are_titled(choices: &[Choice<'_>]) -> bool {
    choices.iter().any(|c| !c.title.is_empty())
}

fn title<'a>(choice: &Choice<'a>) -> &'a str {
    if choice.title.is_empty() { choice.value } else { choice.title }
}

fn titled(w: &mut Writer<'_>, name: &str, choices: &[Choice<'_>]) {
    w.key(name);
    w.array();
    for choice in choices {
        w.object();
        w.member("const", choice.value);
        w.member("title", title(choice));
        w.close();
    }
    w.close();
}

fn counts(w: &mut Writer<'_>, least: (&str, u32), most: (&str, u32)) {
    integer(w, least.0, Some(i64::from(least.1)).filter(|v| *v > 0));
    integer(w, most.0, Some(i64::from(most.1)).filter(|v| *v < i64::from(u32::MAX)));
}

fn integer(w: &mut Writer<'_>, name: &str, value: Option<i64>) {
    if let Some(value) = value {
        w.key(name);
        w.i64(value);
    }
}

fn default_text(w: &mut Writer<'_>, text: Option<&str>) {
    if let Some(text) = text {
        w.member("default", text);
    }
}

/// Writes an array of strings.
pub(super) fn list<'a>(w: &mut Writer<'_>, texts: impl Iterator<Item = &'a str>) {
    w.array();
    for text in texts {
        w.str(text);
    }
    w.close();
}

/// Writes a member that is JSON text, unless it is empty.
pub(super) fn some_value(w: &mut Writer<'_>, name: &str, json: &str) {
    if !json.is_empty() {
        w.key(name);
        w.value(json.as_bytes());
    }
}
