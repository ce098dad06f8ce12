//! `midge call`

use crate::args::schema::Schema;
use crate::args::{Problem, Word, check, place};
use crate::cli::Call;
use crate::context::Context;
use crate::details;
use crate::failure::{Failure, Fault};
use crate::near;
use crate::output::Output;
use crate::save::Saver;
use crate::screen::Screen;
use crate::show::Show;
use midge_host::{Client, Tool, ToolResult};
use serde_json::{Map, Value};
use std::time::Duration;

pub async fn run(context: &Context, call: &Call) -> Result<(), Failure> {
    let saver = Saver::new(&call.save)?;
    let words = words(&call.words)?;
    let base = call.args.as_deref().map_or_else(|| Ok(Map::new()), object)?;
    context
        .with(&call.at.target, async |client| {
            let tool = find(client, call).await?;
            let arguments = arguments(&tool, base, &words, call.no_check)?;
            let (mut options, running) = context.call(&call.tool);
            options.task = call.task.or_else(|| needs_task(&tool));
            let result = client.call_tool(&call.tool, arguments, options).await?;
            drop(running);
            answer(&result, saver, &call.tool, &context.out)
        })
        .await
}

/// Reads `key=value` words.
pub fn words(words: &[String]) -> Result<Vec<Word>, Failure> {
    words.iter().map(|word| Word::parse(word)).collect::<Result<_, _>>().map_err(Failure::usage)
}

/// `--args`
fn object(text: &str) -> Result<Map<String, Value>, Failure> {
    let file = if text == "-" { Some("-") } else { text.strip_prefix('@') };
    let text = match file {
        Some(file) => crate::args::read_file(file)
            .map_err(|e| Failure::usage(format!("--args: cannot read the file `{file}`: {e}")))?,
        None => text.to_owned(),
    };
    match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(Failure::usage("--args takes a JSON object, such as '{\"celsius\": 21.5}'")),
        Err(e) => Err(Failure::usage(format!("--args is not JSON: {e}"))),
    }
}

async fn find(client: &Client, call: &Call) -> Result<Tool, Failure> {
    let tools = client.tools().await?;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    if let Some(at) = names.iter().position(|name| *name == call.tool) {
        return Ok(tools[at].clone());
    }
    if call.no_check {
        return Ok(unlisted(&call.tool));
    }
    let hint = near::hint(&call.tool, names.iter().copied());
    let all = if hint.is_empty() { format!("; it has {}", some_of(&names)) } else { hint };
    Err(Failure::usage(format!("the server has no tool `{}`{all}", call.tool)))
}

/// A tool of which only the name is known.
fn unlisted(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        title: None,
        description: None,
        input_schema: Value::Null,
        output_schema: None,
        annotations: None,
        icons: None,
        execution: None,
        meta: None,
        more: Map::new(),
    }
}

/// The first few of many names.
pub fn some_of(names: &[&str]) -> String {
    const FEW: usize = 12;
    match names {
        [] => "none".into(),
        names if names.len() <= FEW => names.join(", "),
        names => format!("{} and {} more", names[..FEW].join(", "), names.len() - FEW),
    }
}

/// The arguments, typed and checked by the tool's schema.
pub fn arguments(
    tool: &Tool,
    base: Map<String, Value>,
    words: &[Word],
    no_check: bool,
) -> Result<Map<String, Value>, Failure> {
    let schema = Schema::new(&tool.input_schema);
    let placed = place(base, words, &schema).map_err(|problems| refused(tool, &problems))?;
    let whole = Value::Object(placed);
    let problems = if no_check { Vec::new() } else { check(&whole, &schema) };
    match whole {
        Value::Object(map) if problems.is_empty() => Ok(map),
        _ => Err(refused(tool, &problems)),
    }
}

/// What is wrong with the arguments, and what they are to be.
fn refused(tool: &Tool, problems: &[Problem]) -> Failure {
    let told: Vec<String> = problems.iter().map(Problem::to_string).collect();
    let known = details::arguments(&tool.input_schema, &Screen { color: false, ..Screen::stderr() });
    let known = match known.as_str() {
        "" => "It takes no arguments.".to_owned(),
        table => format!("{}\n(* required; --no-check sends the arguments as they are)", table.trim_end()),
    };
    Failure::usage(format!("{}: {}\n{known}", tool.name, told.join("\n       ")))
}

/// Servers keep the result of a task for so long unless the user says otherwise.
const KEEP: Duration = Duration::from_secs(600);

/// A tool that can only run as a task is run as one.
fn needs_task(tool: &Tool) -> Option<Duration> {
    let support = tool.execution.as_ref()?.get("taskSupport")?;
    (support == "required").then_some(KEEP)
}

/// Prints what the tool answered. What it says when it fails goes to stderr.
fn answer(result: &ToolResult, saver: Saver, tool: &str, out: &Output) -> Result<(), Failure> {
    let mut show = Show::new(out, saver, tool);
    show.tool_result(result)?;
    if !result.is_error {
        return show.finish(result);
    }
    if out.json {
        show.finish(result)?;
    } else {
        let text = show.text().trim_end();
        out.error(if text.is_empty() { "the tool failed and does not say why" } else { text });
    }
    Err(Failure::shown(Fault::Answer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(schema: Value) -> Tool {
        Tool { input_schema: schema, ..unlisted("set") }
    }

    fn words(all: &[&str]) -> Vec<Word> {
        all.iter().map(|word| Word::parse(word).unwrap()).collect()
    }

    #[test]
    fn wrong_arguments_are_told_with_what_is_right() {
        let tool = tool(json!({"type": "object", "required": ["celsius"], "properties": {
            "celsius": {"type": "number", "minimum": 5, "maximum": 35}}}));
        let told = |all: &[&str]| arguments(&tool, Map::new(), &words(all), false).unwrap_err().message;
        assert!(
            told(&["celsius=warm"]).starts_with("set: `celsius` takes number, 5 to 35, not `warm`\nARGUMENT")
        );
        assert!(told(&["celsius=40"]).contains("`celsius` takes number, 5 to 35, not 40"));
        assert!(told(&["celcius=20"]).contains("did you mean `celsius`?"));
        assert!(told(&[]).contains("`celsius` is required: number, 5 to 35"));
        let unchecked = arguments(&tool, Map::new(), &words(&["celsius=40"]), true).unwrap();
        assert_eq!(Value::Object(unchecked), json!({"celsius": 40}));
        let base = json!({"celsius": 20}).as_object().unwrap().clone();
        let both = arguments(&tool, base, &words(&["celsius=21"]), false).unwrap();
        assert_eq!(both["celsius"], json!(21));
    }

    #[test]
    fn args_take_an_object() {
        assert_eq!(Value::Object(object("{\"a\":1}").unwrap()), json!({"a": 1}));
        assert!(object("[1]").unwrap_err().message.contains("JSON object"));
        assert!(object("{a}").unwrap_err().message.contains("not JSON"));
        assert!(object("@/no/such").unwrap_err().message.contains("/no/such"));
    }

    #[test]
    fn tools_that_need_a_task_get_one() {
        let mut one = tool(Value::Null);
        assert_eq!(needs_task(&one), None);
        one.execution = Some(json!({"taskSupport": "required"}));
        assert_eq!(needs_task(&one), Some(KEEP));
    }

    #[test]
    fn many_names_are_cut_short() {
        let names: Vec<String> = (0..20).map(|n| format!("t{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(some_of(&names).ends_with("t11 and 8 more"));
        assert_eq!(some_of(&names[..2]), "t0, t1");
        assert_eq!(some_of(&[]), "none");
    }
}
