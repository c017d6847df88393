//! Splits a stream into lines.

use std::mem;

use memchr::memchr;

/// The longest line that is read. No relevant event is nearly as long.
pub(crate) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// The maximum of memory that is kept for the next line.
const MAX_BUFFER_BYTES: usize = 1024 * 1024;

/// A line of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StreamLine<'a> {
    /// The offset in bytes.
    pub(crate) offset: u64,
    /// The length, including the line break if there is one.
    pub(crate) length: u64,
    /// All bytes; `None` if the line was too long.
    pub(crate) bytes: Option<&'a [u8]>,
}

/// Splits a stream into lines. A line that lies within one piece is not copied.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    /// Longer lines are skipped.
    longest: u64,
    /// The start of the incomplete line.
    begun: Vec<u8>,
    /// The length of the incomplete line. It exceeds the kept bytes once the line is too long.
    length: u64,
    /// The offset of the incomplete line.
    offset: u64,
}

impl LineSplitter {
    /// A splitter that skips longer lines.
    pub(crate) const fn up_to(longest: usize) -> Self {
        Self { longest: longest as u64, begun: Vec::new(), length: 0, offset: 0 }
    }

    /// Reads the next piece.
    pub(crate) fn feed(&mut self, bytes: &[u8], take: &mut dyn FnMut(StreamLine<'_>)) {
        let mut rest = bytes;
        while let Some(newline) = memchr(b'\n', rest) {
            let (line, others) = rest.split_at(newline + 1);
            self.end_line(line, take);
            rest = others;
        }
        self.begin_line(rest);
    }

    /// Processes the end of the stream, which ends the last line.
    pub(crate) fn finish(mut self, take: &mut dyn FnMut(StreamLine<'_>)) {
        if self.length > 0 {
            self.end_line(&[], take);
        }
    }

    fn end_line(&mut self, end: &[u8], take: &mut dyn FnMut(StreamLine<'_>)) {
        let length = self.length + end.len() as u64;
        let is_whole = length <= self.longest;
        if is_whole && !self.begun.is_empty() {
            self.begun.extend_from_slice(end);
        }
        let bytes = if self.begun.is_empty() { end } else { &self.begun };
        take(StreamLine { offset: self.offset, length, bytes: is_whole.then_some(bytes) });
        self.forget();
        self.offset += length;
        self.length = 0;
    }

    fn begin_line(&mut self, beginning: &[u8]) {
        self.length += beginning.len() as u64;
        if self.length > self.longest {
            self.forget();
        } else {
            self.begun.extend_from_slice(beginning);
        }
    }

    fn forget(&mut self) {
        if self.begun.capacity() > MAX_BUFFER_BYTES {
            drop(mem::take(&mut self.begun));
        }
        self.begun.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &[u8], lengths: &[usize]) -> Vec<(u64, Result<Vec<u8>, u64>)> {
        let mut found = Vec::new();
        let mut take = |line: StreamLine<'_>| {
            found.push((line.offset, line.bytes.map(<[u8]>::to_vec).ok_or(line.length)));
        };
        let mut lines = LineSplitter::up_to(MAX_LINE_BYTES);
        let mut rest = text;
        for length in lengths.iter().cycle() {
            let (piece, others) = rest.split_at((*length).min(rest.len()));
            lines.feed(piece, &mut take);
            rest = others;
            if rest.is_empty() {
                break;
            }
        }
        lines.finish(&mut take);
        found
    }

    #[test]
    fn lines_keep_their_breaks_and_know_where_they_begin() {
        let found = cut(b"one\r\n\ntwo", &[4]);
        let expected: [(u64, &[u8]); 3] = [(0, b"one\r\n"), (5, b"\n"), (6, b"two")];
        assert_eq!(found, expected.map(|(offset, line)| (offset, Ok(line.to_vec()))));
        assert_eq!(cut(b"", &[1]), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_to_its_end_and_not_kept() {
        let mut text = vec![b'x'; MAX_LINE_BYTES];
        text.push(b'\n');
        text.extend_from_slice(b"next\n");
        for length in [64 * 1024, text.len()] {
            let found = cut(&text, &[length]);
            let past = MAX_LINE_BYTES as u64 + 1;
            assert_eq!(found, [(0, Err(past)), (past, Ok(b"next\n".to_vec()))]);
        }
        let mut lines = LineSplitter::up_to(MAX_LINE_BYTES);
        for _ in 0..5 {
            lines.feed(&text[..MAX_LINE_BYTES / 4], &mut |_| {});
        }
        assert_eq!(lines.begun.capacity(), 0, "nothing of it is kept");
    }

    #[test]
    fn the_longest_line_is_whole() {
        let mut text = vec![b'x'; MAX_LINE_BYTES - 1];
        text.push(b'\n');
        assert_eq!(cut(&text, &[100_000]), [(0, Ok(text.clone()))]);
    }

    proptest! {
        #[test]
        fn how_a_stream_is_cut_makes_no_difference(
            text in "[ab\n\r]{0,60}",
            lengths in prop::collection::vec(1..9_usize, 1..5),
        ) {
            let text = text.as_bytes();
            prop_assert_eq!(cut(text, &lengths), cut(text, &[text.len().max(1)]));
        }
    }
}
