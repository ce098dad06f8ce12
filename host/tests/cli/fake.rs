//! A server on a socket that says what a test wants it to say.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// What it does with a request.
pub enum Does {
    /// It answers with this result.
    Answers(Value),
    /// It answers with this error.
    Fails(Value),
    /// It says these lines, and then nothing.
    Says(Vec<String>),
    /// It closes the connection.
    Closes,
}

/// A server for one connection.
pub struct Fake {
    port: u16,
    heard: Receiver<Value>,
}

impl Fake {
    /// Listens; `does` decides what becomes of each request and notification that is not part of connecting.
    pub fn new(does: impl Fn(&Value) -> Does + Send + 'static) -> Self {
        Self::over(move |message| match message["method"].as_str() {
            Some("initialize") => Does::Answers(json!({
                "protocolVersion": "2025-11-25", "serverInfo": {"name": "fake", "version": "1"},
                "capabilities": {"tools": {"listChanged": true}, "resources": {"subscribe": true}, "logging": {}},
            })),
            Some("server/discover") => Does::Fails(json!({"code": -32601, "message": "Method not found"})),
            Some("notifications/initialized" | "notifications/cancelled") => Does::Says(Vec::new()),
            Some("logging/setLevel" | "resources/subscribe") => Does::Answers(json!({})),
            _ => does(message),
        })
    }

    /// As [`new`](Self::new), but connecting is decided upon as well.
    pub fn over(does: impl Fn(&Value) -> Does + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        let (hears, heard) = channel();
        thread::spawn(move || {
            // Whoever probes for a revision may come again.
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                if serve(stream, &does, &hears).is_none() {
                    return;
                }
            }
        });
        Self { port, heard }
    }

    pub fn target(&self) -> String {
        format!("tcp:127.0.0.1:{}", self.port)
    }

    /// Waits for a message with this method.
    pub fn wait_for(&self, method: &str) -> Value {
        loop {
            let message = self.heard.recv_timeout(std::time::Duration::from_secs(60)).expect("it comes");
            if message["method"] == method {
                return message;
            }
        }
    }
}

fn serve(stream: TcpStream, does: &impl Fn(&Value) -> Does, hears: &Sender<Value>) -> Option<()> {
    let mut writer = stream.try_clone().ok()?;
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else { return Some(()) };
        let message: Value = serde_json::from_str(&line).expect("midge writes JSON");
        hears.send(message.clone()).ok()?;
        let said = match does(&message) {
            Does::Answers(result) => {
                vec![json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string()]
            }
            Does::Fails(error) => {
                vec![json!({"jsonrpc": "2.0", "id": message["id"], "error": error}).to_string()]
            }
            Does::Says(lines) => lines,
            Does::Closes => return Some(()),
        };
        for line in said {
            writer.write_all(line.as_bytes()).ok()?;
            writer.write_all(b"\n").ok()?;
        }
    }
    Some(())
}

/// A list with one tool, `act`, that takes anything.
pub fn one_tool() -> Value {
    json!({"tools": [{"name": "act", "inputSchema": {"type": "object"}}]})
}

/// A notification's line.
pub fn notification(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}
