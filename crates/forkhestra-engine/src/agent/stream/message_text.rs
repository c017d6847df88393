//! What the model says in the message that may be its last.

use std::collections::VecDeque;

use forkhestra_core::event::MarkerMatch;
use forkhestra_core::marker::{Marker, MarkerParseError};
use forkhestra_core::scan::MarkerScanner;

/// So many pieces of a message are told apart. A marker is seen soon after it was said.
const PIECES: usize = 4096;

/// The text of one message, searched for markers as it comes.
#[derive(Debug)]
pub(crate) struct MessageText {
    /// As it is before anything was said.
    fresh: MarkerScanner,
    scanner: MarkerScanner,
    pieces: VecDeque<MessagePiece>,
    length: u64,
    is_within_line: bool,
}

/// A piece of the text.
#[derive(Debug, Clone, Copy)]
struct MessagePiece {
    /// Where it begins in the text.
    start: u64,
    /// Where the line of the stream begins that held it.
    offset: u64,
}

impl MessageText {
    /// Looks for any of these markers.
    pub(crate) fn new(markers: &[Marker]) -> Result<Self, MarkerParseError> {
        let fresh = MarkerScanner::new(markers)?;
        let scanner = fresh.clone();
        let pieces = VecDeque::new();
        Ok(Self { fresh, scanner, pieces, length: 0, is_within_line: false })
    }

    /// Begins another message, or the rest of one after a tool, and forgets what was said before.
    pub(crate) fn begin(&mut self) {
        if self.length > 0 {
            self.scanner = self.fresh.clone();
            self.pieces.clear();
            (self.length, self.is_within_line) = (0, false);
        }
    }

    /// Takes a piece that stood in the line of the stream that begins here.
    pub(crate) fn append(&mut self, text: &str, offset: u64) {
        let Some(last) = text.as_bytes().last() else { return };
        if self.pieces.len() == PIECES {
            self.pieces.pop_front();
        }
        self.pieces.push_back(MessagePiece { start: self.length, offset });
        self.is_within_line = *last != b'\n';
        self.feed(text);
    }

    /// Ends a text. Another one of the same message begins on a line of its own.
    pub(crate) fn end_text(&mut self) {
        if self.is_within_line {
            self.is_within_line = false;
            self.feed("\n");
        }
    }

    /// The marker that counts if this was all.
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
    use super::*;

    fn speech() -> MessageText {
        MessageText::new(&Marker::defaults()).expect("the markers are right")
    }

    #[test]
    fn a_marker_is_found_where_it_was_said_however_it_came() {
        let mut speech = speech();
        speech.append("All done.\n", 100);
        speech.append("FORK", 200);
        speech.append("HESTRA_COMPLETE", 300);
        let found = speech.marker_match(3).expect("a marker");
        assert_eq!((found.offset, found.line, found.message), (200, 2, Some(3)));
        speech.begin();
        assert_eq!(speech.marker_match(4), None, "another message");
    }

    #[test]
    fn texts_of_one_message_do_not_run_together() {
        let mut speech = speech();
        speech.append("FORKHESTRA_", 1);
        speech.end_text();
        speech.append("COMPLETE", 2);
        assert_eq!(speech.marker_match(1), None);
        speech.end_text();
        speech.append("FORKHESTRA_COMPLETE", 3);
        assert_eq!(speech.marker_match(1).map(|found| (found.line, found.offset)), Some((3, 3)));
    }

    #[test]
    fn only_so_many_pieces_are_kept() {
        let mut speech = speech();
        for offset in 0..10_000 {
            speech.append("word ", offset);
        }
        assert_eq!(speech.pieces.len(), PIECES);
        speech.append("\nFORKHESTRA_COMPLETE\n", 10_000);
        assert_eq!(speech.marker_match(1).map(|found| found.offset), Some(10_000));
    }
}
