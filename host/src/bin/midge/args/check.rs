//! Arguments held against their schema, so that a mistake is told before the server is asked.

use super::schema::{Others, Schema, plain};
use super::{Problem, below};
use crate::near;
use serde_json::{Map, Value};
use std::cell::Cell;

/// What is wrong with `value`. Keywords not known here are left to the server.
pub fn check(value: &Value, schema: &Schema<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    look(value, schema, "", Room { depth: 0, steps: &Cell::new(STEPS) }, &mut problems);
    problems
}

/// A schema can refer to itself without going deeper into the value.
const DEPTH: usize = 128;
/// Places that are looked at: what refers to itself twice doubles their number at each level. The rest is left to the
/// server.
const STEPS: usize = 100_000;
/// Problems that are told.
const TOLD: usize = 100;

/// How far it may still be looked.
#[derive(Clone, Copy)]
struct Room<'c> {
    depth: usize,
    steps: &'c Cell<usize>,
}

impl Room<'_> {
    /// One level deeper, if there is room.
    fn deeper(self) -> Option<Self> {
        let steps = self.steps.get().checked_sub(1).filter(|_| self.depth < DEPTH)?;
        self.steps.set(steps);
        Some(Self { depth: self.depth + 1, ..self })
    }
}

fn look(value: &Value, schema: &Schema<'_>, path: &str, room: Room<'_>, problems: &mut Vec<Problem>) {
    let Some(room) = room.deeper().filter(|_| problems.len() < TOLD) else { return };
    let types = schema.types();
    let listed = schema.allowed().is_none_or(|values| values.contains(&value));
    if !listed || !(types.is_empty() || types.iter().any(|name| is_of(value, name))) {
        problems.push(Problem::new(path, format!("takes {}, not {}", schema.describe(), short(value))));
        return;
    }
    match value {
        Value::Object(map) => members(map, schema, path, room, problems),
        Value::Array(list) => items(list, schema, path, room, problems),
        Value::String(text) => {
            within(text.chars().count() as f64, schema, ["minLength", "maxLength"], path, problems)
        }
        Value::Number(number) => range(number.as_f64(), schema, path, problems),
        Value::Null | Value::Bool(_) => {}
    }
    schema.all_of().iter().for_each(|member| look(value, member, path, room, problems));
    either(value, schema, path, room, problems);
}

/// One of the alternatives has to take it. When only one has the right type, its problems are the ones to tell.
fn either(value: &Value, schema: &Schema<'_>, path: &str, room: Room<'_>, problems: &mut Vec<Problem>) {
    let alternatives = schema.alternatives();
    let tries = alternatives.iter().map(|one| {
        let mut found = Vec::new();
        look(value, one, path, room, &mut found);
        found
    });
    let tries: Vec<Vec<Problem>> = tries.collect();
    if tries.is_empty() || tries.iter().any(Vec::is_empty) {
        return;
    }
    let fits = |one: &Schema<'_>| one.types().iter().any(|name| is_of(value, name));
    let mut fitting = alternatives.iter().zip(tries).filter(|(one, _)| fits(one)).map(|(_, found)| found);
    match (fitting.next(), fitting.next()) {
        (Some(found), None) => problems.extend(found),
        _ => problems.push(Problem::new(path, format!("takes {}, not {}", schema.describe(), short(value)))),
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match (value, name) {
        (Value::String(_), "string")
        | (Value::Bool(_), "boolean")
        | (Value::Null, "null")
        | (Value::Array(_), "array")
        | (Value::Object(_), "object")
        | (Value::Number(_), "number") => true,
        (Value::Number(number), "integer") => {
            let written = number.to_string();
            // Beyond 2^53 a float has no fraction left: the text decides.
            !written.contains(['.', 'e', 'E']) || number.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        _ => false,
    }
}

fn members(
    map: &Map<String, Value>,
    schema: &Schema<'_>,
    path: &str,
    room: Room<'_>,
    problems: &mut Vec<Problem>,
) {
    for name in schema.required() {
        if !map.contains_key(name) {
            let what =
                schema.property(name).map(|found| format!(": {}", found.describe())).unwrap_or_default();
            problems.push(Problem::new(&below(path, name), format!("is required{what}")));
        }
    }
    let own = schema.get("properties").and_then(Value::as_object);
    for (name, value) in map {
        let here = below(path, name);
        match schema.property(name).filter(|_| own.is_some_and(|own| own.contains_key(name))) {
            Some(found) => look(value, &found, &here, room, problems),
            None if schema.others() == Others::Refused && schema.get("patternProperties").is_none() => {
                let names = own.into_iter().flat_map(|own| own.keys().map(String::as_str));
                problems.push(Problem::new(&here, format!("is not known{}", near::hint(name, names))));
            }
            None => {
                if let Some(found) = schema.additional() {
                    look(value, &found, &here, room, problems);
                }
            }
        }
    }
}

fn items(list: &[Value], schema: &Schema<'_>, path: &str, room: Room<'_>, problems: &mut Vec<Problem>) {
    within(list.len() as f64, schema, ["minItems", "maxItems"], path, problems);
    let Some(items) = schema.items() else { return };
    for (at, value) in list.iter().enumerate() {
        look(value, &items, &below(path, &at.to_string()), room, problems);
    }
}

fn within(size: f64, schema: &Schema<'_>, [least, most]: [&str; 2], path: &str, problems: &mut Vec<Problem>) {
    let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    if limit(least).is_some_and(|n| size < n) || limit(most).is_some_and(|n| size > n) {
        problems.push(Problem::new(path, format!("takes {}; this has {size}", schema.describe())));
    }
}

fn range(number: Option<f64>, schema: &Schema<'_>, path: &str, problems: &mut Vec<Problem>) {
    let Some(number) = number else { return };
    let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    let outside = limit("minimum").is_some_and(|n| number < n)
        || limit("maximum").is_some_and(|n| number > n)
        || limit("exclusiveMinimum").is_some_and(|n| number <= n)
        || limit("exclusiveMaximum").is_some_and(|n| number >= n);
    if outside {
        problems.push(Problem::new(path, format!("takes {}, not {number}", schema.describe())));
    }
}

/// A value as it is shown in a message.
fn short(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".into(),
        Value::Array(_) => "a list".into(),
        value => format!("`{}`", crate::screen::cut(&plain(value), 60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(value: Value, schema: Value) -> Vec<String> {
        check(&value, &Schema::new(&schema)).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn required_and_unknown() {
        let schema = json!({
            "type": "object",
            "properties": {"mode": {"enum": ["heat", "off"]}, "room": {
                "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
            "required": ["mode"], "additionalProperties": false,
        });
        assert_eq!(told(json!({"mode": "off"}), schema.clone()), Vec::<String>::new());
        let all = told(json!({"mdoe": "off", "room": {}}), schema);
        assert_eq!(
            all,
            [
                "`mode` is required: one of heat, off",
                "`mdoe` is not known; did you mean `mode`?",
                "`room.name` is required: text",
            ]
        );
    }

    #[test]
    fn ranges_and_lengths() {
        let number = json!({"type": "number", "minimum": 5, "maximum": 35});
        assert_eq!(told(json!(40), number.clone()), ["takes number, 5 to 35, not 40"]);
        assert_eq!(told(json!(35), number), Vec::<String>::new());
        let text = json!({"type": "string", "maxLength": 3});
        assert_eq!(told(json!("grün"), text.clone()), ["takes text, at most 3 characters; this has 4"]);
        assert_eq!(told(json!("grü"), text), Vec::<String>::new());
        assert_eq!(
            told(json!([1, "x"]), json!({"type": "array", "items": {"type": "integer"}})),
            ["`1` takes integer, not `x`"]
        );
    }

    #[test]
    fn integers_by_value() {
        let schema = json!({"type": "integer"});
        for good in ["5", "5.0", "9007199254740993", "123456789012345678901234567890"] {
            let value: Value = serde_json::from_str(good).unwrap();
            assert_eq!(told(value, schema.clone()), Vec::<String>::new(), "{good}");
        }
        assert_eq!(told(json!(5.5), schema), ["takes integer, not `5.5`"]);
    }

    #[test]
    fn alternatives() {
        let schema = json!({"anyOf": [{"type": "integer", "maximum": 9}, {"type": "null"}]});
        assert_eq!(told(json!(null), schema.clone()), Vec::<String>::new());
        assert_eq!(told(json!(10), schema.clone()), ["takes integer, at most 9, not 10"]);
        assert_eq!(told(json!("x"), schema), ["takes integer, at most 9 or null, not `x`"]);
        let contact = json!({"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}]});
        assert_eq!(told(json!({"email": "x"}), contact.clone()), Vec::<String>::new());
        assert_eq!(told(json!({}), contact).len(), 1);
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        assert!(told(json!(1), json!({"allOf": [{"$ref": "#"}]})).is_empty());
        let tree = json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "required": []});
        assert_eq!(told(json!({"next": {"next": 3}}), tree), ["`next.next` takes object, not `3`"]);
    }
}
