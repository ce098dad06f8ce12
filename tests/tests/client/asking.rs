//! A server of 2026-07-28 that asks before it answers, and what forms fill in by themselves.

use super::desk::{Desk, PARK, PLAIN, Rig, json, modern, modern_in};
use midge::client::{Config, Given, Options};
use midge::session::rows::List;
use midge::{Can, Kind, Revision};
use midge_tests::pair::{EVERYTHING, only};

const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}"#;
const ROOTS: &str = r#"{"method":"roots/list"}"#;

/// The request with that id, and with these members at its end.
fn request(id: u64, more: &str) -> String {
    format!(
        r#"> "id":{id},"method":"tools/call","params":{{"_meta":{{ME}},"name":"t","arguments":{{}}{more}}}"#
    )
}

fn input(id: u64, members: &str) -> String {
    format!(r#""id":{id},"result":{{"resultType":"input_required",{members}}}"#)
}

fn requests(id: u64, questions: &str) -> String {
    input(id, &format!(r#""inputRequests":{{{questions}}}"#))
}

/// A call that is out.
fn called(rig: Rig, scenario: impl Fn(&mut Desk<'_>)) {
    modern_in(rig, |desk| {
        desk.tool(PLAIN);
        desk.expect(&[&request(2, "")]);
        scenario(desk);
        desk.park_is_empty();
    });
}

fn rig() -> Rig {
    Rig::new(only(Revision::V2026_07_28))
}

/// Answers the question that was handed out as number `which`.
#[track_caller]
fn give(desk: &mut Desk<'_>, which: usize, given: Given<'_>) {
    assert_eq!(desk.client.answer(desk.questions[which], given), Ok(()));
}

fn kind(desk: &mut Desk<'_>, which: usize, given: Given<'_>) -> Option<Kind> {
    desk.client.answer(desk.questions[which], given).err().map(|error| error.kind)
}

#[track_caller]
fn fails(desk: &mut Desk<'_>, message: &str, why: &str) {
    desk.on(message, &[&format!("= 0: done failed: {why}")]);
}

#[test]
fn state_comes_back_byte_for_byte() {
    for state in [r#""""#, r#""\u00e9\/\"\\\ud83d\ude00 é""#, r#""a b""#] {
        called(rig(), |desk| {
            desk.on(
                &input(2, &format!(r#""requestState":{state}"#)),
                &[&request(3, &format!(r#","requestState":{state}"#))],
            );
            // A round without state forgets the one before.
            let round = format!(r#""inputRequests":{{"a":{ROOTS}}}"#);
            desk.on(&input(3, &round), &["= 0: asked Roots "]);
            give(desk, 0, Given::Result(json(r#"{ "roots":[] }"#)));
            desk.expect(&[&request(4, r#","inputResponses":{"a":{"roots":[]}}"#)]);
            desk.on(r#""id":4,"result":{}"#, &["= 0: done result {}"]);
        });
    }
}

#[test]
fn answers_go_out_together_when_the_last_is_there_in_any_order() {
    let sample = r#"{"params":{"messages":[],"maxTokens":1},"method":"sampling\/createMessage"}"#;
    let url = r#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https:\/\/a"}}"#;
    called(rig(), |desk| {
        let questions = format!(r#""a b\n\u00e9":{sample}, "":{url} ,"c":{ROOTS},"d":{FORM}"#);
        desk.on(
            &input(2, &format!(r#""requestState":"s","inputRequests":{{ {questions} }}"#)),
            &[
                r#"= 0: asked Sample {"messages":[],"maxTokens":1}"#,
                r#"= 0: asked Url {"mode":"url","message":"m","url":"https:\/\/a"}"#,
                "= 0: asked Roots ",
                r#"= 0: asked Form {"message":"m","requestedSchema":{"type":"object","properties":{}}}"#,
            ],
        );
        give(desk, 3, Given::Accept(json(r#"{"x": 1e2}"#)));
        give(desk, 1, Given::Accept(json("{}")));
        desk.expect(&[]);
        assert_eq!(kind(desk, 1, Given::Decline), Some(Kind::Stale), "an answer counts once");
        give(desk, 2, Given::Cancel);
        give(desk, 0, Given::Result(json(r#"{"role":"assistant"}"#)));
        let answers = r#""d":{"action":"accept","content":{"x":1e2}},"":{"action":"accept"},"c":{"action":"cancel"},"a b\n\u00e9":{"role":"assistant"}"#;
        desk.expect(&[&request(3, &format!(r#","inputResponses":{{{answers}}},"requestState":"s""#))]);
        assert_eq!(kind(desk, 0, Given::Decline), Some(Kind::Stale));
        desk.on(r#""id":3,"result":{}"#, &["= 0: done result {}"]);
    });
}

#[test]
fn the_request_is_made_again_as_it_was() {
    modern(|desk| {
        let options = Options { progress: true, ..PLAIN };
        desk.call(|c| c.get_prompt("p", &[("a", "\u{e9}\"")], options));
        desk.call(|c| c.read_resource("a:b?\",\"params\":{", PLAIN));
        desk.expect(&[
            r#"> "id":2,"method":"prompts/get","params":{"_meta":{ME,"progressToken":2},"name":"p","arguments":{"a":"é\""}}"#,
            r#"> "id":3,"method":"resources/read","params":{"_meta":{ME},"uri":"a:b?\",\"params\":{"}"#,
        ]);
        desk.on(
            &input(3, r#""requestState":"r""#),
            &[r#"> "id":4,"method":"resources/read","params":{"_meta":{ME},"uri":"a:b?\",\"params\":{","requestState":"r"}"#],
        );
        desk.on(
            &input(2, r#""requestState":"p""#),
            &[r#"> "id":5,"method":"prompts/get","params":{"_meta":{ME,"progressToken":2},"name":"p","arguments":{"a":"é\""},"requestState":"p"}"#],
        );
        desk.on(
            r#""method":"notifications/progress","params":{"progressToken":2,"progress":1}"#,
            &[r#"= 0: progress {"progressToken":2,"progress":1}"#],
        );
        desk.on(r#""id":5,"result":{}"#, &["= 0: done result {}"]);
        desk.on(r#""id":4,"result":{}"#, &["= 1: done result {}"]);
        desk.park_is_empty();
    });
}

#[test]
fn questions_that_cannot_be_asked_end_the_call() {
    let no_key = format!(r#""{}":{ROOTS}"#, "k".repeat(254));
    let many = |n: u32| (0..n).map(|i| format!(r#""k{i}":{ROOTS}"#)).collect::<Vec<_>>().join(",");
    for (members, why) in [
        (r#""a":1"#.into(), "asks for input and does not say which"),
        (r#""inputRequests":{}"#.into(), "asks for input and does not say which"),
        (r#""inputRequests":null,"requestState":null"#.into(), "asks for input and does not say which"),
        (r#""inputRequests":[]"#.into(), "\"inputRequests\" is no object"),
        (r#""inputRequests":"k","requestState":"s""#.into(), "\"inputRequests\" is no object"),
        (r#""requestState":{}"#.into(), "\"requestState\" is no string"),
        (r#""requestState":"a","requestState":"b""#.into(), "a member of the result is there twice"),
        (r#""inputRequests":{"a":{"method":"x"}}"#.into(), "asks something that is no question"),
        (r#""inputRequests":{"a":7}"#.into(), "asks something that is no question"),
        (format!(r#""inputRequests":{{"b":{ROOTS},"a":{{}}}}"#), "asks something that is no question"),
        (format!(r#""inputRequests":{{{no_key}}}"#), "a question's key is longer than 253 bytes"),
        (format!(r#""inputRequests":{{{}}}"#, many(17)), "asks more than 16 questions at once"),
    ] {
        called(Rig { park: 2048, ..rig() }, |desk| fails(desk, &input(2, &members), why));
    }
    called(Rig { park: 2048, ..rig() }, |desk| {
        let key = "k".repeat(253);
        desk.on(&requests(2, &format!(r#""{key}":{ROOTS}"#)), &["= 0: asked Roots "]);
        give(desk, 0, Given::Error(-1, "no"));
        desk.expect(&["= 0: done failed: what the server asked for was refused"]);
    });
    called(Rig { park: 2048, ..rig() }, |desk| {
        desk.hear(&requests(2, &many(16)));
        assert_eq!((desk.take().len(), desk.questions.len()), (16, 16));
        give(desk, 9, Given::Error(-1, "no"));
        assert_eq!(kind(desk, 3, Given::Decline), Some(Kind::Stale), "the call is over");
        assert_eq!(kind(desk, 9, Given::Decline), Some(Kind::Stale));
        desk.expect(&["= 0: done failed: what the server asked for was refused"]);
    });
}

#[test]
fn a_key_that_is_there_twice_is_one_question() {
    called(rig(), |desk| {
        desk.on(&requests(2, &format!(r#""a":{ROOTS},"a":{FORM},"a":{ROOTS}"#)), &["= 0: asked Roots "]);
        give(desk, 0, Given::Result(json("{}")));
        desk.expect(&[&request(3, r#","inputResponses":{"a":{}}"#)]);
        desk.on(r#""id":3,"result":{}"#, &["= 0: done result {}"]);
    });
}

#[test]
fn only_what_was_declared_may_be_asked() {
    let tools = r#"{"method":"sampling/createMessage","params":{"tools":[]}}"#;
    let sample = r#"{"method":"sampling/createMessage","params":{}}"#;
    let url = r#"{"method":"elicitation/create","params":{"mode":"url"}}"#;
    for (can, question) in [
        (Can::NOTHING, FORM),
        (Can::NOTHING, ROOTS),
        (Can::ELICIT_URL, FORM),
        (Can::ELICIT, url),
        (Can::SAMPLE, tools),
        (Can::LIST_ROOTS, sample),
    ] {
        called(Rig { can, ..rig() }, |desk| {
            let (members, why) = (format!(r#""a":{question}"#), "asks for what was not declared");
            fails(desk, &requests(2, &members), why);
        });
    }
    called(Rig { can: Can::SAMPLE, ..rig() }, |desk| {
        desk.on(&requests(2, &format!(r#""a":{sample}"#)), &["= 0: asked Sample {}"]);
        give(desk, 0, Given::Error(-1, "no"));
        desk.expect(&["= 0: done failed: what the server asked for was refused"]);
    });
}

#[test]
fn rounds_are_bounded() {
    let config = Config { rounds: 3, ..only(Revision::V2026_07_28) };
    called(Rig::new(config), |desk| {
        for id in 2..5 {
            desk.on(&input(id, r#""requestState":"s""#), &[&request(id + 1, r#","requestState":"s""#)]);
        }
        fails(desk, &input(5, r#""requestState":"s""#), "the server asks again and again");
    });
}

#[test]
fn time_stands_still_while_a_user_thinks_and_begins_anew() {
    modern(|desk| {
        desk.tool(Options { timeout_ms: 100, ..PLAIN });
        desk.tool(Options { timeout_ms: 100, max_ms: 5_000, ..PLAIN });
        desk.run();
        desk.take();
        desk.on(&requests(2, &format!(r#""a":{ROOTS}"#)), &["= 0: asked Roots "]);
        desk.on(&requests(3, &format!(r#""a":{ROOTS}"#)), &["= 1: asked Roots "]);
        desk.at(4_999);
        desk.expect(&[]);
        give(desk, 0, Given::Decline);
        desk.expect(&[&request(4, r#","inputResponses":{"a":{"action":"decline"}}"#)]);
        // The other has an end that no question moves.
        desk.at(5_000);
        desk.expect(&["= 1: done failed: no answer came in time"]);
        assert_eq!(kind(desk, 1, Given::Decline), Some(Kind::Stale));
        desk.at(5_098);
        desk.expect(&[]);
        desk.at(5_099);
        let said = desk.take();
        assert_eq!(said[0], "= 0: done failed: no answer came in time", "{said:?}");
        desk.park_is_empty();
    });
    // Nobody polls while the user thinks.
    modern(|desk| {
        desk.tool(Options { timeout_ms: 100, ..PLAIN });
        desk.run();
        desk.on(&requests(2, &format!(r#""a":{ROOTS}"#)), &[&request(2, ""), "= 0: asked Roots "]);
        desk.now = 1_000_000;
        give(desk, 0, Given::Decline);
        desk.expect(&[&request(3, r#","inputResponses":{"a":{"action":"decline"}}"#)]);
        desk.at(1_000_099);
        desk.expect(&[]);
        desk.on(r#""id":3,"result":{}"#, &["= 0: done result {}"]);
    });
}

#[test]
fn a_call_that_is_given_up_forgets_its_questions() {
    modern(|desk| {
        let ticket = desk.tool(PLAIN);
        desk.run();
        desk.take();
        desk.hear(&requests(2, &format!(r#""a":{ROOTS},"b":{FORM}"#)));
        give(desk, 0, Given::Decline);
        assert_eq!(desk.client.cancel(ticket), Ok(()));
        assert_eq!(kind(desk, 1, Given::Error(-1, "no")), Some(Kind::Stale));
        desk.take();
        desk.expect(&[]);
        desk.park_is_empty();
    });
    // Between one question and the next.
    Rig::new(only(Revision::V2026_07_28)).run(|desk| {
        desk.connect_modern();
        let ticket = desk.tool(PLAIN);
        desk.run();
        desk.take();
        let line =
            format!("{{\"jsonrpc\":\"2.0\",{}}}\n", requests(2, &format!(r#""a":{ROOTS},"b":{ROOTS}"#)));
        let room = desk.client.recv_buf();
        room[..line.len()].copy_from_slice(line.as_bytes());
        desk.client.recv_ack(line.len());
        let event = desk.client.poll(midge::Millis(0));
        assert_eq!(midge_tests::pair::describe(event), "asked Roots ");
        assert_eq!(desk.client.cancel(ticket), Ok(()));
        desk.call(|c| c.list(List::Tools, PLAIN));
        desk.expect(&[r#"> "id":3,"method":"tools/list","params":{"_meta":{ME}}"#]);
    });
}

#[test]
fn the_end_of_the_stream_makes_questions_stale() {
    modern(|desk| {
        desk.tool(PLAIN);
        desk.run();
        desk.hear(&requests(2, &format!(r#""a":{ROOTS}"#)));
        desk.take();
        desk.client.recv_end();
        desk.expect(&["= 0: done failed: the stream ended before the answer came", "= ended"]);
        assert_eq!(kind(desk, 0, Given::Decline), Some(Kind::Stale));
    });
}

#[test]
fn what_finds_no_room_is_said_and_forgotten() {
    let no_room = "the park memory is used up";
    // The params: only a server that asks wants them.
    modern_in(Rig { park: 64, ..rig() }, |desk| {
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        fails(desk, &requests(2, &format!(r#""a":{ROOTS}"#)), no_room);
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        desk.on(r#""id":3,"result":{}"#, &["= 1: done result {}"]);
    });
    let long = "x".repeat(PARK);
    called(rig(), |desk| fails(desk, &input(2, &format!(r#""requestState":"{long}""#)), no_room));
    called(rig(), |desk| {
        let form =
            FORM.replace(r#""properties":{}"#, &format!(r#""properties":{{"a":{{"default":"{long}"}}}}"#));
        fails(desk, &requests(2, &format!(r#""b":{ROOTS},"a":{form}"#)), no_room);
    });
    called(rig(), |desk| {
        desk.hear(&requests(2, &format!(r#""a":{ROOTS}"#)));
        desk.take();
        let answer = format!(r#"{{"roots":["{long}"]}}"#);
        assert_eq!(kind(desk, 0, Given::Result(json(&answer))), Some(Kind::ParkFull));
        give(desk, 0, Given::Result(json("{}")));
        desk.expect(&[&request(3, r#","inputResponses":{"a":{}}"#)]);
        desk.on(r#""id":3,"result":{}"#, &["= 0: done result {}"]);
    });
    // What is sent again is longer than the transmit buffer.
    called(Rig { tx: 500, can: EVERYTHING, ..rig() }, |desk| {
        let state = "s".repeat(200);
        fails(desk, &input(2, &format!(r#""requestState":"{state}""#)), "the transmit buffer is too small");
    });
}

#[test]
fn forms_fill_in_what_is_left_out() {
    let schema = r#"{"type":"object","properties":{
        "a":{"type":"string","default":"x\n\u00e9"},
        "b":{"type":"array","default":["y", "z"]},
        "c\/\"d":{"type":"integer","default":7},
        "e":{"type":"boolean"},
        "f":{"default":{"g":[{}]}, "type":"object"}}}"#
        .replace('\n', "");
    let form =
        format!(r#"{{"method":"elicitation/create","params":{{"message":"m","requestedSchema":{schema}}}}}"#);
    let (a, b, c, f) = (r#""a":"x\n\u00e9""#, r#""b":["y","z"]"#, r#""c\/\"d":7"#, r#""f":{"g":[{}]}"#);
    for (given, want) in [
        ("{}", format!("{a},{b},{c},{f}")),
        (r#" { "e" : true } "#, format!(r#""e":true,{a},{b},{c},{f}"#)),
        (r#"{"a":null,"\u0062":[]}"#, format!(r#""a":null,"\u0062":[],{c},{f}"#)),
        (r#"{"c/\u0022d":{"a":1},"f":0}"#, format!(r#""c/\u0022d":{{"a":1}},"f":0,{a},{b}"#)),
        ("[1]", format!("{a},{b},{c},{f}")),
        ("\"a\"", format!("{a},{b},{c},{f}")),
    ] {
        called(Rig { rx: 8192, ..rig() }, |desk| {
            desk.hear(&requests(2, &format!(r#""k":{form}"#)));
            desk.take();
            give(desk, 0, Given::Accept(json(given)));
            desk.expect(&[&request(
                3,
                &format!(r#","inputResponses":{{"k":{{"action":"accept","content":{{{want}}}}}}}"#),
            )]);
            desk.on(r#""id":3,"result":{}"#, &["= 0: done result {}"]);
        });
    }
    // Names that were softened are names all the same.
    called(rig(), |desk| {
        desk.hear(&requests(2, &format!(r#""k":{FORM}"#)));
        desk.take();
        let mut softened = br#"{"\u00e9":"\n","b":1}"#.to_vec();
        midge::json::text::soften(&mut softened);
        give(desk, 0, Given::Accept(midge::json::Raw::scanned(&softened)));
        desk.expect(&[&request(
            3,
            r#","inputResponses":{"k":{"action":"accept","content":{"é":"\n","b":1}}}"#,
        )]);
        desk.on(r#""id":3,"result":{}"#, &["= 0: done result {}"]);
    });
}
