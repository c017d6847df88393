//! The lines of the new journal.

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::machine::{Mended, Piece};
use forkhestra_core::time::Timestamp;

use super::found_line::FoundLine;
use super::found_lines::FoundLines;
use super::report::Repaired;
use crate::format::encode;

/// A line of the new journal: one of the old, or an event that was not there.
enum Line<'a> {
    Old(&'a FoundLine<'a>),
    New(&'a Event),
}

/// The new journal, which says itself what was done to it.
pub(super) fn written(
    found: &FoundLines<'_>,
    mended: &Mended,
    repaired: &Repaired,
    now: Timestamp,
) -> Vec<u8> {
    let message = repaired.to_string();
    let kind = EventKind::Warning { message };
    let warning = Event { at: now, elapsed: mended.state.elapsed, kind };
    let mut lines = lines(found, mended);
    lines.insert(end_of(&lines), Line::New(&warning));
    let mut content = Vec::new();
    for (seq, line) in (0..).zip(&lines) {
        let line = match line {
            Line::Old(line) => line.renumbered(seq),
            Line::New(event) => encode(event, seq),
        };
        content.extend_from_slice(line.as_bytes());
        content.push(b'\n');
    }
    content
}

/// Lines of a newer version stay behind those that they stood behind.
fn lines<'a>(found: &'a FoundLines<'_>, mended: &'a Mended) -> Vec<Line<'a>> {
    let known: Vec<usize> =
        (0..found.lines.len()).filter(|position| found.lines[*position].event.is_some()).collect();
    let unknown = |from: usize, to: usize| {
        found.lines[from..to].iter().filter(|line| line.event.is_none()).map(Line::Old)
    };
    let mut lines = Vec::new();
    let mut inferred = Vec::new();
    let mut position = 0;
    for piece in &mended.pieces {
        match piece {
            Piece::Inferred(event) => inferred.push(Line::New(event)),
            Piece::Kept(index) => {
                lines.extend(unknown(position, known[*index]));
                lines.append(&mut inferred);
                position = known[*index];
                lines.push(Line::Old(&found.lines[position]));
            }
        }
    }
    lines.extend(unknown(position, found.lines.len()));
    lines
}

/// Where a last word has its place: nothing but a resume may follow the end of a run.
fn end_of(lines: &[Line<'_>]) -> usize {
    let is_end = |line: &Line<'_>| match line {
        Line::Old(line) => line.event.as_ref().is_some_and(is_run_end),
        Line::New(event) => is_run_end(event),
    };
    let is_known = |line: &Line<'_>| !matches!(line, Line::Old(line) if line.event.is_none());
    match lines.iter().rposition(is_known) {
        Some(last) if is_end(&lines[last]) => last,
        _ => lines.len(),
    }
}

fn is_run_end(event: &Event) -> bool {
    matches!(event.kind, EventKind::RunFinished { .. })
}
