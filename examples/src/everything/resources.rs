//! The resources and the template.

use super::{Everything, PNG, large};
use midge::Outcome;
use midge::dispatch::{Resource, ResourceDef, Source, Template};

pub(super) static RESOURCES: [Resource<Everything>; 3] = [
    Resource {
        def: ResourceDef::new("test://static-text", "static-text")
            .about("A text that does not change")
            .mime("text/plain"),
        source: Source::Text("This is the content of the static text resource."),
    },
    Resource {
        def: ResourceDef::new("test://static-binary", "static-binary")
            .about("An image that does not change")
            .mime("image/png"),
        source: Source::Blob(PNG),
    },
    Resource {
        def: ResourceDef::new("test://watched-resource", "watched-resource")
            .about("A text that can be subscribed to")
            .mime("text/plain"),
        source: Source::Text("Watched resource content"),
    },
];

pub(super) static TEMPLATES: [Template<Everything>; 3] = [
    Template {
        def: ResourceDef::new("test://template/{id}/data", "template-data")
            .about("Data by its id")
            .mime("application/json"),
        read: |_, args, io| {
            let vars = match args.variables(io) {
                Ok(vars) => vars,
                Err(answered) => return answered,
            };
            let id = vars.get("id").unwrap_or("");
            io.json_text(|w| {
                w.object();
                w.member("id", id);
                w.key("templateTest");
                w.bool(true);
                w.key("data");
                w.begin_str();
                w.text("Data for ID: ");
                w.text(id);
                w.end_str();
                w.close();
            });
            Outcome::Done
        },
        complete: None,
    },
    Template {
        def: ResourceDef::new("test://large-text/{bytes}", "large-text")
            .about("A text of that many bytes")
            .mime("text/plain"),
        read: large::text,
        complete: None,
    },
    Template {
        def: ResourceDef::new("test://large-blob/{bytes}", "large-blob")
            .about("That many bytes")
            .mime("application/octet-stream"),
        read: large::blob,
        complete: None,
    },
];
