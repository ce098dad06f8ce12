//! The engine over its blocking loop.

use crate::{Calls, TEXT, line, wrong};
use embedded_io::{ErrorType, Read, Write};
use midge::client::{Call, Client, Config, Ending, Event, Options, Storage};
use midge::io::blocking::{receive_client, send_client};
use midge::json::Raw;
use midge::proto::read::{Block, ToolResult};
use midge::{Buf, Can, Info, Millis, Revision, Revisions};
use std::io;
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::Instant;

const ME: Info = Info::new("caller", "1");

struct Pipes(ChildStdin, ChildStdout);

impl ErrorType for Pipes {
    type Error = io::Error;
}

impl Read for Pipes {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        io::Read::read(&mut self.1, buf)
    }
}

impl Write for Pipes {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut self.0, buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub struct Engine {
    client: Client<'static>,
    pipes: Pipes,
    began: Instant,
    arguments: String,
    _child: Child,
}

impl Engine {
    pub fn start(server: &str, revision: Revision) -> io::Result<Self> {
        let (child, stdin, stdout) = line::start(server)?;
        // As long as the process lives, as on a device.
        let storage = Storage {
            rx: Buf::from(&mut *vec![0; 16 << 10].leak()),
            tx: Buf::from(&mut *vec![0; 4 << 10].leak()),
            calls: vec![Call::FREE; 4].leak(),
            park: vec![0; 1024].leak(),
            meta: vec![0; 512].leak(),
        };
        let config = Config { revisions: Revisions::NONE.with(revision), ..Config::default() };
        let client = Client::new(&ME, Can::NOTHING, storage, config).map_err(wrong)?;
        let arguments = format!(r#"{{"text":"{TEXT}"}}"#);
        let pipes = Pipes(stdin, stdout);
        let mut engine = Self { client, pipes, began: Instant::now(), arguments, _child: child };
        engine.until(|event| matches!(event, Event::Connected { .. }).then_some(Ok(())))?;
        Ok(engine)
    }

    fn until(&mut self, mut done: impl FnMut(Event<'_>) -> Option<io::Result<()>>) -> io::Result<()> {
        let now = Millis(self.began.elapsed().as_millis() as u64);
        loop {
            match self.client.poll(now) {
                Event::Send => send_client(&mut self.client, &mut self.pipes).map_err(wrong)?,
                Event::Idle => receive_client(&mut self.client, &mut self.pipes).map_err(wrong)?,
                Event::Ended => return Err(wrong("the server ended")),
                event => {
                    if let Some(over) = done(event) {
                        return over;
                    }
                }
            }
        }
    }
}

impl Calls for Engine {
    fn call(&mut self) -> io::Result<()> {
        let arguments = Raw::new(self.arguments.as_bytes()).ok_or_else(|| wrong("not JSON"))?;
        self.client.call_tool("echo", arguments, Options::default()).map_err(wrong)?;
        self.until(|event| match event {
            Event::Done(_, Ending::Result(result)) => {
                let said = ToolResult::of(result.members()).content().next();
                let same = matches!(said, Some(Block::Text(text)) if text == TEXT);
                Some(if same { Ok(()) } else { Err(wrong("the tool said something else")) })
            }
            Event::Done(..) => Some(Err(wrong("the call failed"))),
            _ => None,
        })
    }
}
