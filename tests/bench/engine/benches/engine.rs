//! Time per request inside one process: bytes into the engine's ports, the handler of the catalog's tables, bytes out.
//!
//! No pipe, no loop, no clock. The request is copied into the receive buffer as a read would do it; what is to be sent is
//! looked at nowhere but counted, and the count must be that of the answer checked beforehand.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drv::msg::{Era, Line, echo_call, greeting, list_call};
use midge::sink::Flush;
use midge::{Buf, Catalog, Config, Event, Millis, Server, Slot, Storage};
use midge_examples::everything::{CATALOG, Everything};

/// As the examples over stdin and stdout, but with room for one request of 1 MiB only.
const RX_BYTES: usize = 2 << 20;
const TX_BYTES: usize = 256 << 10;
const SLOTS: usize = 64;
const ERAS: [(Era, &str); 2] = [(Era::Handshake, "2025-11-25"), (Era::Modern, "2026-07-28")];

/// Where answers go: counted, and kept while they are checked.
#[derive(Default)]
struct Out {
    len: usize,
    kept: Option<Vec<u8>>,
}

impl Flush for Out {
    fn flush(&mut self, bytes: &[u8]) -> bool {
        self.len += black_box(bytes).len();
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(bytes);
        }
        true
    }
}

/// A server and what its handlers work on.
struct Peer<C: 'static> {
    server: Server<'static>,
    catalog: &'static Catalog<C>,
    state: C,
    out: Out,
}

impl<C> Peer<C> {
    /// A server of `catalog` that was greeted. Its memory lives as long as the process.
    fn new(catalog: &'static Catalog<C>, state: C, era: Era) -> Self {
        let storage = Storage {
            rx: Buf::from(vec![0; RX_BYTES].leak()),
            tx: Buf::from(vec![0; TX_BYTES].leak()),
            slots: vec![Slot::FREE; SLOTS].leak(),
            subscriptions: &mut [],
            scratch: &mut [],
            park: &mut [],
        };
        let mut server = Server::new(catalog, storage, Config::default()).expect("no buffer is empty");
        server.config_mut().reply_max = 0;
        let mut peer = Self { server, catalog, state, out: Out::default() };
        if let Some((request, notification)) = greeting(era) {
            assert!(peer.exchange(request.as_bytes()) > 0);
            assert_eq!(peer.exchange(notification.as_bytes()), 0);
        }
        peer
    }

    /// One request in, its answer out; the bytes of the answer.
    fn exchange(&mut self, line: &[u8]) -> usize {
        self.out.len = 0;
        self.server.recv_buf()[..line.len()].copy_from_slice(line);
        self.server.recv_ack(line.len());
        loop {
            let idle = match self.server.poll(Millis(0)) {
                Event::Call(call) => {
                    self.catalog.run(call, &mut self.state, Some(&mut self.out));
                    false
                }
                Event::Idle => true,
                _ => false,
            };
            let (_, bytes) = self.server.send_buf();
            let len = bytes.len();
            if len > 0 {
                self.out.flush(bytes);
                self.server.send_ack(len);
            } else if idle {
                return self.out.len;
            }
        }
    }

    /// The bytes of the answer to `line`, which must be one result that has `part` `times` times.
    fn checked(&mut self, line: &Line, part: &str, times: usize) -> usize {
        self.out.kept = Some(Vec::new());
        let len = self.exchange(&line.bytes);
        let answer = self.out.kept.take().unwrap_or_default();
        let has = |part: &str| memchr::memmem::find_iter(&answer, part.as_bytes()).count();
        assert_eq!((has("\"result\""), has(part)), (1, times), "{}", String::from_utf8_lossy(&answer));
        assert!(answer.ends_with(b"\n") && answer.len() == len);
        len
    }
}

/// One figure: requests of `line`, whose throughput is the bytes of the request and of its answer.
fn figure<C>(c: &mut Criterion, group: &str, era: &str, peer: &mut Peer<C>, line: &Line, answer: usize) {
    let mut group = c.benchmark_group(group);
    group.throughput(Throughput::Bytes((line.bytes.len() + answer) as u64));
    group.bench_function(BenchmarkId::from_parameter(era), |bencher| {
        bencher.iter(|| assert_eq!(peer.exchange(black_box(&line.bytes)), answer));
    });
    group.finish();
}

fn calls(c: &mut Criterion) {
    for (size, name) in [(100, "call_100B"), (10 << 10, "call_10KiB"), (1 << 20, "call_1MiB")] {
        for (era, revision) in ERAS {
            let mut peer = Peer::new(&CATALOG, Everything::default(), era);
            let line = echo_call(era, size);
            let answer = peer.checked(&line, &line.text, 1);
            figure(c, name, revision, &mut peer, &line, answer);
        }
    }
}

fn lists(c: &mut Criterion) {
    for (count, name) in [(100, "list_100_tools"), (1000, "list_1000_tools")] {
        let catalog: &'static Catalog<()> = Box::leak(Box::new(many::catalog(count).expect("a known count")));
        for (era, revision) in ERAS {
            let mut peer = Peer::new(catalog, (), era);
            let line = list_call(era, None);
            let answer = peer.checked(&line, "\"inputSchema\"", count);
            figure(c, name, revision, &mut peer, &line, answer);
        }
    }
}

criterion_group!(benches, calls, lists);
criterion_main!(benches);
