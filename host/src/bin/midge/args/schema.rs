//! What a JSON Schema says about one value, as far as it helps to type and check arguments.
//!
//! Keywords that are not known here are left to the server, which checks everything again.

use crate::screen::cut;
use indexmap::IndexSet;
use serde_json::Value;
use std::collections::HashSet;

/// A place in a schema; `root` is where references begin.
#[derive(Clone, Copy)]
pub struct Schema<'s> {
    root: &'s Value,
    here: &'s Value,
}

/// Whether an object takes names that its schema does not list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    Refused,
    /// Not said: the server may ignore them, so a name that is not listed is most likely a mistake.
    Unsaid,
    Welcome,
}

/// References to references, at most: a schema may refer to itself.
const HOPS: usize = 16;
/// Alternatives that are described at each level: their number is multiplied at each, and so is a text that all refer to.
const DESCRIBED: usize = 8;
/// Bytes of a list of values that are shown.
const LISTED_BYTES: usize = 2000;

/// Properties that were found, and where was looked for them.
#[derive(Default)]
struct Found<'s> {
    properties: Vec<(&'s str, Schema<'s>)>,
    names: HashSet<&'s str>,
    places: HashSet<*const Value>,
}

impl<'s> Schema<'s> {
    pub fn new(root: &'s Value) -> Self {
        Self { root, here: root }.resolved()
    }

    fn at(&self, here: &'s Value) -> Self {
        Self { here, ..*self }.resolved()
    }

    fn resolved(mut self) -> Self {
        for _ in 0..HOPS {
            let reference = self.here.get("$ref").and_then(Value::as_str);
            let target = reference.and_then(|r| r.strip_prefix('#')).and_then(|path| self.root.pointer(path));
            let Some(target) = target else { break };
            self.here = target;
        }
        self
    }

    pub fn get(&self, keyword: &str) -> Option<&'s Value> {
        self.here.get(keyword)
    }

    pub fn text(&self, keyword: &str) -> Option<&'s str> {
        self.get(keyword).and_then(Value::as_str)
    }

    fn list(&self, keyword: &str) -> &'s [Value] {
        self.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The members of `anyOf` or `oneOf`, in order.
    pub fn alternatives(&self) -> Vec<Self> {
        let either = self.list("anyOf").iter().chain(self.list("oneOf"));
        either.map(|member| self.at(member)).collect()
    }

    pub fn all_of(&self) -> Vec<Self> {
        self.list("allOf").iter().map(|member| self.at(member)).collect()
    }

    /// The names under `type`, or what other keywords let one conclude.
    pub fn types(&self) -> Vec<&'s str> {
        match self.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if self.get("properties").is_some() => vec!["object"],
            _ if self.get("items").is_some() => vec!["array"],
            _ => Vec::new(),
        }
    }

    /// The values that are allowed, when they are listed.
    pub fn allowed(&self) -> Option<Vec<&'s Value>> {
        match (self.get("enum"), self.get("const")) {
            (Some(Value::Array(values)), _) => Some(values.iter().collect()),
            (_, Some(value)) => Some(vec![value]),
            _ => None,
        }
    }

    /// The properties with their schemas: the own ones, then those that `allOf`, `anyOf` and `oneOf` bring.
    pub fn properties(&self) -> Vec<(&'s str, Self)> {
        let mut found = Found::default();
        self.gather(&mut found, 0);
        found.properties
    }

    /// Looks at each place once, or members that refer to each other would double the work at each level.
    fn gather(&self, found: &mut Found<'s>, depth: usize) {
        if !found.places.insert(std::ptr::from_ref(self.here)) {
            return;
        }
        let own = self.get("properties").and_then(Value::as_object);
        for (name, schema) in own.into_iter().flatten() {
            if found.names.insert(name) {
                found.properties.push((name, self.at(schema)));
            }
        }
        if depth < HOPS {
            let members = self.all_of().into_iter().chain(self.alternatives());
            members.for_each(|member| member.gather(found, depth + 1));
        }
    }

    pub fn property(&self, name: &str) -> Option<Self> {
        self.properties().into_iter().find(|(known, _)| *known == name).map(|(_, schema)| schema)
    }

    /// The schema for what is not listed under `properties`.
    pub fn additional(&self) -> Option<Self> {
        self.get("additionalProperties").filter(|value| value.is_object()).map(|schema| self.at(schema))
    }

    pub fn others(&self) -> Others {
        match self.get("additionalProperties") {
            Some(Value::Bool(false)) => Others::Refused,
            Some(_) => Others::Welcome,
            None if self.get("patternProperties").is_some() || self.properties().is_empty() => {
                Others::Welcome
            }
            None => Others::Unsaid,
        }
    }

    pub fn required(&self) -> IndexSet<&'s str> {
        self.list("required").iter().filter_map(Value::as_str).collect()
    }

    pub fn items(&self) -> Option<Self> {
        self.get("items").filter(|items| items.is_object()).map(|items| self.at(items))
    }

    /// Whether a value of this type may stand here, in one of the alternatives at least.
    pub fn admits(&self, name: &str) -> bool {
        self.types().contains(&name) || self.alternatives().iter().any(|one| one.types().contains(&name))
    }

    /// What may stand here, in a few words: `integer, 5 to 35`, `one of heat, frost, off`.
    pub fn describe(&self) -> String {
        self.describe_to(0)
    }

    fn describe_to(&self, depth: usize) -> String {
        let alternatives = self.alternatives();
        if let Some(values) = self.allowed() {
            return one_of(&values);
        }
        if depth > 3 || (self.types().is_empty() && alternatives.is_empty()) {
            return "anything".into();
        }
        let types = self.types();
        let mut parts: Vec<String> =
            types.iter().take(DESCRIBED).map(|name| self.describe_type(name, depth)).collect();
        if parts.is_empty() {
            parts = alternatives.iter().take(DESCRIBED).map(|one| one.describe_to(depth + 1)).collect();
        }
        if types.len().max(alternatives.len()) > DESCRIBED {
            parts.push("…".into());
        }
        parts.dedup();
        parts.join(" or ")
    }

    fn describe_type(&self, name: &str, depth: usize) -> String {
        match name {
            "string" => {
                ["text".into(), self.length("minLength", "maxLength", "characters"), self.format()].concat()
            }
            "boolean" => "true or false".into(),
            "array" => {
                let of = self.items().map(|items| format!(" of {}", items.describe_to(depth + 1)));
                let count = self.length("minItems", "maxItems", "items");
                ["list".into(), of.unwrap_or_default(), count].concat()
            }
            "integer" | "number" => [name.into(), self.range()].concat(),
            other => other.into(),
        }
    }

    fn format(&self) -> String {
        self.text("format").map(|format| format!(" ({format})")).unwrap_or_default()
    }

    fn length(&self, least: &str, most: &str, unit: &str) -> String {
        match (self.get(least), self.get(most)) {
            (Some(least), Some(most)) => format!(", {least} to {most} {unit}"),
            (Some(least), None) if least.as_u64() == Some(0) => String::new(),
            (Some(least), None) => format!(", at least {least} {unit}"),
            (None, Some(most)) => format!(", at most {most} {unit}"),
            (None, None) => String::new(),
        }
    }

    fn range(&self) -> String {
        let least = self.get("minimum").map(|n| format!("{n}"));
        let most = self.get("maximum").map(|n| format!("{n}"));
        let above = self.get("exclusiveMinimum").map(|n| format!("more than {n}"));
        let under = self.get("exclusiveMaximum").map(|n| format!("less than {n}"));
        match (least, most) {
            (Some(least), Some(most)) => format!(", {least} to {most}"),
            (least, most) => {
                [least.map(|n| format!("at least {n}")), most.map(|n| format!("at most {n}")), above, under]
                    .into_iter()
                    .flatten()
                    .map(|part| format!(", {part}"))
                    .collect()
            }
        }
    }
}

/// Texts without their quotes, everything else as JSON.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn one_of(values: &[&Value]) -> String {
    let mut bytes = 0;
    let few = |name: &String| {
        let room = bytes < LISTED_BYTES;
        bytes += name.len();
        room
    };
    let mut names: Vec<String> = values.iter().map(|value| plain(value)).take_while(few).collect();
    names.iter_mut().for_each(|name| *name = cut(name, LISTED_BYTES));
    if names.len() < values.len() {
        names.push("…".into());
    }
    match names.as_slice() {
        [one] => one.clone(),
        names => format!("one of {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(schema: Value) -> String {
        Schema::new(&schema).describe()
    }

    #[test]
    fn describes_types() {
        assert_eq!(said(json!({"type": "integer", "minimum": 5, "maximum": 35})), "integer, 5 to 35");
        assert_eq!(said(json!({"type": "number", "exclusiveMinimum": 0})), "number, more than 0");
        assert_eq!(said(json!({"enum": ["heat", "off", 3, null]})), "one of heat, off, 3, null");
        assert_eq!(said(json!({"const": "x"})), "x");
        assert_eq!(
            said(json!({"type": "array", "items": {"type": "string"}, "minItems": 1})),
            "list of text, at least 1 items"
        );
        assert_eq!(said(json!({"anyOf": [{"type": "integer"}, {"type": "null"}]})), "integer or null");
        assert_eq!(
            said(json!({"type": ["string", "boolean"], "maxLength": 8})),
            "text, at most 8 characters or true or false"
        );
        assert_eq!(said(json!({})), "anything");
        assert_eq!(said(json!({"type": "string", "format": "email"})), "text (email)");
    }

    #[test]
    fn follows_references_but_not_for_ever() {
        let schema = json!({
            "properties": {"a": {"$ref": "#/$defs/a"}, "loop": {"$ref": "#/properties/loop"}},
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "integer"}},
        });
        let schema = Schema::new(&schema);
        assert_eq!(schema.property("a").unwrap().describe(), "integer");
        assert_eq!(schema.property("loop").unwrap().describe(), "anything");
        let endless = json!({"anyOf": [{"$ref": "#"}]});
        assert_eq!(Schema::new(&endless).describe(), "anything");
        assert!(Schema::new(&endless).properties().is_empty());
    }

    #[test]
    fn finds_properties_of_members() {
        let schema = json!({
            "properties": {"a": {"type": "string"}},
            "allOf": [{"properties": {"b": {"type": "integer"}}}],
            "oneOf": [{"properties": {"c": {}}}, {"properties": {"a": {"type": "null"}}}],
        });
        let schema = Schema::new(&schema);
        let names: Vec<_> = schema.properties().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(schema.property("a").unwrap().describe(), "text");
        assert_eq!(schema.others(), Others::Unsaid);
        assert_eq!(Schema::new(&json!({"type": "object"})).others(), Others::Welcome);
    }
}
