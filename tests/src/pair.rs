//! A client engine and a server engine in one process: what each says is written down, however it is cut on the way.

use crate::replay::{Cut, Fixture, Gear, Host, Memory, Random, config, perform};
use crate::transcript::{Act, Head};
use midge::client::{
    Asks, Call, Client, Config, Ending, Event, Filter, Given, Options, Question, Reference, Refusal, Start,
    Storage, Stray, Ticket,
};
use midge::json::Raw;
use midge::session::rows::List;
use midge::{Buf, Can, Error, Info, Level, Millis, Revision, Revisions, Server};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a client does next, when what it did before is over.
#[derive(Clone, Copy, Debug)]
pub enum Do {
    /// Calls a tool with these arguments.
    Tool(&'static str, &'static str, Options<'static>),
    /// Reads a resource.
    Read(&'static str),
    /// Fetches a prompt.
    Prompt(&'static str, &'static [(&'static str, &'static str)]),
    /// Completes an argument.
    Complete(Reference<'static>, (&'static str, &'static str), &'static [(&'static str, &'static str)]),
    /// Reads a list whole.
    List(List),
    /// Asks whether the server is there.
    Ping,
    /// Wants logs.
    Level(Level),
    /// Hears of a resource, or no more.
    Subscribe(&'static str, bool),
    /// Hears of changes.
    Listen(Filter<'static>),
    /// The server's application does something.
    Server(Act),
    /// Gives the oldest call up that is still out.
    Cancel,
    /// Lets so many milliseconds go by.
    Wait(u64),
}

/// One way to carry the bytes.
#[derive(Clone, Copy, Debug)]
pub struct Carry {
    /// How they are cut, both ways.
    pub cut: Cut,
    /// Buffers of the client, in bytes: receive and transmit.
    pub client: (usize, usize),
}

/// The memory of a client.
pub struct ClientMemory {
    rx: Vec<u8>,
    tx: Vec<u8>,
    calls: Vec<Call>,
    park: Vec<u8>,
    meta: Vec<u8>,
}

impl ClientMemory {
    /// Memory with these buffers, for 8 calls.
    pub fn new(rx: usize, tx: usize) -> Self {
        let (rx, tx) = (vec![0; rx], vec![0; tx]);
        Self { rx, tx, calls: vec![Call::FREE; 8], park: vec![0; 4096], meta: vec![0; 512] }
    }

    /// The same, and so much memory for calls that ask.
    pub fn with_park(rx: usize, tx: usize, park: usize) -> Self {
        Self { park: vec![0; park], ..Self::new(rx, tx) }
    }

    /// The memory, for [`Client::new`].
    pub fn storage(&mut self) -> Storage<'_> {
        Storage {
            rx: Buf::from(&mut self.rx[..]),
            tx: Buf::from(&mut self.tx[..]),
            calls: &mut self.calls,
            park: &mut self.park,
            meta: &mut self.meta,
        }
    }
}

/// Who the client is.
pub const ME: Info = Info { title: "A client", ..Info::new("client", "1.0") };

/// All that a client can be asked.
pub const EVERYTHING: Can =
    Can::ELICIT.and(Can::ELICIT_URL).and(Can::SAMPLE_WITH_TOOLS).and(Can::LIST_ROOTS).and(Can::TASKS);

/// A client that speaks `revision` and no other.
pub fn only(revision: Revision) -> Config {
    Config { revisions: Revisions::NONE.with(revision), start: Start::Probe, ..Config::default() }
}

/// An event in one line.
pub fn describe(event: Event<'_>) -> String {
    let text = |raw: &[u8]| String::from_utf8_lossy(raw).into_owned();
    match event {
        Event::Idle => "idle".into(),
        Event::Send => "send".into(),
        Event::Connected { revision, said } => format!("connected {} {}", revision.name(), text(said.raw())),
        Event::Refused(why) => format!("refused {}", refusal(&why)),
        Event::Done(_, ending) => format!("done {}", ending_text(&ending)),
        Event::Page(_, page) => format!("page {}", text(page.raw())),
        Event::Slice(_, slice) => format!("slice {}", text(slice)),
        Event::Progress(_, what) => format!("progress {}", text(what.raw())),
        Event::Task(_, task) => format!("task {}", text(task.raw())),
        Event::Listening(_, what) => format!("listening {}", text(what.raw())),
        Event::Asked(question) => format!("asked {:?} {}", question.kind, text(question.params.raw())),
        Event::Withdrawn(_) => "withdrawn".into(),
        Event::Log(what) => format!("log {}", text(what.raw())),
        Event::Changed(list) => format!("changed {list:?}"),
        Event::Updated(what) => format!("updated {}", text(what.raw())),
        Event::Notified(method, params) => format!("notified {} {}", text(method.raw()), text(params.raw())),
        Event::Stray(stray) => format!("stray {}", stray_text(&stray)),
        Event::Ended => "ended".into(),
    }
}

fn refusal(why: &Refusal<'_>) -> String {
    match why {
        Refusal::Error(error) => {
            format!("error {} {}", error.code, String::from_utf8_lossy(error.body.raw()))
        }
        Refusal::Revision(said) => format!("revision {}", String::from_utf8_lossy(said.raw())),
        Refusal::Invalid(words) => format!("invalid: {words}"),
        Refusal::TimedOut => "timed out".into(),
        Refusal::Closed(probing) => format!("closed, probing: {probing}"),
        Refusal::NoRoom(error) => format!("no room: {error}"),
    }
}

fn ending_text(ending: &Ending<'_>) -> String {
    match ending {
        Ending::Result(result) => format!("result {}", String::from_utf8_lossy(result.raw())),
        Ending::Sliced => "sliced".into(),
        Ending::Error(error) => format!("error {} {}", error.code, String::from_utf8_lossy(error.body.raw())),
        Ending::Failed(why) => format!("failed: {}", why.phrase()),
    }
}

fn stray_text(stray: &Stray<'_>) -> String {
    let text = |raw: &[u8]| String::from_utf8_lossy(raw).into_owned();
    match stray {
        Stray::Line(line) => format!("line {}", text(line)),
        Stray::Broken(line, error) => format!("broken ({error}) {}", text(line)),
        Stray::TooLong(bytes) => format!("too long: {bytes} bytes"),
        Stray::Response(line) => format!("response {}", text(line)),
        Stray::Request(line) => format!("request {}", text(line)),
        Stray::Error(error) => format!("error {} {}", error.code, text(error.body.raw())),
    }
}

/// What a user and a model answer in these tests; the members in one order, whatever `serde_json` keeps.
pub fn answer_to(question: &Question<'_>) -> String {
    match question.kind {
        Asks::Roots => r#"{"roots":[{"name":"work","uri":"file:///work"}]}"#.into(),
        Asks::Sample => {
            r#"{"content":{"text":"Paris","type":"text"},"model":"small","role":"assistant"}"#.into()
        }
        Asks::Url => "{}".into(),
        Asks::Form => {
            let params: Value = serde_json::from_slice(question.params.raw()).unwrap_or(Value::Null);
            let none = serde_json::Map::new();
            let properties = params["requestedSchema"]["properties"].as_object().unwrap_or(&none);
            let open = properties.iter().filter(|(_, field)| field.get("default").is_none());
            let content: BTreeMap<&String, Value> = open.map(|(name, field)| (name, filled(field))).collect();
            serde_json::to_string(&content).expect("it is JSON")
        }
    }
}

fn filled(field: &Value) -> Value {
    match field["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => json!(7),
        Some("array") => {
            json!([field["items"]["enum"].get(0).unwrap_or(&field["items"]["anyOf"][0]["const"])])
        }
        _ => field["enum"].get(0).or(field["oneOf"][0].get("const")).cloned().unwrap_or(json!("Ada")),
    }
}

/// Answers a question by `json`, as its kind wants it.
pub fn give(
    client: &mut Client<'_>,
    id: midge::client::QuestionId,
    kind: Asks,
    json: &str,
) -> Result<(), Error> {
    let raw = Raw::new(json.as_bytes()).expect("an answer is JSON");
    let given = match kind {
        Asks::Form | Asks::Url => Given::Accept(raw),
        Asks::Sample | Asks::Roots => Given::Result(raw),
    };
    client.answer(id, given)
}

/// A client, a server, and what they have said so far.
pub struct Pair<'b> {
    client: Client<'b>,
    server: Server<'b>,
    fixture: Fixture,
    carry: Carry,
    random: Random,
    now: Millis,
    said: Vec<String>,
    /// Lines that are not whole yet: the client's, the server's.
    halves: [Vec<u8>; 2],
    open: Vec<Ticket>,
    connected: bool,
    ended: bool,
}

/// The server's side: tasks and sealing, and room for everything.
pub fn server_head() -> Head {
    serde_json::from_value(json!({"about": "", "tasks": 8, "rx": 4096, "park": 2048, "slots": 8}))
        .expect("a head")
}

/// Lets a client of `config` do `steps` with the fixture server, and gives all that was said: `>` lines of the client,
/// `<` lines of the server, `=` events.
pub fn talk(config_of: Config, can: Can, steps: &[Do], carry: Carry) -> String {
    let head = server_head();
    let (mut memory, mut gear) = (Memory::new(&head, 4096), Gear::new(&head));
    let mut own = ClientMemory::new(carry.client.0, carry.client.1);
    // No task is looked at in the very moment in which it ends.
    let own_pace = midge::Config { task_poll_ms: 700, ..config(&head) };
    let mut server = Server::new(Fixture::default().rows(), memory.storage(), own_pace).expect("a server");
    gear.fit(&mut server);
    let client = Client::new(&ME, can, own.storage(), config_of).expect("a client");
    let seed = if let Cut::Random(seed) = carry.cut { seed } else { 0 };
    let mut pair = Pair {
        client,
        server,
        fixture: Fixture::default(),
        carry,
        random: Random::new(seed),
        now: Millis(0),
        said: Vec::new(),
        halves: [Vec::new(), Vec::new()],
        open: Vec::new(),
        connected: false,
        ended: false,
    };
    pair.run(steps);
    pair.said.join("\n") + "\n"
}

impl Pair<'_> {
    fn run(&mut self, steps: &[Do]) {
        self.until(|pair| pair.connected || pair.ended);
        for step in steps {
            if self.ended {
                break;
            }
            self.step(*step);
        }
        self.client.recv_end();
        self.until(|pair| pair.ended);
    }

    fn step(&mut self, step: Do) {
        let lasting = matches!(step, Do::Listen(_));
        let client = &mut self.client;
        let ticket = match step {
            Do::Tool(name, arguments, options) => {
                client.call_tool(name, Raw::new(arguments.as_bytes()).expect("JSON"), options)
            }
            Do::Read(uri) => client.read_resource(uri, Options::default()),
            Do::Prompt(name, arguments) => client.get_prompt(name, arguments, Options::default()),
            Do::Complete(of, argument, context) => client.complete(of, argument, context, Options::default()),
            Do::List(list) => client.list(list, Options::default()),
            Do::Ping => client.ping(Options::default()),
            Do::Level(level) => client.set_level(level, Options::default()),
            Do::Subscribe(uri, on) => client.subscribe(uri, on, Options::default()),
            Do::Listen(filter) => client.listen(filter),
            Do::Server(act) => {
                perform(act, &mut self.server);
                return self.quiet();
            }
            Do::Cancel => {
                let ticket = self.open.remove(0);
                client.cancel(ticket).expect("it waits");
                return self.quiet();
            }
            Do::Wait(ms) => {
                self.now = self.now.after(ms);
                return self.quiet();
            }
        };
        match ticket {
            Err(error) => self.said.push(format!("= not sent: {error}")),
            Ok(ticket) => {
                self.open.push(ticket);
                if lasting {
                    return self.quiet();
                }
                self.until(|pair| !pair.open.contains(&ticket) || pair.ended);
            }
        }
    }

    fn quiet(&mut self) {
        while self.turn() {}
    }

    fn until(&mut self, done: impl Fn(&Self) -> bool) {
        for _ in 0..100_000 {
            if done(self) {
                return;
            }
            if !self.turn() && !done(self) {
                self.pass_time();
            }
        }
        panic!("it does not come to an end:\n{}", self.said.join("\n"));
    }

    /// Goes to the next moment at which somebody wants to do something.
    fn pass_time(&mut self) {
        let work = self.fixture.work(&mut self.server, self.now, None);
        let next = [self.client.deadline(), self.server.deadline(), work].into_iter().flatten().min();
        let next = next.unwrap_or_else(|| panic!("nobody waits:\n{}", self.said.join("\n")));
        self.now = next.max(self.now);
    }

    /// Each side does what it can; whether anything happened.
    fn turn(&mut self) -> bool {
        let events = self.client_events();
        let there = self.carry_over(true);
        self.server_events();
        self.fixture.work(&mut self.server, self.now, None);
        self.server_events();
        let back = self.carry_over(false);
        events || there || back
    }

    fn client_events(&mut self) -> bool {
        let mut any = false;
        loop {
            let event = self.client.poll(self.now);
            match &event {
                Event::Idle | Event::Send => return any,
                Event::Connected { .. } => self.connected = true,
                Event::Ended if self.ended => return any,
                Event::Ended => self.ended = true,
                Event::Done(ticket, _) => self.open.retain(|open| open != ticket),
                _ => {}
            }
            any = true;
            let asked = if let Event::Asked(question) = &event {
                Some((question.id, question.kind, answer_to(question)))
            } else {
                None
            };
            let text = describe(event);
            let event = self.shortened(text);
            self.said.push(format!("= {event}"));
            if let Some((id, kind, json)) = asked {
                give(&mut self.client, id, kind, &json).expect("somebody waits");
            }
        }
    }

    /// An event without what a line of the server says word for word.
    fn shortened(&self, event: String) -> String {
        let said = |text: &str| self.said.iter().any(|line| line.starts_with('<') && line.contains(text));
        match event.find('{') {
            Some(at) if said(&event[at..]) => format!("{}as it came", &event[..at]),
            _ => event,
        }
    }

    fn server_events(&mut self) {
        loop {
            match self.server.poll(self.now) {
                midge::Event::Call(call) => self.fixture.run(call, None),
                midge::Event::Cancelled(ticket) | midge::Event::Expired(ticket) => {
                    self.fixture.stopped(ticket)
                }
                _ => return,
            }
        }
    }

    /// Carries what one side has to send to the other, cut; whether there was anything.
    fn carry_over(&mut self, there: bool) -> bool {
        let most = match self.carry.cut {
            Cut::Whole | Cut::Steps => usize::MAX,
            Cut::Bytes => 1,
            Cut::Random(_) => self.random.upto(61),
        };
        let (client, server) = (&mut self.client, &mut self.server);
        let n = if there {
            let n = pour(client.send_buf(), server.recv_buf(), most);
            self.note(true, n);
            n
        } else {
            let n = pour(server.send_buf().1, client.recv_buf(), most);
            self.note(false, n);
            n
        };
        if there {
            self.client.send_ack(n);
            self.server.recv_ack(n);
        } else {
            self.server.send_ack(n);
            self.client.recv_ack(n);
        }
        n > 0
    }

    fn note(&mut self, there: bool, n: usize) {
        let bytes = if there { self.client.send_buf() } else { self.server.send_buf().1 };
        let half = &mut self.halves[usize::from(there)];
        half.extend_from_slice(&bytes[..n]);
        while let Some(end) = half.iter().position(|c| *c == b'\n') {
            let line: Vec<u8> = half.drain(..=end).collect();
            let line = std::str::from_utf8(&line[..end]).expect("lines are text");
            self.said.push(format!("{} {line}", if there { '>' } else { '<' }));
        }
    }
}

fn pour(bytes: &[u8], room: &mut [u8], most: usize) -> usize {
    let n = bytes.len().min(room.len()).min(most);
    room[..n].copy_from_slice(&bytes[..n]);
    n
}
