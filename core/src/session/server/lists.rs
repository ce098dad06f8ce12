//! The four lists: straight from the catalog, in pages of bytes.

use super::answer::Msg;
use super::calls::Terms;
use super::{Server, Step};
use crate::json::Writer;
use crate::proto::cursor;
use crate::proto::revision::Revision;
use crate::rpc::envelope::Envelope;
use crate::session::rows::{List, Rows};
use crate::sink::{Fill, Sink};

impl List {
    const fn member(self) -> &'static [u8] {
        match self {
            Self::Tools => b"\"tools\":[",
            Self::Resources => b"\"resources\":[",
            Self::Templates => b"\"resourceTemplates\":[",
            Self::Prompts => b"\"prompts\":[",
        }
    }
}

impl Server<'_> {
    pub(super) fn list(&mut self, msg: Msg, envelope: &Envelope, terms: Terms, list: List) -> Step {
        let revision = terms.revision;
        let rows = self.rows;
        let len = rows.len(list);
        let b = crate::bytes::part(self.rx.bytes(), msg.start, msg.end);
        let Some(first) = cursor::first(list as u8, len, envelope.members.cursor.of(b)) else {
            return self.bad_params(msg, envelope.id, revision, &[cursor::NOT_OURS]);
        };
        let page_bytes = self.config.page_bytes;
        let resume = self.replay;
        let mut again = None;
        let mut desk = self.desk(msg);
        let mut item = first;
        if resume.item > 0 {
            item = resume.item;
            desk.w.set_comma(item > first);
        } else {
            desk.result(envelope.id);
            desk.w.raw_key(list.member());
        }
        let end = page_end(rows, list, first, len, page_bytes, revision);
        while item < end {
            // Long lists in small windows would cost their square if a window went through what comes after its end, or
            // if the next one did not go on where this one was cut.
            if desk.w.sink().lost() {
                break;
            }
            if item > 0 {
                again = Some((item, desk.w.sink().total()));
            }
            rows.write(list, item, &mut desk.w, revision);
            item = item.wrapping_add(1);
        }
        desk.w.put(b"]");
        desk.w.set_comma(true);
        if end < len {
            desk.w.key("nextCursor");
            let cursor = cursor::make(list as u8, len, end);
            desk.w.str(core::str::from_utf8(&cursor).unwrap_or(""));
        }
        rows.info().cache_hints(&mut desk.w, revision);
        desk.close(revision);
        let step = self.sent();
        if let (Step::Send, Some((item, at))) = (&step, again) {
            self.replay.item = item;
            self.replay.at = at;
        }
        step
    }
}

/// The first item that no longer fits on the page that begins at `first`; the page holds one item at least.
fn page_end(
    rows: &dyn Rows,
    list: List,
    first: usize,
    len: usize,
    page_bytes: usize,
    revision: Revision,
) -> usize {
    if page_bytes == usize::MAX {
        return len;
    }
    let mut fill = Fill::default();
    let mut w = Writer::new(Sink::counting(&mut fill));
    let mut item = first;
    while item < len {
        rows.write(list, item, &mut w, revision);
        if w.sink().total() > page_bytes && item > first {
            break;
        }
        item = item.wrapping_add(1);
    }
    item
}
