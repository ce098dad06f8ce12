//! `midge get`

use crate::args::{Given, Word};
use crate::cli::{Last, Save};
use crate::context::Context;
use crate::details;
use crate::failure::Failure;
use crate::near;
use crate::save::Saver;
use crate::screen::Screen;
use crate::show::Show;
use crate::verbs::call::{some_of, words};
use midge_host::{Client, Prompt};
use std::collections::BTreeMap;

pub async fn run(
    context: &Context,
    name: &str,
    given: &[String],
    save: &Save,
    at: &Last,
) -> Result<(), Failure> {
    let saver = Saver::new(save)?;
    let arguments = texts(&words(given)?)?;
    context
        .with(&at.target, async |client| {
            let prompt = find(client, name).await?;
            check(&prompt, &arguments)?;
            let (options, running) = context.call(name);
            let result = client.get_prompt(name, arguments, options).await?;
            drop(running);
            let mut show = Show::new(&context.out, saver, name);
            show.prompt_result(&result)?;
            show.finish(&result)
        })
        .await
}

/// The arguments of prompts are texts, whatever they look like.
fn texts(words: &[Word]) -> Result<BTreeMap<String, String>, Failure> {
    let mut arguments = BTreeMap::new();
    for Word { key, given } in words {
        let text = match given {
            Given::Text(text) => text.clone(),
            Given::Json(value) => value.to_string(),
        };
        if arguments.insert(key.clone(), text).is_some() {
            return Err(Failure::usage(format!("`{key}` is given more than once")));
        }
    }
    Ok(arguments)
}

async fn find(client: &Client, name: &str) -> Result<Prompt, Failure> {
    let mut prompts = client.prompts().await?;
    if let Some(at) = prompts.iter().position(|prompt| prompt.name == name) {
        return Ok(prompts.swap_remove(at));
    }
    let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    let hint = near::hint(name, names.iter().copied());
    let all = if hint.is_empty() { format!("; it has {}", some_of(&names)) } else { hint };
    Err(Failure::usage(format!("the server has no prompt `{name}`{all}")))
}

fn check(prompt: &Prompt, arguments: &BTreeMap<String, String>) -> Result<(), Failure> {
    let known = || prompt.arguments.iter().map(|argument| argument.name.as_str());
    let mut told: Vec<String> = arguments
        .keys()
        .filter(|key| known().all(|name| name != key.as_str()))
        .map(|key| format!("`{key}` is not known{}", near::hint(key, known())))
        .collect();
    let missing = prompt
        .arguments
        .iter()
        .filter(|argument| argument.required && !arguments.contains_key(&argument.name));
    told.extend(missing.map(|argument| format!("`{}` is required", argument.name)));
    if told.is_empty() {
        return Ok(());
    }
    let table = details::prompt_arguments(prompt, &Screen { color: false, ..Screen::stderr() });
    let table = if table.is_empty() { "It takes no arguments.".to_owned() } else { table };
    Err(Failure::usage(format!("{}: {}\n{}", prompt.name, told.join("\n       "), table.trim_end())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_checked() {
        let prompt: Prompt = serde_json::from_value(json!({"name": "p", "arguments": [
            {"name": "room", "required": true}, {"name": "tone"}]}))
        .unwrap();
        let given = |all: &[&str]| {
            let words: Vec<Word> = all.iter().map(|word| Word::parse(word).unwrap()).collect();
            check(&prompt, &texts(&words)?)
        };
        assert!(given(&["room=12"]).is_ok());
        assert!(given(&["room=x", "room=y"]).unwrap_err().message.contains("more than once"));
        let told = given(&["roam=x"]).unwrap_err().message;
        assert!(
            told.starts_with("p: `roam` is not known; did you mean `room`?\n       `room` is required\n"),
            "{told}"
        );
    }
}
