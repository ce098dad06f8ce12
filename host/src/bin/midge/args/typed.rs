//! Texts turned into values by a schema.

use super::Problem;
use super::schema::{Schema, plain};
use crate::near;
use serde_json::{Number, Value};
use std::cell::Cell;

/// The value that `texts`, given one after the other for the same argument, are under `schema`.
///
/// Alternatives are tried in the schema's order. Several texts are a list.
///
/// # Errors
/// None of the alternatives takes them.
pub fn typed(texts: &[&str], schema: &Schema<'_>, path: &str) -> Result<Value, Problem> {
    typed_at(texts, schema, path, 0)
}

fn typed_at(texts: &[&str], schema: &Schema<'_>, path: &str, depth: usize) -> Result<Value, Problem> {
    let [text] = texts else {
        let lists = many(schema);
        let Some(list) = lists.first() else {
            let times = texts.len();
            return Err(Problem::new(
                path,
                format!("is given {times} times, but takes {}", schema.describe()),
            ));
        };
        return list_of(texts, list, path, depth);
    };
    if let Some(value) = single(text, schema, Room { depth, tries: &Cell::new(TRIES) }) {
        return Ok(value);
    }
    // An item that does not fit is a better message than "takes a list".
    if let [list] = many(schema).as_slice()
        && schema.types().len() < 2
        && schema.alternatives().is_empty()
        && !text.trim_start().starts_with('[')
        && depth < DEPTH
    {
        return list_of(texts, list, path, depth);
    }
    Err(refused(text, schema, path))
}

/// The alternatives that are lists.
fn many<'s>(schema: &Schema<'s>) -> Vec<Schema<'s>> {
    let all = std::iter::once(*schema).chain(schema.alternatives());
    all.filter(|one| one.types().contains(&"array")).collect()
}

fn list_of(texts: &[&str], list: &Schema<'_>, path: &str, depth: usize) -> Result<Value, Problem> {
    let item = |text: &&str| match list.items() {
        Some(items) => typed_at(&[text], &items, path, depth + 1),
        None => Ok(guessed(text)),
    };
    texts.iter().map(item).collect::<Result<Vec<_>, _>>().map(Value::Array)
}

fn refused(text: &str, schema: &Schema<'_>, path: &str) -> Problem {
    let names: Vec<String> = schema.allowed().unwrap_or_default().into_iter().map(plain).collect();
    let hint = near::hint(text, names.iter().map(String::as_str));
    Problem::new(path, format!("takes {}, not `{text}`{hint}", schema.describe()))
}

/// How deep alternatives of alternatives, and lists of lists, are looked at.
const DEPTH: usize = 8;
/// How many there may be of them: each level multiplies their number.
const TRIES: usize = 10_000;

/// How far it may still be looked.
#[derive(Clone, Copy)]
struct Room<'c> {
    depth: usize,
    tries: &'c Cell<usize>,
}

impl Room<'_> {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// Whether this was not one too many.
    fn is_left(self) -> bool {
        let tries = self.tries.get();
        self.tries.set(tries.saturating_sub(1));
        tries > 0
    }
}

fn single(text: &str, schema: &Schema<'_>, room: Room<'_>) -> Option<Value> {
    if !room.is_left() {
        return None;
    }
    if let Some(values) = schema.allowed() {
        return values.into_iter().find(|value| is_written(value, text)).cloned();
    }
    let types = schema.types();
    if !types.is_empty() {
        return types.iter().find_map(|name| of_type(text, name, schema, room));
    }
    let alternatives = schema.alternatives();
    if alternatives.is_empty() || room.depth == DEPTH {
        return Some(guessed(text));
    }
    alternatives.iter().find_map(|one| single(text, one, room.deeper()))
}

/// Whether `text` is how one writes `value`.
fn is_written(value: &Value, text: &str) -> bool {
    match value {
        Value::String(name) => name == text,
        other => serde_json::from_str::<Value>(text).is_ok_and(|given| given == *other),
    }
}

fn of_type(text: &str, name: &str, schema: &Schema<'_>, room: Room<'_>) -> Option<Value> {
    match name {
        "string" => Some(Value::from(text)),
        "integer" => integer(text).map(Value::Number),
        "number" => number(text).map(Value::Number),
        "boolean" => text.parse().ok().map(Value::Bool),
        "null" => matches!(text, "" | "null").then_some(Value::Null),
        "object" => serde_json::from_str(text).ok().filter(Value::is_object),
        "array" => array(text, schema, room),
        _ => None,
    }
}

/// A number, digit for digit as it was written.
pub fn number(text: &str) -> Option<Number> {
    // Only numbers: serde_json reads white space around them too.
    let plain = text.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'-' | b'+' | b'.' | b'e' | b'E'));
    plain.then(|| serde_json::from_str(text).ok()).flatten()
}

/// A whole number of any size; JSON Schema counts `20.0` as one.
pub fn integer(text: &str) -> Option<Number> {
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|c| c == b'0') => whole,
        _ => text,
    };
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    if digits.bytes().all(|c| c.is_ascii_digit()) { number(whole) } else { None }
}

/// A JSON list, or one item.
fn array(text: &str, schema: &Schema<'_>, room: Room<'_>) -> Option<Value> {
    if text.is_empty() {
        return Some(Value::Array(Vec::new()));
    }
    if let Some(list) = serde_json::from_str::<Value>(text).ok().filter(Value::is_array) {
        return Some(list);
    }
    // A list of lists of lists has no item that a single text could be.
    if room.depth >= DEPTH {
        return None;
    }
    let item =
        schema.items().map_or_else(|| Some(guessed(text)), |items| single(text, &items, room.deeper()))?;
    Some(Value::Array(vec![item]))
}

/// Without a type: JSON that is no string, or else the text.
fn guessed(text: &str) -> Value {
    serde_json::from_str::<Value>(text).ok().filter(|value| !value.is_string()).unwrap_or_else(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(text: &str, schema: Value) -> Value {
        typed(&[text], &Schema::new(&schema), "k").unwrap()
    }

    fn wrong(text: &str, schema: Value) -> String {
        typed(&[text], &Schema::new(&schema), "k").unwrap_err().to_string()
    }

    #[test]
    fn by_type() {
        assert_eq!(value("12", json!({"type": "string"})), json!("12"));
        assert_eq!(value("12", json!({"type": "integer"})), json!(12));
        assert_eq!(value("-2.50", json!({"type": "number"})).to_string(), "-2.50");
        assert_eq!(value("true", json!({"type": "boolean"})), json!(true));
        assert_eq!(value("null", json!({"type": "null"})), Value::Null);
        assert_eq!(value("[1,2]", json!({"type": "array"})), json!([1, 2]));
        assert_eq!(value("a", json!({"type": "array", "items": {"type": "string"}})), json!(["a"]));
        assert_eq!(value("{\"a\":1}", json!({"type": "object"})), json!({"a": 1}));
    }

    #[test]
    fn big_integers_stay_exact() {
        for text in ["9007199254740993", "18446744073709551616", "-123456789012345678901234567890"] {
            assert_eq!(value(text, json!({"type": "integer"})).to_string(), text);
        }
        assert_eq!(value("20.0", json!({"type": "integer"})).to_string(), "20");
        assert!(integer("20.5").is_none() && integer("1e3").is_none() && integer("-").is_none());
        assert!(number(" 1").is_none() && number("NaN").is_none() && number("01").is_none());
    }

    #[test]
    fn alternatives_in_order() {
        let optional = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
        assert_eq!(value("null", optional.clone()), Value::Null);
        assert_eq!(value("7", optional), json!(7));
        assert_eq!(value("7", json!({"type": ["string", "integer"]})), json!("7"));
        assert_eq!(value("7", json!({"type": ["integer", "string"]})), json!(7));
        assert_eq!(value("seven", json!({"type": ["integer", "string"]})), json!("seven"));
        let either = json!({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]});
        assert_eq!(value("a", either.clone()), json!("a"));
        assert_eq!(typed(&["a", "b"], &Schema::new(&either), "k").unwrap(), json!(["a", "b"]));
        assert_eq!(value("7", json!({})), json!(7));
        assert_eq!(value("seven", json!({})), json!("seven"));
        assert_eq!(value("\"7\"", json!({})), json!("\"7\""));
    }

    #[test]
    fn listed_values() {
        let modes = json!({"type": "string", "enum": ["heat", "frost", "off"]});
        assert_eq!(value("frost", modes.clone()), json!("frost"));
        assert_eq!(
            wrong("forst", modes),
            "`k` takes one of heat, frost, off, not `forst`; did you mean `frost`?"
        );
        assert_eq!(value("2", json!({"enum": [1, 2]})), json!(2));
        assert_eq!(value("null", json!({"enum": ["x", null]})), Value::Null);
    }

    #[test]
    fn lists() {
        let numbers = json!({"type": "array", "items": {"type": "integer"}});
        let schema = Schema::new(&numbers);
        assert_eq!(typed(&["1", "2"], &schema, "k").unwrap(), json!([1, 2]));
        assert_eq!(typed(&["1", "x"], &schema, "k").unwrap_err().to_string(), "`k` takes integer, not `x`");
        assert_eq!(wrong("x", numbers.clone()), "`k` takes integer, not `x`");
        let one = json!({"type": "integer"});
        let twice = typed(&["1", "2"], &Schema::new(&one), "k").unwrap_err();
        assert_eq!(twice.to_string(), "`k` is given 2 times, but takes integer");
    }
}
