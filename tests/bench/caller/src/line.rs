//! The bare echo: a line of the length of a call, written and read back.

use crate::{Calls, TEXT, wrong};
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Line {
    _child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    line: Vec<u8>,
    room: Vec<u8>,
}

/// Starts `program` on two pipes.
pub fn start(program: &str) -> io::Result<(Child, ChildStdin, ChildStdout)> {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (stdin, stdout) = pipes.ok_or_else(|| wrong("no pipes"))?;
    Ok((child, stdin, stdout))
}

impl Line {
    pub fn start(program: &str) -> io::Result<Self> {
        let (child, stdin, stdout) = start(program)?;
        let call = r#"{"jsonrpc":"2.0","id":10000,"method":"tools/call","params":{"name":"echo","arguments":{"text":""}}}"#;
        let line = format!("{}\n", "x".repeat(call.len() + TEXT.len())).into_bytes();
        let room = vec![0; 4096];
        Ok(Self { _child: child, stdin, stdout, line, room })
    }
}

impl Calls for Line {
    fn call(&mut self) -> io::Result<()> {
        self.stdin.write_all(&self.line)?;
        let mut got = 0;
        while got < self.line.len() {
            match self.stdout.read(&mut self.room[got..])? {
                0 => return Err(wrong("the echo ended")),
                n => got += n,
            }
        }
        if self.room[..got] == self.line { Ok(()) } else { Err(wrong("the echo said something else")) }
    }
}
