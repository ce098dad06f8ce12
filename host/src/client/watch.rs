//! Watches on changes.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::call::{Command, Failed, Pending, Start, What, read};
use super::notice::{Filter, Notice};
use super::options::CallOptions;
use super::shared::{Shared, locked};
use super::{Client, Inner};
use crate::error::Error;

/// A watch on changes; it ends when it is dropped.
///
/// It does not keep the connection open.
pub struct Watch {
    /// What the server watches for: of what was asked for, the part that it offers.
    pub granted: Filter,
    notices: broadcast::Receiver<Notice>,
    filter: Filter,
    hold: Hold,
}

/// What keeps the server telling.
enum Hold {
    /// A subscription (2026-07-28).
    Listening(Pending),
    /// Subscribed resources; lists are told of unasked.
    Subscribed(#[expect(dead_code, reason = "its end is what counts")] Subscribed),
}

/// Resources that are subscribed to for one watch.
struct Subscribed {
    commands: mpsc::WeakUnboundedSender<Command>,
    shared: Arc<Shared>,
    uris: Vec<String>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("granted", &self.granted).finish_non_exhaustive()
    }
}

impl Watch {
    /// The next notice; `None` when the connection has ended, or the server has ended the watch.
    ///
    /// Changes that were not asked for are left out. One that does not keep up loses the oldest.
    pub async fn next(&mut self) -> Option<Notice> {
        loop {
            let notice = match &mut self.hold {
                Hold::Subscribed(_) => self.notices.recv().await,
                Hold::Listening(pending) if pending.is_over() => return None,
                Hold::Listening(pending) => tokio::select! {
                    biased;
                    notice = self.notices.recv() => notice,
                    _ = pending.end() => return None,
                },
            };
            match notice {
                Ok(notice) if self.wants(&notice) => return Some(notice),
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn wants(&self, notice: &Notice) -> bool {
        match notice {
            Notice::ToolsChanged => self.filter.tools,
            Notice::PromptsChanged => self.filter.prompts,
            Notice::ResourcesChanged => self.filter.resources,
            // A part of what is watched has a URI of its own.
            Notice::Updated { .. } => !self.filter.uris.is_empty(),
            _ => true,
        }
    }
}

impl Client {
    pub(super) async fn watch_for(&self, filter: Filter) -> Result<Watch, Error> {
        let notices = self.notices();
        let (granted, hold) = if self.is_modern() {
            let (granted, pending) = self.listen(&filter).await?;
            (granted, Hold::Listening(pending))
        } else {
            let subscribed = self.subscribe(&filter.uris).await?;
            (self.told_unasked(&filter), Hold::Subscribed(subscribed))
        };
        Ok(Watch { granted, notices, filter, hold })
    }

    /// Opens a subscription and waits until it is acknowledged.
    async fn listen(&self, filter: &Filter) -> Result<(Filter, Pending), Error> {
        const LABEL: &str = "subscriptions/listen";
        let (granted, acknowledged) = oneshot::channel();
        let what = What::Listen(filter.clone(), Some(granted));
        let mut pending = self.inner.begin(what, LABEL.into(), None, &CallOptions::default())?;
        let outcome = timeout(self.inner.call_timeout, async {
            tokio::select! {
                biased;
                Ok(granted) = acknowledged => Ok(granted),
                reply = pending.end() => Err(reply),
            }
        });
        match outcome.await {
            Ok(Ok(said)) => Ok((granted_of(&read(LABEL, &said)?), pending)),
            Ok(Err(Some(Err(Failed::Ended) | Ok(_)))) => {
                Err(Error::Invalid(format!("{LABEL} ended before it was acknowledged")))
            }
            Ok(Err(reply)) => Err(self.inner.error_of(reply, LABEL)),
            Err(_) => Err(Error::TimedOut {
                what: LABEL.into(),
                after: self.inner.call_timeout,
                stderr: String::new(),
            }),
        }
    }

    /// Subscribes to resources (handshake revisions).
    async fn subscribe(&self, uris: &[String]) -> Result<Subscribed, Error> {
        if !uris.is_empty() && !self.server().offers("resources.subscribe") {
            return Err(Error::NotOffered("resources.subscribe".into()));
        }
        // What it holds is let go again, also when one of them fails.
        let mut held = Subscribed {
            commands: self.inner.commands.downgrade(),
            shared: self.inner.shared.clone(),
            uris: Vec::new(),
        };
        for uri in uris {
            held.add(uri);
            let params = Map::from_iter([("uri".into(), Value::from(uri.as_str()))]);
            let _: Value = self.ask("resources/subscribe", uri, params, &CallOptions::default()).await?;
        }
        Ok(held)
    }

    /// What a server of the handshake revisions tells of by itself.
    fn told_unasked(&self, filter: &Filter) -> Filter {
        let tells = |list: &str| self.server().offers(&format!("{list}.listChanged"));
        Filter {
            tools: filter.tools && tells("tools"),
            prompts: filter.prompts && tells("prompts"),
            resources: filter.resources && tells("resources"),
            uris: filter.uris.clone(),
        }
    }
}

fn granted_of(said: &Value) -> Filter {
    let on = |key| said.get(key).and_then(Value::as_bool).unwrap_or_default();
    let uris = said.get("resourceSubscriptions").and_then(Value::as_array);
    let uris = uris.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    Filter {
        tools: on("toolsListChanged"),
        prompts: on("promptsListChanged"),
        resources: on("resourcesListChanged"),
        uris,
    }
}

impl Subscribed {
    fn add(&mut self, uri: &str) {
        *locked(&self.shared.subscribed).entry(uri.into()).or_default() += 1;
        self.uris.push(uri.into());
    }
}

impl Drop for Subscribed {
    fn drop(&mut self) {
        let Some(commands) = self.commands.upgrade() else { return };
        let mut all = locked(&self.shared.subscribed);
        for uri in &self.uris {
            let Some(watches) = all.get_mut(uri) else { continue };
            *watches -= 1;
            if *watches == 0 {
                all.remove(uri);
                // Under the lock, so that a new subscription comes after it.
                let _ = commands.send(Command::Start(Box::new(Start::unsubscribe(uri))));
            }
        }
    }
}

impl Inner {
    fn error_of(&self, reply: Option<super::call::Reply>, label: &str) -> Error {
        match reply {
            Some(Err(Failed::Peer(error))) => super::call::peer_error(&error),
            Some(Err(Failed::Here(error))) => error,
            _ => self.closed(label.into()),
        }
    }
}
