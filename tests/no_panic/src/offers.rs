//! Resources, templates and prompts of every kind.

use crate::state::State;
use midge::dispatch::args::{Arg, Rule, Span, Text};
use midge::dispatch::{Args, Prompt, PromptDef, Resource, ResourceDef, Source, Template};
use midge::{Blob, IntoReply, Io, Outcome, Role};

pub static RESOURCES: [Resource<State>; 4] = [
    Resource {
        def: ResourceDef::new("probe://text", "text")
            .title("Text")
            .about("A text")
            .mime("text/plain")
            .size(Some(4))
            .annotations(r#"{"priority":1.0}"#)
            .icons(r#"[{"src":"https://example.com/icon.png"}]"#)
            .meta(r#"{"com.example/m":1}"#),
        source: Source::Text("text"),
    },
    Resource {
        def: ResourceDef::new("probe://blob", "blob").mime("application/octet-stream"),
        source: Source::Blob(&[0, 1, 2, 3]),
    },
    Resource { def: ResourceDef::new("probe://read", "read"), source: Source::Read(read) },
    Resource {
        def: ResourceDef::new("probe://later", "later"),
        source: Source::Read(|state, _, io| state.put_off(io, None)),
    },
];

pub static TEMPLATES: [Template<State>; 2] = [
    Template {
        def: ResourceDef::new("probe://rows/{row}/{name}{?from,to}", "rows").mime("text/plain"),
        read: row,
        complete: Some(complete),
    },
    Template { def: ResourceDef::new("probe://files/{+path}", "files"), read: file, complete: None },
];

static ARGS: [Arg; 2] = [
    Arg::new("topic", Rule::Str(&Text::ANY)).about("What about"),
    Arg::new("tone", Rule::Str(&Text::ANY)).optional(),
];

pub static PROMPTS: [Prompt<State>; 2] = [
    Prompt {
        def: PromptDef::new("ask")
            .title("Ask")
            .about("Asks")
            .args(&ARGS)
            .icons(r#"[{"src":"https://example.com/icon.png"}]"#)
            .meta(r#"{"com.example/m":1}"#),
        get: ask,
        complete: Some(complete),
    },
    Prompt { def: PromptDef::new("late"), get: |state, _, io| state.put_off(io, None), complete: None },
];

fn read<'e>(state: &mut State, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    if state.level > 3 { io.not_found() } else { Blob(&[7; 10]).reply(io) }
}

fn row<'e>(_: &mut State, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let read = args.variables(io).and_then(|vars| {
        let row: u32 = vars.parse("row", io)?;
        Ok((row, vars.get("name"), vars.get("from"), vars.get("to")))
    });
    match read {
        Ok((0, ..)) => io.not_found(),
        Ok((_, name, from, to)) => {
            for piece in [name, from, to].into_iter().flatten() {
                io.text(piece);
            }
            Outcome::Done
        }
        Err(answered) => answered,
    }
}

fn file<'e>(_: &mut State, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    match args.variables(io) {
        Ok(vars) => vars.get("path").reply(io),
        Err(answered) => answered,
    }
}

fn ask<'e>(_: &mut State, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let mut spans = [Span::ABSENT; 2];
    let values = match args.decode(&ARGS, &mut spans, io) {
        Ok(values) => values,
        Err(answered) => return answered,
    };
    let topic = values.get::<&str>(&spans, 0, &ARGS, io);
    let tone = values.get::<Option<&str>>(&spans, 1, &ARGS, io);
    match (topic, tone) {
        (Ok(topic), Ok(tone)) => {
            io.text(topic);
            io.role(Role::Assistant);
            io.text(tone.unwrap_or("plain"));
            io.image(b"\x89PNG", "image/png");
            Outcome::Done
        }
        (Err(answered), _) | (_, Err(answered)) => answered,
    }
}

fn complete<'e>(_: &mut State, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let typed = args.completion();
    if typed.context("topic").is_some() || typed.name() == "none" {
        return Outcome::Done;
    }
    for word in ["alpha", "alps", "beta"] {
        if word.starts_with(typed.value()) {
            io.text(word);
        }
    }
    Outcome::Done
}
