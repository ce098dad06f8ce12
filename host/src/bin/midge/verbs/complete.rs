//! `midge complete`

use crate::cli::{Kind, Last};
use crate::context::Context;
use crate::failure::Failure;
use crate::safe;
use midge_host::Reference;
use serde_json::json;
use std::collections::BTreeMap;

/// What is to be completed.
pub struct Wanted<'c> {
    pub kind: Kind,
    pub name: &'c str,
    pub argument: &'c str,
    pub context: &'c [String],
}

pub async fn run(context: &Context, wanted: &Wanted<'_>, at: &Last) -> Result<(), Failure> {
    let argument = pair(wanted.argument)?;
    let known: Result<BTreeMap<String, String>, Failure> = wanted
        .context
        .iter()
        .map(|word| pair(word).map(|(key, value)| (key.to_owned(), value.to_owned())))
        .collect();
    let known = known?;
    let reference = match wanted.kind {
        Kind::Prompt => Reference::Prompt(wanted.name.to_owned()),
        Kind::Resource => Reference::Resource(wanted.name.to_owned()),
    };
    let out = &context.out;
    context
        .with(&at.target, async |client| {
            let completion = client.complete(reference, argument, known).await?;
            if out.json {
                return out.document(&json!({ "completion": completion }));
            }
            let lines: String = completion.values.iter().map(|value| safe::line(value) + "\n").collect();
            out.print(&lines)?;
            match (completion.total, completion.has_more) {
                (Some(total), _) if total > completion.values.len() as u64 => {
                    out.note(&format!("{} of {total} values", completion.values.len()));
                }
                (_, true) => out.note("there are more values"),
                _ => {}
            }
            Ok(())
        })
        .await
}

fn pair(word: &str) -> Result<(&str, &str), Failure> {
    word.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(|| {
        Failure::usage(format!("`{word}` is not ARG=PREFIX; a server's command line stands after `--`"))
    })
}
