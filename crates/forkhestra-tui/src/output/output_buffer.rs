//! The lines that are kept of what an agent printed.

use std::collections::VecDeque;

use super::output_line::OutputLine;

/// What is different in a buffer from now on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BufferPatch {
    /// Whether everything that was there is to be forgotten first.
    pub is_new: bool,
    /// Where this begins anew: how many lines of the output come before the first one.
    pub skipped: u64,
    /// Lines that come before the first one, the earliest first.
    pub before: Vec<OutputLine>,
    /// Lines that come after the last one.
    pub after: Vec<OutputLine>,
    /// A last line that has not come to its end, and takes the place of the one before it.
    pub open: Option<OutputLine>,
    /// Whether there is something before the first line now; none if that has not changed.
    pub has_earlier: Option<bool>,
}

/// The lines that are kept of what an agent printed: so many, and no more memory than so much. If
/// there are more the oldest give way; they can be read again.
///
/// Each line has a key, by which it is the same line whatever comes and goes around it: its number in
/// the whole output, from 0.
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
    /// So many lines are kept.
    pub const MOST_LINES: usize = 20_000;
    /// So much memory is used for them, about.
    pub const MOST_BYTES: usize = 8 << 20;

    /// Takes in what is different.
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
        // What comes after lines that were forgotten must not stand behind those before them.
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

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.lines.len() + usize::from(self.open.is_some())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A line by its place, from 0.
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

    /// Whether there is more before the first line.
    pub const fn has_earlier(&self) -> bool {
        self.has_earlier
    }

    /// Whether the last lines gave way to earlier ones. To see them, the output is followed anew.
    pub const fn has_lost_end(&self) -> bool {
        self.lost_end
    }

    /// Whether a key is the number of a line in the whole output, from 0.
    pub const fn is_numbered(&self) -> bool {
        self.is_numbered
    }

    fn is_full(&self) -> bool {
        self.lines.len() > Self::MOST_LINES || self.size > Self::MOST_BYTES
    }

    fn forget_the_oldest(&mut self) {
        while self.is_full() {
            let Some(line) = self.lines.pop_front() else { return };
            self.size -= line.size();
            self.first += 1;
            self.has_earlier = true;
        }
    }

    /// Whoever reads earlier lines does not want them to be forgotten at once.
    fn forget_the_newest(&mut self) {
        while self.is_full() {
            let Some(line) = self.lines.pop_back() else { return };
            self.size -= line.size();
            self.open = None;
            self.lost_end = true;
        }
    }
}
