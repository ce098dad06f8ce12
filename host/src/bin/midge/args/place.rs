//! Words put at their places in the arguments.

use super::schema::{Others, Schema};
use super::word::{Given, Word};
use super::{Problem, below, typed};
use crate::near;
use serde_json::{Map, Value};

/// The arguments that `words` make of `base`, by the tool's schema. Every problem is told, not only the first.
///
/// # Errors
/// Names that the schema does not have, and values that are not of its types.
pub fn place(
    base: Map<String, Value>,
    words: &[Word],
    schema: &Schema<'_>,
) -> Result<Map<String, Value>, Vec<Problem>> {
    let mut whole = Value::Object(base);
    let mut problems = Vec::new();
    for (key, given) in by_key(words) {
        if let Err(problem) = put(&mut whole, *schema, "", key, &given) {
            problems.push(problem);
        }
    }
    match whole {
        Value::Object(map) if problems.is_empty() => Ok(map),
        _ => Err(problems),
    }
}

/// What is given for each key, in the order in which keys are first named.
fn by_key(words: &[Word]) -> Vec<(&str, Vec<&Given>)> {
    let mut keys: Vec<(&str, Vec<&Given>)> = Vec::new();
    for Word { key, given } in words {
        match keys.iter_mut().find(|(known, _)| known == key) {
            Some((_, all)) => all.push(given),
            None => keys.push((key, vec![given])),
        }
    }
    keys
}

/// Puts `given` below `value` at `rest`, which is what is left of the key after `path`.
fn put(
    value: &mut Value,
    schema: Schema<'_>,
    path: &str,
    rest: &str,
    given: &[&Given],
) -> Result<(), Problem> {
    if let Value::Array(list) = value
        && !schema.types().contains(&"object")
    {
        return put_item(list, schema, path, rest, given);
    }
    let (name, rest, below_schema) = step(schema, path, rest)?;
    let here = below(path, name);
    if !value.is_object() {
        return Err(Problem::new(path, format!("is no object, so `{here}` cannot be set in it")));
    }
    let slot = &mut value[name];
    let Some(rest) = rest else {
        *slot = join(given, &below_schema, &here)?;
        return Ok(());
    };
    if slot.is_null() {
        let list = below_schema.admits("array") && rest.starts_with(|c: char| c.is_ascii_digit());
        *slot = if list { Value::Array(Vec::new()) } else { Value::Object(Map::new()) };
    }
    put(slot, below_schema, &here, rest, given)
}

/// Puts `given` into or behind the items of a list: `0`, `0.name`.
fn put_item(
    list: &mut Vec<Value>,
    schema: Schema<'_>,
    path: &str,
    rest: &str,
    given: &[&Given],
) -> Result<(), Problem> {
    let (number, rest) = rest.split_once('.').map_or((rest, None), |(number, rest)| (number, Some(rest)));
    let here = below(path, number);
    let at = number.parse().ok().filter(|at: &usize| *at <= list.len()).ok_or_else(|| {
        Problem::new(&here, format!("is no place in the list: the next free one is {path}.{}", list.len()))
    })?;
    if at == list.len() {
        list.push(Value::Object(Map::new()));
    }
    let items = schema.items().unwrap_or(Schema::new(&Value::Bool(true)));
    let Some(slot) = list.get_mut(at) else { return Ok(()) };
    match rest {
        Some(rest) => put(slot, items, &here, rest, given),
        None => {
            *slot = join(given, &items, &here)?;
            Ok(())
        }
    }
}

/// The property that `rest` begins with, what is left behind it, and its schema.
///
/// A name may hold dots itself: the longest one that is listed is meant.
fn step<'s, 'r>(
    schema: Schema<'s>,
    path: &str,
    rest: &'r str,
) -> Result<(&'r str, Option<&'r str>, Schema<'s>), Problem> {
    let properties = schema.properties();
    let ends = rest.match_indices('.').map(|(at, _)| at).chain([rest.len()]);
    for end in ends.collect::<Vec<_>>().into_iter().rev() {
        let (name, left) = rest.split_at(end);
        if let Some((_, found)) = properties.iter().find(|(known, _)| *known == name) {
            return Ok((name, left.strip_prefix('.'), *found));
        }
    }
    let (name, left) = rest.split_once('.').map_or((rest, None), |(name, left)| (name, Some(left)));
    if schema.others() != Others::Welcome {
        let names = properties.iter().map(|(name, _)| *name);
        return Err(Problem::new(&below(path, name), format!("is not known{}", near::hint(name, names))));
    }
    const ANYTHING: &Value = &Value::Bool(true);
    Ok((name, left, schema.additional().unwrap_or(Schema::new(ANYTHING))))
}

/// The value of all that is given for one key.
fn join(given: &[&Given], schema: &Schema<'_>, path: &str) -> Result<Value, Problem> {
    if let [Given::Json(value)] = given {
        return Ok(value.clone());
    }
    let texts: Option<Vec<&str>> = given
        .iter()
        .map(|one| if let Given::Text(text) = one { Some(text.as_str()) } else { None })
        .collect();
    match texts {
        Some(texts) => typed(&texts, schema, path),
        None => Err(Problem::new(path, "is given more than once, and one of them with :=")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn placed(words: &[&str], schema: Value) -> Result<Value, String> {
        let words: Vec<Word> = words.iter().map(|word| Word::parse(word).unwrap()).collect();
        let told =
            |problems: Vec<Problem>| problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n");
        place(Map::new(), &words, &Schema::new(&schema)).map(Value::Object).map_err(told)
    }

    fn home() -> Value {
        json!({"type": "object", "properties": {
            "celsius": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "room": {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}},
            "doors": {"type": "array", "items": {"type": "object", "properties": {"open": {"type": "boolean"}}}},
            "io.example/key": {"type": "string"},
            "free": {"type": "object"},
        }})
    }

    #[test]
    fn nests_and_repeats() {
        let words =
            ["celsius=21.50", "tags=a", "room.name=12", "tags=b", "room.size=12", "free.x.y=1", "free.z=t"];
        let expected = r#"{"celsius":21.50,"tags":["a","b"],"room":{"name":"12","size":12},"free":{"x":{"y":1},"z":"t"}}"#;
        assert_eq!(placed(&words, home()).unwrap().to_string(), expected);
    }

    #[test]
    fn lists_of_objects_and_names_with_dots() {
        let words = ["doors.0.open=true", "doors.1.open=false", "io.example/key=k"];
        let expected = json!({"doors": [{"open": true}, {"open": false}], "io.example/key": "k"});
        assert_eq!(placed(&words, home()).unwrap(), expected);
        let far = placed(&["doors.3.open=true"], home()).unwrap_err();
        assert!(far.contains("the next free one is doors.0"), "{far}");
    }

    #[test]
    fn raw_json_goes_through() {
        assert_eq!(placed(&["celsius:=\"warm\""], home()).unwrap(), json!({"celsius": "warm"}));
        assert_eq!(placed(&["tags:=[]"], home()).unwrap(), json!({"tags": []}));
        let mixed = placed(&["tags=a", "tags:=[]"], home()).unwrap_err();
        assert!(mixed.contains("more than once"), "{mixed}");
    }

    #[test]
    fn every_problem_is_told() {
        let told = placed(&["celcius=1", "room.sise=2", "celsius=warm", "celsius.x=1"], home()).unwrap_err();
        let expected = "`celcius` is not known; did you mean `celsius`?\n\
            `room.sise` is not known; did you mean `size`?\n\
            `celsius` takes number, not `warm`";
        assert!(told.starts_with(expected), "{told}");
    }
}
