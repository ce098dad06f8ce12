//! Starting a process, and what to say when it cannot be started.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::runtime::Handle;

use super::group;
use crate::error::Error;
use crate::target::{Command, Stderr};

/// Starts the process of `command` in a group of its own, stdin and stdout piped.
pub(super) fn start(command: &Command) -> Result<Box<dyn ChildWrapper>, Error> {
    if Handle::try_current().is_err() {
        return Err(Error::Busy("a server's process can only be started inside a tokio runtime".into()));
    }
    if !command.inherit {
        group::close_inherited();
    }
    let mut wrapped = CommandWrap::with_new(&command.program, |c| {
        c.args(&command.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(match command.stderr {
            Stderr::Inherit => Stdio::inherit(),
            Stderr::Null => Stdio::null(),
            Stderr::Capture => Stdio::piped(),
        });
        if command.clear_env {
            c.env_clear();
        }
        c.envs(command.env.iter().map(|(k, v)| (k, v)));
        if let Some(dir) = &command.cwd {
            c.current_dir(dir);
        }
    });
    wrapped.wrap(KillOnDrop);
    group::wrap(&mut wrapped);
    wrapped.spawn().map_err(|source| Error::Spawn {
        program: command.program.to_string_lossy().into_owned(),
        hint: hint(command, &source),
        source: Arc::new(source),
    })
}

/// What would help, as far as the file system tells.
fn hint(command: &Command, error: &io::Error) -> String {
    if let Some(dir) = command.cwd.as_deref().filter(|d| !d.is_dir()) {
        return format!("there is no directory `{}` to start it in", dir.display());
    }
    let path = Path::new(&command.program);
    let named_only = path.components().count() == 1 && !command.program.to_string_lossy().contains('/');
    match error.kind() {
        io::ErrorKind::NotFound if command.program.is_empty() => "the name of the program is empty".into(),
        io::ErrorKind::NotFound if named_only => not_in_path(command),
        io::ErrorKind::NotFound if in_cwd(command).exists() => {
            "the file is there, so it is the interpreter named in its first line that is missing".into()
        }
        io::ErrorKind::NotFound => format!("there is no file `{}`", in_cwd(command).display()),
        io::ErrorKind::PermissionDenied if in_cwd(command).is_dir() => "it is a directory".into(),
        io::ErrorKind::PermissionDenied => "the file is there, but it may not be executed".into(),
        _ => String::new(),
    }
}

fn not_in_path(command: &Command) -> String {
    let set = command.env.iter().rev().find(|(k, _)| k == "PATH").map(|(_, v)| v.clone());
    let path = match set {
        Some(path) => Some(path),
        None if command.clear_env => None,
        None => env::var_os("PATH"),
    };
    let path = path.filter(|p| !p.is_empty());
    let Some(path) = path else { return "PATH is not set for it: name the program by its whole path".into() };
    // A script whose interpreter is missing is reported as missing itself.
    if let Some(found) = env::split_paths(&path).map(|d| d.join(&command.program)).find(|f| f.is_file()) {
        return format!("`{}` is there, but what runs it is missing", found.display());
    }
    let windows = if cfg!(windows) { "; for a script write its ending too, as in `npx.cmd`" } else { "" };
    format!("no program of that name is in PATH ({}){windows}", OsStr::to_string_lossy(&path))
}

fn in_cwd(command: &Command) -> PathBuf {
    command.cwd.as_deref().unwrap_or(Path::new("")).join(&command.program)
}
