//! What an agent complained of.

use crate::agent::{Complaint, Watched, Watcher};

/// So much is kept. Whoever explains an end does so in a few lines.
const KEPT: usize = 8 * 1024;

/// What an agent complains of: the end of it, and what somebody finds in it.
#[derive(Default)]
pub struct Complaints {
    tail: Tail,
    watcher: Option<Box<Watcher>>,
}

/// What complaints come to.
#[derive(Debug, Default, PartialEq)]
pub struct Complained {
    /// What was said last.
    pub last_words: String,
    /// What was found in all of it.
    pub watched: Watched,
}

impl Complaints {
    /// Complaints in which somebody may find something.
    pub fn new(watcher: Option<Watcher>) -> Self {
        Self { tail: Tail::default(), watcher: watcher.map(Box::new) }
    }

    /// Whether they are shown as they come.
    pub(super) const fn are_shown_as_they_are(&self) -> bool {
        self.watcher.is_none()
    }

    /// Takes more bytes, and says what is to be shown of them.
    pub(super) fn feed(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Complaint<'_>)) {
        let tail = &mut self.tail;
        match &mut self.watcher {
            None => tail.keep(bytes, tell),
            Some(watcher) => watcher.feed(bytes, &mut |complaint| tail.take(complaint, tell)),
        }
    }

    /// Takes note that nothing will follow.
    pub(super) fn finish(self, tell: &mut dyn FnMut(Complaint<'_>)) -> Complained {
        let Self { mut tail, watcher } = self;
        let watched =
            watcher.map(|watcher| watcher.finish(&mut |complaint| tail.take(complaint, tell)));
        let last_words = String::from_utf8_lossy(&tail.kept).into_owned();
        Complained { last_words, watched: watched.unwrap_or_default() }
    }
}

/// The end of what people see.
#[derive(Default)]
struct Tail {
    kept: Vec<u8>,
}

impl Tail {
    /// What was understood explains no end.
    fn take(&mut self, complaint: Complaint<'_>, tell: &mut dyn FnMut(Complaint<'_>)) {
        match complaint {
            Complaint::Bytes(bytes) => self.keep(bytes, tell),
            notice @ Complaint::Notice(_) => tell(notice),
        }
    }

    fn keep(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Complaint<'_>)) {
        let new = &bytes[bytes.len().saturating_sub(KEPT)..];
        let surplus = (self.kept.len() + new.len()).saturating_sub(KEPT);
        self.kept.drain(..surplus);
        self.kept.extend_from_slice(new);
        tell(Complaint::Bytes(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_however_the_bytes_come() {
        let all: String = (0..5000).map(|number| format!("line {number}\n")).collect();
        for piece in [1, 7, 4096, KEPT, KEPT + 1, all.len()] {
            let mut complaints = Complaints::default();
            all.as_bytes().chunks(piece).for_each(|bytes| complaints.feed(bytes, &mut |_| {}));
            let last_words = complaints.finish(&mut |_| {}).last_words;
            assert_eq!(last_words, all[all.len() - KEPT..], "in pieces of {piece}");
        }
    }

    #[test]
    fn what_is_short_is_kept_whole() {
        let mut complaints = Complaints::default();
        complaints.feed(b"no ", &mut |_| {});
        complaints.feed(b"way\n", &mut |_| {});
        assert_eq!(complaints.finish(&mut |_| {}).last_words, "no way\n");
    }
}
