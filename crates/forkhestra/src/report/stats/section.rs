//! The labelled sections of the report.

use typeset::column_table::{ColumnTable, ShrinkRule};
use typeset::style::{NAME, paint};
use typeset::table::{GAP, TableCell, aligned};
use unicode_width::UnicodeWidthStr;

/// Width of the label column, without the gap behind it.
const LABEL_WIDTH: usize = 8;

/// The gap between two parts of a line.
pub(super) const PART_GAP: &str = "   ";

/// A label with parts behind it, in as many lines as needed.
pub(super) fn line(label: &str, parts: &[String], gap: &str, columns: Option<usize>) -> String {
    let indent = LABEL_WIDTH + GAP.len();
    // A separator at the end of a line needs room, too.
    let room = columns
        .map_or(usize::MAX, |columns| columns.saturating_sub(indent + gap.trim_end().width()));
    let mut lines: Vec<String> = Vec::new();
    for (part, gap) in parts.iter().flat_map(|part| pieces(part, gap, room)) {
        match lines.last_mut() {
            Some(last) if last.width() + gap.width() + part.width() <= room => {
                last.push_str(gap);
                last.push_str(part);
            }
            last => {
                // A separator that is not blank stays at the end of its line.
                last.into_iter().for_each(|last| last.push_str(gap.trim_end()));
                lines.push(part.to_owned());
            }
        }
    }
    let label = format!("{}{}", paint(NAME, label), " ".repeat(indent - label.len()));
    label + &lines.join(&format!("\n{}", " ".repeat(indent))) + "\n"
}

/// A part with the gap before it. A part that is too wide for a line is taken word by word.
fn pieces<'a>(part: &'a str, gap: &'a str, room: usize) -> Vec<(&'a str, &'a str)> {
    if part.width() <= room {
        return vec![(part, gap)];
    }
    let gaps = std::iter::once(gap).chain(std::iter::repeat(" "));
    part.split(' ').zip(gaps).collect()
}

/// The columns of a section with a row for each thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionColumn {
    Label,
    Name,
    /// A further column, from zero.
    Fact(usize),
}

/// A label with a table behind it. Each row has a name and facts about it.
pub(super) fn table(
    label: &str,
    rows: Vec<(String, Vec<String>)>,
    columns: Option<usize>,
) -> String {
    let facts = rows.iter().map(|(_, facts)| facts.len()).max().unwrap_or(0);
    let mut names = vec![SectionColumn::Label, SectionColumn::Name];
    names.extend((0..facts).map(SectionColumn::Fact));
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    let cells = labels.zip(rows).map(|(label, (name, facts_of_row))| {
        let mut cells =
            vec![TableCell::painted(format!("{label:<LABEL_WIDTH$}"), NAME), TableCell::new(name)];
        cells.extend(facts_of_row.into_iter().map(TableCell::new));
        cells.resize(facts + 2, TableCell::new(""));
        cells
    });
    let mut table = ColumnTable::new(names, cells.collect());
    if let Some(columns) = columns {
        let left_out: Vec<SectionColumn> = (0..facts).rev().map(SectionColumn::Fact).collect();
        let cut = [(SectionColumn::Name, MIN_NAME_WIDTH)];
        table.fit(columns, &ShrinkRule { cut: &cut, left_out: &left_out });
    }
    aligned(&table.into_rows())
}

/// Minimum width of a name that is cut.
const MIN_NAME_WIDTH: usize = 12;
