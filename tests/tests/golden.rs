//! Every transcript gives the same bytes, however its input is cut and however small the transmit buffer is.

use midge_tests::replay::{Cut, Fixture, Way, bytes_out, replay};
use midge_tests::transcript::{Step, Transcript};

const SMALL: usize = 64;
const LARGE: usize = 4096;
const CUTS: u64 = 24;

/// Shows the first line that differs.
fn same(name: &str, way: &str, expected: &[u8], got: &[u8]) {
    if expected == got {
        return;
    }
    let (expected, got) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(got));
    let pair = expected.lines().map(Some).chain([None; 1]).zip(got.lines().map(Some).chain([None; 1]));
    for (n, (want, have)) in pair.enumerate() {
        if want != have {
            let (want, have) = (want.unwrap_or("nothing"), have.unwrap_or("nothing"));
            panic!("{name}, {way}: server line {}\n  expected {want}\n  got      {have}", n + 1);
        }
    }
    panic!("{name}, {way}: the lines are the same and the bytes are not\n{expected:?}\n{got:?}");
}

/// What the server sent after each step is what stands there.
#[test]
fn each_answer_follows_its_step() {
    let bless = std::env::var_os("MIDGE_BLESS").is_some();
    let way = Way { cut: Cut::Steps, tx: LARGE, flush: true };
    for transcript in Transcript::every() {
        let sent = replay(&transcript, way, &mut Fixture::default());
        if bless {
            transcript.bless(&sent).expect("the transcript is written");
            continue;
        }
        let mut place = transcript.steps.len();
        let mut expected = vec![Vec::new(); place + 1];
        for (at, (step, _)) in transcript.steps.iter().enumerate() {
            match step {
                Step::Expect(line) => expected[place].extend_from_slice(format!("{line}\n").as_bytes()),
                _ => place = at,
            }
        }
        // Lines that come after the last step may come with the end of the stream.
        let mut got = vec![Vec::new(); expected.len()];
        for (at, bytes) in sent {
            let at = if at == transcript.steps.len() { place } else { at };
            got[at].extend_from_slice(&bytes);
        }
        for (at, (expected, got)) in expected.iter().zip(&got).enumerate() {
            same(&transcript.name(), &format!("step {}", at + 2), expected, got);
        }
    }
}

fn all_ways(tx: usize, flush: bool) -> impl Iterator<Item = Way> {
    let cuts = [Cut::Whole, Cut::Steps, Cut::Bytes].into_iter().chain((1..=CUTS).map(Cut::Random));
    cuts.map(move |cut| Way { cut, tx, flush })
}

fn check(transcript: &Transcript, ways: impl Iterator<Item = Way>) -> usize {
    let expected = transcript.expected();
    ways.map(|way| same(&transcript.name(), &format!("{way:?}"), &expected, &bytes_out(transcript, way)))
        .count()
}

#[test]
fn handing_over_full_buffers() {
    for transcript in Transcript::every() {
        for tx in [SMALL, LARGE] {
            assert_eq!(check(&transcript, all_ways(tx, true)), 27);
        }
    }
}

#[test]
fn through_the_ports_alone() {
    let mut engine_only = 0;
    for transcript in Transcript::every() {
        assert_eq!(check(&transcript, all_ways(LARGE, false)), 27);
        if transcript.head.engine_only {
            engine_only += 1;
            assert_eq!(check(&transcript, all_ways(SMALL, false)), 27);
            // An answer made again for each of its bytes is slow to watch, and two cuts show all there is to see.
            for tx in [1, 7] {
                check(&transcript, all_ways(tx, false).take(2));
            }
        }
    }
    assert!(engine_only >= 20, "only {engine_only} transcripts run with a tiny buffer");
}

/// Each revision has its transcripts, each of them says something, and each begins in words.
#[test]
fn the_set_is_whole() {
    let all = Transcript::every();
    for revision in midge::proto::revision::ALL {
        let of = all.iter().filter(|t| t.revision == revision.name()).count();
        assert!(of >= 15, "{}: {of} transcripts", revision.name());
    }
    for transcript in &all {
        assert!(transcript.head.about.len() > 20, "{}", transcript.name());
        assert!(transcript.steps.iter().any(|(s, _)| matches!(s, Step::Send(_))), "{}", transcript.name());
    }
}
