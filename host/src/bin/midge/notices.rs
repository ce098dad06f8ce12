//! What a server says on its own.

use crate::output::Output;
use crate::safe;
use crate::screen::{Screen, Style, cut};
use midge::Level;
use midge_host::Notice;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::oneshot;

/// Tells log messages, and what is wrong with what the server says, beside the answer: until `end`, and then what has come
/// already.
///
/// Log messages below `least` are left out: many servers send them without being asked.
pub async fn tell(
    mut notices: Receiver<Notice>,
    out: Arc<Output>,
    least: Level,
    mut end: oneshot::Receiver<()>,
) {
    loop {
        let notice = tokio::select! {
            biased;
            notice = notices.recv() => notice,
            _ = &mut end => return,
        };
        match notice {
            Ok(Notice::Log { level, .. }) if Level::named(&level).is_some_and(|level| level < least) => {}
            Ok(notice @ (Notice::Log { .. } | Notice::Junk { .. } | Notice::Stray { .. })) => {
                out.aside(&shown(&notice, &out.stderr));
            }
            Ok(Notice::Task { status, message, .. }) => {
                out.bar.status(&standing(&status, message.as_deref()))
            }
            Ok(_) => {}
            Err(RecvError::Lagged(lost)) => {
                out.note(&format!("{lost} messages of the server came too fast to show"))
            }
            Err(RecvError::Closed) => return,
        }
    }
}

/// `working (pump)`
pub fn standing(status: &str, message: Option<&str>) -> String {
    let message = message.filter(|message| !message.is_empty());
    safe::line(&message.map_or_else(|| status.to_owned(), |message| format!("{status} ({message})")))
}

const SET_IN: &str = "\n             ";

/// For people: one line, or several of a log message. Already harmless, and coloured.
pub fn shown(notice: &Notice, screen: &Screen) -> String {
    let text = |what: &str, text: &str| format!("{} {}", screen.paint(Style::Dim, what), safe::line(text));
    match notice {
        Notice::ToolsChanged => "the list of tools has changed".into(),
        Notice::PromptsChanged => "the list of prompts has changed".into(),
        Notice::ResourcesChanged => "the list of resources has changed".into(),
        Notice::Updated { uri } => format!("{} has changed", screen.paint(Style::Name, &safe::line(uri))),
        Notice::Log { level, logger, data } => log(level, logger.as_deref(), data, screen),
        Notice::Task { call, status, message } => {
            text("task", &format!("{call}: {}", standing(status, message.as_deref())))
        }
        Notice::Other { method, params } => text("unknown notification", &format!("{method} {params}")),
        Notice::Junk { line } => text("no message:", &cut(&safe::line(line), 200)),
        Notice::Stray { what } => text("unexpected:", what),
        Notice::Closed { reason } => text("closed:", reason),
        other => text("notice", &format!("{other:?}")),
    }
}

fn log(level: &str, logger: Option<&str>, data: &Value, screen: &Screen) -> String {
    let style = match level {
        "debug" | "info" | "notice" => Style::Dim,
        "warning" => Style::Warn,
        _ => Style::Bad,
    };
    let logger = logger.map(|logger| format!(" {}", safe::line(logger))).unwrap_or_default();
    // Further lines are set in: they are not to look like what midge itself or another server says.
    let data = safe::block(&data.as_str().map_or_else(|| data.to_string(), str::to_owned));
    let data = data.trim_end().replace('\n', SET_IN);
    format!("{} {data}", screen.paint(style, &format!("[{}{logger}]", safe::line(level))))
}

/// One document for scripts; `None` for what is not an event of the server.
pub fn document(notice: &Notice) -> Option<Value> {
    Some(match notice {
        Notice::ToolsChanged => json!({"event": "tools_changed"}),
        Notice::PromptsChanged => json!({"event": "prompts_changed"}),
        Notice::ResourcesChanged => json!({"event": "resources_changed"}),
        Notice::Updated { uri } => json!({"event": "updated", "uri": uri}),
        Notice::Log { level, logger, data } => {
            json!({"event": "log", "level": level, "logger": logger, "data": data})
        }
        Notice::Task { call, status, message } => {
            json!({"event": "task", "call": call, "status": status, "message": message})
        }
        Notice::Other { method, params } => json!({"event": "other", "method": method, "params": params}),
        Notice::Junk { line } => json!({"event": "junk", "line": line}),
        Notice::Stray { what } => json!({"event": "stray", "what": what}),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_are_one_harmless_line() {
        let hostile = "a\x1b[2J\nb".to_owned();
        for notice in [
            Notice::Updated { uri: hostile.clone() },
            Notice::Task { call: hostile.clone(), status: hostile.clone(), message: Some(hostile.clone()) },
            Notice::Junk { line: hostile.clone() },
            Notice::Stray { what: hostile.clone() },
        ] {
            let shown = shown(&notice, &Screen::plain());
            assert!(shown.chars().all(safe::harmless), "{shown:?}");
            assert!(document(&notice).is_some());
        }
        let log = Notice::Log { level: "info".into(), logger: Some("x".into()), data: json!("said\x07") };
        assert_eq!(shown(&log, &Screen::plain()), "[info x] said␇");
        let log = Notice::Log { level: "info".into(), logger: None, data: json!({"a": 1}) };
        assert_eq!(shown(&log, &Screen::plain()), "[info] {\"a\":1}");
    }
}
