//! `midge info`

use crate::cli::Whole;
use crate::context::{Context, is_handshake};
use crate::failure::Failure;
use crate::safe;
use crate::screen::{Screen, Style, wrap};
use midge_host::Server;
use serde_json::{Value, json};

pub async fn run(context: &Context, at: &Whole) -> Result<(), Failure> {
    let out = &context.out;
    context
        .with(&at.target, async |client| {
            let server = client.server();
            if out.json { out.document(&document(server)) } else { out.print(&shown(server, &out.stdout)) }
        })
        .await
}

fn era(server: &Server) -> &'static str {
    if is_handshake(server) { "handshake" } else { "modern" }
}

fn document(server: &Server) -> Value {
    json!({
        "revision": server.revision.name(),
        "era": era(server),
        "name": server.name,
        "version": server.version,
        "title": server.title,
        "instructions": server.instructions,
        "capabilities": server.capabilities,
        "result": server.raw,
    })
}

/// What a server says about itself, for people.
pub fn shown(server: &Server, screen: &Screen) -> String {
    let mut text = String::new();
    let mut row = |key: &str, value: &str| {
        if !value.is_empty() {
            text += &format!("{} {value}\n", screen.paint(Style::Dim, &format!("{key:<13}")));
        }
    };
    row("server", &screen.paint(Style::Bold, &safe::line(&server.name)));
    row("version", &safe::line(&server.version));
    let title = server.title.as_deref().map(safe::line).filter(|title| *title != server.name);
    row("title", &title.unwrap_or_default());
    row("revision", &format!("{} ({})", server.revision.name(), era(server)));
    row("capabilities", &safe::line(&capabilities(&server.capabilities)));
    if let Some(instructions) = server.instructions.as_deref().filter(|text| !text.trim().is_empty()) {
        text += &format!("\n{}", wrap(safe::block(instructions).trim(), "", screen.width));
    }
    text
}

/// `tools (listChanged), resources (subscribe), logging`
fn capabilities(value: &Value) -> String {
    let Some(all) = value.as_object() else { return String::new() };
    let part = |(name, value): (&String, &Value)| {
        let inner: Vec<String> = value.as_object().into_iter().flatten().filter_map(option).collect();
        if inner.is_empty() { name.clone() } else { format!("{name} ({})", inner.join(", ")) }
    };
    all.iter().filter(|(_, value)| **value != Value::Bool(false)).map(part).collect::<Vec<_>>().join(", ")
}

fn option((name, value): (&String, &Value)) -> Option<String> {
    match value {
        Value::Bool(false) | Value::Null => None,
        Value::Object(inner) if !inner.is_empty() => {
            Some(format!("{name}: {}", inner.keys().cloned().collect::<Vec<_>>().join(" ")))
        }
        _ => Some(name.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midge::Revision;

    #[test]
    fn shows_a_server() {
        let server = Server {
            revision: Revision::named("2025-11-25").unwrap(),
            name: "home\x1b[31m".into(),
            version: "1".into(),
            title: None,
            instructions: Some("Be kind.\nBe brief.".into()),
            capabilities: json!({"tools": {"listChanged": true}, "resources": {"subscribe": false}, "logging": {}}),
            raw: Value::Null,
        };
        assert_eq!(
            shown(&server, &Screen::plain()),
            "server        home␛[31m\nversion       1\nrevision      2025-11-25 (handshake)\n\
             capabilities  tools (listChanged), resources, logging\n\nBe kind.\nBe brief.\n"
        );
        assert_eq!(document(&server)["revision"], "2025-11-25");
        assert_eq!(document(&server)["era"], "handshake");
    }
}
