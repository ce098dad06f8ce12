//! The client and the application: what they do next is drawn by lot.

use super::call::{Call, Fate};
use super::catalog::NAMES;
use super::client::{Retry, Said, id};
use super::engine::{Engine, How, Rest};
use super::model::{Model, SLOTS, Tight, is_about_an_id};
use midge::{Buf, Config, HmacSealer, Kind, Slot, Storage, Ticket};
use midge_tests::replay::{KEY, Random};
use serde_json::Value;
use std::collections::{HashSet, VecDeque};

/// What the client said, and what follows once the engine has read it.
pub enum Effect {
    Nothing,
    Call(u64),
    /// The id of a call that is open, used again.
    Again(u64),
    Response(u64, String),
    Cancel(u64),
}

/// One connection from start to end.
pub struct Session<'b> {
    pub engine: Engine<'b>,
    pub model: Model,
    pub random: Random,
    pub revision: &'static str,
    pub retries: Vec<Retry>,
    /// Tickets, good and stale.
    tickets: Vec<Ticket>,
    /// Bytes to be received; those before `fed` are.
    input: Vec<u8>,
    fed: usize,
    /// Where each line ends in `input`, and what it means.
    lines: VecDeque<(usize, Vec<Effect>)>,
    /// Lines that the engine has read.
    read: u64,
    pub next: u64,
    ask_ms: u64,
    cut: usize,
    seed: u64,
    /// The last lines, both ways, for the report of a failure.
    trace: VecDeque<String>,
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for line in &self.trace {
                eprintln!("{line}");
            }
            eprintln!("MIDGE_SOAK_SEED={} repeats this session (in this profile)", self.seed);
        }
    }
}

/// One of `all`.
pub fn one<'a, T: ?Sized>(random: &mut Random, all: &[&'a T]) -> &'a T {
    all[random.upto(all.len()) - 1]
}

/// Runs a session of `calls` calls; how many there were.
pub fn run(seed: u64, calls: u64) -> Model {
    let mut random = Random::new(seed);
    let tight = Tight { park: random.upto(3) == 1, tx: random.upto(3) == 1 };
    let park_bytes = if tight.park { 90 + random.upto(300) } else { 3000 };
    let tx_bytes = if tight.tx { 299 + random.upto(500) } else { 2048 };
    let reply_max = match random.upto(3) {
        1 if tight.tx => random.upto(600),
        2 => 1500,
        _ => usize::MAX,
    };
    let config = Config { ask_ms: 30_000, reply_max, ..Config::default() };
    let (mut rx, mut tx) = (vec![0; 4096], vec![0; tx_bytes]);
    let (mut park, mut slots) = (vec![0; park_bytes], vec![Slot::FREE; SLOTS]);
    let mut scratch = [0; 64];
    let storage = Storage {
        rx: Buf::from(&mut rx[..]),
        tx: Buf::from(&mut tx[..]),
        slots: &mut slots,
        subscriptions: &mut [],
        scratch: &mut scratch,
        park: &mut park,
    };
    let sealer = HmacSealer::new(KEY).expect("the key is long enough");
    let revision = one(&mut random, &["2025-03-26", "2025-06-18", "2025-11-25"]);
    let mut session = Session {
        engine: Engine::new(storage, config, &sealer),
        model: Model::new(tight),
        random,
        revision,
        retries: Vec::new(),
        tickets: Vec::new(),
        input: Vec::new(),
        fed: 0,
        lines: VecDeque::new(),
        read: 0,
        next: 0,
        ask_ms: config.ask_ms,
        cut: 1,
        seed,
        trace: VecDeque::new(),
    };
    session.begin();
    while session.next < calls {
        session.step();
    }
    session.end(park_bytes);
    std::mem::replace(&mut session.model, Model::new(tight))
}

impl Session<'_> {
    fn begin(&mut self) {
        let number = self.number();
        self.model.add(Call::new(number, "ping", String::new()));
        let (id, revision) = (id(number), self.revision);
        self.line(
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{"elicitation":{{}},"sampling":{{}},"roots":{{}}}},"clientInfo":{{"name":"t","version":"0"}}}}}}"#
            ),
            vec![Effect::Call(number)],
        );
        self.feed_all();
    }

    pub fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub fn chance(&mut self, of: usize) -> bool {
        self.random.upto(of) == 1
    }

    fn note(&mut self, line: String) {
        if self.trace.len() >= 60 {
            self.trace.pop_front();
        }
        self.trace.push_back(line);
    }

    /// Whether everything said was received.
    fn is_quiet(&self) -> bool {
        self.fed == self.input.len()
    }

    /// Whether everything said was read and answered.
    pub fn is_at_rest(&self) -> bool {
        self.input.is_empty()
    }

    pub fn line(&mut self, line: String, effects: Vec<Effect>) {
        self.input.extend_from_slice(line.as_bytes());
        self.input.push(b'\n');
        self.lines.push_back((self.input.len(), effects));
        self.note(format!("> {line}"));
    }

    /// Some lines of the client's, some bytes of them received, and a little or all of the work that follows.
    fn step(&mut self) {
        if self.input.len() - self.fed < 400 {
            self.speak();
        }
        if self.chance(4) {
            self.cut = *[1, 9, 80, 4096].get(self.random.upto(4) - 1).unwrap_or(&1);
        }
        for _ in 0..self.random.upto(400 / self.cut.min(100)) {
            let n = self.random.upto(self.cut).min(self.input.len() - self.fed);
            self.fed += self.engine.feed(&self.input[self.fed..self.fed + n]);
            if self.chance(3) {
                self.work_a_little();
            }
        }
        if self.chance(2) {
            self.settle();
            self.act();
        }
    }

    /// Polls and sends, but not to the end; deferred calls are gone on with while bytes wait to be sent.
    fn work_a_little(&mut self) {
        for _ in 0..self.random.upto(4) {
            if self.engine.poll() != Rest::Send {
                return;
            }
            if self.chance(6) {
                self.resume();
            }
            let most = self.random.upto(300);
            assert!(self.engine.take(most) > 0, "Send means that there is something to send");
        }
    }

    /// Polls and sends until nothing is left to do, and looks at what came.
    pub fn settle(&mut self) {
        for _ in 0..100_000 {
            if self.engine.poll() != Rest::Send {
                return self.look();
            }
            let most = if self.chance(3) { 40 } else { 4096 };
            let most = self.random.upto(most);
            assert!(self.engine.take(most) > 0, "Send means that there is something to send");
        }
        panic!("the engine does not come to rest");
    }

    /// The calls whose tickets are good.
    fn held(&mut self) -> Vec<u64> {
        let server = self.engine.server();
        let gone: Vec<_> =
            self.engine.desk.held.iter().filter(|h| !server.is_waiting(h.0)).map(|h| h.0).collect();
        self.engine.desk.held.retain(|h| !gone.contains(&h.0));
        self.tickets.extend(gone);
        if self.tickets.len() > 16 {
            self.tickets.drain(..8);
        }
        self.engine.desk.held.iter().map(|h| h.1).collect()
    }

    /// Everything that was received is read, and everything that was written is sent: what must be true now?
    fn look(&mut self) {
        let mut place = self.engine.sent - self.engine.out.len() as u64;
        let out = std::mem::take(&mut self.engine.out);
        let text = std::str::from_utf8(&out).expect("what is sent is UTF-8");
        assert!(text.is_empty() || text.ends_with('\n'), "a message ends in a newline: {text}");
        let mut answers = Vec::new();
        for line in text.lines() {
            let message: Value =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("not JSON ({e}): {line}"));
            self.note(format!("< {line}"));
            match message {
                Value::Array(all) => answers.extend(all),
                message if message.get("method").is_none() => answers.push(message),
                message => self.said_by_server(&message, place),
            }
            place += line.len() as u64 + 1;
        }
        self.engine.out = out;
        self.engine.out.clear();
        let of = |message: &Value| super::catalog::number(message["id"].to_string().as_bytes());
        let answered: HashSet<u64> = answers.iter().filter(|m| !is_about_an_id(m)).map(of).collect();
        self.read(&answered);
        for message in &answers {
            let number = of(message);
            self.model.answer(number, message);
            self.retry(number, message);
        }
        let held = self.held();
        self.model.rest(&held);
        let server = self.engine.server();
        assert_eq!(server.calls_waiting(), self.model.open(true), "calls that wait");
        let deadline = self.model.deadline(self.ask_ms, &self.engine.ran, &held);
        assert_eq!(server.deadline().map(|at| at.0), deadline, "the next deadline");
        assert_eq!(self.engine.cancelled, self.model.cancelled, "calls that were given up");
        assert_eq!(u64::from(server.stats().responses), self.model.ignored, "answers that nobody waited for");
        self.input.drain(..self.fed);
        for (end, _) in &mut self.lines {
            *end -= self.fed;
        }
        self.fed = 0;
    }

    fn said_by_server(&mut self, message: &Value, place: u64) {
        assert_eq!(message["jsonrpc"], "2.0");
        match message["method"].as_str() {
            Some("notifications/cancelled") => self.model.withdrawal(message),
            Some("notifications/progress" | "notifications/message" | "notifications/tools/list_changed") => {
            }
            _ => {
                let caller = self.engine.run_at(place);
                self.model.question(message, caller);
            }
        }
    }

    /// What the lines mean that the engine has read by now.
    fn read(&mut self, answered: &HashSet<u64>) {
        while self.lines.front().is_some_and(|line| line.0 <= self.fed) {
            let Some((_, effects)) = self.lines.pop_front() else { return };
            self.read += 1;
            for effect in effects {
                match effect {
                    Effect::Nothing => {}
                    Effect::Call(number) => self.model.read(number),
                    Effect::Again(number) => self.model.again(number),
                    Effect::Response(number, answer) => self.model.response(number, &answer, self.read),
                    Effect::Cancel(number) => {
                        self.model.cancel(number, answered.contains(&number), self.read);
                    }
                }
            }
        }
    }

    /// What the application does, while the engine rests.
    fn act(&mut self) {
        if self.chance(2) {
            self.resume();
            self.settle();
        }
        if self.chance(12) && self.is_quiet() {
            let ms = if self.chance(4) { self.ask_ms } else { self.random.upto(9000) as u64 };
            self.wait(ms);
        }
        if let Some(stale) = self.tickets.first() {
            assert_eq!(self.engine.resume(*stale, How::Finish), Err(Kind::Stale));
        }
    }

    pub fn wait(&mut self, ms: u64) {
        self.engine.now += ms;
        let held = self.held();
        let expired = self.engine.expired;
        self.model.late(self.engine.now, self.ask_ms, &self.engine.ran, &held);
        self.settle();
        let due = self.model.calls.values().filter(|c| c.expired).count() as u64;
        assert!(
            self.engine.expired - expired <= due && self.engine.expired == due,
            "deadlines of deferred calls"
        );
    }

    /// Goes on with one of the deferred calls.
    fn resume(&mut self) {
        let held = &self.engine.desk.held;
        if held.is_empty() {
            return;
        }
        let (ticket, number, _) = held[self.random.upto(held.len()) - 1];
        let call = &self.model.calls[&number];
        let resting = self.engine.server().send_buf().1.is_empty();
        // While its question is open, what the client says of it and this may come in either order.
        if call.is_waiting_for_answers() && !(resting && self.is_quiet()) {
            return;
        }
        let how = match self.random.upto(9) {
            1 => How::Fail,
            2 => How::Refuse,
            3 => How::Talk,
            4 => How::PutOff,
            _ => How::Finish,
        };
        self.go_on(ticket, number, how);
    }

    pub fn go_on(&mut self, ticket: Ticket, number: u64, how: How) {
        let good = self.engine.server().is_waiting(ticket);
        let done = self.engine.resume(ticket, how);
        self.note(format!("= resume {number} {how:?}: {done:?}"));
        let call = self.model.calls.get_mut(&number).expect("it was called");
        match done {
            Ok(()) => {
                assert!(good && call.resumed.is_none() && call.fate == Fate::Open, "it was over: {call:?}");
                if !matches!(how, How::Talk | How::PutOff) {
                    (call.resumed, call.stirred) = (Some(how), true);
                }
                // Put off again, a call has no deadline but the new one.
                if how == How::PutOff && call.tool == "hold_until" {
                    call.tool = "hold";
                }
            }
            Err(Kind::Stale) => assert!(!good, "the ticket was good: {call:?}"),
            Err(kind) => assert!(good && kind == Kind::Busy, "{kind:?}: {call:?}"),
        }
    }

    /// Lets the engine read and answer all that was said.
    pub fn feed_all(&mut self) {
        self.settle();
        while !self.is_quiet() {
            self.fed += self.engine.feed(&self.input[self.fed..]);
            self.settle();
        }
    }

    /// Takes note of what is said.
    pub fn spoken(&mut self, said: Said) -> (String, Effect) {
        if let Some(call) = said.call {
            self.model.add(call);
        }
        (said.line, said.effect)
    }

    pub fn ask_ms(&self) -> u64 {
        self.ask_ms
    }

    /// A name of the catalog.
    pub fn tool(&mut self) -> &'static str {
        let all = NAMES.len() + 3;
        let at = self.random.upto(all) - 1;
        NAMES.get(at).copied().unwrap_or_else(|| ["p", "r", "t"][at - NAMES.len()])
    }
}
