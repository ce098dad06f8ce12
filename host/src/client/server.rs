//! What a server says about itself.

use midge::Revision;
use serde_json::Value;

use crate::client::untrusted;
use crate::error::Error;

/// What a server says about itself.
#[derive(Clone, Debug)]
pub struct Server {
    /// The revision that is spoken with it.
    pub revision: Revision,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// A name for people.
    pub title: Option<String>,
    /// How to use it, for the model.
    pub instructions: Option<String>,
    /// What it offers.
    pub capabilities: Value,
    /// Its whole answer to `initialize` or `server/discover`.
    pub raw: Value,
}

impl Server {
    /// Whether it offers `capability`, which is a path: `resources.subscribe`.
    pub fn offers(&self, capability: &str) -> bool {
        let found = capability.split('.').try_fold(&self.capabilities, |at, key| at.get(key));
        found.is_some_and(|at| !matches!(at, Value::Null | Value::Bool(false)))
    }
}

/// Reads the answer to `initialize` or `server/discover`.
pub(super) fn read(revision: Revision, said: &[u8]) -> Result<Server, Error> {
    let raw: Value = untrusted::from_slice(said)
        .map_err(|error| Error::Invalid(format!("what it says of itself cannot be read: {error}")))?;
    // 2026-07-28 names the server in the metadata of results, the handshake beside its capabilities.
    let about = raw
        .get("serverInfo")
        .or_else(|| raw.get("_meta")?.get("io.modelcontextprotocol/serverInfo"))
        .cloned()
        .unwrap_or_default();
    let text = |of: &Value, key| of.get(key).and_then(Value::as_str).map(str::to_owned);
    Ok(Server {
        revision,
        name: text(&about, "name").unwrap_or_default(),
        version: text(&about, "version").unwrap_or_default(),
        title: text(&about, "title"),
        instructions: text(&raw, "instructions"),
        capabilities: raw.get("capabilities").cloned().unwrap_or_default(),
        raw,
    })
}
