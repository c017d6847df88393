//! The text of the message that may be the last one.

use std::collections::VecDeque;

use forkhestra_core::event::MarkerMatch;
use forkhestra_core::scan::MarkerScanner;

/// The maximum of tracked pieces. A marker is found soon after it was printed.
const MAX_PIECES: usize = 4096;

/// The text of one message, scanned for markers incrementally.
#[derive(Debug)]
pub(crate) struct MessageText {
    /// A scanner in its initial state.
    fresh: MarkerScanner,
    scanner: MarkerScanner,
    pieces: VecDeque<MessagePiece>,
    length: u64,
    is_within_line: bool,
}

#[derive(Debug, Clone, Copy)]
struct MessagePiece {
    /// The offset in the text.
    start: u64,
    /// The offset of its line in the stream.
    offset: u64,
}

impl MessageText {
    /// Scans with a copy of this scanner.
    pub(crate) fn new(fresh: MarkerScanner) -> Self {
        let (scanner, pieces) = (fresh.clone(), VecDeque::new());
        Self { fresh, scanner, pieces, length: 0, is_within_line: false }
    }

    /// Starts another message, or the rest of one after a tool, and forgets the text before.
    pub(crate) fn begin(&mut self) {
        if self.length > 0 {
            self.scanner = self.fresh.clone();
            self.pieces.clear();
            (self.length, self.is_within_line) = (0, false);
        }
    }

    /// Appends a piece from the line at this offset of the stream.
    pub(crate) fn append(&mut self, text: &str, offset: u64) {
        let Some(last) = text.as_bytes().last() else { return };
        if self.pieces.len() == MAX_PIECES {
            self.pieces.pop_front();
        }
        self.pieces.push_back(MessagePiece { start: self.length, offset });
        self.is_within_line = *last != b'\n';
        self.feed(text);
    }

    /// Ends a text. The next text of the same message starts on a new line.
    pub(crate) fn end_text(&mut self) {
        if self.is_within_line {
            self.is_within_line = false;
            self.feed("\n");
        }
    }

    /// The marker match that counts if the message ends here.
    pub(crate) fn marker_match(&self, message: u32) -> Option<MarkerMatch> {
        let found = self.scanner.clone().finish()?;
        let at = self.pieces.partition_point(|piece| piece.start <= found.offset);
        let piece = self.pieces.get(at.saturating_sub(1))?;
        Some(MarkerMatch { offset: piece.offset, message: Some(message), ..found })
    }

    fn feed(&mut self, text: &str) {
        self.scanner.feed(text.as_bytes());
        self.length += text.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use forkhestra_core::marker::Marker;

    use super::*;

    fn speech() -> MessageText {
        let scanner = MarkerScanner::new(&Marker::defaults()).expect("the markers are right");
        MessageText::new(scanner)
    }

    #[test]
    fn a_marker_is_found_at_its_position_in_any_chunks() {
        let mut message_text = speech();
        message_text.append("All done.\n", 100);
        message_text.append("FORK", 200);
        message_text.append("HESTRA_COMPLETE", 300);
        let found = message_text.marker_match(3).expect("a marker");
        assert_eq!((found.offset, found.line, found.message), (200, 2, Some(3)));
        message_text.begin();
        assert_eq!(message_text.marker_match(4), None, "another message");
    }

    #[test]
    fn texts_of_one_message_do_not_run_together() {
        let mut message_text = speech();
        message_text.append("FORKHESTRA_", 1);
        message_text.end_text();
        message_text.append("COMPLETE", 2);
        assert_eq!(message_text.marker_match(1), None);
        message_text.end_text();
        message_text.append("FORKHESTRA_COMPLETE", 3);
        assert_eq!(
            message_text.marker_match(1).map(|found| (found.line, found.offset)),
            Some((3, 3))
        );
    }

    #[test]
    fn the_number_of_pieces_is_limited() {
        let mut message_text = speech();
        for offset in 0..10_000 {
            message_text.append("word ", offset);
        }
        assert_eq!(message_text.pieces.len(), MAX_PIECES);
        message_text.append("\nFORKHESTRA_COMPLETE\n", 10_000);
        assert_eq!(message_text.marker_match(1).map(|found| found.offset), Some(10_000));
    }
}
