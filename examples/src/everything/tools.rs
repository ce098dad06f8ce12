//! The tools.

use super::timed::Job;
use super::{Everything, PNG, WAV, asks, large, tasks};
use midge::dispatch::args::{Arg, Rule, Span, Text};
use midge::dispatch::table::{Place, tool_order};
use midge::dispatch::{Args, Tool, ToolDef};
use midge::{Can, Hints, Io, Level, Outcome, TaskSupport};

const fn plain(name: &'static str, about: &'static str) -> ToolDef {
    ToolDef::new(name).about(about)
}

macro_rules! tools {
    ($($def:expr => $run:expr;)*) => {
        [$(Tool { def: $def, run: $run },)*]
    };
}

const TEXT: Rule = Rule::Str(&Text::ANY);

static ECHO: [Arg; 1] = [Arg::new("text", TEXT).about("What to say back")];
static SLOW: [Arg; 1] =
    [Arg::new("ms", Rule::Int { min: 0, max: 600_000 }).about("How long, in milliseconds")];
static PROMPT: [Arg; 1] = [Arg::new("prompt", TEXT).about("What to ask the model")];
static MESSAGE: [Arg; 1] = [Arg::new("message", TEXT).about("What to ask the user")];
static COUNT_ARG: [Arg; 1] =
    [Arg::new("count", Rule::Int { min: 0, max: 10_000_000 }).about("How many items")];
static REGION: [Arg; 1] =
    [Arg::new("region", TEXT).about("Where to run it").extra("\"x-mcp-header\":\"Region\"")];

const SCHEMA_2020_12: &str = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}"##;
const _: () = assert!(midge::json::scan::valid(SCHEMA_2020_12.as_bytes()));

const STRUCTURED: &str = r#"{"type":"object","properties":{"count":{"type":"integer"},"big":{"type":"integer"}},"required":["count","big"]}"#;

pub(super) static TOOLS: [Tool<Everything>; COUNT] = tools! {
    plain("test_simple_text", "Answers with a text") => |_, _, io| {
        io.text("This is a simple text response for testing.");
        Outcome::Done
    };
    plain("test_image_content", "Answers with an image") => |_, _, io| {
        io.image(PNG, "image/png");
        Outcome::Done
    };
    plain("test_audio_content", "Answers with a sound") => |_, _, io| {
        io.audio(WAV, "audio/wav");
        Outcome::Done
    };
    plain("test_embedded_resource", "Answers with an embedded resource") => |_, _, io| {
        io.embed_text("test://embedded-resource", "text/plain", "This is an embedded resource content.");
        Outcome::Done
    };
    plain("test_multiple_content_types", "Answers with a text, an image and a resource") => |_, _, io| {
        io.text("Multiple content types test:");
        io.image(PNG, "image/png");
        io.embed_text("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#);
        Outcome::Done
    };
    plain("test_error_handling", "Fails, always") => |_, _, _| {
        Outcome::Fail("This tool intentionally returns an error for testing")
    };
    plain("test_tool_with_logging", "Logs three times while it runs") => |state, _, io| {
        state.timed.start(io, Job::Logging(0))
    };
    plain("test_tool_with_progress", "Tells of its progress while it runs") => |state, _, io| {
        state.timed.start(io, Job::Progress(0))
    };
    plain("test_reconnection", "Answers; over HTTP after the stream was closed once") => |_, _, io| {
        io.text("Reconnection test completed");
        Outcome::Done
    };
    plain("json_schema_2020_12_tool", "Has a schema that uses JSON Schema 2020-12").input(SCHEMA_2020_12) => |_, args, io| {
        let values = args.open();
        io.json_text(|w| w.value(values.text()));
        Outcome::Done
    };
    plain("test_x_mcp_header", "Has an argument that HTTP mirrors in a header").args(&REGION) => |_, args, io| text_back(&REGION, args, io);
    plain("test_missing_capability", "Needs a client that can run the model") => |_, _, io| {
        if let Err(answered) = io.require(Can::SAMPLE) {
            return answered;
        }
        io.text("The client can run the model.");
        Outcome::Done
    };
    plain("test_streaming_elicitation", "Answers without asking anything") => |_, _, io| {
        io.text("No question was needed.");
        Outcome::Done
    };
    plain("test_logging_tool", "Logs once, if logs are wanted") => |_, _, io| {
        let _ = io.log(Level::Info, "A log message for testing");
        io.text("Logged, if you asked for it.");
        Outcome::Done
    };
    plain("test_trigger_tool_change", "Says that the tool list has changed") => |_, _, io| {
        io.tools_changed();
        io.text("tools/list_changed is on its way");
        Outcome::Done
    };
    plain("test_trigger_prompt_change", "Says that the prompt list has changed") => |_, _, io| {
        io.prompts_changed();
        io.text("prompts/list_changed is on its way");
        Outcome::Done
    };
    plain("test_trigger_resource_update", "Says that the watched resource has changed") => |_, _, io| {
        let heard = io.resource_updated("test://watched-resource");
        io.text(if heard { "subscribers were told" } else { "nobody has subscribed" });
        Outcome::Done
    };
    plain("test_structured_content", "Answers with a structured value").output(STRUCTURED).hints(READ_ONLY) => |_, _, io| {
        io.structured_with(|w| w.raw(br#"{"count":3,"big":9007199254740993}"#));
        Outcome::Done
    };
    plain("test_resource_link", "Answers with a link to a resource").title("Resource link") => |_, _, io| {
        io.annotate(r#"{"audience":["user"],"priority":0.5}"#);
        io.link("test://static-text", "static-text", "A text that does not change", "text/plain");
        Outcome::Done
    };
    plain("test_sampling", "Asks the client's model").args(&PROMPT) => |_, args, io| asks::sampling(&PROMPT, args, io);
    plain("test_elicitation", "Asks the user").args(&MESSAGE) => |_, args, io| asks::elicitation(&MESSAGE, args, io);
    plain("test_elicitation_sep1034_defaults", "Asks the user, with values to begin with") => asks::defaults;
    plain("test_elicitation_sep1330_enums", "Asks the user to choose") => asks::enums;
    plain("test_elicitation_url", "Asks the user to open a page") => asks::url;
    plain("test_list_roots", "Counts the client's roots") => asks::list_roots;
    plain("test_input_required_result_elicitation", "Asks the user's name") => asks::name;
    plain("test_input_required_result_sampling", "Asks the model a question") => asks::capital;
    plain("test_input_required_result_list_roots", "Asks for the client's roots") => asks::client_roots;
    plain("test_input_required_result_request_state", "Asks, and carries state") => asks::confirm;
    plain("test_input_required_result_multiple_inputs", "Asks three things at once") => asks::several;
    plain("test_input_required_result_multi_round", "Asks one thing after the other") => asks::rounds;
    plain("test_input_required_result_tampered_state", "Asks, and trusts only its own state") => asks::confirm;
    plain("test_input_required_result_capabilities", "Asks what the client can be asked") => asks::capable;
    plain("test_cancelled_count", "Counts the calls that were ended by a cancel") => |state, _, io| {
        io.text(&format!("cancelled: {}", state.cancelled));
        Outcome::Done
    };
    plain("test_many_items", "Answers with a structured list, which may be larger than any buffer").args(&COUNT_ARG) => |_, args, io| large::items(&COUNT_ARG, args, io);
    plain("greet", "Greets").args(&tasks::GREET) => tasks::greet;
    plain("slow_compute", "Computes for a while").args(&tasks::COMPUTE).task(TaskSupport::Optional) => tasks::compute;
    plain("failing_job", "Fails after a second, as a task").task(TaskSupport::Required) => tasks::failing;
    plain("protocol_error_job", "Ends in a protocol error, as a task").task(TaskSupport::Required) => tasks::protocol_error;
    plain("confirm_delete", "Asks before it deletes, as a task").args(&tasks::DELETE).task(TaskSupport::Required) => tasks::delete;
    plain("multi_input", "Asks two things at once, as a task").task(TaskSupport::Required) => tasks::several;
    plain("test_tool_with_task", "Asks, and then takes its time as a task").task(TaskSupport::RequiredAfterInput) => tasks::with_input;
    plain("test_slow", "Answers after a while").args(&SLOW) => slow;
    plain("echo", "Says back what it is told").args(&ECHO) => |_, args, io| text_back(&ECHO, args, io);
};

const COUNT: usize = 44;
const READ_ONLY: Hints = Hints { read_only: Some(true), ..Hints::NONE };

pub(super) static ORDER: [Place; COUNT] = tool_order(&TOOLS);

/// Answers with the one text that was sent.
fn text_back<'e>(table: &'static [Arg; 1], args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let mut spans = [Span::ABSENT; 1];
    match args.decode(table, &mut spans, io).and_then(|v| v.get::<&str>(&spans, 0, table, io)) {
        Ok(text) => {
            io.text(text);
            Outcome::Done
        }
        Err(answered) => answered,
    }
}

fn slow<'e>(state: &mut Everything, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let mut spans = [Span::ABSENT; 1];
    match args.decode(&SLOW, &mut spans, io).and_then(|v| v.get::<u64>(&spans, 0, &SLOW, io)) {
        Ok(ms) => state.timed.start(io, Job::Slow(ms)),
        Err(answered) => answered,
    }
}
