//! The prompts.

use super::{Everything, PNG, asks};
use midge::dispatch::args::{Arg, Rule, Span, Text};
use midge::dispatch::{Args, Prompt, PromptDef};
use midge::{Io, Outcome};

const TEXT: Rule = Rule::Str(&Text::ANY);
static TWO: [Arg; 2] =
    [Arg::new("arg1", TEXT).about("The first argument"), Arg::new("arg2", TEXT).about("The second argument")];
static URI: [Arg; 1] = [Arg::new("resourceUri", TEXT).about("The resource to embed")];

pub(super) static PROMPTS: [Prompt<Everything>; 5] = [
    Prompt {
        def: PromptDef::new("test_simple_prompt").about("A prompt without arguments"),
        get: |_, _, io| {
            io.text("This is a simple prompt for testing.");
            Outcome::Done
        },
        complete: None,
    },
    Prompt {
        def: PromptDef::new("test_prompt_with_arguments").about("A prompt with two arguments").args(&TWO),
        get: with_arguments,
        complete: Some(complete),
    },
    Prompt {
        def: PromptDef::new("test_prompt_with_embedded_resource")
            .about("A prompt that embeds a resource")
            .args(&URI),
        get: with_resource,
        complete: None,
    },
    Prompt {
        def: PromptDef::new("test_prompt_with_image").about("A prompt with an image"),
        get: |_, _, io| {
            io.image(PNG, "image/png");
            io.text("Please analyze the image above.");
            Outcome::Done
        },
        complete: None,
    },
    Prompt {
        def: PromptDef::new("test_input_required_result_prompt").about("A prompt that asks the user"),
        get: asks::prompt,
        complete: None,
    },
];

fn with_arguments<'e>(_: &mut Everything, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let mut spans = [Span::ABSENT; 2];
    let values = match args.decode(&TWO, &mut spans, io) {
        Ok(values) => values,
        Err(answered) => return answered,
    };
    let one = values.get::<&str>(&spans, 0, &TWO, io);
    let two = values.get::<&str>(&spans, 1, &TWO, io);
    match (one, two) {
        (Ok(one), Ok(two)) => {
            io.text(&format!("Prompt with arguments: arg1='{one}', arg2='{two}'"));
            Outcome::Done
        }
        (Err(answered), _) | (_, Err(answered)) => answered,
    }
}

fn with_resource<'e>(_: &mut Everything, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let mut spans = [Span::ABSENT; 1];
    match args.decode(&URI, &mut spans, io).and_then(|v| v.get::<&str>(&spans, 0, &URI, io)) {
        Ok(uri) => {
            io.embed_text(uri, "text/plain", "Embedded resource content for testing.");
            io.text("Please process the embedded resource above.");
            Outcome::Done
        }
        Err(answered) => answered,
    }
}

/// Completes an argument from a few known words.
fn complete<'e>(_: &mut Everything, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    const WORDS: [&str; 5] = ["paris", "park", "party", "passage", "pasta"];
    let typed = args.completion();
    for word in WORDS.iter().filter(|w| w.starts_with(typed.value())) {
        io.text(word);
    }
    Outcome::Done
}
