//! Servers that want the memory, the threads or the secrets of the program that talks to them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use midge_host::client::BoxFuture;
use midge_host::{
    Answers, CallOptions, Client, Command, Config, Era, Error, Notice, Options, Question, Reply, Target,
    blocking,
};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

const PATIENCE: Duration = Duration::from_secs(60);

const MIB: usize = 1 << 20;

/// What a server says to each message.
type Says = Box<dyn FnMut(&Value) -> Vec<String> + Send>;

fn answer(message: &Value, result: Value) -> String {
    json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string()
}

/// What every server here says to `initialize`, and `says` to everything else.
fn said(message: &Value, says: &mut Says) -> Vec<String> {
    match message["method"].as_str() {
        Some("initialize") => vec![answer(
            message,
            json!({"protocolVersion": "2025-11-25", "serverInfo": {"name": "s", "version": "1"},
                "capabilities": {"tools": {}, "logging": {}}}),
        )],
        Some("notifications/initialized") => Vec::new(),
        _ => says(message),
    }
}

async fn serve(stream: DuplexStream, mut says: Says) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).unwrap();
        for line in said(&message, &mut says) {
            if writer.write_all((line + "\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

async fn connect(options: Options, says: impl FnMut(&Value) -> Vec<String> + Send + 'static) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve(theirs, Box::new(says)));
    let (reader, writer) = tokio::io::split(ours);
    let options = Options { era: Era::Handshake, ..options };
    tokio::time::timeout(PATIENCE, Client::over(reader, writer, options)).await.unwrap().unwrap()
}

async fn act(client: &Client, call: CallOptions) -> Result<midge_host::ToolResult, Error> {
    tokio::time::timeout(PATIENCE, client.call_tool("act", Map::new(), call)).await.unwrap()
}

#[tokio::test]
async fn notices_that_nobody_reads_are_kept_up_to_a_size() {
    let client = connect(Options::default(), |message| {
        let text = "x".repeat(MIB);
        let log = json!({"jsonrpc": "2.0", "method": "notifications/message",
            "params": {"level": "info", "data": text}});
        let mut all = vec![log.to_string(); 40];
        all.push(answer(message, json!({"content": []})));
        all
    })
    .await;
    let mut notices = client.notices();
    act(&client, CallOptions::default()).await.unwrap();
    let mut kept = 0;
    while let Ok(notice) = notices.try_recv() {
        let Notice::Log { data, .. } = notice else { panic!("{notice:?}") };
        kept += data.as_str().unwrap().len();
    }
    assert!((MIB..=8 * MIB).contains(&kept), "{kept}");
    // Whoever reads again hears that something is missing, and then what comes.
    act(&client, CallOptions::default()).await.unwrap();
    let Ok(Notice::Stray { what }) = notices.try_recv() else { panic!("nothing is told of the loss") };
    assert!(what.starts_with(char::is_numeric), "{what}");
    assert!(matches!(notices.try_recv(), Ok(Notice::Log { .. })));
}

#[tokio::test]
async fn messages_of_progress_are_short() {
    let client = connect(Options::default(), |message| {
        let token = &message["params"]["_meta"]["progressToken"];
        let report = json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": token, "progress": 1, "message": "a".to_owned() + &"ö".repeat(MIB / 2)}});
        vec![report.to_string(), answer(message, json!({"content": []}))]
    })
    .await;
    let (progress, mut reports) = tokio::sync::mpsc::unbounded_channel();
    act(&client, CallOptions { progress: Some(progress), ..CallOptions::default() }).await.unwrap();
    let told = reports.recv().await.unwrap().message.unwrap();
    assert!(told.len() == 4095 && told.starts_with("aö") && told.ends_with('ö'), "{}", told.len());
}

/// Never answers, and counts the bytes that it is asked.
#[derive(Default)]
struct Never(Arc<AtomicUsize>);

impl Answers for Never {
    fn answer(&self, question: Question) -> BoxFuture<'static, Reply> {
        let Question::Form { message, .. } = question else { unreachable!() };
        self.0.fetch_add(message.len(), Ordering::Relaxed);
        Box::pin(std::future::pending())
    }
}

fn question(id: usize, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": format!("q{id}"), "method": "elicitation/create",
        "params": {"message": message, "requestedSchema": {"type": "object", "properties": {}}}})
    .to_string()
}

#[tokio::test]
async fn open_questions_have_a_size_together() {
    let asked = Arc::new(AtomicUsize::new(0));
    let answers = Some(Arc::new(Never(asked.clone())) as Arc<dyn Answers>);
    let mut refused = 0;
    let client = connect(Options { answers, max_message: 2 * MIB, ..Options::default() }, move |message| {
        if message["error"].is_object() {
            refused += 1;
        }
        match message["method"].as_str() {
            Some("tools/call") => {
                let text = "x".repeat(MIB);
                (0..20).map(|n| question(n, &text)).collect()
            }
            _ => vec![answer(message, json!({ "refused": refused }))],
        }
    })
    .await;
    let call = CallOptions { timeout: Some(Duration::from_secs(5)), ..CallOptions::default() };
    let call = act(&client, call);
    let look = async {
        let began = Instant::now();
        loop {
            let told = client.request("test/look", Map::new(), CallOptions::default()).await.unwrap();
            if told["refused"] == 19 {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{told}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! { () = look => {}, _ = call => panic!("questions are not refused") }
    assert_eq!(asked.load(Ordering::Relaxed), MIB);
}

/// A server on a socket, for clients that block.
fn on_socket(says: impl Fn(&Value) -> Vec<String> + Send + 'static) -> Target {
    use std::io::{BufRead, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut writer = stream.try_clone().unwrap();
        let mut says: Says = Box::new(says);
        for line in std::io::BufReader::new(stream).lines() {
            let Ok(line) = line else { return };
            for line in said(&serde_json::from_str(&line).unwrap(), &mut says) {
                if writer.write_all((line + "\n").as_bytes()).is_err() {
                    return;
                }
            }
        }
    });
    Target::Tcp { host: "127.0.0.1".into(), port }
}

/// Blocks the thread it is called on, as people do who have a blocking client, until the gate opens.
struct Blocks(Arc<Mutex<()>>);

impl Answers for Blocks {
    fn answer(&self, _: Question) -> BoxFuture<'static, Reply> {
        let gate = self.0.clone();
        Box::pin(async move {
            drop(gate.lock());
            Reply::Decline
        })
    }
}

#[test]
fn answers_that_block_hold_up_no_other_call_of_a_blocking_client() {
    let target = on_socket(|message| match message["params"]["name"].as_str() {
        Some("act") => (0..20).map(|n| question(n, "?")).collect(),
        _ => vec![answer(message, json!({"content": []}))],
    });
    let gate = Arc::new(Mutex::new(()));
    let shut = gate.lock().unwrap();
    let answers = Some(Arc::new(Blocks(gate.clone())) as Arc<dyn Answers>);
    let options = Options { era: Era::Handshake, answers, ..Options::default() };
    let (done, ends) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let client = blocking::Client::connect(&target, options).unwrap();
        let call = || CallOptions { timeout: Some(Duration::from_secs(1)), ..CallOptions::default() };
        // Without a deadline of its own: the questions hold it.
        let asking = client.clone();
        let max = CallOptions { max: Some(Duration::from_secs(2)), ..call() };
        let asking = std::thread::spawn(move || asking.call_tool("act", Map::new(), max));
        std::thread::sleep(Duration::from_millis(500));
        client.call_tool("other", Map::new(), call()).unwrap();
        let late = asking.join().unwrap();
        assert!(matches!(late, Err(Error::TimedOut { .. })), "{late:?}");
        client.close();
        done.send(()).unwrap();
    });
    ends.recv_timeout(PATIENCE).expect("it ends while the answers still block");
    drop(shut);
}

#[test]
fn secrets_are_in_no_debug_text_and_in_no_message() {
    let command = Command::new("server").env("TOKEN", "s3cret");
    let text = r#"{"mcpServers": {"one": {"command": "server", "env": {"TOKEN": "s3cret"}},
        "two": {"command": "server", "env": {"TOKEN": "a${s3cret"}},
        "three": {"command": "server", "env": {"TOKEN": "a${s3-cret}"}}}}"#;
    let config = Config::parse(text).unwrap();
    let shown = format!("{command:?} {:?} {config:?}", Target::Process(command.clone()));
    assert!(shown.contains("TOKEN") && !shown.contains("s3cret"), "{shown}");
    for name in ["two", "three"] {
        let told = config.target(name).unwrap_err().to_string();
        assert!(told.contains("env.TOKEN") && !told.contains("cret"), "{told}");
    }
}

#[tokio::test]
async fn json_in_json_does_not_exhaust_the_stack() {
    // Each text is within the depth that is allowed, and would be read if its key were taken for serde_json's own mark.
    let mut said = "0".to_owned();
    for _ in 0..14 {
        let nested = format!("{}{said}{}", "[".repeat(100), "]".repeat(100));
        said = json!({ "$serde_json::private::RawValue": nested }).to_string();
    }
    let text = json!([{"type": "text", "text": said}]).to_string();
    let client = connect(Options::default(), move |message| {
        let id = &message["id"];
        let content = match message["params"]["name"].as_str() {
            Some("act") => format!("{text},\"structuredContent\":{said}"),
            _ => text.clone(),
        };
        vec![format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":{content}}}}}"#)]
    })
    .await;
    let result = act(&client, CallOptions::default()).await;
    assert!(matches!(result, Err(Error::Invalid(_))), "{result:?}");
    // In a text it is a text.
    let result = client.call_tool("text", Map::new(), CallOptions::default()).await.unwrap();
    assert_eq!(result.content[0].json(), None);
}
