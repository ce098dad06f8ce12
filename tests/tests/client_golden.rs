//! A client and a server talk, in every revision, and say the same whatever way their bytes are cut.

use midge::client::{Filter, Options, Reference};
use midge::session::rows::List;
use midge::{Level, Revision};
use midge_tests::pair::{Carry, Do, EVERYTHING, only, talk};
use midge_tests::replay::Cut;
use midge_tests::transcript::Act;

const PLAIN: Options<'static> = Options {
    timeout_ms: 0,
    max_ms: 0,
    progress: false,
    progress_extends: false,
    log_level: None,
    task_ms: None,
    slices: false,
    meta: None,
};

const SESSION: &[Do] = &[
    Do::List(List::Resources),
    Do::List(List::Templates),
    Do::List(List::Prompts),
    Do::Tool("test_simple_text", "{}", PLAIN),
    Do::Tool("test_error_handling", "{}", PLAIN),
    Do::Tool("no_such_tool", "{}", PLAIN),
    Do::Tool("test_x_mcp_header", "{\"region\": \"Zürich\"}", PLAIN),
    Do::Tool("test_structured_content", "{}", PLAIN),
    Do::Tool("test_tool_with_progress", "{}", Options { progress: true, ..PLAIN }),
    Do::Tool("test_tool_with_progress", "{}", PLAIN),
    Do::Level(Level::Debug),
    Do::Tool("test_tool_with_logging", "{}", Options { log_level: Some(Level::Info), ..PLAIN }),
    Do::Read("test://static-text"),
    Do::Read("test://template/123/data"),
    Do::Read("test://no-such-thing"),
    Do::Prompt("test_simple_prompt", &[]),
    Do::Prompt("test_prompt_with_arguments", &[("arg1", "one"), ("arg2", "\"two\"\n")]),
    Do::Complete(Reference::Prompt("test_prompt_with_arguments"), ("arg1", "par"), &[]),
    Do::Complete(Reference::Prompt("test_prompt_with_arguments"), ("arg2", "x"), &[("arg1", "paris")]),
    Do::Ping,
    Do::Subscribe("test://watched-resource", true),
    Do::Listen(Filter { tools: true, prompts: true, resources: false, uris: &["test://watched-resource"] }),
    Do::Server(Act::WatchedUpdated),
    Do::Server(Act::ToolsChanged),
    Do::Subscribe("test://watched-resource", false),
    Do::Server(Act::CloseSubscriptions),
];

const ASKING: &[Do] = &[
    Do::Tool("test_elicitation", "{\"message\":\"Who?\"}", PLAIN),
    Do::Tool("test_elicitation_sep1034_defaults", "{}", PLAIN),
    Do::Tool("test_elicitation_url", "{}", PLAIN),
    Do::Tool("test_sampling", "{\"prompt\":\"Say\"}", PLAIN),
    Do::Tool("test_list_roots", "{}", PLAIN),
    Do::Tool("test_input_required_result_multiple_inputs", "{}", PLAIN),
    Do::Tool("test_input_required_result_multi_round", "{}", PLAIN),
    Do::Prompt("test_input_required_result_prompt", &[]),
    Do::Ping,
];

const TASKS: &[Do] = &[
    Do::Tool("slow_compute", "{\"seconds\":3,\"label\":\"a\"}", Options { task_ms: Some(60_000), ..PLAIN }),
    Do::Tool("slow_compute", "{\"seconds\":1,\"label\":\"b\"}", PLAIN),
    Do::Tool("failing_job", "{}", Options { task_ms: Some(60_000), ..PLAIN }),
    Do::Tool("protocol_error_job", "{}", Options { task_ms: Some(60_000), ..PLAIN }),
    Do::Tool("confirm_delete", "{\"filename\":\"x\"}", Options { task_ms: Some(60_000), ..PLAIN }),
    Do::Tool("multi_input", "{}", Options { task_ms: Some(60_000), ..PLAIN }),
    Do::Tool("test_tool_with_task", "{}", Options { task_ms: Some(60_000), ..PLAIN }),
];

const ALL: [Revision; 5] = midge::proto::revision::ALL;

fn golden(name: &str, revision: Revision) -> std::path::PathBuf {
    midge_tests::golden().join("client").join(format!("{}-{name}.txt", revision.name()))
}

fn differ(name: &str, way: &str, want: &str, got: &str) -> String {
    let pair = want.lines().map(Some).chain([None; 1]).zip(got.lines().map(Some).chain([None; 1]));
    for (n, (want, have)) in pair.enumerate() {
        if want != have {
            let (want, have) = (want.unwrap_or("nothing"), have.unwrap_or("nothing"));
            return format!("{name}, {way}: line {}\n  expected {want}\n  got      {have}", n + 1);
        }
    }
    format!("{name}, {way}: the texts differ in length")
}

/// The same talk cut in many ways. How lines of the two directions interleave depends on the cut; each direction, and the
/// events, do not.
fn check(name: &str, steps: &[Do]) {
    let bless = std::env::var_os("MIDGE_BLESS").is_some();
    for revision in ALL {
        let path = golden(name, revision);
        let whole = Carry { cut: Cut::Whole, client: (8192, 2048) };
        let got = talk(only(revision), EVERYTHING, steps, whole);
        if bless {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is there");
            std::fs::write(&path, &got).expect("the transcript is written");
        }
        let want = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(want == got, "{}", differ(&path.display().to_string(), "whole", &want, &got));
        for cut in [Cut::Bytes].into_iter().chain((1..=8).map(Cut::Random)) {
            let got = talk(only(revision), EVERYTHING, steps, Carry { cut, ..whole });
            for who in ['>', '<', '='] {
                let of = |text: &str| {
                    text.lines().filter(|line| line.starts_with(who)).collect::<Vec<_>>().join("\n")
                };
                let (want, got) = (of(&want), of(&got));
                assert!(
                    want == got,
                    "{}",
                    differ(&path.display().to_string(), &format!("{cut:?}"), &want, &got)
                );
            }
        }
    }
}

#[test]
fn sessions() {
    check("session", SESSION);
}

#[test]
fn questions() {
    check("asking", ASKING);
}

#[test]
fn tasks() {
    check("tasks", TASKS);
}
