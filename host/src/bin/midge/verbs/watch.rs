//! `midge watch`

use crate::cli::WatchArgs;
use crate::context::Context;
use crate::failure::{Failure, Fault};
use crate::notices;
use crate::output::Output;
use crate::safe;
use crate::screen::Style;
use midge_host::{Client, Filter, Notice, Server};
use serde_json::Value;
use std::time::{Duration, Instant};

pub async fn run(context: &Context, args: &WatchArgs) -> Result<(), Failure> {
    let out = &context.out;
    context
        .connected(&args.at.target, async |client| {
            context.want_logs(client).await;
            let filter = filter(client.server(), &args.uris);
            match args.period {
                Some(period) => {
                    tokio::time::timeout(period, events(client, filter, args, out)).await.unwrap_or(Ok(()))
                }
                None => events(client, filter, args, out).await,
            }
        })
        .await
}

/// Everything that the server says it tells of.
fn filter(server: &Server, uris: &[String]) -> Filter {
    let tells = |what: &str| {
        let capability = server.capabilities.get(what);
        capability.and_then(|all| all.get("listChanged")).is_some_and(|value| *value == Value::Bool(true))
    };
    Filter {
        tools: tells("tools"),
        prompts: tells("prompts"),
        resources: tells("resources"),
        uris: uris.to_vec(),
    }
}

async fn events(client: &Client, filter: Filter, args: &WatchArgs, out: &Output) -> Result<(), Failure> {
    let began = Instant::now();
    let mut watch = client.watch(filter).await?;
    out.note(&format!("watching {}; Ctrl-C ends", safe::line(&client.server().name)));
    let mut left = args.count;
    while left != Some(0) {
        match watch.next().await {
            Some(Notice::Closed { reason }) => {
                return Err(Failure::new(Fault::Broken, format!("the server ended: {reason}")));
            }
            None => return Err(Failure::new(Fault::Broken, "the connection ended")),
            Some(notice) => {
                event(&notice, began.elapsed(), out)?;
                left = left.map(|left| left - 1);
            }
        }
    }
    Ok(())
}

fn event(notice: &Notice, after: Duration, out: &Output) -> Result<(), Failure> {
    if out.json {
        let Some(mut document) = notices::document(notice) else { return Ok(()) };
        document["after_ms"] = u64::try_from(after.as_millis()).unwrap_or(u64::MAX).into();
        return out.line(&document);
    }
    let time = out.stdout.paint(Style::Dim, &format!("{:8.3} s", after.as_secs_f64()));
    out.print(&format!("{time}  {}\n", notices::shown(notice, &out.stdout)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use midge::Revision;
    use serde_json::json;

    #[test]
    fn watches_what_is_told() {
        let server = Server {
            revision: Revision::named("2025-06-18").unwrap(),
            name: String::new(),
            version: String::new(),
            title: None,
            instructions: None,
            capabilities: json!({"tools": {"listChanged": true}, "prompts": {}, "resources": {"listChanged": false}}),
            raw: Value::Null,
        };
        let expected = Filter { tools: true, uris: vec!["x://a".into()], ..Filter::default() };
        assert_eq!(filter(&server, &["x://a".to_owned()]), expected);
    }
}
