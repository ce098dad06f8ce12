//! The example servers, built once, and connections to them.

use std::path::{Path, PathBuf};
use std::process::Command as Build;
use std::sync::OnceLock;
use std::time::Duration;

use midge::Revision;
use midge::proto::revision::ALL;
use midge_host::{CallOptions, Client, Command, Era, Options, Target, ToolResult};
use serde_json::{Map, Value};

/// Longer than anything here takes: whoever waits for this long hangs.
pub const LONG: Duration = Duration::from_secs(60);

/// The folder of the example servers: beside this test's own, where `cargo build` puts them.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let test = std::env::current_exe().expect("this test has a path");
        let folder = test.ancestors().nth(2).expect("it stands in target/PROFILE/deps").to_owned();
        let target = folder.parent().expect("the profile's folder is in the target's");
        let mut build = Build::new(env!("CARGO"));
        build.args(["build", "--quiet", "-p", "midge-examples", "--bins", "--target-dir"]).arg(target);
        if folder.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().expect("cargo starts").success(), "the examples are built");
        folder
    })
}

pub fn command(server: &str) -> Command {
    Command::new(folder().join(format!("{server}{}", std::env::consts::EXE_SUFFIX)))
}

pub fn target(server: &str) -> Target {
    Target::Process(command(server))
}

pub fn options(era: Era) -> Options {
    Options { era, connect_timeout: LONG, probe_timeout: LONG, call_timeout: LONG, ..Options::default() }
}

pub async fn connect(server: &str, era: Era) -> Client {
    connect_with(server, options(era)).await
}

pub async fn connect_with(server: &str, options: Options) -> Client {
    let era = options.era;
    let client = within(Client::connect(&target(server), options)).await;
    client.unwrap_or_else(|error| panic!("{server}, {era:?}: {error}"))
}

/// Every way to connect, and the revision it must come to.
pub fn eras() -> impl Iterator<Item = (Era, Revision)> {
    let general = [
        (Era::Auto, Revision::V2026_07_28),
        (Era::Modern, Revision::V2026_07_28),
        (Era::Handshake, Revision::V2025_11_25),
    ];
    general.into_iter().chain(ALL.map(|revision| (Era::Exactly(revision), revision)))
}

/// Both generations.
pub const BOTH: [Era; 2] = [Era::Handshake, Era::Modern];

pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, future).await.expect("it ends")
}

pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("{other} is no object"),
    }
}

pub async fn call(client: &Client, tool: &str, arguments: Value) -> ToolResult {
    let result = within(client.call_tool(tool, object(arguments), CallOptions::default())).await;
    result.unwrap_or_else(|error| panic!("{tool}: {error}"))
}

pub async fn said(client: &Client, tool: &str, arguments: Value) -> String {
    call(client, tool, arguments).await.text()
}
