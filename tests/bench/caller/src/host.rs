//! The host's client, from an async task and from a thread.

use crate::{Calls, TEXT, wrong};
use midge::Revision;
use midge_host::client::{CallOptions, Client, Era, Options};
use midge_host::model::ToolResult;
use midge_host::target::Command;
use midge_host::target::Target;
use midge_host::blocking;
use serde_json::{Map, Value};
use std::io;
use tokio::runtime::Runtime;

fn options(revision: Revision) -> Options {
    Options { era: Era::Exactly(revision), ..Options::default() }
}

fn arguments() -> Map<String, Value> {
    Map::from_iter([("text".to_owned(), Value::from(TEXT))])
}

fn check(result: &ToolResult) -> io::Result<()> {
    if result.text() == TEXT { Ok(()) } else { Err(wrong("the tool said something else")) }
}

pub struct Async {
    runtime: Runtime,
    client: Client,
}

impl Async {
    pub fn start(server: &str, revision: Revision) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let target = Target::Process(Command::new(server));
        let client = runtime.block_on(Client::connect(&target, options(revision))).map_err(wrong)?;
        Ok(Self { runtime, client })
    }
}

impl Calls for Async {
    fn call(&mut self) -> io::Result<()> {
        let call = self.client.call_tool("echo", arguments(), CallOptions::default());
        check(&self.runtime.block_on(call).map_err(wrong)?)
    }
}

pub struct Blocking(blocking::Client);

impl Blocking {
    pub fn start(server: &str, revision: Revision) -> io::Result<Self> {
        let target = Target::Process(Command::new(server));
        Ok(Self(blocking::Client::connect(&target, options(revision)).map_err(wrong)?))
    }
}

impl Calls for Blocking {
    fn call(&mut self) -> io::Result<()> {
        check(&self.0.call_tool("echo", arguments(), CallOptions::default()).map_err(wrong)?)
    }
}
