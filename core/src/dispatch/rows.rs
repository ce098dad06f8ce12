//! A [`Catalog`] as the engine sees it.

use super::render::{self, Pieces};
use super::table::{Catalog, PromptDef, ResourceDef, ToolDef, candidates};
use crate::json::Writer;
use crate::proto::caps::Features;
use crate::proto::info::{Info, some, some_raw};
use crate::proto::revision::{Feature, Revision};
use crate::session::rows::{List, Rows, TaskSupport};

impl<C> Rows for Catalog<C> {
    fn info(&self) -> &Info {
        &self.info
    }

    fn features(&self) -> Features {
        let mut features = self.features;
        if !self.tools.is_empty() {
            features = features.and(Features::TOOLS);
        }
        if !self.resources.is_empty() || !self.templates.is_empty() {
            features = features.and(Features::RESOURCES);
        }
        if !self.prompts.is_empty() {
            features = features.and(Features::PROMPTS);
        }
        if self.tools.iter().any(|t| t.def.task != TaskSupport::None) {
            features = features.and(Features::TASKS);
        }
        let completes = self.prompts.iter().any(|p| p.complete.is_some())
            || self.templates.iter().any(|t| t.complete.is_some());
        if completes { features.and(Features::COMPLETIONS) } else { features }
    }

    fn len(&self, list: List) -> usize {
        match list {
            List::Tools => self.tools.len(),
            List::Resources => self.resources.len(),
            List::Templates => self.templates.len(),
            List::Prompts => self.prompts.len(),
        }
    }

    fn find(&self, list: List, name: &str) -> Option<usize> {
        if list == List::Tools && !self.tool_order.is_empty() {
            return candidates(self.tool_order, name).find(|row| self.key(list, *row) == name);
        }
        (0..self.len(list)).find(|i| self.key(list, *i) == name)
    }

    fn key(&self, list: List, index: usize) -> &str {
        match list {
            List::Tools => self.tools.get(index).map_or("", |t| t.def.name),
            List::Resources => self.resources.get(index).map_or("", |r| r.def.uri),
            List::Templates => self.templates.get(index).map_or("", |t| t.def.uri),
            List::Prompts => self.prompts.get(index).map_or("", |p| p.def.name),
        }
    }

    fn mime(&self, list: List, index: usize) -> &str {
        match list {
            List::Resources => self.resources.get(index).map_or("", |r| r.def.mime),
            List::Templates => self.templates.get(index).map_or("", |t| t.def.mime),
            _ => "",
        }
    }

    fn prompt_about(&self, index: usize) -> &str {
        self.prompts.get(index).map_or("", |p| p.def.about)
    }

    fn has_output(&self, index: usize, revision: Revision) -> bool {
        self.tools.get(index).is_some_and(|t| lists_output(&t.def, revision))
    }

    fn task(&self, index: usize) -> TaskSupport {
        self.tools.get(index).map_or(TaskSupport::None, |t| t.def.task)
    }

    fn write(&self, list: List, index: usize, w: &mut Writer<'_>, revision: Revision) {
        match list {
            List::Tools => {
                if let Some(tool) = self.tools.get(index) {
                    write_tool(&tool.def, w, revision);
                }
            }
            List::Resources => {
                if let Some(resource) = self.resources.get(index) {
                    write_resource(&resource.def, "uri", w, revision);
                }
            }
            List::Templates => {
                if let Some(template) = self.templates.get(index) {
                    write_resource(&template.def, "uriTemplate", w, revision);
                }
            }
            List::Prompts => {
                if let Some(prompt) = self.prompts.get(index) {
                    write_prompt(&prompt.def, w, revision);
                }
            }
        }
    }
}

/// Writes a tool's list entry.
pub fn write_tool(def: &ToolDef, w: &mut Writer<'_>, revision: Revision) {
    if def.entry.is_empty() {
        w.object();
        w.member("name", def.name);
        some(w, true, "description", def.about);
        w.key("inputSchema");
        if def.input.is_empty() {
            render::write(w, Pieces::object(def.args));
        } else {
            w.raw(def.input.as_bytes());
        }
    } else {
        w.object();
        w.put(def.entry.as_bytes());
        w.set_comma(true);
    }
    some(w, revision.has(Feature::Title), "title", def.title);
    some_raw(w, lists_output(def, revision), "outputSchema", def.output);
    if revision.has(Feature::ToolAnnotations) {
        write_hints(def, w);
    }
    if def.task != TaskSupport::None && revision.has(Feature::Tasks) {
        w.raw_key(if def.task.is_required() {
            b"\"execution\":{\"taskSupport\":\"required\"}"
        } else {
            b"\"execution\":{\"taskSupport\":\"optional\"}"
        });
        w.set_comma(true);
    }
    some_raw(w, revision.has(Feature::Icons), "icons", def.icons);
    some_raw(w, revision.has(Feature::ItemMeta), "_meta", def.meta);
    w.close();
}

/// Output schemas that are no objects came with 2026-07-28; before, the list would not be valid with one.
fn lists_output(def: &ToolDef, revision: Revision) -> bool {
    !def.output.is_empty()
        && (revision.has(Feature::StructuredAny)
            || (revision.has(Feature::Structured) && describes_object(def.output.as_bytes())))
}

/// Whether the schema text says `"type":"object"` at its top.
fn describes_object(schema: &[u8]) -> bool {
    let span = crate::rpc::params::Span::new(0, schema.len());
    crate::rpc::params::Inner::of(schema, span).kind.of(schema) == b"\"object\""
}

fn write_hints(def: &ToolDef, w: &mut Writer<'_>) {
    let hints = [
        ("readOnlyHint", def.hints.read_only),
        ("destructiveHint", def.hints.destructive),
        ("idempotentHint", def.hints.idempotent),
        ("openWorldHint", def.hints.open_world),
    ];
    if hints.iter().all(|(_, value)| value.is_none()) {
        return;
    }
    w.key("annotations");
    w.object();
    for (name, value) in hints {
        if let Some(value) = value {
            w.key(name);
            w.bool(value);
        }
    }
    w.close();
}

/// Writes the list entry of a resource or, with `uri` as `uriTemplate`, of a template.
pub fn write_resource(def: &ResourceDef, uri: &str, w: &mut Writer<'_>, revision: Revision) {
    w.object();
    w.member(uri, def.uri);
    w.member("name", def.name);
    some(w, revision.has(Feature::Title), "title", def.title);
    some(w, true, "description", def.about);
    some(w, true, "mimeType", def.mime);
    if let Some(size) = def.size {
        w.key("size");
        w.u64(size);
    }
    some_raw(w, true, "annotations", def.annotations);
    some_raw(w, revision.has(Feature::Icons), "icons", def.icons);
    some_raw(w, revision.has(Feature::ItemMeta), "_meta", def.meta);
    w.close();
}

/// Writes a prompt's list entry.
pub fn write_prompt(def: &PromptDef, w: &mut Writer<'_>, revision: Revision) {
    w.object();
    w.member("name", def.name);
    some(w, revision.has(Feature::Title), "title", def.title);
    some(w, true, "description", def.about);
    if !def.args.is_empty() {
        w.key("arguments");
        w.array();
        for arg in def.args {
            w.object();
            w.member("name", arg.name);
            some(w, true, "description", arg.about);
            w.key("required");
            w.bool(arg.required);
            w.close();
        }
        w.close();
    }
    some_raw(w, revision.has(Feature::Icons), "icons", def.icons);
    some_raw(w, revision.has(Feature::ItemMeta), "_meta", def.meta);
    w.close();
}
