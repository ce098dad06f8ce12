//! `midge tools`, `midge resources`, `midge prompts`

use crate::args::schema::Schema;
use crate::cli::{List, Whole};
use crate::context::{Context, or_empty};
use crate::details;
use crate::failure::Failure;
use crate::safe;
use crate::screen::Screen;
use crate::table::Table;
use midge_host::{Prompt, Resource, Template, Tool};
use serde_json::json;

pub async fn tools(context: &Context, list: &List, at: &Whole) -> Result<(), Failure> {
    let out = &context.out;
    context
        .with(&at.target, async |client| {
            let tools = or_empty(client.tools().await)?;
            if out.json {
                return out.document(&json!({ "tools": tools }));
            }
            if tools.is_empty() {
                out.note("the server has no tools");
            }
            let screen = &out.stdout;
            out.print(&if list.long { details::tools(&tools, screen) } else { tool_table(&tools, screen) })
        })
        .await
}

pub async fn resources(context: &Context, list: &List, at: &Whole) -> Result<(), Failure> {
    let out = &context.out;
    context
        .with(&at.target, async |client| {
            let resources = or_empty(client.resources().await)?;
            let templates = or_empty(client.templates().await)?;
            if out.json {
                return out.document(&json!({ "resources": resources, "resourceTemplates": templates }));
            }
            if resources.is_empty() && templates.is_empty() {
                out.note("the server has no resources");
            }
            let screen = &out.stdout;
            out.print(&match list.long {
                true => details::resources(&resources, &templates, screen),
                false => resource_tables(&resources, &templates, screen),
            })
        })
        .await
}

pub async fn prompts(context: &Context, list: &List, at: &Whole) -> Result<(), Failure> {
    let out = &context.out;
    context
        .with(&at.target, async |client| {
            let prompts = or_empty(client.prompts().await)?;
            if out.json {
                return out.document(&json!({ "prompts": prompts }));
            }
            if prompts.is_empty() {
                out.note("the server has no prompts");
            }
            let screen = &out.stdout;
            out.print(&if list.long {
                details::prompts(&prompts, screen)
            } else {
                prompt_table(&prompts, screen)
            })
        })
        .await
}

/// A title that says more than the name.
fn title(title: Option<&str>, name: &str) -> String {
    title.filter(|title| *title != name).map(safe::line).unwrap_or_default()
}

/// The first sentence or paragraph: tables have room for no more.
fn brief(description: Option<&str>) -> String {
    let text = description.unwrap_or_default().trim();
    safe::line(text.split("\n\n").next().unwrap_or_default())
}

pub fn tool_table(tools: &[Tool], screen: &Screen) -> String {
    let mut table = Table::new(&["TOOL", "TITLE", "ARGUMENTS", "WHAT IT DOES"]);
    for tool in tools {
        table.row(vec![
            safe::line(&tool.name),
            title(Some(tool.label()), &tool.name),
            arguments(tool),
            brief(tool.description.as_deref()),
        ]);
    }
    if tools.is_empty() { String::new() } else { table.render(screen) }
}

/// `celsius* room`
fn arguments(tool: &Tool) -> String {
    let schema = Schema::new(&tool.input_schema);
    let required = schema.required();
    let names = schema.properties().into_iter().map(|(name, _)| starred(name, required.contains(&name)));
    names.collect::<Vec<_>>().join(" ")
}

fn starred(name: &str, required: bool) -> String {
    safe::line(&format!("{name}{}", if required { "*" } else { "" }))
}

fn resource_tables(resources: &[Resource], templates: &[Template], screen: &Screen) -> String {
    let mut table = Table::new(&["RESOURCE", "NAME", "TYPE", "WHAT IT HOLDS"]);
    for resource in resources {
        table.row(vec![
            safe::line(&resource.uri),
            safe::line(resource.title.as_ref().unwrap_or(&resource.name)),
            safe::line(resource.mime_type.as_deref().unwrap_or_default()),
            brief(resource.description.as_deref()),
        ]);
    }
    let mut text = if resources.is_empty() { String::new() } else { table.render(screen) };
    let mut table = Table::new(&["TEMPLATE", "NAME", "TYPE", "WHAT IT HOLDS"]);
    for template in templates {
        table.row(vec![
            safe::line(&template.uri_template),
            safe::line(template.title.as_ref().unwrap_or(&template.name)),
            safe::line(template.mime_type.as_deref().unwrap_or_default()),
            brief(template.description.as_deref()),
        ]);
    }
    if !templates.is_empty() {
        text += if text.is_empty() { "" } else { "\n" };
        text += &table.render(screen);
    }
    text
}

fn prompt_table(prompts: &[Prompt], screen: &Screen) -> String {
    let mut table = Table::new(&["PROMPT", "TITLE", "ARGUMENTS", "WHAT IT IS FOR"]);
    for prompt in prompts {
        let arguments = prompt.arguments.iter().map(|argument| starred(&argument.name, argument.required));
        table.row(vec![
            safe::line(&prompt.name),
            title(prompt.title.as_deref(), &prompt.name),
            arguments.collect::<Vec<_>>().join(" "),
            brief(prompt.description.as_deref()),
        ]);
    }
    if prompts.is_empty() { String::new() } else { table.render(screen) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> Vec<T> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn tools_in_a_table() {
        let tools = read(json!([
            {"name": "read", "title": "Read", "description": "Reads.\n\nAt length."},
            {"name": "set\u{1b}[2J", "title": "Set", "description": "Sets\nit.", "inputSchema": {
                "type": "object", "properties": {"celsius": {"type": "number"}, "room": {}}, "required": ["celsius"]}},
        ]));
        assert_eq!(
            tool_table(&tools, &Screen::plain()),
            "TOOL     TITLE  ARGUMENTS      WHAT IT DOES\n\
             read     Read                  Reads.\n\
             set␛[2J  Set    celsius* room  Sets it.\n"
        );
        assert_eq!(tool_table(&[], &Screen::plain()), "");
    }

    #[test]
    fn resources_and_prompts_in_tables() {
        let resources = read(json!([{"uri": "x://a", "name": "a", "mimeType": "text/plain"}]));
        let templates = read(json!([{"uriTemplate": "x://{n}", "name": "n", "description": "One"}]));
        assert_eq!(
            resource_tables(&resources, &templates, &Screen::plain()),
            "RESOURCE  NAME  TYPE\nx://a     a     text/plain\n\nTEMPLATE  NAME  WHAT IT HOLDS\nx://{n}   n     One\n"
        );
        let prompts =
            read(json!([{"name": "p", "arguments": [{"name": "a", "required": true}, {"name": "b"}]}]));
        assert_eq!(prompt_table(&prompts, &Screen::plain()), "PROMPT  ARGUMENTS\np       a* b\n");
    }
}
