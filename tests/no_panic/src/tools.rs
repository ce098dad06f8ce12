//! Tools: every rule an argument can have, every content an answer can have, every way to end.

use crate::state::State;
use midge::dispatch::args::{Arg, Rule, Span, Text};
use midge::dispatch::schema::Part;
use midge::dispatch::table::{Place, tool_order};
use midge::dispatch::{Args, Tool, ToolDef, render};
use midge::{Can, Hints, IntoReply, Io, Json, Level, Outcome, Shown, TaskSupport};
use serde::{Deserialize, Serialize};

const WORD: Text = Text { min_len: 1, max_len: 12, pattern: "^[a-z]+-?[a-z0-9]{0,4}$", ..Text::ANY };
const SIDE: Text = Text { one_of: &["left", "right"], ..Text::ANY };
const NESTED: &[Part] = &[Part::Json(r#""type":"object""#)];

static RULES: [Arg; 8] = [
    Arg::new("flag", Rule::Bool).about("Yes or no"),
    Arg::new("small", Rule::Int { min: -5, max: 5 }).about("A small integer").extra(r#""default":0"#),
    Arg::new("large", Rule::Uint { min: 0, max: u64::MAX }).about("A large integer"),
    Arg::new("ratio", Rule::Float { min: 0.0, max: 1.0 }).about("Between nothing and all"),
    Arg::new("word", Rule::Str(&WORD)).about("A word"),
    Arg::new("side", Rule::Str(&SIDE)).optional(),
    Arg::new("any", Rule::Str(&Text::ANY)).optional(),
    Arg::new("nested", Rule::Json(NESTED)).optional(),
];
const RULES_DEF: ToolDef = ToolDef::new("rules").about("Reads \"everything\"").args(&RULES);
const RULES_LEN: usize = render::entry_len(RULES_DEF.name, RULES_DEF.about, &RULES);
static RULES_ENTRY: [u8; RULES_LEN] = render::entry(RULES_DEF.name, RULES_DEF.about, &RULES);

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Unit {
    Celsius,
    Kelvin,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Pair(u16, i16);

#[derive(Serialize, Deserialize)]
struct Nested<'a> {
    name: &'a str,
    unit: Unit,
    #[serde(default)]
    limits: Option<[u8; 3]>,
    #[serde(default)]
    pair: Option<Pair>,
    #[serde(default)]
    list: heapless::Vec<i32, 4>,
    #[serde(default)]
    kept: heapless::String<8>,
    #[serde(default)]
    letter: Option<char>,
    #[serde(default)]
    half: f32,
    #[serde(default)]
    whole: f64,
    #[serde(default)]
    wide: i64,
    #[serde(default)]
    inner: Option<Inner>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Inner {
    depth: u8,
    done: (),
}

#[derive(Serialize)]
enum Kinds<'a> {
    Unit,
    New(u32),
    Two(i8, u64),
    Named { text: &'a str, letter: char },
}

#[derive(Serialize)]
struct Answer<'a> {
    nested: Option<Nested<'a>>,
    kinds: [Kinds<'a>; 4],
    flag: bool,
    ratio: f64,
}

const fn plain(name: &'static str) -> ToolDef {
    ToolDef::new(name).about("A probe")
}

const _: () = assert!(midge::dispatch::pattern::check(WORD.pattern).is_ok());

pub static TOOLS: [Tool<State>; COUNT] = [
    Tool { def: RULES_DEF.entry(render::text(&RULES_ENTRY)), run: rules },
    Tool {
        def: plain("structured")
            .title("Structured")
            .output(r#"{"type":"object"}"#)
            .hints(Hints { read_only: Some(true), destructive: Some(false), ..Hints::NONE })
            .icons(r#"[{"src":"https://example.com/icon.png"}]"#)
            .meta(r#"{"com.example/m":1}"#)
            .input(r#"{"type":"object","additionalProperties":true}"#),
        run: structured,
    },
    Tool { def: plain("contents"), run: contents },
    Tool { def: plain("returns"), run: returns },
    Tool { def: plain("later"), run: |state, _, io| state.put_off(io, None) },
    Tool {
        def: plain("expiring"),
        run: |state, _, io| {
            let soon = io.now().after(1);
            state.put_off(io, Some(soon))
        },
    },
    Tool { def: plain("fails"), run: |_, _, _| Outcome::Fail("as it should") },
    Tool { def: plain("notices"), run: notices },
    Tool { def: plain("needs"), run: needs },
    Tool { def: plain("asks").task(TaskSupport::Optional), run: crate::asks::all },
    Tool { def: plain("pieces"), run: crate::asks::pieces },
    Tool { def: plain("items"), run: crate::asks::items },
    Tool { def: plain("stopped"), run: |state, _, io| i64::from(state.stopped).reply(io) },
];

const COUNT: usize = 13;
pub static ORDER: [Place; COUNT] = tool_order(&TOOLS);

fn rules<'e>(state: &mut State, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let mut spans = [Span::ABSENT; 8];
    let values = match args.decode(&RULES, &mut spans, io) {
        Ok(values) => values,
        Err(answered) => return answered,
    };
    let mut read = || -> Result<Outcome, Outcome> {
        let flag: bool = values.get(&spans, 0, &RULES, io)?;
        let small: i8 = values.get(&spans, 1, &RULES, io)?;
        let large: u64 = values.get(&spans, 2, &RULES, io)?;
        let ratio: f64 = values.get(&spans, 3, &RULES, io)?;
        let word: &str = values.get(&spans, 4, &RULES, io)?;
        let side: Option<&str> = values.get(&spans, 5, &RULES, io)?;
        let any: Option<heapless::String<16>> = values.get(&spans, 6, &RULES, io)?;
        let nested: Option<Nested<'_>> = values.get(&spans, 7, &RULES, io)?;
        state.level = small.into();
        let text = any.as_deref().or(side).unwrap_or(word);
        let kinds = [
            Kinds::Unit,
            Kinds::New(7),
            Kinds::Two(small, large),
            Kinds::Named { text, letter: '\u{1F41D}' },
        ];
        Ok(Json(Answer { nested, kinds, flag, ratio }).reply(io))
    };
    match read() {
        Ok(outcome) | Err(outcome) => outcome,
    }
}

fn structured<'e>(_: &mut State, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let raw = args.raw().len();
    let values = args.open();
    if raw > 0 && values.parse::<Nested<'_>>().is_err() {
        io.annotate(r#"{"priority":0.5}"#);
    }
    io.structured_with(|w| w.value(if values.text().is_empty() { b"{}" } else { values.text() }));
    Outcome::Done
}

fn contents<'e>(_: &mut State, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    io.annotate(r#"{"audience":["user"]}"#);
    io.text("plain \"text\" \u{7F}\u{2028}");
    io.text_with(|w| {
        w.text("in ");
        w.text("pieces");
    });
    io.json_text(|w| {
        w.object();
        w.member("as", "json");
        w.key("f");
        w.f64(0.1);
        w.key("g");
        w.f32(1e-7);
        w.close();
    });
    io.image(b"\x89PNG", "image/png");
    io.audio(b"RIFF", "audio/wav");
    io.embed_text("probe://text", "text/plain", "embedded");
    io.embed_blob("probe://blob", "application/octet-stream", &[0, 1, 2, 254, 255]);
    io.link("probe://link", "link", "A link", "text/plain");
    Outcome::Done
}

fn returns<'e>(state: &mut State, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    // Which one runs depends on the input, so that all of them are linked.
    let result: Result<&str, &str> = if state.level == 9 { Ok("fine") } else { Err("not nine") };
    match args.raw().len() {
        0 | 2 => ().reply(io),
        3 => true.reply(io),
        4 => u64::MAX.reply(io),
        5 => i64::MIN.reply(io),
        6 => 1.5_f64.reply(io),
        7 => 0.1_f32.reply(io),
        8 => heapless::String::<4>::new().reply(io),
        9 => Some("some").reply(io),
        10 => None::<bool>.reply(io),
        11 => Shown(state.level).reply(io),
        #[cfg(feature = "planted")]
        12 => planted(args.raw(), state).reply(io),
        _ => result.reply(io),
    }
}

/// A panic path, for the check of the check.
#[cfg(feature = "planted")]
#[inline(never)]
fn planted(text: &[u8], state: &State) -> u64 {
    u64::from(text[state.level as usize])
}

fn notices<'e>(_: &mut State, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    // A client that wants none of these is no error.
    let _ = io.progress(1, Some(2), "half");
    let _ = io.log(Level::Warning, "a log message");
    let _ = io.log_value(Level::Debug, "probe", |w| w.str("a value"));
    io.tools_changed();
    io.prompts_changed();
    io.resources_changed();
    let heard = io.resource_updated("probe://read");
    heard.reply(io)
}

fn needs<'e>(_: &mut State, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    match io.require(Can::SAMPLE) {
        Ok(()) => "the client can".reply(io),
        Err(answered) => answered,
    }
}
