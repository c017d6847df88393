//! The tail of an output stream.

/// The last bytes of an output stream, up to a limit.
#[derive(Debug)]
pub struct OutputTail {
    kept: Vec<u8>,
    most: usize,
    is_cut: bool,
}

impl OutputTail {
    /// An empty tail with this limit.
    pub const fn new(most: usize) -> Self {
        Self { kept: Vec::new(), most, is_cut: false }
    }

    /// Appends bytes and drops the oldest ones beyond the limit.
    pub(crate) fn keep(&mut self, bytes: &[u8]) {
        self.kept.extend_from_slice(&bytes[bytes.len().saturating_sub(self.most)..]);
        self.is_cut |= bytes.len() > self.most;
        // Truncated rarely, to avoid a copy for every piece.
        if self.kept.len() > 2 * self.most {
            self.kept.drain(..self.kept.len() - self.most);
            self.is_cut = true;
        }
    }

    /// The kept bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.kept[self.kept.len().saturating_sub(self.most)..]
    }

    /// Whether older bytes were dropped.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut || self.kept.len() > self.most
    }

    /// The kept bytes as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// The kept bytes as text that begins with a whole line, unless one line exceeds the limit.
    pub(super) fn lines(&self) -> String {
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

    const MOST: usize = 4096;

    fn kept(all: &str, piece: usize) -> OutputTail {
        let mut tail = OutputTail::new(MOST);
        all.as_bytes().chunks(piece).for_each(|bytes| tail.keep(bytes));
        tail
    }

    #[test]
    fn the_end_is_kept_however_the_bytes_come() {
        let all: String = (0..5000).map(|number| format!("line {number}\n")).collect();
        for piece in [1, 7, MOST - 1, MOST, MOST + 1, all.len()] {
            let tail = kept(&all, piece);
            assert_eq!(tail.text(), all[all.len() - MOST..], "in pieces of {piece}");
            assert!(tail.kept.capacity() <= 4 * MOST, "in pieces of {piece}");
        }
    }

    #[test]
    fn a_line_that_was_cut_is_left_out() {
        let all: String = (0..5000).map(|number| format!("line {number}\n")).collect();
        for piece in [1, 7, MOST, all.len()] {
            let lines = kept(&all, piece).lines();
            assert!(lines.starts_with("line 4"), "in pieces of {piece}: {}", &lines[..20]);
            assert!(all.ends_with(&lines), "in pieces of {piece}");
            assert!(lines.len() > MOST - 20, "in pieces of {piece}");
        }
    }

    #[test]
    fn what_is_short_is_kept_whole() {
        assert_eq!(kept("no \nway\n", 3).lines(), "no \nway\n");
        let exact = "x\n".repeat(MOST / 2);
        assert_eq!(kept(&exact, 5).lines(), exact);
    }

    #[test]
    fn of_one_long_line_the_end_is_better_than_nothing() {
        let all = format!("{}{}\n", "x".repeat(MOST), "y".repeat(MOST));
        assert_eq!(kept(&all, 1000).lines(), format!("{}\n", "y".repeat(MOST - 1)));
    }
}
