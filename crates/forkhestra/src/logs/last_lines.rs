//! Finds the start of the last lines of a stream without keeping it.

use std::collections::VecDeque;

/// Tracks the offsets of the last lines. A last line without a line break counts as a line.
pub(super) struct LastLines {
    wanted: u64,
    /// Start offsets of the last lines, at most as many as wanted.
    begins: VecDeque<u64>,
    length: u64,
    at_line_start: bool,
}

impl LastLines {
    /// Tracks this number of lines.
    pub(super) const fn new(wanted: u64) -> Self {
        Self { wanted, begins: VecDeque::new(), length: 0, at_line_start: true }
    }

    /// Adds the next bytes of the stream.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.at_line_start && self.wanted > 0 {
                if self.begins.len() as u64 == self.wanted {
                    self.begins.pop_front();
                }
                self.begins.push_back(self.length);
            }
            self.at_line_start = line.ends_with(b"\n");
            self.length += line.len() as u64;
        }
    }

    /// Number of lines found, up to the wanted number.
    pub(super) fn number(&self) -> u64 {
        self.begins.len() as u64
    }

    /// Offset of the first of them.
    pub(super) fn begin(&self) -> u64 {
        self.begins.front().copied().unwrap_or(self.length)
    }

    /// Length of the stream so far.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_the_last_lines_is_independent_of_the_chunks() {
        for (text, wanted, begin, number) in [
            ("", 3, 0, 0),
            ("a\nb\nc\n", 2, 2, 2),
            ("a\nb\nc", 2, 2, 2),
            ("a\nb\nc", 0, 5, 0),
            ("a\n\n\n", 2, 2, 2),
            ("a\nb\n", 5, 0, 2),
        ] {
            for cut in 0..=text.len() {
                let mut lines = LastLines::new(wanted);
                lines.add(&text.as_bytes()[..cut]);
                lines.add(&text.as_bytes()[cut..]);
                assert_eq!((lines.begin(), lines.number()), (begin, number), "{text:?} {cut}");
                assert_eq!(lines.length(), text.len() as u64);
            }
        }
    }
}
