//! Answers made piece by piece, which may be larger than any memory.

use super::io::Io;
use crate::json::Writer;
use crate::wire::base64::Encoder;

impl Io<'_> {
    /// Adds a text that `piece` writes, piece by piece, with [`Writer::text`]: it is called with 0, 1, 2 and so on until it
    /// gives `false`.
    ///
    /// Where full buffers are handed over while a handler runs (the blocking loop), that is all. Elsewhere an answer that
    /// does not fit into the transmit buffer is sent in windows: the handler is run again for each, from its start and with
    /// the same arguments, and pieces that are out are not asked for again. So a piece must be the same whenever it is
    /// made, what goes before the pieces must be the same and short, and nothing may be changed on the way.
    /// One piece may be larger than the buffer, at the cost of being made again for each window that holds a part of it.
    ///
    /// A failure behind the first piece cannot take back what is out: a tool adds its reason and `isError`, a resource or a
    /// prompt ends where it is (decision 013). A task keeps its answer whole, in the park.
    pub fn text_chunks(&mut self, mut piece: impl FnMut(u32, &mut Writer<'_>) -> bool) {
        self.text_with(|w| run(w, &mut |n, _, w| piece(n, w)));
    }

    /// Adds bytes that `piece` hands over, as [`text_chunks`](Self::text_chunks) does with text: to a resource its contents,
    /// elsewhere an embedded resource. They are encoded as they come.
    pub fn blob_chunks(&mut self, mut piece: impl FnMut(u32, &mut dyn FnMut(&[u8])) -> bool) {
        self.blob_with(|w| {
            w.begin_str();
            run(w, &mut |n, encoder, w| {
                let more = piece(n, &mut |bytes| encoder.encode_into(bytes, &mut |digits| w.put(digits)));
                if !more {
                    encoder.finish(&mut |digits| w.put(digits));
                }
                more
            });
            w.end_str();
        });
    }

    /// Answers with the object `{name: [item, …]}` as structured content (and as text, as
    /// [`structured`](Self::structured) does); `item` writes one value at each call, until it gives `false` without writing
    /// one. It is gone through once for each of the two forms.
    pub fn structured_items(&mut self, name: &str, item: impl Fn(u32, &mut Writer<'_>) -> bool) {
        self.structured_as(true, |w| {
            w.object();
            w.key(name);
            w.array();
            run(w, &mut |n, _, w| {
                // Its comma is known from its number: what was written before may not have been.
                w.set_comma(n > 0);
                item(n, w)
            });
            w.set_comma(true);
            w.close();
            w.close();
        });
    }
}

/// Runs `piece` from the first that is needed until it gives `false`.
fn run(w: &mut Writer<'_>, piece: &mut dyn FnMut(u32, &mut Encoder, &mut Writer<'_>) -> bool) {
    let Some((first, held)) = w.sink().begin_run() else { return };
    let mut encoder = Encoder::of(held);
    let mut n = first;
    loop {
        w.sink().begin_piece(n, encoder.held());
        if !piece(n, &mut encoder, w) || w.sink().is_cut() {
            return;
        }
        n = n.saturating_add(1);
    }
}
