//! Long lists in small windows.

use crate::peer::{META, Memory, Sizes};
use midge::dispatch::{Tool, ToolDef};
use midge::json::Writer;
use midge::session::rows::{List, Rows};
use midge::{Catalog, Config, Event, Features, Info, Millis, Outcome, Revision, Server};
use std::sync::atomic::{AtomicUsize, Ordering};

const TOOLS: usize = 1000;
const ONE: Tool<()> = Tool { def: ToolDef::new("same").about("One of many"), run: |_, _, _| Outcome::Done };
static ROWS: [Tool<()>; TOOLS] = [ONE; TOOLS];
static CATALOG: Catalog<()> = Catalog::new("long", "1").tools(&ROWS);

/// The catalog, and how many rows of it were written.
struct Counted(AtomicUsize);

impl Rows for Counted {
    fn info(&self) -> &Info {
        Rows::info(&CATALOG)
    }

    fn features(&self) -> Features {
        Rows::features(&CATALOG)
    }

    fn len(&self, list: List) -> usize {
        CATALOG.len(list)
    }

    fn find(&self, list: List, name: &str) -> Option<usize> {
        CATALOG.find(list, name)
    }

    fn key(&self, list: List, index: usize) -> &str {
        CATALOG.key(list, index)
    }

    fn mime(&self, list: List, index: usize) -> &str {
        CATALOG.mime(list, index)
    }

    fn prompt_about(&self, index: usize) -> &str {
        CATALOG.prompt_about(index)
    }

    fn has_output(&self, index: usize, revision: Revision) -> bool {
        CATALOG.has_output(index, revision)
    }

    fn write(&self, list: List, index: usize, w: &mut Writer<'_>, revision: Revision) {
        self.0.fetch_add(1, Ordering::Relaxed);
        CATALOG.write(list, index, w, revision);
    }
}

/// A row is written once, and once more in each window that begins or ends inside it: linear, whatever the window.
#[test]
fn a_window_goes_through_its_own_rows_only() {
    for tx in [16, 100, 1000, 1 << 20] {
        let rows = Counted(AtomicUsize::new(0));
        let mut memory = Memory::from(Sizes { tx, ..Sizes::default() });
        let mut server = Server::new(&rows, memory.storage(), Config::default()).expect("memory");
        let line =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{{META}}}}}\n");
        server.recv_buf()[..line.len()].copy_from_slice(line.as_bytes());
        server.recv_ack(line.len());
        let (mut out, mut windows) = (Vec::new(), 0);
        loop {
            let idle = matches!(server.poll(Millis(0)), Event::Idle);
            let (_, bytes) = server.send_buf();
            let len = bytes.len();
            if idle && len == 0 {
                break;
            }
            out.extend_from_slice(bytes);
            server.send_ack(len);
            windows += 1;
        }
        let answer: serde_json::Value = serde_json::from_slice(&out).expect("one message");
        assert_eq!(answer["result"]["tools"].as_array().expect("tools").len(), TOOLS);
        let written = rows.0.load(Ordering::Relaxed);
        assert!(written <= TOOLS + windows, "{written} rows in {windows} windows of {tx} bytes");
    }
}
