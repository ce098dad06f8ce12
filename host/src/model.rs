//! What servers answer with, as Rust types; fields that are not named here are kept in `more`.

mod content;
mod list;
mod result;

pub use content::{Content, Contents};
pub use list::{Prompt, PromptArgument, Resource, Template, Tool};
pub use result::{Completion, PromptMessage, PromptResult, ReadResult, Reference, ToolResult};

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Serialize, de::DeserializeOwned};
    use serde_json::{Value, json};

    /// What comes out is what went in, byte for byte.
    fn through<T: DeserializeOwned + Serialize>(text: &str) -> T {
        let read: T = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        let again: T = serde_json::from_value(serde_json::from_str(text).unwrap()).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), text);
        read
    }

    #[test]
    fn what_is_not_known_is_kept_and_numbers_are_exact() {
        let tool: Tool = through(concat!(
            r#"{"name":"n","inputSchema":{"type":"object","z":1.0,"a":123456789012345678901234567890},"#,
            r#""_meta":{"k":9007199254740993},"x-more":{"b":1e+400,"a":[0.10]},"y":-1}"#
        ));
        assert_eq!(tool.more["x-more"]["a"].to_string(), "[0.10]");
        let _: Resource = through(r#"{"uri":"a:b","name":"n","size":18446744073709551616,"z":1.50}"#);
        let _: Template = through(r#"{"uriTemplate":"a:{b}","name":"n","mimeType":"text/plain","z":null}"#);
        let prompt = r#"{"name":"p","arguments":[{"name":"a","required":true,"z":1}],"z":1}"#;
        assert!(through::<Prompt>(prompt).arguments[0].required);
    }

    #[test]
    fn a_label_is_the_best_name_there_is() {
        let label = |v: Value| serde_json::from_value::<Tool>(v).unwrap().label().to_owned();
        assert_eq!(label(json!({"name":"n","title":"T","annotations":{"title":"A"}})), "T");
        assert_eq!(label(json!({"name":"n","annotations":{"title":"A"}})), "A");
        assert_eq!(label(json!({"name":"n","annotations":{}})), "n");
    }

    #[test]
    fn content_goes_by_its_type() {
        let result: ToolResult = through(concat!(
            r#"{"content":[{"type":"text","text":"a","annotations":{"priority":0.5}},"#,
            r#"{"type":"image","data":"AQID","mimeType":"image/png"},"#,
            r#"{"type":"audio","data":"!","mimeType":"audio/wav","x":1},"#,
            r#"{"type":"resource","resource":{"uri":"a:b","blob":"/w==","y":2},"z":1},"#,
            r#"{"type":"resource_link","uri":"a:c","name":"c","size":3},"#,
            r#"{"type":"text","text":"b"},{"type":"text"},{"type":"new","v":[1]},7],"#,
            r#""structuredContent":null,"isError":true,"resultType":"complete"}"#
        ));
        assert_eq!((result.text().as_str(), result.structured), ("a\nb", Some(Value::Null)));
        let bytes: Vec<_> = result.content.iter().map(Content::bytes).collect();
        assert_eq!(bytes[..5], [None, Some(vec![1, 2, 3]), None, Some(vec![255]), None]);
        assert!(matches!(&result.content[4], Content::Link(link) if link.uri == "a:c"));
        assert!(result.content[6..].iter().all(|c| matches!(c, Content::Other(_))));
    }

    #[test]
    fn null_is_taken_for_nothing() {
        let result: ToolResult =
            serde_json::from_str(r#"{"content":null,"isError":null,"_meta":null}"#).unwrap();
        assert_eq!(result, ToolResult::default());
        let prompt: Prompt = serde_json::from_str(r#"{"name":"p","title":null,"arguments":null}"#).unwrap();
        assert_eq!((prompt.title, prompt.arguments), (None, vec![]));
        let read: ReadResult = serde_json::from_str("{}").unwrap();
        assert!(read.contents.is_empty());
    }

    #[test]
    fn completions_are_read_and_references_written() {
        let some: Completion = through(r#"{"values":["a"],"total":101,"hasMore":true}"#);
        assert_eq!((some.total, some.has_more), (Some(101), true));
        assert_eq!(Reference::Prompt("p".into()).to_value(), json!({"type":"ref/prompt","name":"p"}));
        assert_eq!(
            Reference::Resource("a:{b}".into()).to_value(),
            json!({"type":"ref/resource","uri":"a:{b}"})
        );
        let said = r#"{"messages":[{"role":"user","content":{"type":"text","text":"a"}}],"ttlMs":0}"#;
        assert_eq!(through::<PromptResult>(said).messages[0].content.text(), Some("a"));
    }
}
