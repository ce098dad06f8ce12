//! What every verb needs: a connection that is closed again whatever happens.

use crate::ask::{Agree, Ask};
use crate::cli::Options;
use crate::failure::{Failure, Fault};
use crate::notices;
use crate::output::Output;
use crate::place::Place;
use crate::progress::Running;
use crate::stop::Stop;
use midge::{Level, Revisions};
use midge_host::{Answers, CallOptions, Client, Closed, Error, Root, Server, Target};
use std::io::{self, IsTerminal};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The command line's options, and the ways to the user.
pub struct Context {
    pub out: Arc<Output>,
    pub options: Options,
    pub stop: Arc<Stop>,
}

impl Context {
    /// Connects to the server that `words` name, shows what it says on its own, runs `body` and closes.
    pub async fn with(
        &self,
        words: &[String],
        body: impl AsyncFnOnce(&Client) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.connected(words, async |client| {
            let (enough, end) = oneshot::channel();
            let least = self.options.log.unwrap_or(Level::Warning);
            let told = tokio::spawn(notices::tell(client.notices(), Arc::clone(&self.out), least, end));
            self.want_logs(client).await;
            let result = body(client).await;
            drop(enough);
            let _ = told.await;
            result
        })
        .await
    }

    /// As [`with`](Self::with), but what the server says on its own is left to `body`.
    pub async fn connected(
        &self,
        words: &[String],
        body: impl AsyncFnOnce(&Client) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Place { target, name } = Place::find(words, &self.options)?;
        self.at(&target, self.answers(name), body).await.map(drop)
    }

    /// Connects to `target`, runs `body` and closes; says how that went.
    pub async fn at(
        &self,
        target: &Target,
        answers: Option<Arc<dyn Answers>>,
        body: impl AsyncFnOnce(&Client) -> Result<(), Failure>,
    ) -> Result<Closed, Failure> {
        let alone = answers.is_none() && !self.options.no_input;
        let options = self.connect_options(answers)?;
        let client = tokio::select! {
            client = Client::connect(target, options) => client.map_err(unreachable)?,
            () = self.stop.wanted() => return Err(interrupted()),
        };
        self.stop.connected(Some(client.clone()));
        let result = tokio::select! {
            result = body(&client) => result.map_err(|failure| if alone { unasked(failure) } else { failure }),
            () = self.stop.wanted() => Err(interrupted()),
        };
        let closed = tokio::select! {
            closed = client.close() => result.map(|()| closed),
            () = self.stop.urged() => Err(interrupted()),
        };
        self.stop.connected(None);
        closed
    }

    fn connect_options(&self, answers: Option<Arc<dyn Answers>>) -> Result<midge_host::Options, Failure> {
        let roots: Result<Vec<Root>, Error> =
            self.options.roots.iter().map(|dir| Root::folder(dir)).collect();
        let mut options = midge_host::Options {
            name: "midge".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            era: self.options.era.0,
            answers,
            roots: Some(roots?).filter(|roots| !roots.is_empty()),
            ..midge_host::Options::default()
        };
        if let Some(timeout) = self.options.timeout {
            options.call_timeout = timeout;
            options.connect_timeout = timeout;
        }
        if let Some(timeout) = self.options.connect_timeout {
            options.connect_timeout = timeout;
        }
        options.probe_timeout = options.probe_timeout.min(options.connect_timeout / 2);
        Ok(options)
    }

    /// Who answers questions: nobody, where there is nobody to ask.
    fn answers(&self, name: Option<String>) -> Option<Arc<dyn Answers>> {
        if self.options.yes {
            return Some(Arc::new(Agree(Arc::clone(&self.out))));
        }
        let terminal = io::stdin().is_terminal() && self.out.stderr.terminal;
        let asks = terminal && !self.options.no_input;
        asks.then(|| {
            Arc::new(Ask::new(Arc::clone(&self.out), Arc::clone(&self.stop), name)) as Arc<dyn Answers>
        })
    }

    /// Asks a server of the older revisions for log messages; the newer ones are asked with each call.
    pub async fn want_logs(&self, client: &Client) {
        let Some(level) = self.options.log.filter(|_| is_handshake(client.server())) else { return };
        if let Err(error) = client.set_log_level(level).await {
            self.out.note(&format!("no log messages: {error}"));
        }
    }

    /// Options of a call that is shown as `label` while it runs.
    pub fn call(&self, label: &str) -> (CallOptions, Running) {
        let (progress, running) = self.out.bar.run(label);
        (
            CallOptions { progress: Some(progress), log_level: self.options.log, ..CallOptions::default() },
            running,
        )
    }
}

/// A server that ends before the connection stands was never reached.
fn unreachable(error: Error) -> Failure {
    let fault = if matches!(error, Error::Closed { .. }) { Some(Fault::Reach) } else { None };
    let failure = Failure::from(error);
    Failure { fault: fault.unwrap_or(failure.fault), ..failure }
}

/// What a server may not ask here, it can ask elsewhere.
fn unasked(mut failure: Failure) -> Failure {
    const MISSING_CAPABILITY: i64 = -32021;
    if failure.details.contains(&("code", MISSING_CAPABILITY.into())) {
        failure.message += "; it can ask you on a terminal, and --yes answers for you";
    }
    failure
}

fn interrupted() -> Failure {
    Failure::new(Fault::Interrupt, "interrupted")
}

/// Whether the revision spoken with `server` is one of those that begin with `initialize`.
pub fn is_handshake(server: &Server) -> bool {
    Revisions::HANDSHAKE.holds(server.revision)
}

/// What is not offered is an empty list, and so is a list that the server does not know of.
pub fn or_empty<T>(list: Result<Vec<T>, Error>) -> Result<Vec<T>, Failure> {
    const METHOD_NOT_FOUND: i64 = -32601;
    match list {
        Err(Error::NotOffered(_)) => Ok(Vec::new()),
        Err(Error::Peer(peer)) if peer.code == METHOD_NOT_FOUND => Ok(Vec::new()),
        list => Ok(list?),
    }
}
