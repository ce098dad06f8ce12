//! Everything about tools, resources and prompts: what `--long` shows.

use crate::args::schema::Schema;
use crate::safe;
use crate::screen::{Screen, Style, wrap};
use crate::table::Table;
use midge_host::{Prompt, Resource, Template, Tool};
use serde_json::Value;

pub fn tools(tools: &[Tool], screen: &Screen) -> String {
    tools.iter().map(|one| tool(one, screen)).collect::<Vec<_>>().join("\n")
}

fn tool(tool: &Tool, screen: &Screen) -> String {
    let title = Some(tool.label()).filter(|label| *label != tool.name);
    let head = head(&tool.name, title, &hints(tool), screen);
    [head, about(tool.description.as_deref(), screen), indented(&arguments(&tool.input_schema, screen))]
        .concat()
}

/// A table of a tool's arguments, each with what it takes; empty without arguments.
pub fn arguments(schema: &Value, screen: &Screen) -> String {
    let schema = Schema::new(schema);
    let required = schema.required();
    let mut table = Table::new(&["ARGUMENT", "TAKES", "DEFAULT", "WHAT IT MEANS"]);
    let properties = schema.properties();
    for (name, property) in &properties {
        let star = if required.contains(name) { "*" } else { "" };
        table.row(vec![
            safe::line(&format!("{name}{star}")),
            safe::line(&property.describe()),
            property.get("default").map(|value| safe::line(&value.to_string())).unwrap_or_default(),
            safe::line(property.text("description").unwrap_or_default()),
        ]);
    }
    // Room for the indent.
    let screen = Screen { width: screen.width.map(|width| width.saturating_sub(INDENT.len())), ..*screen };
    if properties.is_empty() { String::new() } else { table.render(&screen) }
}

const INDENT: &str = "  ";

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("{INDENT}{line}\n")).collect()
}

/// What a tool says of itself: not to be relied on.
fn hints(tool: &Tool) -> Vec<String> {
    let hint = |name: &str| tool.annotations.as_ref().and_then(|all| all.get(name)).and_then(Value::as_bool);
    let hints = [
        (hint("readOnlyHint") == Some(true), "read-only"),
        (hint("destructiveHint") == Some(true), "destructive"),
        (hint("idempotentHint") == Some(true), "idempotent"),
        (hint("openWorldHint") == Some(true), "open world"),
    ];
    let mut found: Vec<String> =
        hints.into_iter().filter(|(is, _)| *is).map(|(_, name)| name.to_owned()).collect();
    let task =
        tool.execution.as_ref().and_then(|execution| execution.get("taskSupport")).and_then(Value::as_str);
    found.extend(task.filter(|support| *support != "forbidden").map(|support| format!("task {support}")));
    found
}

fn head(name: &str, title: Option<&str>, marks: &[String], screen: &Screen) -> String {
    let name = screen.paint(Style::Name, &safe::line(name));
    let title = title.map(|title| format!(": {}", safe::line(title))).unwrap_or_default();
    let marks =
        if marks.is_empty() { String::new() } else { format!(" ({})", safe::line(&marks.join(", "))) };
    format!("{name}{title}{}\n", screen.paint(Style::Dim, &marks))
}

fn about(description: Option<&str>, screen: &Screen) -> String {
    wrap(safe::block(description.unwrap_or_default()).trim(), INDENT, screen.width)
}

pub fn resources(resources: &[Resource], templates: &[Template], screen: &Screen) -> String {
    let resources = resources.iter().map(|one| {
        let size = one.size.as_ref().map(|size| format!("{size} bytes"));
        let marks: Vec<String> = one.mime_type.iter().cloned().chain(size).collect();
        let head = head(&one.uri, Some(one.title.as_ref().unwrap_or(&one.name)), &marks, screen);
        head + &about(one.description.as_deref(), screen)
    });
    let templates = templates.iter().map(|one| {
        let marks: Vec<String> = one.mime_type.iter().cloned().collect();
        let head = head(&one.uri_template, Some(one.title.as_ref().unwrap_or(&one.name)), &marks, screen);
        head + &about(one.description.as_deref(), screen)
    });
    resources.chain(templates).collect::<Vec<_>>().join("\n")
}

pub fn prompts(prompts: &[Prompt], screen: &Screen) -> String {
    prompts.iter().map(|one| prompt(one, screen)).collect::<Vec<_>>().join("\n")
}

fn prompt(prompt: &Prompt, screen: &Screen) -> String {
    let title = prompt.title.as_deref().filter(|title| *title != prompt.name);
    let head = head(&prompt.name, title, &[], screen);
    [head, about(prompt.description.as_deref(), screen), indented(&prompt_arguments(prompt, screen))].concat()
}

/// A table of a prompt's arguments; empty without arguments.
pub fn prompt_arguments(prompt: &Prompt, screen: &Screen) -> String {
    let mut table = Table::new(&["ARGUMENT", "WHAT IT MEANS"]);
    for argument in &prompt.arguments {
        let star = if argument.required { "*" } else { "" };
        let about = argument.description.as_ref().or(argument.title.as_ref());
        table.row(vec![
            safe::line(&format!("{}{star}", argument.name)),
            about.map(|about| safe::line(about)).unwrap_or_default(),
        ]);
    }
    if prompt.arguments.is_empty() { String::new() } else { table.render(screen) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn everything_about_a_tool() {
        let one: Vec<Tool> = serde_json::from_value(json!([{
            "name": "set", "title": "Set target", "description": "Sets it.\n\nSlowly.",
            "annotations": {"idempotentHint": true}, "execution": {"taskSupport": "optional"},
            "inputSchema": {"type": "object", "required": ["celsius"], "properties": {
                "celsius": {"type": "number", "minimum": 5, "maximum": 35, "description": "In °C"},
                "mode": {"enum": ["heat", "off"], "default": "heat"}}},
        }]))
        .unwrap();
        assert_eq!(
            tools(&one, &Screen::plain()),
            "set: Set target (idempotent, task optional)\n  Sets it.\n\n  Slowly.\n\
             \x20 ARGUMENT  TAKES             DEFAULT  WHAT IT MEANS\n\
             \x20 celsius*  number, 5 to 35            In °C\n\
             \x20 mode      one of heat, off  \"heat\"\n"
        );
    }
}
