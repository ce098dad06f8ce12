//! Where a server is, and how its process is started.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

use crate::error::Error;

/// Where a server is.
#[derive(Clone, Debug, Hash)]
#[non_exhaustive]
pub enum Target {
    /// The stdio of a process that is started for this connection.
    Process(Command),
    /// A unix socket.
    #[cfg(unix)]
    Unix(PathBuf),
    /// A TCP socket.
    Tcp {
        /// Name or address; IPv6 addresses without brackets.
        host: String,
        /// Port.
        port: u16,
    },
}

impl Target {
    /// Reads a target as it stands on a command line: `tcp:HOST:PORT`, `unix:PATH`, or a program and its arguments.
    ///
    /// # Errors
    /// [`Error::Config`]: nothing is there, or a socket's address is not one.
    pub fn parse(words: &[String]) -> Result<Self, Error> {
        match words {
            [] => Err(Error::Config("no target: name a command, tcp:HOST:PORT or unix:PATH".into())),
            [one] if one.starts_with("tcp:") => tcp(one),
            [one] if one.starts_with("unix:") => unix(one),
            [program, args @ ..] => Ok(Self::Process(args.iter().fold(Command::new(program), Command::arg))),
        }
    }
}

fn tcp(word: &str) -> Result<Target, Error> {
    let bad =
        || Error::Config(format!("`{word}` is no address: write tcp:HOST:PORT, tcp:[::1]:7777 for IPv6"));
    let rest = word.strip_prefix("tcp:").ok_or_else(bad)?;
    let (host, port) = rest.rsplit_once(':').ok_or_else(bad)?;
    let host = match host.strip_prefix('[') {
        Some(inner) => inner.strip_suffix(']').ok_or_else(bad)?,
        None if host.contains(':') => return Err(bad()),
        None => host,
    };
    match port.parse() {
        Ok(port) if port != 0 && !host.is_empty() => Ok(Target::Tcp { host: host.into(), port }),
        _ => Err(bad()),
    }
}

#[cfg(unix)]
fn unix(word: &str) -> Result<Target, Error> {
    match word.strip_prefix("unix:") {
        Some(path) if !path.is_empty() => Ok(Target::Unix(path.into())),
        _ => Err(Error::Config(format!("`{word}` names no socket: write unix:PATH"))),
    }
}

#[cfg(not(unix))]
fn unix(word: &str) -> Result<Target, Error> {
    Err(Error::Config(format!("`{word}`: this system has no unix sockets; write tcp:HOST:PORT or a command")))
}

/// As [`Target::parse`] takes it; a process as its command line, quoted where a shell would need it.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(command) => command.fmt(f),
            #[cfg(unix)]
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp { host, port } if host.contains(':') => write!(f, "tcp:[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "tcp:{host}:{port}"),
        }
    }
}

/// What becomes of what a server writes to stderr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stderr {
    /// It goes where this process's stderr goes.
    Inherit,
    /// It is dropped.
    Null,
    /// The last 64 KiB are kept for error messages ([`Child::stderr_tail`](crate::Child::stderr_tail)).
    #[default]
    Capture,
}

/// How a server's process is started.
///
/// Its `Debug` text names the variables and hides their values, which are where servers are given their secrets.
#[derive(Clone, Hash)]
pub struct Command {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Environment variables to set, later ones win.
    pub env: Vec<(OsString, OsString)>,
    /// Whether it gets only these variables and none of this process's.
    pub clear_env: bool,
    /// The directory it runs in; this process's when `None`.
    pub cwd: Option<PathBuf>,
    /// What becomes of its stderr.
    pub stderr: Stderr,
    /// Whether it may inherit descriptors other than stdin, stdout and stderr (unix); see [`Child::spawn`].
    ///
    /// [`Child::spawn`]: crate::Child::spawn
    pub inherit: bool,
}

impl Command {
    /// Starts `program` without arguments, in this directory and environment, its stderr captured.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().into(),
            args: Vec::new(),
            env: Vec::new(),
            clear_env: false,
            cwd: None,
            stderr: Stderr::default(),
            inherit: false,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(self, args: impl IntoIterator<Item = A>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.push((key.as_ref().into(), value.as_ref().into()));
        self
    }

    /// Gives it none of this process's environment variables.
    #[must_use]
    pub fn clear_env(mut self) -> Self {
        self.clear_env = true;
        self
    }

    /// Sets the directory it runs in.
    #[must_use]
    pub fn cwd(mut self, dir: impl Into<PathBuf>) -> Self {
        self.cwd = Some(dir.into());
        self
    }

    /// Sets what becomes of its stderr.
    #[must_use]
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        self.stderr = stderr;
        self
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, args, env, clear_env, cwd, stderr, inherit } = self;
        let names: Vec<&OsString> = env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Command")
            .field("program", program)
            .field("args", args)
            .field("env", &names)
            .field("clear_env", clear_env)
            .field("cwd", cwd)
            .field("stderr", stderr)
            .field("inherit", inherit)
            .finish()
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&self.program))?;
        self.args.iter().try_for_each(|a| write!(f, " {}", quoted(a)))
    }
}

/// A word as a POSIX shell would take it back.
fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<String, String> {
        let words: Vec<String> = words.iter().map(|w| (*w).into()).collect();
        Target::parse(&words).map(|t| format!("{t}")).map_err(|e| e.to_string())
    }

    #[test]
    fn sockets_are_told_from_programs() {
        assert_eq!(parsed(&["tcp:127.0.0.1:7777"]).unwrap(), "tcp:127.0.0.1:7777");
        assert_eq!(parsed(&["tcp:[::1]:7"]).unwrap(), "tcp:[::1]:7");
        #[cfg(unix)]
        assert_eq!(parsed(&["unix:/run/a b"]).unwrap(), "unix:/run/a b");
        assert_eq!(parsed(&["node", "a b", "--x='1'"]).unwrap(), r"node 'a b' '--x='\''1'\'''");
        // With arguments it can only be a program.
        assert_eq!(parsed(&["tcp:a:1", "x"]).unwrap(), "tcp:a:1 x");
    }

    #[test]
    fn what_is_no_address_is_named() {
        for word in [
            "tcp:",
            "tcp:a",
            "tcp::1",
            "tcp:a:",
            "tcp:a:70000",
            "tcp:a:0",
            "tcp:::1:7",
            "tcp:[::1:7",
            "unix:",
        ] {
            let told = parsed(&[word]).unwrap_err();
            assert!(told.contains(&format!("`{word}`")), "{told}");
        }
        assert!(parsed(&[]).unwrap_err().contains("no target"));
    }
}
