//! Heads and tails of messages.

use crate::json::Writer;

/// How messages are put one after another: lines, or the elements of a batch's array.
#[derive(Clone, Copy, Debug, Default)]
pub struct Framing {
    /// The message answers an element of a batch.
    pub batch: bool,
    /// The array is open: an earlier element was answered.
    pub open: bool,
}

impl Framing {
    fn lead(self, w: &mut Writer<'_>) {
        match self {
            Self { batch: false, .. } => {}
            Self { open: false, .. } => w.put(b"["),
            Self { open: true, .. } => w.put(b","),
        }
    }
}

/// `{"jsonrpc":"2.0","id":…,"result":{`
pub fn result(w: &mut Writer<'_>, framing: Framing, id: &[u8]) {
    if framing.batch {
        framing.lead(w);
    }
    w.put(b"{\"jsonrpc\":\"2.0\",\"id\":");
    w.put(id);
    w.put(b",\"result\":{");
    w.set_comma(false);
}

/// `{"jsonrpc":"2.0","id":…,"error":{"code":…,"message":"…"`; without an id where there is none, or as `null` where
/// the revision's schema wants one there.
pub fn error(
    w: &mut Writer<'_>,
    framing: Framing,
    id: Option<&[u8]>,
    null_id: bool,
    code: i32,
    message: &[&str],
) {
    error_head(w, framing, id, null_id, code);
    for piece in message {
        w.text(piece);
    }
    w.end_str();
}

/// [`error`] up to its message, whose text is still to be written, and ended.
pub fn error_head(w: &mut Writer<'_>, framing: Framing, id: Option<&[u8]>, null_id: bool, code: i32) {
    framing.lead(w);
    w.put(b"{\"jsonrpc\":\"2.0\"");
    match id {
        Some(id) => {
            w.put(b",\"id\":");
            w.put(id);
        }
        None if null_id => w.put(b",\"id\":null"),
        None => {}
    }
    w.put(b",\"error\":{\"code\":");
    w.set_comma(false);
    w.i64(code.into());
    w.put(b",\"message\":");
    w.set_comma(false);
    w.begin_str();
}

/// `}}` and the end: what closes a result, an error, or a notification's params.
pub fn close(w: &mut Writer<'_>, framing: Framing) {
    w.put(if framing.batch { b"}}" } else { b"}}\n" });
}

/// `{"jsonrpc":"2.0","method":"…","params":{`
pub fn notification(w: &mut Writer<'_>, method: &str) {
    w.put(b"{\"jsonrpc\":\"2.0\",\"method\":");
    open_params(w, method);
}

/// `{"jsonrpc":"2.0","id":…,"method":"…","params":{`
pub fn request(w: &mut Writer<'_>, number: u64, method: &str) {
    w.put(b"{\"jsonrpc\":\"2.0\",\"id\":");
    w.set_comma(false);
    w.u64(number);
    w.put(b",\"method\":");
    open_params(w, method);
}

/// Writes the name of a method, which may be the application's, and opens its params.
fn open_params(w: &mut Writer<'_>, method: &str) {
    w.set_comma(false);
    w.str(method);
    w.put(b",\"params\":{");
    w.set_comma(false);
}

/// `{"jsonrpc":"2.0","id":…,"error":{`
pub fn failure(w: &mut Writer<'_>, framing: Framing, id: &[u8]) {
    framing.lead(w);
    w.put(b"{\"jsonrpc\":\"2.0\",\"id\":");
    w.put(id);
    w.put(b",\"error\":{");
    w.set_comma(false);
}
