//! Where the lines of a recorded output are.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

/// What must be known of an output before it is played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outline {
    /// How many lines there are; the last one need not be whole.
    pub(super) lines: u64,
    /// Where the last line begins.
    pub(super) last_line: u64,
    /// Where the line is that was asked for, its end excluded, if there is such a line.
    pub(super) wanted: Option<Range<u64>>,
}

impl Outline {
    /// Looks through a file, which need not be there if nothing was printed. Lines count from one.
    pub(super) fn of_file(path: &Path, wanted: Option<u32>) -> io::Result<Self> {
        match File::open(path) {
            Ok(file) => Self::of(file, wanted),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::of(io::empty(), wanted),
            Err(error) => Err(error),
        }
    }

    fn of(mut output: impl Read, wanted: Option<u32>) -> io::Result<Self> {
        let mut outline = Self { lines: 0, last_line: 0, wanted: None };
        let (mut at, mut is_open) = (0, false);
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let length = match output.read(&mut buffer) {
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if length == 0 {
                break;
            }
            for byte in &buffer[..length] {
                if !is_open {
                    is_open = true;
                    outline.lines += 1;
                    outline.last_line = at;
                }
                if *byte == b'\n' {
                    outline.note(wanted, at);
                    is_open = false;
                }
                at += 1;
            }
        }
        if is_open {
            outline.note(wanted, at);
        }
        Ok(outline)
    }

    /// A line ends here.
    fn note(&mut self, wanted: Option<u32>, end: u64) {
        if wanted.is_some_and(|wanted| u64::from(wanted) == self.lines) {
            self.wanted = Some(self.last_line..end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_where_they_are() {
        for (text, wanted, lines, last_line, found) in [
            ("", 1, 0, 0, None),
            ("one", 1, 1, 0, Some(0..3)),
            ("one\n", 1, 1, 0, Some(0..3)),
            ("one\ntwo\n", 1, 2, 4, Some(0..3)),
            ("one\ntwo\n", 2, 2, 4, Some(4..7)),
            ("one\n\nthree", 2, 3, 5, Some(4..4)),
            ("one\n\nthree", 3, 3, 5, Some(5..10)),
            ("one\ntwo", 3, 2, 4, None),
        ] {
            let outline = Outline::of(text.as_bytes(), Some(wanted)).expect("it is in memory");
            let expected = Outline { lines, last_line, wanted: found };
            assert_eq!(outline, expected, "{text:?} {wanted}");
        }
    }
}
