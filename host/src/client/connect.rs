//! How a connection is made: which revision is tried, and again with an older one when the question ended the server.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use midge::client::{Config, Start};
use midge::proto::revision::Feature;
use midge::{Revision, Revisions};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};

use super::call::ms;
use super::connection::{NotConnected, Plan, drive};
use super::options::{Era, Options};
use super::server::Server;
use super::shared::{Ended, Shared, locked};
use super::{Client, Inner};
use crate::error::Error;
use crate::stream::{self, Link};
use crate::target::Target;

/// Notices that a listener may lag behind.
const NOTICES: usize = 1024;

/// Targets that do not stand, or do not answer, the question which revision they speak: by their hashes, for what they are
/// started with holds secrets, which are not to outlive them.
static SILENT: LazyLock<(RandomState, Mutex<HashSet<u64>>)> = LazyLock::new(Default::default);

fn is_silent(target: &Target) -> bool {
    let (state, all) = &*SILENT;
    locked(all).contains(&state.hash_one(target))
}

fn remember(target: &Target, silent: bool) {
    let (state, all) = &*SILENT;
    let hash = state.hash_one(target);
    if silent {
        locked(all).insert(hash);
    } else {
        locked(all).remove(&hash);
    }
}

/// Connects to `target`, and starts it anew when the question which revision it speaks ended it.
pub(super) async fn connect(target: &Target, options: Options) -> Result<Client, Error> {
    let by = deadline(&options);
    let asks = options.era == Era::Auto && !is_silent(target);
    let began = Instant::now();
    match attempt(target, &options, asks, by).await {
        Ok(client) => {
            let handshake = client.server().revision.has(Feature::Handshake);
            if asks && handshake && began.elapsed() >= probe(&options) {
                remember(target, true);
            }
            Ok(client)
        }
        Err(NotConnected { probed_to_death: true, .. }) if asks => {
            let client = attempt(target, &options, false, by).await.map_err(|failed| failed.error)?;
            remember(target, true);
            Ok(client)
        }
        Err(failed) => {
            if options.era == Era::Auto && !asks {
                // It may be another server by now.
                remember(target, false);
            }
            Err(failed.error)
        }
    }
}

async fn attempt(
    target: &Target,
    options: &Options,
    asks: bool,
    by: Instant,
) -> Result<Client, NotConnected> {
    let late = |_| late(options, format!("the connection to {target}"));
    let link = timeout_at(by, stream::open(target)).await.map_err(late)??;
    over(link, options.clone(), asks, by).await
}

/// Connects over a stream; asks first which revision the server speaks if `asks`.
pub(super) async fn over(
    link: Link,
    options: Options,
    asks: bool,
    by: Instant,
) -> Result<Client, NotConnected> {
    let (commands, taken) = mpsc::unbounded_channel();
    let (ready, connected) = oneshot::channel();
    let (notices, _) = broadcast::channel(NOTICES);
    let (ended, end) = watch::channel(None);
    let gone = end.clone();
    let shared = Arc::new(Shared::default());
    let inner = |server: Server| Inner {
        server,
        commands,
        notices: notices.downgrade(),
        shared: shared.clone(),
        call_timeout: options.call_timeout,
        end,
    };
    let config = config(&options, asks);
    let first = first(config.start);
    let plan = Plan {
        link,
        options: options.clone(),
        config,
        shared: shared.clone(),
        notices: notices.clone(),
        commands: taken,
        ready,
        ended,
    };
    tokio::spawn(drive(plan));
    let failed: NotConnected = match timeout_at(by, connected).await {
        Ok(Ok(Ok(server))) => return Ok(Client { inner: Arc::new(inner(server)) }),
        Ok(Ok(Err(refused))) => refused,
        Ok(Err(_)) => Error::Closed { what: first.into(), stderr: String::new(), exit: None }.into(),
        Err(_) => late(&options, first.into()),
    };
    drop(inner);
    Err(with_last_words(failed, gone, &shared).await)
}

/// Waits for the end of a connection that was not made. Without a handle it ends by itself, and its process with it: by
/// the end of its input, and in its own time. What the process said last may tell why it was late.
async fn with_last_words(
    mut failed: NotConnected,
    mut gone: watch::Receiver<Option<Ended>>,
    shared: &Shared,
) -> NotConnected {
    // An error here means that it has ended already.
    let _ = gone.wait_for(Option::is_some).await;
    if let Error::TimedOut { stderr, .. } = &mut failed.error {
        *stderr = shared.ended().map(|ended| ended.stderr).unwrap_or_default();
    }
    failed
}

/// The requests that a connection begins with.
pub(super) const fn first(start: Start) -> &'static str {
    match start {
        Start::Handshake => "`initialize`",
        Start::PerRequest => "`server/discover`",
        Start::Probe => "`server/discover` or `initialize`",
    }
}

fn late(options: &Options, what: String) -> NotConnected {
    Error::TimedOut { what, after: options.connect_timeout, stderr: String::new() }.into()
}

/// When the connection must stand.
pub(super) fn deadline(options: &Options) -> Instant {
    let now = Instant::now();
    // A year is for ever.
    now.checked_add(options.connect_timeout).unwrap_or_else(|| now + Duration::from_secs(31_536_000))
}

/// How long a server may think about which revision it speaks: an older one needs its share of the time too.
fn probe(options: &Options) -> Duration {
    options.probe_timeout.min(options.connect_timeout / 2)
}

fn config(options: &Options, asks: bool) -> Config {
    let (revisions, start) = match options.era {
        Era::Auto if asks => (Revisions::ALL, Start::Probe),
        // Known for its silence, but it may turn out to speak the other revision.
        Era::Auto => (Revisions::ALL, Start::Handshake),
        Era::Handshake => (Revisions::HANDSHAKE, Start::Handshake),
        Era::Modern => (Revisions::PER_REQUEST, Start::PerRequest),
        Era::Exactly(revision) => (Revisions::NONE.with(revision), start_of(revision)),
    };
    Config {
        revisions,
        start,
        probe_ms: ms(probe(options)),
        connect_ms: ms(options.connect_timeout),
        call_ms: ms(options.call_timeout),
        ..Config::default()
    }
}

fn start_of(revision: Revision) -> Start {
    if revision.has(Feature::Handshake) { Start::Handshake } else { Start::PerRequest }
}
