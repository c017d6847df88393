//! The bounded buffer of output lines.

use std::collections::VecDeque;

use super::output_line::OutputLine;

/// A change of a buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BufferPatch {
    /// Whether the buffer is cleared first.
    pub is_new: bool,
    /// For a new buffer: number of lines of the output before the first one.
    pub skipped: u64,
    /// Lines before the first one, oldest first.
    pub before: Vec<OutputLine>,
    /// Lines after the last one.
    pub after: Vec<OutputLine>,
    /// The incomplete last line, which replaces the previous one.
    pub open: Option<OutputLine>,
    /// Whether earlier lines exist; none if unchanged.
    pub has_earlier: Option<bool>,
}

/// A buffer of output lines, bounded in number and memory. When it is full, the oldest lines are
/// evicted; they can be read again.
///
/// Each line has a stable key: its number in the whole output, counted from 0.
#[derive(Debug, Clone, Default)]
pub struct OutputBuffer {
    lines: VecDeque<OutputLine>,
    open: Option<OutputLine>,
    first: i64,
    size: usize,
    has_earlier: bool,
    is_numbered: bool,
    lost_end: bool,
}

impl OutputBuffer {
    /// Maximum number of lines.
    pub const MAX_LINES: usize = 20_000;
    /// Approximate maximum memory.
    pub const MAX_BYTES: usize = 8 << 20;

    /// Applies a change.
    pub fn apply(&mut self, patch: BufferPatch) {
        if patch.is_new {
            let first = i64::try_from(patch.skipped).unwrap_or(i64::MAX);
            *self = Self { first, is_numbered: true, ..Self::default() };
        }
        self.has_earlier = patch.has_earlier.unwrap_or(self.has_earlier);
        for line in patch.before.into_iter().rev() {
            self.size += line.size();
            self.first -= 1;
            self.lines.push_front(line);
        }
        self.forget_the_newest();
        // Lines after evicted ones must not be appended to those before them.
        if self.lost_end {
            return;
        }
        for line in patch.after {
            self.size += line.size();
            self.lines.push_back(line);
        }
        self.open = patch.open;
        self.forget_the_oldest();
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.lines.len() + usize::from(self.open.is_some())
    }

    /// Whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A line by its index, counted from 0.
    pub fn get(&self, index: usize) -> Option<&OutputLine> {
        self.lines.get(index).or(self.open.as_ref().filter(|_| index == self.lines.len()))
    }

    /// The key of the first line.
    pub const fn first_key(&self) -> i64 {
        self.first
    }

    /// The key after that of the last line.
    pub fn end_key(&self) -> i64 {
        self.first.saturating_add_unsigned(self.len() as u64)
    }

    /// A line by its key.
    pub fn at(&self, key: i64) -> Option<&OutputLine> {
        self.get(usize::try_from(key.checked_sub(self.first)?).ok()?)
    }

    /// Whether earlier lines exist.
    pub const fn has_earlier(&self) -> bool {
        self.has_earlier
    }

    /// Whether the last lines were evicted in favour of earlier ones. To see them, the output must
    /// be followed again.
    pub const fn has_lost_end(&self) -> bool {
        self.lost_end
    }

    /// Whether keys are line numbers in the whole output, counted from 0.
    pub const fn is_numbered(&self) -> bool {
        self.is_numbered
    }

    fn is_full(&self) -> bool {
        self.lines.len() > Self::MAX_LINES || self.size > Self::MAX_BYTES
    }

    fn forget_the_oldest(&mut self) {
        while self.is_full() {
            let Some(line) = self.lines.pop_front() else { return };
            self.size -= line.size();
            self.first += 1;
            self.has_earlier = true;
        }
    }

    /// Evicts the newest lines after earlier ones were loaded, since those are the ones being read.
    fn forget_the_newest(&mut self) {
        while self.is_full() {
            let Some(line) = self.lines.pop_back() else { return };
            self.size -= line.size();
            self.open = None;
            self.lost_end = true;
        }
    }
}
