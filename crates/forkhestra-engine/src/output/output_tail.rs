//! The tail of an output stream.

/// The last bytes of an output stream, up to a limit.
#[derive(Debug)]
pub struct OutputTail {
    kept: Vec<u8>,
    max_bytes: usize,
    is_cut: bool,
}

impl OutputTail {
    /// An empty tail with this limit.
    pub const fn new(max_bytes: usize) -> Self {
        Self { kept: Vec::new(), max_bytes, is_cut: false }
    }

    /// Appends bytes and drops the oldest ones beyond the limit.
    pub(crate) fn keep(&mut self, bytes: &[u8]) {
        self.kept.extend_from_slice(&bytes[bytes.len().saturating_sub(self.max_bytes)..]);
        self.is_cut |= bytes.len() > self.max_bytes;
        // Truncated rarely, to avoid a copy for every piece.
        if self.kept.len() > 2 * self.max_bytes {
            self.kept.drain(..self.kept.len() - self.max_bytes);
            self.is_cut = true;
        }
    }

    /// The kept bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.kept[self.kept.len().saturating_sub(self.max_bytes)..]
    }

    /// Whether older bytes were dropped.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut || self.kept.len() > self.max_bytes
    }

    /// The kept bytes as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// The kept bytes as text that begins with a whole line, unless one line exceeds the limit.
    pub(crate) fn lines(&self) -> String {
        let text = self.text();
        match text.split_once('\n') {
            Some((_, whole)) if self.is_cut() && !whole.is_empty() => whole.to_owned(),
            _ => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_TAIL_BYTES: usize = 4096;

    fn tail_of(all: &str, piece: usize) -> OutputTail {
        let mut tail = OutputTail::new(MAX_TAIL_BYTES);
        all.as_bytes().chunks(piece).for_each(|bytes| tail.keep(bytes));
        tail
    }

    #[test]
    fn the_end_is_kept_however_the_bytes_come() {
        let all: String = (0..5000).map(|number| format!("line {number}\n")).collect();
        for piece in [1, 7, MAX_TAIL_BYTES - 1, MAX_TAIL_BYTES, MAX_TAIL_BYTES + 1, all.len()] {
            let tail = tail_of(&all, piece);
            assert_eq!(tail.text(), all[all.len() - MAX_TAIL_BYTES..], "in pieces of {piece}");
            assert!(tail.kept.capacity() <= 4 * MAX_TAIL_BYTES, "in pieces of {piece}");
        }
    }

    #[test]
    fn a_line_that_was_cut_is_left_out() {
        let all: String = (0..5000).map(|number| format!("line {number}\n")).collect();
        for piece in [1, 7, MAX_TAIL_BYTES, all.len()] {
            let lines = tail_of(&all, piece).lines();
            assert!(lines.starts_with("line 4"), "in pieces of {piece}: {}", &lines[..20]);
            assert!(all.ends_with(&lines), "in pieces of {piece}");
            assert!(lines.len() > MAX_TAIL_BYTES - 20, "in pieces of {piece}");
        }
    }

    #[test]
    fn a_short_text_is_kept_whole() {
        assert_eq!(tail_of("no \nway\n", 3).lines(), "no \nway\n");
        let exact = "x\n".repeat(MAX_TAIL_BYTES / 2);
        assert_eq!(tail_of(&exact, 5).lines(), exact);
    }

    #[test]
    fn a_long_line_is_cut_to_its_end() {
        let all = format!("{}{}\n", "x".repeat(MAX_TAIL_BYTES), "y".repeat(MAX_TAIL_BYTES));
        assert_eq!(tail_of(&all, 1000).lines(), format!("{}\n", "y".repeat(MAX_TAIL_BYTES - 1)));
    }
}
