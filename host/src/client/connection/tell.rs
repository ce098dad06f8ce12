//! Notices on their way to the listeners: the number that is kept has a bound, and so has their size.

use std::collections::VecDeque;

use tokio::sync::broadcast;

use super::super::notice::Notice;

/// Bytes that wait for a listener that does not keep up. One notice may have more, when none waits: the bound is there
/// for a thousand of them, each as large as a message can be.
const BYTES: usize = 4 << 20;
/// Bytes that are counted for any notice.
const EACH: usize = 256;

/// Tells the listeners.
pub(super) struct Teller {
    to: broadcast::Sender<Notice>,
    /// The sizes of those that some listener has yet to take, the newest last.
    sizes: VecDeque<usize>,
    bytes: usize,
    lost: u64,
}

impl Teller {
    pub fn new(to: broadcast::Sender<Notice>) -> Self {
        Self { to, sizes: VecDeque::new(), bytes: 0, lost: 0 }
    }

    pub fn has_listeners(&self) -> bool {
        self.to.receiver_count() > 0
    }

    /// Tells what came as `bytes` bytes, if there is room for it.
    pub fn tell(&mut self, notice: Notice, bytes: usize) {
        let bytes = bytes + EACH;
        let waiting = if self.sizes.is_empty() { 0 } else { self.to.len() };
        while self.sizes.len() > waiting {
            self.bytes -= self.sizes.pop_front().unwrap_or_default();
        }
        let ends = matches!(notice, Notice::Closed { .. });
        if self.bytes > 0 && self.bytes + bytes > BYTES && !ends {
            self.lost += 1;
            return;
        }
        let lost = std::mem::take(&mut self.lost);
        if lost > 0 {
            let what =
                format!("{lost} messages, which were too large to be kept for a listener that lags behind");
            self.send(Notice::Stray { what }, EACH);
        }
        self.send(notice, bytes);
    }

    fn send(&mut self, notice: Notice, bytes: usize) {
        // Nobody may listen.
        if self.to.send(notice).is_ok() {
            self.sizes.push_back(bytes);
            self.bytes += bytes;
        }
    }
}
