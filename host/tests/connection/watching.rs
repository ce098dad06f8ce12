//! What servers say on their own.

use midge::Level;
use midge_host::{Era, Filter, Notice};
use serde_json::json;

use crate::servers::*;

fn all() -> Filter {
    let uris = vec!["test://watched-resource".into()];
    Filter { tools: true, prompts: true, resources: true, uris }
}

#[tokio::test]
async fn a_watch_hears_of_what_it_asked_for() {
    for (era, _) in eras() {
        let client = connect("everything", era).await;
        let mut watch = within(client.watch(all())).await.unwrap();
        assert!(watch.granted.tools && watch.granted.uris == all().uris, "{era:?}: {watch:?}");
        for tool in ["test_trigger_tool_change", "test_trigger_prompt_change"] {
            call(&client, tool, json!({})).await;
        }
        let heard = said(&client, "test_trigger_resource_update", json!({})).await;
        assert_eq!(heard, "subscribers were told", "{era:?}");
        assert!(matches!(within(watch.next()).await, Some(Notice::ToolsChanged)), "{era:?}");
        assert!(matches!(within(watch.next()).await, Some(Notice::PromptsChanged)), "{era:?}");
        let next = within(watch.next()).await;
        assert!(matches!(&next, Some(Notice::Updated { uri }) if *uri == all().uris[0]), "{era:?}: {next:?}");
        client.close().await;
        while within(watch.next()).await.is_some() {}
    }
}

#[tokio::test]
async fn a_dropped_watch_is_over_for_the_server_and_others_go_on() {
    for (era, _) in eras() {
        let client = connect("everything", era).await;
        let first = within(client.watch(all())).await.unwrap();
        let mut second = within(client.watch(all())).await.unwrap();
        drop(first);
        let heard = said(&client, "test_trigger_resource_update", json!({})).await;
        assert_eq!(heard, "subscribers were told", "{era:?}");
        assert!(matches!(within(second.next()).await, Some(Notice::Updated { .. })), "{era:?}");
        drop(second);
        within(async {
            while said(&client, "test_trigger_resource_update", json!({})).await != "nobody has subscribed" {}
        })
        .await;
        client.close().await;
    }
}

#[tokio::test]
async fn a_watch_that_is_no_part_of_what_is_told_leaves_it_out() {
    for era in BOTH {
        let client = connect("everything", era).await;
        let mut watch = within(client.watch(Filter { prompts: true, ..Filter::default() })).await.unwrap();
        for tool in ["test_trigger_tool_change", "test_trigger_prompt_change"] {
            call(&client, tool, json!({})).await;
        }
        assert!(matches!(within(watch.next()).await, Some(Notice::PromptsChanged)), "{era:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn logs_come_once_they_are_wanted() {
    for (era, _) in eras() {
        let client = connect("everything", era).await;
        let mut notices = client.notices();
        client.set_log_level(Level::Info).await.unwrap();
        assert_eq!(said(&client, "test_logging_tool", json!({})).await, "Logged, if you asked for it.");
        let logged = within(async {
            loop {
                if let Notice::Log { level, data, .. } = notices.recv().await.unwrap() {
                    return (level, data);
                }
            }
        });
        let (level, data) = logged.await;
        assert_eq!(
            (level.as_str(), data.as_str().unwrap()),
            ("info", "A log message for testing"),
            "{era:?}"
        );
        client.close().await;
    }
}

/// What one of two watches subscribes to stays when the other one fails.
#[tokio::test]
async fn a_resource_that_cannot_be_watched_is_an_error_that_leaves_nothing_behind() {
    let client = connect("everything", Era::Handshake).await;
    let uris = vec!["test://watched-resource".into(), "test://nowhere".into()];
    let error = within(client.watch(Filter { uris, ..Filter::default() })).await.unwrap_err();
    assert!(error.is_not_found(), "{error:?}");
    within(async {
        while said(&client, "test_trigger_resource_update", json!({})).await != "nobody has subscribed" {}
    })
    .await;
    client.close().await;
}
