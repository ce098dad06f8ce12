//! A client whose server is a script.

use midge::client::{Client, Config, Ending, Event, Failure, Given, Options, Question, QuestionId, Ticket};
use midge::json::Raw;
use midge::{Can, Error, Millis, Revision, Revisions};
use midge_tests::pair::{ClientMemory, EVERYTHING, ME, describe, only};

/// Polls in a row that no line is worth.
const POLLS_MAX: usize = 10_000;
/// How every message begins that the client sends.
const HEAD: &str = r#"{"jsonrpc":"2.0","#;
/// Bytes of park memory, small enough to be filled.
pub const PARK: usize = 1024;
/// Bytes of a record of the park besides its key and data.
const RECORD: usize = 16;

/// How a scenario is run.
#[derive(Clone, Copy)]
pub struct Rig {
    pub config: Config,
    pub can: Can,
    pub rx: usize,
    pub tx: usize,
    pub park: usize,
}

impl Rig {
    pub fn new(config: Config) -> Self {
        Self { config, can: EVERYTHING, rx: 4096, tx: 8192, park: PARK }
    }

    /// Runs `scenario` with lines that come whole, in single bytes, and in odd pieces.
    pub fn run(self, scenario: impl Fn(&mut Desk<'_>)) {
        for cut in [usize::MAX, 1, 7] {
            self.with(cut, &scenario);
        }
    }

    /// Runs `scenario` with lines that come whole.
    pub fn once(self, scenario: impl Fn(&mut Desk<'_>)) {
        self.with(usize::MAX, &scenario);
    }

    fn with(self, cut: usize, scenario: &dyn Fn(&mut Desk<'_>)) {
        let mut memory = ClientMemory::with_park(self.rx, self.tx, self.park);
        let client = Client::new(&ME, self.can, memory.storage(), self.config).expect("memory");
        scenario(&mut Desk {
            client,
            cut,
            park: self.park,
            now: 0,
            deaf: false,
            quiet: false,
            ended: false,
            said: Vec::new(),
            half: Vec::new(),
            me: String::new(),
            last_id: 0,
            tickets: Vec::new(),
            questions: Vec::new(),
            polls: 0,
            needed: 0,
            sliced: Vec::new(),
        });
    }
}

/// With a server of 2026-07-28, connected.
pub fn modern(scenario: impl Fn(&mut Desk<'_>)) {
    modern_in(Rig::new(only(Revision::V2026_07_28)), scenario);
}

/// [`modern`], with other memory.
pub fn modern_in(rig: Rig, scenario: impl Fn(&mut Desk<'_>)) {
    rig.run(|desk| {
        desk.connect_modern();
        scenario(desk);
    });
}

/// With a server of a handshake revision, connected.
pub fn legacy(revision: Revision, scenario: impl Fn(&mut Desk<'_>)) {
    legacy_in(Rig::new(only(revision)), revision, scenario);
}

/// [`legacy`], with other memory.
pub fn legacy_in(rig: Rig, revision: Revision, scenario: impl Fn(&mut Desk<'_>)) {
    rig.run(|desk| {
        desk.connect_legacy(revision);
        scenario(desk);
    });
}

/// Every revision at once.
pub fn any() -> Config {
    Config { revisions: Revisions::ALL, ..Config::default() }
}

/// A client, and what was said since anybody looked.
pub struct Desk<'b> {
    pub client: Client<'b>,
    cut: usize,
    park: usize,
    pub now: u64,
    /// The server takes no bytes.
    pub deaf: bool,
    /// What was said is not compared, and only counted.
    pub quiet: bool,
    pub ended: bool,
    said: Vec<String>,
    half: Vec<u8>,
    me: String,
    /// The id of the request that was sent last.
    pub last_id: u64,
    tickets: Vec<Ticket>,
    pub questions: Vec<QuestionId>,
    pub polls: usize,
    /// Bytes that the last call wanted that failed for lack of room.
    pub needed: usize,
    /// All slices so far.
    pub sliced: Vec<u8>,
}

impl<'b> Desk<'b> {
    pub fn connect_modern(&mut self) {
        self.run();
        let id = self.last_id;
        self.hear(&format!(r#""id":{id},"result":{{"supportedVersions":["2026-07-28"]}}"#));
        let said = self.take();
        assert!(said.last().is_some_and(|line| line.starts_with("= connected 2026-07-28")), "{said:?}");
    }

    pub fn connect_legacy(&mut self, revision: Revision) {
        self.run();
        let (id, name) = (self.last_id, revision.name());
        self.hear(&format!(r#""id":{id},"result":{{"protocolVersion":"{name}"}}"#));
        let said = self.take();
        assert_eq!(
            said.last().map(String::as_str),
            Some(r#"> "method":"notifications/initialized""#),
            "{said:?}"
        );
    }

    /// The server says a message; without its braces and `jsonrpc`.
    pub fn hear(&mut self, message: &str) {
        self.hear_line(&format!("{HEAD}{message}}}"));
    }

    /// The server says a line.
    pub fn hear_line(&mut self, line: &str) {
        self.hear_bytes(format!("{line}\n").as_bytes());
    }

    pub fn hear_bytes(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() && !self.ended {
            let room = self.client.recv_buf();
            assert!(!room.is_empty(), "there is room after the engine has come to rest");
            let n = room.len().min(rest.len()).min(self.cut);
            room[..n].copy_from_slice(&rest[..n]);
            self.client.recv_ack(n);
            rest = &rest[n..];
            self.run();
        }
    }

    /// The server says a line, and all of it is there at once: there may be as much to say to it as it holds bytes.
    pub fn hear_at_once(&mut self, line: &str) {
        let bytes = format!("{line}\n").into_bytes();
        self.client.recv_buf()[..bytes.len()].copy_from_slice(&bytes);
        self.client.recv_ack(bytes.len());
        while self.poll_on() {}
    }

    /// Forgets the calls and questions so far: what is long over is not looked for.
    pub fn forget(&mut self) {
        self.tickets.clear();
        self.questions.clear();
    }

    /// As much as there is room for; what is left.
    pub fn hear_some<'x>(&mut self, bytes: &'x [u8]) -> &'x [u8] {
        let room = self.client.recv_buf();
        let n = room.len().min(bytes.len());
        room[..n].copy_from_slice(&bytes[..n]);
        self.client.recv_ack(n);
        self.run();
        &bytes[n..]
    }

    /// Makes a call; its name in what is said is its number.
    pub fn call(&mut self, start: impl FnOnce(&mut Client<'b>) -> Result<Ticket, Error>) -> Ticket {
        let ticket = start(&mut self.client).expect("a call is made");
        self.tickets.push(ticket);
        ticket
    }

    /// Calls the tool `t` without arguments.
    pub fn tool(&mut self, options: Options<'_>) -> Ticket {
        self.call(|client| client.call_tool("t", json("{}"), options))
    }

    /// The call that was made last.
    pub fn last_ticket(&self) -> Ticket {
        *self.tickets.last().expect("a call was made")
    }

    /// The server says a message that is nobody's any more.
    pub fn hear_alone(&mut self, message: &str) {
        self.on(message, &[&format!("= stray response {HEAD}{message}}}")]);
    }

    /// Time goes on, and the client is polled once it is there.
    pub fn at(&mut self, now: u64) {
        assert!(now >= self.now);
        self.now = now;
        self.run();
    }

    /// Polls until nothing is to be done, and sends what is to be sent.
    pub fn run(&mut self) {
        assert!(!self.poll_on(), "the engine does not come to rest: {:?}", self.said);
    }

    /// [`run`](Self::run), for so many polls at most; whether there is more to do.
    fn poll_on(&mut self) -> bool {
        for _ in 0..POLLS_MAX {
            self.polls += 1;
            let event = self.client.poll(Millis(self.now));
            let ticket = match &event {
                Event::Idle | Event::Send => {
                    if !self.sends() {
                        self.rests();
                        return false;
                    }
                    continue;
                }
                Event::Ended if self.ended => return false,
                Event::Ended => {
                    self.ended = true;
                    None
                }
                Event::Done(ticket, _)
                | Event::Page(ticket, _)
                | Event::Slice(ticket, _)
                | Event::Progress(ticket, _)
                | Event::Task(ticket, _)
                | Event::Listening(ticket, _) => Some(*ticket),
                Event::Asked(Question { id, call, .. }) => {
                    assert!(!self.questions.contains(id), "a question is handed out once");
                    self.questions.push(*id);
                    *call
                }
                Event::Withdrawn(id) => {
                    assert!(self.questions.contains(id));
                    None
                }
                _ => None,
            };
            let number =
                ticket.map(|ticket| self.tickets.iter().position(|t| *t == ticket).expect("a call of ours"));
            if let Event::Done(_, Ending::Failed(Failure::NoRoom(error))) = &event {
                self.needed = error.at as usize;
            }
            if let Event::Slice(_, slice) = &event {
                self.sliced.extend_from_slice(slice);
            }
            if self.quiet {
                continue;
            }
            let text = describe(event);
            self.said.push(number.map_or(format!("= {text}"), |number| format!("= {number}: {text}")));
        }
        true
    }

    /// Sends what is there; whether there was anything.
    fn sends(&mut self) -> bool {
        let bytes = self.client.send_buf().to_vec();
        if bytes.is_empty() || self.deaf {
            return false;
        }
        self.client.send_ack(bytes.len());
        self.half.extend(bytes);
        while let Some(end) = self.half.iter().position(|c| *c == b'\n') {
            let line: Vec<u8> = self.half.drain(..=end).collect();
            self.note(std::str::from_utf8(&line[..end]).expect("lines are text"));
        }
        true
    }

    fn note(&mut self, line: &str) {
        let value: serde_json::Value = serde_json::from_str(line).expect("lines are JSON");
        if let (Some(id), Some(_)) = (value["id"].as_u64(), value.get("method")) {
            assert!(id > self.last_id, "ids are fresh");
            self.last_id = id;
        }
        let message = line.strip_prefix(HEAD).and_then(|line| line.strip_suffix('}')).expect("a message");
        if self.me.is_empty()
            && let Some((_, me)) = message.split_once(r#""method":"server/discover","params":{"_meta":{"#)
        {
            self.me = me.strip_suffix("}}").expect("nothing else").into();
        }
        let message = if self.me.is_empty() { message.into() } else { message.replace(&self.me, "ME") };
        if !self.quiet {
            self.said.push(format!("> {message}"));
        }
    }

    /// Whoever waits until the moment that the engine names does not spin.
    fn rests(&self) {
        let deadline = self.client.deadline();
        assert!(deadline.is_none_or(|at| at.0 > self.now), "{deadline:?} is over at {}", self.now);
    }

    /// What was said since the last time.
    pub fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }

    /// Compares what is said from the last time until now.
    #[track_caller]
    pub fn expect(&mut self, want: &[&str]) {
        self.run();
        let said = self.take();
        assert!(said == want, "cut {}\nexpected {want:#?}\ngot      {said:#?}", self.cut);
    }

    /// What is said when `message` is heard.
    #[track_caller]
    pub fn on(&mut self, message: &str, want: &[&str]) {
        self.hear(message);
        self.expect(want);
    }

    /// Nothing is left in the park: as much fits as into an empty one.
    #[track_caller]
    pub fn park_is_empty(&mut self) {
        assert_eq!(self.client.calls_waiting(), 0);
        if self.client.revision() == Some(Revision::V2026_07_28) {
            return self.modern_park_is_empty();
        }
        let fit = self.park / (RECORD + 1);
        for _ in 0..=fit {
            self.hear(r#""id":9,"method":"roots/list""#);
        }
        let said = self.take();
        let asked = said.iter().filter(|line| line.starts_with("= asked")).count();
        assert_eq!(asked, fit, "{said:?}");
        assert!(said.iter().any(|line| line.contains("(limit: park)")));
        for id in self.questions.split_off(self.questions.len() - fit) {
            self.client.answer(id, Given::Error(-1, "no")).expect("it is open");
            self.run();
        }
        self.take();
    }

    fn modern_park_is_empty(&mut self) {
        self.take();
        self.tool(Options::default());
        self.run();
        let sent = self.take().pop().expect("a call is sent");
        let params = sent.split_once(r#""params":{"#).and_then(|(_, p)| p.strip_suffix('}')).expect("params");
        let (id, state) = (self.last_id, "x".repeat(self.park));
        self.hear(&format!(
            r#""id":{id},"result":{{"resultType":"input_required","requestState":"{state}"}}"#
        ));
        let params = params.len() + self.me.len() - "ME".len();
        let needed = RECORD + params + RECORD + state.len() + 2;
        let said = self.take();
        assert!(said.len() == 1 && said[0].ends_with("failed: the park memory is used up"), "{said:?}");
        assert_eq!(self.needed, needed, "the park is not empty");
    }
}

/// `text` as a value.
pub fn json(text: &str) -> Raw<'_> {
    Raw::new(text.as_bytes()).expect("JSON")
}

/// Nothing but the defaults.
pub const PLAIN: Options<'static> = Options {
    timeout_ms: 0,
    max_ms: 0,
    progress: false,
    progress_extends: false,
    log_level: None,
    task_ms: None,
    slices: false,
    meta: None,
};
