//! One word: `key=text`, `key=@file`, `key:=JSON`, `key:=@file`.

use serde_json::Value;
use std::io::Read;

/// What a word gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// To be typed by the schema.
    Text(String),
    /// As it is.
    Json(Value),
}

/// A word of the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    pub key: String,
    pub given: Given,
}

impl Word {
    /// Reads one word, and the file it names.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn parse(word: &str) -> Result<Self, String> {
        let Some((key, value)) = word.split_once('=') else {
            return Err(format!("`{word}` is not KEY=VALUE; a server's command line stands after `--`"));
        };
        let (key, json) = key.strip_suffix(':').map_or((key, false), |key| (key, true));
        if key.is_empty() {
            return Err(format!("`{word}` has no name before the `=`"));
        }
        let text = match value.strip_prefix('@') {
            Some(rest) if rest.starts_with('@') => rest.to_owned(),
            Some(file) => read(file).map_err(|e| unreadable(key, file, &e))?,
            None => value.to_owned(),
        };
        let given = if json { Given::Json(parse_json(key, &text)?) } else { Given::Text(text) };
        Ok(Self { key: key.to_owned(), given })
    }
}

/// The text of a file, or of standard input when it is called `-`.
pub fn read(file: &str) -> std::io::Result<String> {
    if file != "-" {
        return std::fs::read_to_string(file);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

fn unreadable(key: &str, file: &str, error: &std::io::Error) -> String {
    format!(
        "`{key}`: cannot read the file `{file}`: {error}; a text that begins with @ is written {key}=@@{file}"
    )
}

fn parse_json(key: &str, text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| {
        format!("`{key}`: what stands after := is not JSON: {e}; a plain text is written {key}=TEXT")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(key: &str, text: &str) -> Word {
        Word { key: key.into(), given: Given::Text(text.into()) }
    }

    #[test]
    fn reads_words() {
        assert_eq!(Word::parse("a=b"), Ok(text("a", "b")));
        assert_eq!(Word::parse("a="), Ok(text("a", "")));
        assert_eq!(Word::parse("a.b=c=d"), Ok(text("a.b", "c=d")));
        assert_eq!(Word::parse("user=@@me"), Ok(text("user", "@me")));
        assert_eq!(
            Word::parse("n:=[1,-2]"),
            Ok(Word { key: "n".into(), given: Given::Json(json!([1, -2])) })
        );
    }

    #[test]
    fn says_what_is_wrong() {
        let wrong = |word: &str| Word::parse(word).unwrap_err();
        assert!(wrong("python").contains("after `--`"), "{}", wrong("python"));
        assert!(wrong("=x").contains("no name"));
        assert!(wrong("n:=warm").contains("n=TEXT"));
        assert!(wrong("n=@/no/such/file").contains("/no/such/file"));
    }

    #[test]
    fn reads_files() {
        let file = std::env::temp_dir().join(format!("midge-word-{}", std::process::id()));
        std::fs::write(&file, "{\"a\":1}\n").unwrap();
        let name = file.display();
        assert_eq!(Word::parse(&format!("k=@{name}")), Ok(text("k", "{\"a\":1}\n")));
        let raw = Word { key: "k".into(), given: Given::Json(json!({"a": 1})) };
        assert_eq!(Word::parse(&format!("k:=@{name}")), Ok(raw));
        std::fs::remove_file(&file).unwrap();
    }
}
