//! A thermostat as an MCP server: `thermostat` serves on stdin and stdout, `thermostat --demo` shows a session.

use midge_examples::thermostat::{Home, THERMOSTAT};
use std::process::ExitCode;

const SESSION: &str = include_str!("../thermostat/session.jsonl");

fn main() -> ExitCode {
    let mut home = Home::default();
    let served = match std::env::args().nth(1).as_deref() {
        None => midge_examples::stdio::serve(&THERMOSTAT, &mut home),
        Some("--demo") => midge_examples::demo::replay(&THERMOSTAT, &mut home, SESSION),
        Some(other) => {
            eprintln!("thermostat: unknown option {other}\nusage: thermostat [--demo]");
            return ExitCode::from(2);
        }
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("thermostat: {e}");
            ExitCode::FAILURE
        }
    }
}
