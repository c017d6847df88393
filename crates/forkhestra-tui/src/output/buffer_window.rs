//! Which lines of an output whoever looks at it has.

use std::collections::VecDeque;

use super::output_buffer::OutputBuffer;
use super::output_line::OutputLine;

/// Follows a [`OutputBuffer`] that takes in the same patches: which lines it has, without the lines.
#[derive(Debug, Default)]
pub(crate) struct BufferWindow {
    lines: VecDeque<WindowLine>,
    size: usize,
    /// How many lines of either stream come before the first one.
    before: [u64; 2],
    lost_end: bool,
}

/// One line that it has.
#[derive(Debug, Clone, Copy)]
struct WindowLine {
    size: usize,
    is_error: bool,
}

impl BufferWindow {
    /// Begins anew behind so many lines of either stream.
    pub(crate) fn begin(&mut self, skipped: [u64; 2]) {
        *self = Self { before: skipped, ..Self::default() };
    }

    /// Lines that come after the last one.
    pub(crate) fn add_after(&mut self, lines: &[OutputLine]) {
        if self.lost_end {
            return;
        }
        for line in lines {
            let kept = WindowLine::of(line);
            self.size += kept.size;
            self.lines.push_back(kept);
        }
        while self.is_full() {
            let Some(kept) = self.lines.pop_front() else { return };
            self.size -= kept.size;
            self.before[usize::from(kept.is_error)] += 1;
        }
    }

    /// Lines that come before the first one.
    pub(crate) fn add_before(&mut self, lines: &[OutputLine]) {
        for line in lines.iter().rev() {
            let kept = WindowLine::of(line);
            self.size += kept.size;
            self.lines.push_front(kept);
            let before = &mut self.before[usize::from(kept.is_error)];
            *before = before.saturating_sub(1);
        }
        while self.is_full() {
            let Some(kept) = self.lines.pop_back() else { return };
            self.size -= kept.size;
            self.lost_end = true;
        }
    }

    /// How many lines of either stream come before the first one.
    pub(crate) const fn before(&self) -> [u64; 2] {
        self.before
    }

    /// Whether the last lines gave way to earlier ones, so that what follows is not taken in.
    pub(crate) const fn has_lost_end(&self) -> bool {
        self.lost_end
    }

    fn is_full(&self) -> bool {
        self.lines.len() > OutputBuffer::MOST_LINES || self.size > OutputBuffer::MOST_BYTES
    }
}

impl WindowLine {
    fn of(line: &OutputLine) -> Self {
        Self { size: line.size(), is_error: line.is_error }
    }
}
