//! Checks whether a line of an agent's text matches a regular expression.

use std::io;

use forkhestra_core::event::AuxJobResult;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;
use forkhestra_core::marker::compile;
use forkhestra_core::scan::without_codes;
use forkhestra_core::text;

use super::agent_text::{AgentTextSink, backend, extract_text};
use super::built_in::{failed, passed};
use crate::agent::one_line::one_line;
use crate::agent::stream::line_splitter::{LineSplitter, StreamLine};
use crate::aux_job::aux_job_command::{AuxJobContext, AuxJobFacts, PreparedAuxJob};

/// Longer lines are not searched.
const MAX_LINE_BYTES: usize = 1024 * 1024;

const NO_OUTPUT_KEPT: &str = "nothing of what the agent said is kept";

/// Prepares the search, which runs in a thread.
pub(super) fn prepare(
    pattern: &str,
    unit: UnitId,
    facts: &AuxJobFacts<'_>,
    context: &AuxJobContext<'_>,
) -> Result<PreparedAuxJob, String> {
    let expression = compile(pattern).map_err(|why| format!("`{pattern}` is wrong: {why}"))?;
    let printed = context.logs.read_output(unit, OutputStream::Stdout);
    let printed = printed.map_err(|error| unreadable(&error))?;
    let Some(printed) = printed else {
        let is_silent = facts.report.is_some_and(|report| report.output.stdout == 0);
        let why = if is_silent { "the agent said nothing" } else { NO_OUTPUT_KEPT };
        return Ok(PreparedAuxJob::Known(failed(why.to_owned())));
    };
    let backend = backend(&context.step(unit.step).agent.kind);
    let pattern = pattern.to_owned();
    Ok(PreparedAuxJob::Slow(Box::new(move || {
        let is_match = |line: &[u8]| expression.is_match(line);
        let search = extract_text(printed, backend, || MarkerSearch::new(&is_match));
        search.map_or_else(|error| failed(unreadable(&error)), |search| search.answer(&pattern))
    })))
}

/// The error for text that cannot be read.
pub(super) fn unreadable(error: &io::Error) -> String {
    format!("what the agent said cannot be read: {error}")
}

/// Searches the lines of an output for the first match.
struct MarkerSearch<'m> {
    lines: LineSplitter,
    matches: Matches<'m>,
}

struct Matches<'m> {
    is_match: &'m dyn Fn(&[u8]) -> bool,
    /// The number of lines that are too long.
    skipped: usize,
    found: Option<String>,
}

impl<'m> MarkerSearch<'m> {
    fn new(is_match: &'m dyn Fn(&[u8]) -> bool) -> Self {
        let matches = Matches { is_match, skipped: 0, found: None };
        Self { lines: LineSplitter::up_to(MAX_LINE_BYTES), matches }
    }

    fn answer(self, pattern: &str) -> AuxJobResult {
        let Self { lines, mut matches } = self;
        lines.finish(&mut |line| matches.search(line));
        let Matches { skipped, found, .. } = matches;
        if let Some(line) = found {
            return passed(Some(format!("the agent said: {line}")));
        }
        let skipped = match skipped {
            0 => String::new(),
            number => {
                let lines = text::count(number, "line");
                format!(" ({lines} of more than 1 MiB not searched)")
            }
        };
        failed(format!("no line that the agent said matches `{pattern}`{skipped}"))
    }
}

impl Matches<'_> {
    fn search(&mut self, line: StreamLine<'_>) {
        if self.found.is_some() {
            return;
        }
        let Some(line) = line.bytes else {
            self.skipped += 1;
            return;
        };
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = without_codes(line.strip_suffix(b"\r").unwrap_or(line));
        if (self.is_match)(&line) {
            self.found = Some(one_line(&String::from_utf8_lossy(&line)));
        }
    }
}

impl AgentTextSink for MarkerSearch<'_> {
    fn write_text(&mut self, bytes: &[u8]) {
        self.lines.feed(bytes, &mut |line| self.matches.search(line));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn search_result(pattern: &str, printed: impl Read) -> AuxJobResult {
        let expression = compile(pattern).expect("it is an expression");
        let is_match = |line: &[u8]| expression.is_match(line);
        extract_text(printed, None, || MarkerSearch::new(&is_match))
            .expect("it can be read")
            .answer(pattern)
    }

    #[test]
    fn a_line_matches_however_it_is_coloured_and_ended() {
        for printed in ["all 12 tests pass\n", "x\r\nall 3 tests pass\r\n", "all 0 tests pass"] {
            assert_eq!(
                search_result(r"^all \d+ tests pass$", printed.as_bytes()).passed,
                Some(true)
            );
        }
        let coloured = b"\x1b[1mall \x1b[32m7\x1b[0m tests\x1b[0m pass\n".as_slice();
        let answer = search_result(r"^all \d+ tests pass$", coloured);
        assert_eq!(answer, passed(Some("the agent said: all 7 tests pass".to_owned())));
        let broken = b"\xff all 7 tests pass \xfe\n".as_slice();
        assert_eq!(search_result(r"all \d+ tests pass", broken).passed, Some(true));
    }

    #[test]
    fn an_expression_is_matched_line_by_line() {
        let answer = search_result(r"a\s+b", b"a\nb\n".as_slice());
        assert_eq!(answer, failed(r"no line that the agent said matches `a\s+b`".to_owned()));
        assert_eq!(search_result("^$", b"".as_slice()).passed, Some(false), "nothing was said");
    }

    #[test]
    fn a_line_that_is_too_long_is_not_searched_and_is_counted() {
        let endless =
            io::repeat(b'x').take(40 * MAX_LINE_BYTES as u64).chain(b"\nnext\n".as_slice());
        let answer = search_result("y", endless);
        let message = answer.message.expect("it did not pass");
        assert!(message.ends_with("(1 line of more than 1 MiB not searched)"), "{message}");
        let endless = io::repeat(b'x').take(2 * MAX_LINE_BYTES as u64).chain(b"\ny\n".as_slice());
        assert_eq!(search_result("^y$", endless).passed, Some(true));
    }
}
