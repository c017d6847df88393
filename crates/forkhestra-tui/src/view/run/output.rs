//! Output of an agent.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::app::output_search::find;
use crate::app::output_view::{OutputExtent, OutputTop, OutputView};
use crate::app::run_screen_state::RunScreenState;
use crate::app::timeline::TimelineEntry;
use crate::app::wrapping::breaks;
use crate::hit_map::HitMap;
use crate::output::OutputLine;
use crate::run_source::OutputRendering;
use crate::theme::{BAD, DIM, FOUND, FOUND_HERE, PLAIN, WARNING};
use crate::view::screen_row::{ScreenRow, row_at};

/// Draws as much of the output as fits.
pub(crate) fn draw(run: &RunScreenState, area: Rect, buffer: &mut Buffer, hit_map: &mut HitMap) {
    let output = &run.output;
    let extent = OutputExtent { columns: usize::from(area.width), rows: usize::from(area.height) };
    hit_map.output = extent;
    if output.buffer.is_empty() {
        return ScreenRow::new().add(PLAIN, no_output_reason(run)).draw(area, buffer);
    }
    draw_lines(output, area, buffer);
}

/// Draws as many lines as fit.
pub(crate) fn draw_lines(output: &OutputView, area: Rect, buffer: &mut Buffer) {
    let extent = OutputExtent { columns: usize::from(area.width), rows: usize::from(area.height) };
    let (mut key, mut skipped) = output.first(extent);
    let mut row = 0;
    while row < extent.rows && key < output.buffer.end_key() {
        let Some(line) = output.buffer.at(key) else { break };
        for part in parts(output, line, extent).into_iter().skip(skipped) {
            if row == extent.rows {
                break;
            }
            draw_part(output, line, (key, part), row_at(area, row), buffer);
            row += 1;
        }
        (key, skipped) = (key + 1, 0);
    }
}

/// Why there is no output to show.
fn no_output_reason(run: &RunScreenState) -> String {
    match (&run.output.trouble, run.entry()) {
        (Some(why), _) => why.clone(),
        (None, None) => "no agent has been started".to_owned(),
        (None, _) if !run.output.has_output => "reading…".to_owned(),
        (None, Some(TimelineEntry::AtWork(_))) if run.is_live() => {
            "nothing has been printed yet".to_owned()
        }
        (None, _) => "nothing was printed".to_owned(),
    }
}

/// The display settings of the output, as far as they fit.
pub(crate) fn summary(output: &OutputView, room: usize) -> ScreenRow {
    let mut words = Vec::new();
    if let Some(search) = &output.search {
        let number = search.number().map(|number| format!("{number}/")).unwrap_or_default();
        let needle = typeset::text::shortened(search.needle(), 20);
        words.push(format!("'{needle}' {number}{}", search.count()));
    }
    if output.form == OutputRendering::Raw {
        words.push("raw".to_owned());
    }
    if !output.wraps {
        words.push("unwrapped".to_owned());
    }
    let (first, end) = (output.buffer.first_key(), output.buffer.end_key());
    words.push(match output.top {
        OutputTop::Follow => "end".to_owned(),
        OutputTop::At { .. } if output.is_loading => "reading…".to_owned(),
        OutputTop::At { key, .. } => {
            let percent = (key - first).max(0) * 100 / (end - first).max(1);
            format!("{percent}%")
        }
    });
    let joined = |words: &[String]| format!(" {} ", words.join(" · "));
    while words.len() > 1 && joined(&words).width() > room {
        words.pop();
    }
    ScreenRow::new().add(PLAIN, joined(&words))
}

fn parts(output: &OutputView, line: &OutputLine, extent: OutputExtent) -> Vec<Range<usize>> {
    let text = line.text();
    let columns = output.columns(extent);
    if output.wraps {
        return breaks(&text, columns);
    }
    let start = place_of(&text, output.column);
    std::iter::once(start..start + place_of(&text[start..], columns)).collect()
}

/// The byte position at which `columns` columns of a text end.
fn place_of(text: &str, columns: usize) -> usize {
    let mut width = 0;
    for (place, letter) in text.char_indices() {
        width += letter.width().unwrap_or(0);
        if width > columns {
            return place;
        }
    }
    text.len()
}

fn draw_part(
    output: &OutputView,
    line: &OutputLine,
    (key, part): (i64, Range<usize>),
    area: Rect,
    buffer: &mut Buffer,
) {
    let mut row = margin(output, key, part.start == 0);
    let is_end = part.end >= line.text().len();
    let found = found(output, line, key);
    let mut start = 0;
    for (style, text) in &line.spans {
        let here = start..start + text.len();
        let style = if line.is_error && *style == Style::new() { BAD } else { *style };
        for (piece, style) in pieces(&here, &part, style, &found) {
            row = row.add(style, &text[piece.start - start..piece.end - start]);
        }
        start = here.end;
    }
    if line.is_cut && is_end {
        row = row.add(WARNING, " […]");
    }
    row.draw(area, buffer);
}

/// The line number, if line numbers are on.
fn margin(output: &OutputView, key: i64, is_first: bool) -> ScreenRow {
    let width = output.margin();
    match (width, is_first) {
        (0, _) => ScreenRow::new(),
        (_, false) => ScreenRow::new().add(PLAIN, " ".repeat(width)),
        _ if output.buffer.is_numbered() => {
            ScreenRow::new().add(DIM, format!("{:>1$} ", key + 1, width - 1))
        }
        // The absolute number is unknown, so lines are counted from the first one read.
        _ => ScreenRow::new().add(DIM, format!("{:>+1$} ", key, width - 1)),
    }
}

/// Search matches in a line and their styles.
fn found(output: &OutputView, line: &OutputLine, key: i64) -> Vec<(Range<usize>, Style)> {
    let Some(search) = &output.search else { return Vec::new() };
    let style = if search.here == Some(key) { FOUND_HERE } else { FOUND };
    let text = line.text();
    find(&text, search.needle()).map(|place| (place, style)).collect()
}

/// The pieces of a span inside a part, each with one style.
fn pieces(
    span: &Range<usize>,
    part: &Range<usize>,
    style: Style,
    found: &[(Range<usize>, Style)],
) -> Vec<(Range<usize>, Style)> {
    let (mut start, end) = (span.start.max(part.start), span.end.min(part.end));
    let mut pieces = Vec::new();
    for (place, found_style) in found {
        let (from, to) =
            (place.start.clamp(start, end.max(start)), place.end.clamp(start, end.max(start)));
        if from < to {
            pieces.push((start..from, style));
            pieces.push((from..to, style.patch(*found_style)));
            start = to;
        }
    }
    if start < end {
        pieces.push((start..end, style));
    }
    pieces.retain(|(piece, _)| !piece.is_empty());
    pieces
}
