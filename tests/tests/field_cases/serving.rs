//! The server that the cases are tried on.

use midge::dispatch::args::{Arg, Rule, Span, Text};
use midge::dispatch::{Prompt, PromptDef, Resource, ResourceDef, Source, Template, Tool, ToolDef};
use midge::{Catalog, Features, Outcome, Ticket};

/// Calls that wait.
#[derive(Default)]
pub struct Desk {
    pub tickets: Vec<Ticket>,
}

static TEXT: [Arg; 1] = [Arg::new("text", Rule::Str(&Text::ANY))];
static NUMBERS: [Arg; 2] = [
    Arg::new("a", Rule::Int { min: i64::MIN, max: i64::MAX }),
    Arg::new("b", Rule::Uint { min: 0, max: u64::MAX }),
];
const ANY: &str = r#"{"type":"object"}"#;
const OUTPUT: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;

static TOOLS: &[Tool<Desk>] = &[
    Tool {
        def: ToolDef::new("echo").args(&TEXT),
        run: |_, args, io| {
            let mut spans = [Span::ABSENT; 1];
            match args.decode(&TEXT, &mut spans, io).and_then(|v| v.get::<&str>(&spans, 0, &TEXT, io)) {
                Ok(text) => {
                    io.text(text);
                    Outcome::Done
                }
                Err(answered) => answered,
            }
        },
    },
    Tool {
        def: ToolDef::new("echo0"),
        run: |_, args, io| {
            if let Err(answered) = args.decode(&[], &mut [], io) {
                return answered;
            }
            io.text("ok");
            Outcome::Done
        },
    },
    Tool {
        def: ToolDef::new("numbers").args(&NUMBERS),
        run: |_, args, io| {
            let mut spans = [Span::ABSENT; 2];
            let values = match args.decode(&NUMBERS, &mut spans, io) {
                Ok(values) => values,
                Err(answered) => return answered,
            };
            let a = values.get::<i64>(&spans, 0, &NUMBERS, io);
            let b = values.get::<u64>(&spans, 1, &NUMBERS, io);
            match (a, b) {
                (Ok(a), Ok(b)) => {
                    io.text(&format!("{a} {b}"));
                    io.structured_with(|w| {
                        w.object();
                        w.key("a");
                        w.i64(a);
                        w.key("b");
                        w.u64(b);
                        w.close();
                    });
                    Outcome::Done
                }
                (Err(answered), _) | (_, Err(answered)) => answered,
            }
        },
    },
    Tool {
        def: ToolDef::new("pass").input(ANY),
        run: |_, args, io| {
            let values = args.open();
            io.structured_with(|w| w.value(values.text()));
            Outcome::Done
        },
    },
    Tool {
        def: ToolDef::new("hold"),
        run: |desk, _, io| {
            desk.tickets.push(io.defer());
            Outcome::Deferred
        },
    },
    Tool {
        def: ToolDef::new("steps"),
        run: |_, _, io| {
            for done in 1..=3 {
                let _ = io.progress(done, Some(3), "step");
            }
            io.text(if io.wants_progress() { "told" } else { "not asked" });
            Outcome::Done
        },
    },
    Tool { def: ToolDef::new("boom").output(OUTPUT), run: |_, _, _| Outcome::Fail("boom") },
    Tool { def: ToolDef::new("owes_all").output(OUTPUT), run: |_, _, _| Outcome::Done },
    Tool {
        def: ToolDef::new("owes_later").output(OUTPUT),
        run: |desk, _, io| {
            desk.tickets.push(io.defer());
            Outcome::Deferred
        },
    },
    Tool {
        def: ToolDef::new("owes_value").output(OUTPUT),
        run: |_, _, io| {
            io.text("n is 1");
            Outcome::Done
        },
    },
    Tool {
        def: ToolDef::new("owes_object").output(OUTPUT),
        run: |_, _, io| {
            io.structured_with(|w| w.raw(b"1"));
            Outcome::Done
        },
    },
    Tool {
        def: ToolDef::new("pays").output(OUTPUT),
        run: |_, _, io| {
            io.structured_with(|w| w.raw(b"{\"n\":1}"));
            Outcome::Done
        },
    },
];

static RESOURCES: &[Resource<Desk>] =
    &[Resource { def: ResourceDef::new("fixed:///a", "a"), source: Source::Text("A") }];

static TEMPLATES: &[Template<Desk>] = &[Template {
    def: ResourceDef::new("note:///{name}", "note"),
    read: |_, args, io| match args.variables(io) {
        Ok(vars) if vars.get("name") == Some("none") => io.not_found(),
        Ok(vars) => {
            io.text(vars.get("name").unwrap_or("no name"));
            Outcome::Done
        }
        Err(answered) => answered,
    },
    complete: None,
}];

static PROMPTS: &[Prompt<Desk>] = &[Prompt {
    def: PromptDef::new("ask"),
    get: |_, args, io| {
        if let Err(answered) = args.decode(&[], &mut [], io) {
            return answered;
        }
        io.text("Ask.");
        Outcome::Done
    },
    complete: None,
}];

/// All of it.
pub static FIELD: Catalog<Desk> = Catalog::new("field", "1")
    .tools(TOOLS)
    .resources(RESOURCES)
    .templates(TEMPLATES)
    .prompts(PROMPTS)
    .features(Features::LOGGING);
