//! A client of one message.

use midge::{Buffers, Catalog, Config, Event, Millis, Server};
use serde_json::Value;

/// The application's state.
#[derive(Default)]
pub struct Home {
    pub celsius: f64,
}

/// The answer to one request of the handshake era, as text.
pub fn raw(catalog: &'static Catalog<Home>, revision: &str, method: &str, params: &str) -> String {
    let mut buffers = Buffers::<4096, 16384, 4, 64, 256, 1024>::new();
    let mut server = Server::new(catalog, buffers.storage(), Config::default()).unwrap();
    let mut state = Home::default();
    let hello = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"{revision}\",\
         \"capabilities\":{{}},\"clientInfo\":{{\"name\":\"t\",\"version\":\"0\"}}}}}}\n"
    );
    let ready = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    let request = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{params}}}\n");
    let answers = [hello.as_str(), ready, &request].map(|line| {
        server.recv_buf()[..line.len()].copy_from_slice(line.as_bytes());
        server.recv_ack(line.len());
        let mut out = Vec::new();
        loop {
            match server.poll(Millis::default()) {
                Event::Call(call) => catalog.run(call, &mut state, None),
                Event::Send => {
                    let bytes = server.send_buf().1.to_vec();
                    server.send_ack(bytes.len());
                    out.extend(bytes);
                }
                Event::Idle => break String::from_utf8(out).unwrap(),
                _ => {}
            }
        }
    });
    let [_, _, answer] = answers;
    answer
}

/// The answer to one request.
pub fn ask(catalog: &'static Catalog<Home>, revision: &str, method: &str, params: &str) -> Value {
    serde_json::from_str(&raw(catalog, revision, method, params)).unwrap()
}

/// A list, as text.
pub fn list(catalog: &'static Catalog<Home>, revision: &str, method: &str) -> String {
    raw(catalog, revision, method, "{}")
}
