//! What the application tells of between calls.

use super::Server;
use crate::session::reply::concerns;
use crate::session::subs::wants;

impl Server<'_> {
    /// Tells clients that the tool list has changed.
    pub fn tools_changed(&mut self) {
        self.list_changed(wants::TOOLS);
    }

    /// Tells clients that the prompt list has changed.
    pub fn prompts_changed(&mut self) {
        self.list_changed(wants::PROMPTS);
    }

    /// Tells clients that the list of resources or of templates has changed.
    pub fn resources_changed(&mut self) {
        self.list_changed(wants::RESOURCES);
    }

    fn list_changed(&mut self, kind: u8) {
        self.changed |= kind;
        self.subs.mark_due(kind, |r| r.wants & kind != 0);
    }

    /// Tells subscribers that the resource at `uri` has changed; whether there are any.
    pub fn resource_updated(&mut self, uri: &str) -> bool {
        self.subs.mark_due(wants::URI, |r| concerns(r, uri))
    }

    /// Ends every `subscriptions/listen`, as a server does that is about to stop.
    pub fn close_subscriptions(&mut self) {
        self.subs.mark_due(wants::END | wants::RESULT, |r| !r.id.is_empty() && r.due & wants::RESULT == 0);
    }
}
