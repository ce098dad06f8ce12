//! Runs `midge`, and builds the servers it talks to.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The command under test.
pub const MIDGE: &str = env!("CARGO_BIN_EXE_midge");

/// One of the example servers, built beside midge.
pub fn server(name: &str) -> String {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let dir = BUILT.get_or_init(|| {
        let dir = Path::new(MIDGE).parent().expect("it is in a directory");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "-p", "midge-examples", "--bins", "--target-dir"]);
        cargo.arg(dir.parent().expect("it is in the target directory"));
        if dir.ends_with("release") {
            cargo.arg("--release");
        }
        let status = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo runs");
        assert!(status.success(), "the example servers can be built");
        dir.to_owned()
    });
    dir.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)).display().to_string()
}

/// What one run of `midge` gave.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Its answer, after a run that went well.
    pub fn text(&self) -> &str {
        assert_eq!(self.code, 0, "{self:#?}");
        &self.out
    }

    /// Its answer as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(self.text()).unwrap_or_else(|e| panic!("{e}: {self:#?}"))
    }

    /// What it wrote to stderr when it failed with `code`.
    pub fn failed(&self, code: i32) -> &str {
        assert_eq!(self.code, code, "{self:#?}");
        &self.err
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        let code = output.status.code().expect("it ends by itself");
        Self { code, out: text(output.stdout), err: text(output.stderr) }
    }
}

/// `midge` without what the environment of the test might change.
pub fn midge(words: &[&str]) -> Command {
    let mut command = Command::new(MIDGE);
    command.args(words).stdin(Stdio::null());
    for name in ["COLUMNS", "MIDGE_CONFIG", "NO_COLOR", "CARGO"] {
        command.env_remove(name);
    }
    command
}

pub fn run(words: &[&str]) -> Run {
    midge(words).output().expect("midge runs").into()
}

/// `midge VERB... -- thermostat`
pub fn thermostat(words: &[&str]) -> Run {
    run(&[words, &["--", &server("thermostat")]].concat())
}

/// `midge VERB... -- everything`
pub fn everything(words: &[&str]) -> Run {
    run(&[words, &["--", &server("everything")]].concat())
}

/// A directory that is empty at first and gone at the end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("midge-cli-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("it can be made");
        Self(dir)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
