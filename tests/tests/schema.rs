//! Everything the server says in the golden transcripts is valid by the official schema of its revision.
//!
//! Where the schemas themselves are wrong, or WIRE.md prefers another reading, the exception stands in [`excused`] or
//! beside its name; there is no general leniency.

use jsonschema::Validator;
use midge::proto::revision::{ALL, Feature, Revision};
use midge_tests::transcript::{Step, Transcript};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// The definitions of one revision.
struct Schema {
    text: Value,
    /// `definitions` up to 2025-06-18, then `$defs`.
    at: &'static str,
    ready: HashMap<String, Validator>,
    checks: usize,
}

/// The folder of the schema of the extension `io.modelcontextprotocol/tasks`.
const TASKS: &str = "ext-tasks-2026-07-28";

impl Schema {
    fn read(data: &Path, revision: Revision) -> Self {
        Self::at(data, revision.name())
    }

    fn at(data: &Path, folder: &str) -> Self {
        let path = data.join("spec").join(folder).join("schema.json");
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let text: Value = serde_json::from_str(&text).expect("the schema is JSON");
        let at = if text.get("$defs").is_some() { "$defs" } else { "definitions" };
        Self { text, at, ready: HashMap::new(), checks: 0 }
    }

    /// What is wrong with `value`.
    fn wrong(&mut self, definition: &str, value: &Value) -> Vec<String> {
        let (text, at) = (&self.text, self.at);
        assert!(text[at].get(definition).is_some(), "there is no {definition}");
        let validator = self.ready.entry(definition.to_owned()).or_insert_with(|| {
            let schema = json!({
                "$schema": text["$schema"], "$ref": format!("#/{at}/{definition}"), at: text[at],
            });
            jsonschema::validator_for(&schema).expect("the definition is a schema")
        });
        self.checks += 1;
        validator.iter_errors(value).map(|e| format!("{e} at {}", e.instance_path())).collect()
    }

    fn check(&mut self, definition: &str, value: &Value, name: &str) {
        let wrong = self.wrong(definition, value);
        assert!(wrong.is_empty(), "{name}: no {definition}: {wrong:?}\n{value}");
    }
}

/// What is checked in the place of a message that no schema allows although it is right.
fn excused(message: &Value, revision: Revision) -> Value {
    let mut message = message.clone();
    // Up to 2025-06-18 the schema wants an id on every error; JSON-RPC wants null where none could be read
    // (WIRE §2.1, §20 A4).
    if revision.has(Feature::NullId) && message.get("error").is_some() && message["id"].is_null() {
        message["id"] = json!(0);
    }
    message
}

fn result_of(method: &str) -> &'static str {
    match method {
        "initialize" => "InitializeResult",
        "server/discover" => "DiscoverResult",
        "tools/list" => "ListToolsResult",
        "tools/call" => "CallToolResult",
        "resources/list" => "ListResourcesResult",
        "resources/templates/list" => "ListResourceTemplatesResult",
        "resources/read" => "ReadResourceResult",
        "prompts/list" => "ListPromptsResult",
        "prompts/get" => "GetPromptResult",
        "completion/complete" => "CompleteResult",
        "subscriptions/listen" => "SubscriptionsListenResult",
        "tasks/get" => "GetTaskResult",
        "tasks/result" => "GetTaskPayloadResult",
        "tasks/list" => "ListTasksResult",
        "tasks/cancel" => "CancelTaskResult",
        "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => "EmptyResult",
        other => panic!("no result is known for {other}"),
    }
}

/// What a server asks of its own (handshake revisions).
fn request_of(method: &str) -> &'static str {
    match method {
        "elicitation/create" => "ElicitRequest",
        "roots/list" => "ListRootsRequest",
        "sampling/createMessage" => "CreateMessageRequest",
        other => panic!("no definition is known for {other}"),
    }
}

fn extension_result_of(method: &str) -> &'static str {
    match method {
        "tasks/get" => "GetTaskResult",
        "tasks/update" => "UpdateTaskResult",
        "tasks/cancel" => "CancelTaskResult",
        other => panic!("the extension has no {other}"),
    }
}

fn notification_of(method: &str) -> &'static str {
    match method {
        "notifications/cancelled" => "CancelledNotification",
        "notifications/message" => "LoggingMessageNotification",
        "notifications/progress" => "ProgressNotification",
        "notifications/prompts/list_changed" => "PromptListChangedNotification",
        "notifications/resources/list_changed" => "ResourceListChangedNotification",
        "notifications/resources/updated" => "ResourceUpdatedNotification",
        "notifications/subscriptions/acknowledged" => "SubscriptionsAcknowledgedNotification",
        "notifications/tasks/status" => "TaskStatusNotification",
        "notifications/tools/list_changed" => "ToolListChangedNotification",
        other => panic!("no definition is known for {other}"),
    }
}

/// The definitions of 2026-07-28 for errors: of the whole message, or of its `error`.
fn error_of(code: i64) -> (&'static str, bool) {
    match code {
        -32700 => ("ParseError", false),
        -32600 => ("InvalidRequestError", false),
        -32601 => ("MethodNotFoundError", false),
        -32602 => ("InvalidParamsError", false),
        -32603 => ("InternalError", false),
        -32021 => ("MissingRequiredClientCapabilityError", true),
        -32022 => ("UnsupportedProtocolVersionError", true),
        other => panic!("2026-07-28 has no error {other}"),
    }
}

/// One stream: what was asked under which id, and in which revision answers are.
struct Stream<'s> {
    schemas: &'s mut HashMap<&'static str, Schema>,
    name: String,
    asked: HashMap<String, (String, Revision)>,
    session: Option<Revision>,
    /// The folder's revision, for what says nothing of its own.
    home: Revision,
}

impl Stream<'_> {
    fn form(&self) -> Revision {
        self.session.unwrap_or(midge::proto::revision::NEWEST_HANDSHAKE)
    }

    fn client(&mut self, line: &[u8]) {
        match serde_json::from_slice(line) {
            Ok(Value::Array(messages)) => messages.iter().for_each(|m| self.client_message(m)),
            Ok(message) => self.client_message(&message),
            Err(_) => {}
        }
    }

    fn client_message(&mut self, message: &Value) {
        let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) else { return };
        let meta = &message["params"]["_meta"];
        let marked = meta.get("io.modelcontextprotocol/protocolVersion").is_some();
        let modern = method != "initialize" && (marked || method == "server/discover");
        let revision = if modern { Revision::V2026_07_28 } else { self.form() };
        self.asked.insert(id.to_string(), (method.to_owned(), revision));
    }

    fn server(&mut self, line: &str) {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        if let Value::Array(messages) = &line {
            let whole: Vec<Value> = messages.iter().map(|m| excused(m, self.form())).collect();
            let revision = self.form();
            assert!(revision.has(Feature::Batch), "{}: an array", self.name);
            self.check(revision, "JSONRPCBatchResponse", &Value::Array(whole));
            messages.iter().for_each(|m| self.server_message(m));
        } else {
            self.server_message(&line);
        }
    }

    fn check(&mut self, revision: Revision, definition: &str, value: &Value) {
        let schema = self.schemas.get_mut(revision.name()).expect("a schema for each revision");
        schema.check(definition, value, &self.name);
    }

    /// A check against the schema of the extension.
    fn check_task(&mut self, definition: &str, value: &Value) {
        let schema = self.schemas.get_mut(TASKS).expect("the schema of the extension");
        schema.check(definition, value, &self.name);
    }

    fn server_message(&mut self, message: &Value) {
        if let Some(method) = message["method"].as_str() {
            let tagged = message["params"]["_meta"].get("io.modelcontextprotocol/subscriptionId").is_some();
            let modern = tagged || self.session.is_none();
            let revision = if modern { Revision::V2026_07_28 } else { self.form() };
            if message.get("id").is_some() {
                self.check(revision, request_of(method), message);
                self.check(revision, "ServerRequest", message);
            } else {
                self.check(revision, notification_of(method), message);
                self.check(revision, "ServerNotification", message);
            }
            self.check(revision, "JSONRPCMessage", message);
            return;
        }
        let asked = message.get("id").and_then(|id| self.asked.get(&id.to_string())).cloned();
        if let Some(result) = message.get("result") {
            let (method, mut revision) = asked.unwrap_or_else(|| panic!("{}: {message}", self.name));
            if method == "initialize" {
                let agreed = Revision::named(result["protocolVersion"].as_str().unwrap_or_default());
                self.session = agreed;
                revision = agreed.expect("initialize agrees on a revision");
            }
            let extension = revision == Revision::V2026_07_28;
            match result["resultType"].as_str() {
                Some("input_required") => self.check(revision, "InputRequiredResult", result),
                Some("task") => self.check_task("CreateTaskResult", result),
                _ if extension && method.starts_with("tasks/") => {
                    self.check_task(extension_result_of(&method), result);
                    if let Some(kept) = result.get("result") {
                        self.check(revision, "CallToolResult", kept);
                    }
                }
                _ if result.get("task").is_some() => self.check(revision, "CreateTaskResult", result),
                _ => self.check(revision, result_of(&method), result),
            }
            self.check(revision, "JSONRPCMessage", message);
            return;
        }
        let revision = asked.map_or_else(|| self.unasked(), |(_, revision)| revision);
        let message = excused(message, revision);
        let newer = revision >= Revision::V2025_11_25;
        let definition = if newer { "JSONRPCErrorResponse" } else { "JSONRPCError" };
        self.check(revision, definition, &message);
        self.check(revision, "JSONRPCMessage", &message);
        if revision == Revision::V2026_07_28 {
            let (definition, whole) = error_of(message["error"]["code"].as_i64().expect("a code"));
            self.check(revision, definition, if whole { &message } else { &message["error"] });
        }
    }

    /// The revision of an error that answers nothing in particular.
    fn unasked(&self) -> Revision {
        match self.session {
            None if self.home == Revision::V2026_07_28 => self.home,
            _ => self.form(),
        }
    }
}

#[test]
fn all_that_is_sent_is_valid() {
    let Some(data) = midge_tests::data() else {
        println!("left out: no schemas (MIDGE_TEST_DATA)");
        return;
    };
    let mut schemas: HashMap<_, _> = ALL.map(|r| (r.name(), Schema::read(&data, r))).into_iter().collect();
    schemas.insert(TASKS, Schema::at(&data, TASKS));
    for transcript in Transcript::every() {
        let home = Revision::named(&transcript.revision).expect("the folder names a revision");
        let mut stream = Stream {
            schemas: &mut schemas,
            name: transcript.name(),
            asked: HashMap::new(),
            session: None,
            home,
        };
        let mut line = Vec::new();
        for (step, _) in &transcript.steps {
            match step {
                Step::Send(bytes) => {
                    line.extend_from_slice(bytes);
                    while let Some(end) = line.iter().position(|b| *b == b'\n') {
                        let whole: Vec<u8> = line.drain(..=end).collect();
                        stream.client(whole.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&whole));
                    }
                }
                Step::Expect(said) => {
                    // The last line may have no newline.
                    stream.client(&std::mem::take(&mut line));
                    stream.server(said);
                }
                Step::At(_) | Step::Do(_) => {}
            }
        }
    }
    for revision in ALL {
        let checks = schemas.get(revision.name()).map_or(0, |s| s.checks);
        println!("{}: {checks} checks", revision.name());
        assert!(checks > 500, "{}: only {checks} checks", revision.name());
    }
}

/// The checks refuse what is wrong.
#[test]
fn a_wrong_result_is_refused() {
    let Some(data) = midge_tests::data() else {
        println!("left out: no schemas (MIDGE_TEST_DATA)");
        return;
    };
    for (revision, wrong) in [
        (Revision::V2024_11_05, json!({"content": [{"type": "audio", "data": "", "mimeType": "audio/wav"}]})),
        (Revision::V2025_11_25, json!({"content": [], "structuredContent": 7})),
        (Revision::V2026_07_28, json!({"content": []})),
    ] {
        let mut schema = Schema::read(&data, revision);
        assert!(!schema.wrong("CallToolResult", &wrong).is_empty(), "{}: {wrong}", revision.name());
        assert!(schema.wrong("JSONRPCMessage", &json!({"jsonrpc": "2.0", "id": 1, "result": []})).len() == 1);
    }
}
