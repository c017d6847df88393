//! Whether a line that an agent said matches an expression.

use std::io;

use forkhestra_core::event::Answer;
use forkhestra_core::id::UnitId;
use forkhestra_core::marker::compile;
use forkhestra_core::output_stream::OutputStream;
use forkhestra_core::scan::without_codes;
use forkhestra_core::words;
use memchr::memchr;

use super::built_in::{failed, passed};
use super::said::{Hear, backend, listen};
use crate::agent::words::one_line;
use crate::errand_command::{Facts, Place, Prepared};

/// A longer line is not searched.
const LONGEST: usize = 1024 * 1024;

/// So much memory is kept for the next line.
const KEPT: usize = 64 * 1024;

const NOTHING_KEPT: &str = "nothing of what the agent said is kept";

/// Gets what was printed, which is searched beside the run.
pub(super) fn prepare(
    pattern: &str,
    unit: UnitId,
    facts: &Facts<'_>,
    place: &Place<'_>,
) -> Result<Prepared, String> {
    let expression = compile(pattern).map_err(|why| format!("`{pattern}` is wrong: {why}"))?;
    let printed = place.logs.recall(unit, OutputStream::Stdout);
    let printed = printed.map_err(|error| unreadable(&error))?;
    let Some(printed) = printed else {
        let is_silent = facts.report.is_some_and(|report| report.output.stdout == 0);
        let why = if is_silent { "the agent said nothing" } else { NOTHING_KEPT };
        return Ok(Prepared::Known(failed(why.to_owned())));
    };
    let backend = backend(&place.step(unit.step).agent.kind);
    let pattern = pattern.to_owned();
    Ok(Prepared::Slow(Box::new(move || {
        let is_match = |line: &[u8]| expression.is_match(line);
        let search = listen(printed, backend, || Search::new(&is_match));
        search.map_or_else(|error| failed(unreadable(&error)), |search| search.answer(&pattern))
    })))
}

/// Why what an agent said is not known.
pub(super) fn unreadable(error: &io::Error) -> String {
    format!("what the agent said cannot be read: {error}")
}

/// Looks at one line after the other, and remembers the first that matches.
struct Search<'m> {
    is_match: &'m dyn Fn(&[u8]) -> bool,
    /// What is known of the line that has not ended.
    line: Vec<u8>,
    is_too_long: bool,
    /// Lines that were too long.
    skipped: usize,
    found: Option<String>,
}

impl<'m> Search<'m> {
    fn new(is_match: &'m dyn Fn(&[u8]) -> bool) -> Self {
        Self { is_match, line: Vec::new(), is_too_long: false, skipped: 0, found: None }
    }

    fn begin(&mut self, bytes: &[u8]) {
        self.is_too_long |= self.line.len() + bytes.len() > LONGEST;
        if self.is_too_long {
            self.line.clear();
            self.line.shrink_to(KEPT);
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_too_long) {
            self.skipped += 1;
            return;
        }
        let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        let line = without_codes(line);
        if (self.is_match)(&line) {
            self.found = Some(one_line(&String::from_utf8_lossy(&line)));
        }
        self.line.clear();
        self.line.shrink_to(KEPT);
    }

    fn answer(mut self, pattern: &str) -> Answer {
        if self.found.is_none() && (self.is_too_long || !self.line.is_empty()) {
            self.end_line();
        }
        if let Some(line) = self.found {
            return passed(Some(format!("the agent said: {line}")));
        }
        let skipped = match self.skipped {
            0 => String::new(),
            number => {
                let lines = words::count(number, "line");
                format!(" ({lines} of more than 1 MiB not searched)")
            }
        };
        failed(format!("no line that the agent said matches `{pattern}`{skipped}"))
    }
}

impl Hear for Search<'_> {
    fn hear(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while self.found.is_none()
            && let Some(newline) = memchr(b'\n', rest)
        {
            self.begin(&rest[..newline]);
            self.end_line();
            rest = &rest[newline + 1..];
        }
        if self.found.is_none() {
            self.begin(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    const CHUNK: usize = 64 * 1024;

    fn searched(pattern: &str, printed: impl Read) -> Answer {
        let expression = compile(pattern).expect("it is an expression");
        let is_match = |line: &[u8]| expression.is_match(line);
        listen(printed, None, || Search::new(&is_match)).expect("it can be read").answer(pattern)
    }

    #[test]
    fn a_line_matches_however_it_is_coloured_and_ended() {
        for printed in ["all 12 tests pass\n", "x\r\nall 3 tests pass\r\n", "all 0 tests pass"] {
            assert_eq!(searched(r"^all \d+ tests pass$", printed.as_bytes()).passed, Some(true));
        }
        let coloured = b"\x1b[1mall \x1b[32m7\x1b[0m tests\x1b[0m pass\n".as_slice();
        let answer = searched(r"^all \d+ tests pass$", coloured);
        assert_eq!(answer, passed(Some("the agent said: all 7 tests pass".to_owned())));
        let broken = b"\xff all 7 tests pass \xfe\n".as_slice();
        assert_eq!(searched(r"all \d+ tests pass", broken).passed, Some(true));
    }

    #[test]
    fn an_expression_is_matched_line_by_line() {
        let answer = searched(r"a\s+b", b"a\nb\n".as_slice());
        assert_eq!(answer, failed(r"no line that the agent said matches `a\s+b`".to_owned()));
        assert_eq!(searched("^$", b"".as_slice()).passed, Some(false), "nothing was said");
    }

    #[test]
    fn a_line_without_an_end_takes_little_memory_and_is_told() {
        let endless = io::repeat(b'x').take(40 * LONGEST as u64).chain(b"\nnext\n".as_slice());
        let answer = searched("y", endless);
        let message = answer.message.expect("it did not pass");
        assert!(message.ends_with("(1 line of more than 1 MiB not searched)"), "{message}");
        let never = |_: &[u8]| false;
        let mut search = Search::new(&never);
        for _ in 0..50 {
            search.hear(&[b'x'; CHUNK]);
        }
        assert!(search.line.capacity() <= LONGEST, "{}", search.line.capacity());
        let endless = io::repeat(b'x').take(2 * LONGEST as u64).chain(b"\ny\n".as_slice());
        assert_eq!(searched("^y$", endless).passed, Some(true));
    }
}
