//! A small device: tools that read and set, a resource with updates, a template and a prompt, declared by macros.

use crate::stdio::Work;
use midge::dispatch::IntoReply;
use midge::{Ask, Field, Io, Json, Millis, Outcome, Schema, Server, Ticket, catalog, prompt, resource, tool};
use serde::{Deserialize, Serialize};

/// The device.
pub struct Home {
    celsius: f32,
    target: f32,
    mode: Mode,
    tests: Vec<SelfTest>,
}

impl Default for Home {
    fn default() -> Self {
        Self { celsius: 19.5, target: 21.0, mode: Mode::Heat, tests: Vec::new() }
    }
}

/// A self-test that runs.
struct SelfTest {
    ticket: Ticket,
    passed: usize,
    due: Millis,
}

/// What a self-test looks at, one after the other.
const PARTS: [&str; 4] = ["sensor", "valve", "pump", "clock"];
const PART_MS: u64 = 500;

impl Work for Home {
    fn idle(&mut self, server: &mut Server<'_>, now: Millis) -> Option<Millis> {
        self.tests.retain_mut(|test| test.due > now || test.go_on(server, now));
        self.tests.iter().map(|test| test.due).min()
    }

    fn stopped(&mut self, ticket: Ticket) {
        self.tests.retain(|test| test.ticket != ticket);
    }
}

impl SelfTest {
    /// Looks at the next part; whether there is more to do.
    fn go_on(&mut self, server: &mut Server<'_>, now: Millis) -> bool {
        let Ok(mut io) = Io::resume(server, self.ticket) else { return server.is_waiting(self.ticket) };
        self.due = now.after(PART_MS);
        if let Some(part) = PARTS.get(self.passed) {
            self.passed += 1;
            // Without a wish for progress, or room for it, the test goes on all the same.
            let _ = io.progress(self.passed as u64, Some(PARTS.len() as u64), part);
            return true;
        }
        io.text("Self-test passed: sensor, valve, pump, clock.");
        io.finish(Outcome::Done);
        false
    }
}

/// What the thermostat does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Heats up to the target.
    Heat,
    /// Only keeps pipes from freezing.
    Frost,
    /// Does nothing.
    Off,
}

/// A reading of the device.
#[derive(Clone, Copy, Debug, Serialize, Schema)]
pub struct Reading {
    /// Room temperature, in °C
    pub celsius: f32,
    /// Where it should be, in °C
    pub target: f32,
    /// Whether the heating runs
    pub heating: bool,
    /// What the thermostat does
    pub mode: Mode,
}

impl Home {
    fn reading(&self) -> Reading {
        let heating = match self.mode {
            Mode::Heat => self.celsius < self.target,
            Mode::Frost => self.celsius < 5.0,
            Mode::Off => false,
        };
        Reading { celsius: self.celsius, target: self.target, heating, mode: self.mode }
    }
}

const STATUS: &str = "home://status";

/// Reads the room temperature and the settings.
#[tool(title = "Read", read_only)]
fn read(home: &mut Home) -> Json<Reading> {
    Json(home.reading())
}

/// Sets the temperature to reach.
#[tool(title = "Set target", idempotent)]
fn set_target(
    home: &mut Home,
    io: &mut Io<'_>,
    /// In °C
    #[arg(min = 5, max = 35)]
    celsius: f32,
) -> Outcome {
    if celsius > 30.0 {
        let Some(answer) = io.ask("hot", &HOT) else { return Outcome::NeedInput };
        if answer.get("sure") != Some(true) {
            return Outcome::Fail("refused: the user did not agree to more than 30 °C");
        }
    }
    home.target = celsius;
    io.resource_updated(STATUS);
    Json(home.reading()).reply(io)
}

/// What is asked before it gets hot.
const HOT: Ask<'_> = Ask::form(
    "That is more than 30 °C. Are you sure?",
    &[Field::boolean("sure").about("Whether to heat that much")],
);

/// Tests the device, part by part. Takes two seconds.
#[tool(title = "Self-test", read_only, task)]
fn self_test(home: &mut Home, io: &mut Io<'_>) -> Outcome {
    home.tests.push(SelfTest { ticket: io.defer(), passed: 0, due: io.now() });
    Outcome::Deferred
}

/// Chooses what the thermostat does.
#[tool(title = "Set mode", idempotent)]
fn set_mode(home: &mut Home, io: &mut Io<'_>, mode: Mode) -> Result<Json<Reading>, &'static str> {
    if mode == Mode::Off && home.celsius < 3.0 {
        return Err("refused: it is below 3 °C, pipes would freeze; use the mode \"frost\"");
    }
    home.mode = mode;
    io.resource_updated(STATUS);
    Ok(Json(home.reading()))
}

/// The reading, as JSON; can be subscribed to.
#[resource("home://status", mime = "application/json")]
fn status(home: &mut Home, io: &mut Io<'_>) {
    io.json_text(|w| {
        // The value's types cannot fail; what does not fit is noticed at the end of the reply.
        let _ = midge::json::ser::to_writer(w, &home.reading());
    });
}

/// What one room is used for.
#[resource("home://rooms/{room}", mime = "text/plain")]
fn room(room: &str) -> Option<&'static str> {
    match room {
        "kitchen" => Some("Cooking heats it: 19 °C are enough."),
        "living room" => Some("People sit still here: 21 °C."),
        _ => None,
    }
}

/// Asks for advice on a comfortable setting.
#[prompt(title = "Comfort")]
fn comfort(
    home: &mut Home,
    /// The room it is about
    room: &str,
    /// How to answer, such as "brief"
    tone: Option<&str>,
) -> String {
    let tone = tone.map(|t| format!(" Be {t}.")).unwrap_or_default();
    format!(
        "It is {} °C in the {room}, the target is {} °C. What setting is comfortable?{tone}",
        home.celsius, home.target
    )
}

catalog! {
    /// The thermostat.
    pub static THERMOSTAT: Home = {
        name: "midge-thermostat",
        version: env!("CARGO_PKG_VERSION"),
        instructions: "Reads and sets the heating of one home. Temperatures are in °C.",
        tools: [read, set_target, set_mode, self_test],
        resources: [status],
        templates: [room],
        prompts: [comfort],
        features: midge::Features::SUBSCRIBE,
    };
}
