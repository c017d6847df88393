//! What an agent complained of.

use super::output_tail::OutputTail;
use crate::agent::{StderrOutput, StderrResult, StderrWatcher};

/// So much is kept. Whoever explains an end does so in a few lines.
const KEPT: usize = 8 * 1024;

/// What an agent complains of: the end of it, and what somebody finds in it.
pub struct StderrReader {
    tail: OutputTail,
    watcher: Option<Box<StderrWatcher>>,
}

/// What complaints come to.
#[derive(Debug, Default, PartialEq)]
pub struct StderrSummary {
    /// What was said last.
    pub last_words: String,
    /// What was found in all of it.
    pub result: StderrResult,
}

impl StderrReader {
    /// Complaints in which somebody may find something.
    pub fn new(watcher: Option<StderrWatcher>) -> Self {
        Self { tail: OutputTail::new(KEPT), watcher: watcher.map(Box::new) }
    }

    /// Whether they are shown as they come.
    pub(super) const fn is_passed_through(&self) -> bool {
        self.watcher.is_none()
    }

    /// Takes more bytes, and says what is to be shown of them.
    pub(super) fn feed(&mut self, bytes: &[u8], tell: &mut dyn FnMut(StderrOutput<'_>)) {
        let tail = &mut self.tail;
        match &mut self.watcher {
            None => keep(tail, bytes, tell),
            Some(watcher) => watcher.feed(bytes, &mut |complaint| take(tail, complaint, tell)),
        }
    }

    /// Takes note that nothing will follow.
    pub(super) fn finish(self, tell: &mut dyn FnMut(StderrOutput<'_>)) -> StderrSummary {
        let Self { mut tail, watcher } = self;
        let watched = watcher
            .map(|watcher| watcher.finish(&mut |complaint| take(&mut tail, complaint, tell)));
        StderrSummary { last_words: tail.text(), result: watched.unwrap_or_default() }
    }
}

impl Default for StderrReader {
    fn default() -> Self {
        Self::new(None)
    }
}

/// Only what people see is kept: what was understood explains no end.
fn take(
    tail: &mut OutputTail,
    complaint: StderrOutput<'_>,
    tell: &mut dyn FnMut(StderrOutput<'_>),
) {
    match complaint {
        StderrOutput::Bytes(bytes) => keep(tail, bytes, tell),
        notice @ StderrOutput::Notice(_) => tell(notice),
    }
}

fn keep(tail: &mut OutputTail, bytes: &[u8], tell: &mut dyn FnMut(StderrOutput<'_>)) {
    tail.keep(bytes);
    tell(StderrOutput::Bytes(bytes));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_last_is_kept() {
        let mut complaints = StderrReader::default();
        complaints.feed(b"no ", &mut |_| {});
        complaints.feed(b"way\n", &mut |_| {});
        assert_eq!(complaints.finish(&mut |_| {}).last_words, "no way\n");
    }
}
