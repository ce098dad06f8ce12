//! One field of a form.

use super::format;
use crate::args::schema::{Schema, plain};
use crate::args::{check, typed};
use serde_json::Value;

/// A field, by the restricted schema of forms (client/elicitation).
pub struct Field<'s> {
    pub name: &'s str,
    pub required: bool,
    schema: Schema<'s>,
}

/// A value to choose, and what it is called.
#[derive(Debug, PartialEq)]
pub struct Choice<'s> {
    pub value: &'s Value,
    pub title: Option<&'s str>,
}

impl<'s> Field<'s> {
    /// The fields of a form, in its order.
    pub fn all(form: &'s Value) -> Vec<Self> {
        let form = Schema::new(form);
        let required = form.required();
        let field = |(name, schema)| Self { name, required: required.contains(&name), schema };
        form.properties().into_iter().map(field).collect()
    }

    pub fn default(&self) -> Option<&'s Value> {
        self.schema.get("default").filter(|value| !value.is_null())
    }

    pub fn is_boolean(&self) -> bool {
        self.schema.types() == ["boolean"]
    }

    pub fn title(&self) -> Option<&'s str> {
        self.schema.text("title")
    }

    pub fn about(&self) -> Option<&'s str> {
        self.schema.text("description")
    }

    /// Whether several values may be chosen.
    pub fn is_many(&self) -> bool {
        self.schema.types() == ["array"]
    }

    /// The values to choose from: those of the list's items, for a field that takes several.
    pub fn choices(&self) -> Vec<Choice<'s>> {
        let one = if self.is_many() { self.schema.items() } else { Some(self.schema) };
        one.map(choices).unwrap_or_default()
    }

    /// What is taken, in a few words.
    pub fn kind(&self) -> String {
        match (self.is_boolean(), self.is_many(), self.choices().is_empty()) {
            (true, ..) => "yes or no".into(),
            (_, true, false) => "numbers or values, with commas".into(),
            (_, false, false) => "number or value".into(),
            _ => self.schema.describe(),
        }
    }

    /// The value that the user means by `text`.
    ///
    /// # Errors
    /// A sentence that says what to write instead.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        let value = self.value(text)?;
        if let Some(problem) = check(&value, &self.schema).first() {
            return Err(problem.message.clone());
        }
        let format = self.schema.text("format").zip(value.as_str());
        if let Some(why) = format.and_then(|(format, text)| format::wrong(format, text)) {
            return Err(why.to_owned());
        }
        Ok(value)
    }

    fn value(&self, text: &str) -> Result<Value, String> {
        let choices = self.choices();
        if self.is_boolean() {
            return boolean(text).ok_or_else(|| "write yes or no".into());
        }
        if choices.is_empty() {
            return typed(&[text], &self.schema, "").map_err(|problem| problem.message);
        }
        if !self.is_many() {
            return choose(&choices, text);
        }
        let mut values = Vec::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let value = choose(&choices, part)?;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Ok(Value::Array(values))
    }
}

fn choices(schema: Schema<'_>) -> Vec<Choice<'_>> {
    let listed = schema.alternatives().into_iter().filter_map(|one| {
        let value = one.get("const")?;
        Some(Choice { value, title: one.text("title") })
    });
    let listed: Vec<Choice<'_>> = listed.collect();
    if !listed.is_empty() {
        return listed;
    }
    let Some(values) = schema.allowed() else { return Vec::new() };
    // Before 2025-11-25 titles stood beside the values.
    let titles = schema.get("enumNames").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let title = |at: usize| titles.get(at).and_then(Value::as_str);
    values.into_iter().enumerate().map(|(at, value)| Choice { value, title: title(at) }).collect()
}

/// Values first, then titles, then numbers: a value may look like a number.
fn choose(choices: &[Choice<'_>], text: &str) -> Result<Value, String> {
    let text = text.trim();
    let by_value = choices.iter().find(|choice| plain(choice.value) == text);
    let by_title =
        || choices.iter().find(|choice| choice.title.is_some_and(|title| title.eq_ignore_ascii_case(text)));
    let by_case = || choices.iter().find(|choice| plain(choice.value).eq_ignore_ascii_case(text));
    let by_number = || text.parse::<usize>().ok().and_then(|n| choices.get(n.checked_sub(1)?));
    let found = by_value.or_else(by_title).or_else(by_case).or_else(by_number);
    found.map(|choice| choice.value.clone()).ok_or_else(|| format!("`{text}` is none of them"))
}

fn boolean(text: &str) -> Option<Value> {
    match text.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" | "true" => Some(Value::Bool(true)),
        "n" | "no" | "false" => Some(Value::Bool(false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(schema: Value, text: &str) -> Result<Value, String> {
        let form = json!({"properties": {"f": schema}});
        Field::all(&form)[0].read(text)
    }

    #[test]
    fn reads_by_type() {
        assert_eq!(read(json!({"type": "boolean"}), "Y"), Ok(json!(true)));
        assert_eq!(read(json!({"type": "boolean"}), "no"), Ok(json!(false)));
        assert_eq!(read(json!({"type": "boolean"}), "maybe"), Err("write yes or no".into()));
        assert_eq!(read(json!({"type": "integer", "maximum": 9}), "7"), Ok(json!(7)));
        assert_eq!(
            read(json!({"type": "integer", "maximum": 9}), "10"),
            Err("takes integer, at most 9, not 10".into())
        );
        assert!(
            read(json!({"type": "string", "format": "email"}), "me").unwrap_err().contains("me@example.com")
        );
        assert!(read(json!({"type": "string", "minLength": 3}), "ab").unwrap_err().contains("at least 3"));
    }

    #[test]
    fn chooses_by_value_title_or_number() {
        let plain = json!({"type": "string", "enum": ["heat", "off", "1"]});
        assert_eq!(read(plain.clone(), "off"), Ok(json!("off")));
        assert_eq!(read(plain.clone(), "2"), Ok(json!("off")));
        assert_eq!(read(plain.clone(), "1"), Ok(json!("1")), "the value comes before the number");
        assert!(read(plain.clone(), "0").is_err() && read(plain, "4").is_err());
        let titled = json!({"type": "string", "oneOf": [{"const": "a", "title": "First"}, {"const": "b", "title": "Second"}]});
        assert_eq!(read(titled.clone(), "second"), Ok(json!("b")));
        assert_eq!(read(titled, "1"), Ok(json!("a")));
        let old = json!({"type": "string", "enum": ["a", "b"], "enumNames": ["Anton", "Berta"]});
        assert_eq!(read(old, "Berta"), Ok(json!("b")));
    }

    #[test]
    fn chooses_several() {
        let many = json!({"type": "array", "maxItems": 2, "items": {"anyOf": [{"const": "a"}, {"const": "b"}, {"const": "c"}]}});
        assert_eq!(read(many.clone(), "a, 3,a"), Ok(json!(["a", "c"])));
        assert!(read(many.clone(), "a,b,c").unwrap_err().contains("at most 2"));
        assert_eq!(read(many, ""), Ok(json!([])));
        let plain = json!({"type": "array", "items": {"type": "string", "enum": ["x", "y"]}});
        assert_eq!(read(plain, "y"), Ok(json!(["y"])));
    }
}
