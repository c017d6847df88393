//! The part of an output that is to be seen.

use forkhestra_core::id::UnitId;

use super::output_search::OutputSearch;
use super::wrapping::rows;
use crate::output::OutputBuffer;
use crate::run_source::OutputRendering;

/// So much of an output is read before the first line is reached.
const NEAR_TOP: i64 = 200;

/// Where the first row on the screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputTop {
    /// So that the last row is the last of the output, whatever comes.
    Follow,
    /// At this row of the line with this key.
    At { key: i64, row: usize },
}

/// How large the place for the output was when it was drawn last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OutputExtent {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

/// An output and how it is looked at.
#[derive(Debug, Clone)]
pub(crate) struct OutputView {
    /// Whose it is; none before anything is known.
    pub(crate) unit: Option<UnitId>,
    pub(crate) form: OutputRendering,
    pub(crate) buffer: OutputBuffer,
    /// Why there is nothing.
    pub(crate) trouble: Option<String>,
    /// Whether anything has been heard of it.
    pub(crate) has_come: bool,
    pub(crate) top: OutputTop,
    pub(crate) wraps: bool,
    pub(crate) is_numbered: bool,
    /// How many columns are out of sight on the left, where lines are not wrapped.
    pub(crate) column: usize,
    pub(crate) search: Option<OutputSearch>,
    /// Whether earlier lines have been asked for.
    pub(crate) is_loading: bool,
}

impl OutputView {
    pub(crate) fn new() -> Self {
        Self {
            unit: None,
            form: OutputRendering::Rendered,
            buffer: OutputBuffer::default(),
            trouble: None,
            has_come: false,
            top: OutputTop::Follow,
            wraps: true,
            is_numbered: false,
            column: 0,
            search: None,
            is_loading: false,
        }
    }

    /// Looks at another output in the same way.
    pub(crate) fn switch_to(&mut self, unit: UnitId) {
        let (form, wraps, is_numbered) = (self.form, self.wraps, self.is_numbered);
        let needle = self.search.take().map(|search| search.needle().to_owned());
        *self = Self { unit: Some(unit), form, wraps, is_numbered, ..Self::new() };
        self.search = needle.map(|needle| OutputSearch::new(&needle, &self.buffer));
    }

    /// Whether it is looked at as it usually is.
    pub(crate) fn is_usual(&self) -> bool {
        let is_plain = self.form == OutputRendering::Rendered && self.wraps;
        is_plain && self.search.is_none() && self.top == OutputTop::Follow
    }

    /// The first row that is to be seen: a line and a row of it.
    pub(crate) fn first(&self, extent: OutputExtent) -> (i64, usize) {
        match self.top {
            OutputTop::Follow => self.up_from((self.buffer.end_key(), 0), extent.rows, extent),
            OutputTop::At { key, row } => (key.max(self.buffer.first_key()), row),
        }
    }

    /// Goes so many rows down, or up if it is less than nothing.
    pub(crate) fn scroll(&mut self, rows: isize, extent: OutputExtent) {
        let first = self.first(extent);
        let distance = rows.unsigned_abs();
        let next = match rows {
            0.. => self.down_from(first, distance, extent),
            _ => self.up_from(first, distance, extent),
        };
        self.go_to(next, extent);
    }

    /// Shows a line, with some of what stands before it.
    pub(crate) fn show(&mut self, key: i64, extent: OutputExtent) {
        let next = self.up_from((key, 0), extent.rows / 3, extent);
        self.go_to(next, extent);
    }

    pub(crate) fn go_to_top(&mut self) {
        self.top = OutputTop::At { key: self.buffer.first_key(), row: 0 };
    }

    /// Whether earlier lines should be there by now.
    pub(crate) fn wants_earlier(&self) -> bool {
        let OutputTop::At { key, .. } = self.top else { return false };
        let is_near = key < self.buffer.first_key().saturating_add(NEAR_TOP);
        is_near && self.buffer.has_earlier() && !self.is_loading
    }

    /// Columns that are left for text.
    pub(crate) fn columns(&self, extent: OutputExtent) -> usize {
        extent.columns.saturating_sub(self.margin())
    }

    /// Columns that are taken up by numbers of lines.
    pub(crate) fn margin(&self) -> usize {
        if !self.is_numbered {
            return 0;
        }
        let digits = |number: i64| number.to_string().len();
        digits(self.buffer.first_key()).max(digits(self.buffer.end_key())).max(3) + 1
    }

    /// How many rows a line takes.
    pub(crate) fn rows_of(&self, key: i64, extent: OutputExtent) -> usize {
        if !self.wraps {
            return 1;
        }
        self.buffer.at(key).map_or(1, |line| rows(&line.text(), self.columns(extent)))
    }

    /// Where the end is on the screen, it is followed.
    fn go_to(&mut self, (key, row): (i64, usize), extent: OutputExtent) {
        let end = self.up_from((self.buffer.end_key(), 0), extent.rows, extent);
        let is_end = (key, row) >= end && !self.buffer.has_lost_end();
        self.top = if is_end { OutputTop::Follow } else { OutputTop::At { key, row } };
    }

    fn up_from(
        &self,
        (mut key, mut row): (i64, usize),
        mut distance: usize,
        extent: OutputExtent,
    ) -> (i64, usize) {
        loop {
            if row >= distance {
                return (key, row - distance);
            }
            distance -= row;
            if key <= self.buffer.first_key() {
                return (self.buffer.first_key(), 0);
            }
            key -= 1;
            row = self.rows_of(key, extent);
        }
    }

    fn down_from(
        &self,
        (mut key, mut row): (i64, usize),
        mut distance: usize,
        extent: OutputExtent,
    ) -> (i64, usize) {
        while distance > 0 && key < self.buffer.end_key() {
            let left = self.rows_of(key, extent).saturating_sub(row + 1);
            if distance <= left {
                return (key, row + distance);
            }
            distance -= left + 1;
            (key, row) = (key + 1, 0);
        }
        (key, row)
    }
}
