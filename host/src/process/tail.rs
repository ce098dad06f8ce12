//! The end of what a server writes to stderr.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes that are kept.
pub(super) const CAP_BYTES: usize = 64 << 10;

/// The last bytes of a stream, shared between the task that reads it and those who ask for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    /// Whether bytes before these are gone.
    cut: bool,
}

impl Tail {
    /// Reads `from` to its end, so that the server never waits for someone to read.
    pub(super) async fn fill(self, mut from: impl AsyncRead + Unpin) {
        let mut buf = vec![0; 8 << 10];
        while let Ok(n) = from.read(&mut buf).await {
            match buf.get(..n) {
                Some(new) if n > 0 => self.push(new),
                _ => return,
            }
        }
    }

    fn push(&self, new: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes.extend(new);
        let over = kept.bytes.len().saturating_sub(CAP_BYTES);
        kept.cut |= over > 0;
        kept.bytes.drain(..over);
    }

    /// What is kept, from the beginning of a line on.
    pub(super) fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.bytes.iter().copied().collect();
        let line = if kept.cut { bytes.iter().position(|b| *b == b'\n').map_or(0, |at| at + 1) } else { 0 };
        String::from_utf8_lossy(bytes.get(line..).unwrap_or_default()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_is_kept_from_a_whole_line_on() {
        let tail = Tail::default();
        let mut all = String::new();
        for n in 0..20_000 {
            all.push_str(&format!("line {n}\n"));
        }
        tail.clone().fill(all.as_bytes()).await;
        let text = tail.text();
        assert!(text.len() <= CAP_BYTES && text.len() > CAP_BYTES - 20, "{}", text.len());
        assert!(all.ends_with(&text) && text.starts_with("line "), "{}", &text[..20]);
    }

    #[tokio::test]
    async fn what_fits_is_whole() {
        let tail = Tail::default();
        tail.clone().fill(&b"a\xFFb\nc"[..]).await;
        assert_eq!(tail.text(), "a\u{FFFD}b\nc");
    }
}
