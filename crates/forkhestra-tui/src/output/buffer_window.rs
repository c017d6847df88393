//! Tracks which lines of an output the buffer of a screen holds.

use std::collections::VecDeque;

use super::output_buffer::OutputBuffer;
use super::output_line::OutputLine;

/// Mirrors an [`OutputBuffer`] that receives the same patches: which lines it holds, without their
/// text.
#[derive(Debug, Default)]
pub(crate) struct BufferWindow {
    lines: VecDeque<WindowLine>,
    size: usize,
    /// Number of lines of each stream before the first held line.
    before: [u64; 2],
    lost_end: bool,
}

/// A held line.
#[derive(Debug, Clone, Copy)]
struct WindowLine {
    size: usize,
    is_error: bool,
}

impl BufferWindow {
    /// Starts again after `skipped` lines of each stream.
    pub(crate) fn begin(&mut self, skipped: [u64; 2]) {
        *self = Self { before: skipped, ..Self::default() };
    }

    /// Adds lines at the end.
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

    /// Adds lines at the beginning.
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

    /// Number of lines of each stream before the first held line.
    pub(crate) const fn before(&self) -> [u64; 2] {
        self.before
    }

    /// Whether the last lines were evicted in favour of earlier ones, so that later lines are
    /// ignored.
    pub(crate) const fn has_lost_end(&self) -> bool {
        self.lost_end
    }

    fn is_full(&self) -> bool {
        self.lines.len() > OutputBuffer::MAX_LINES || self.size > OutputBuffer::MAX_BYTES
    }
}

impl WindowLine {
    fn of(line: &OutputLine) -> Self {
        Self { size: line.size(), is_error: line.is_error }
    }
}
