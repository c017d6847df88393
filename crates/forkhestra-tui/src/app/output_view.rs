//! The visible part of an output.

use forkhestra_core::id::UnitId;

use super::output_search::OutputSearch;
use super::wrapping::rows;
use crate::output::OutputBuffer;
use crate::run_source::OutputRendering;

/// Distance to the first loaded line at which earlier lines are requested.
const PREFETCH_LINES: i64 = 200;

/// Position of the first visible row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputTop {
    /// The last row stays visible when output arrives.
    Follow,
    /// A row of the line with this key.
    At { key: i64, row: usize },
}

/// Size of the output area in the last drawn frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OutputExtent {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

/// An output and how it is displayed.
#[derive(Debug, Clone)]
pub(crate) struct OutputView {
    /// The iteration; none before any is known.
    pub(crate) unit: Option<UnitId>,
    pub(crate) form: OutputRendering,
    pub(crate) buffer: OutputBuffer,
    /// Why the output cannot be shown.
    pub(crate) trouble: Option<String>,
    /// Whether any output was received.
    pub(crate) has_output: bool,
    pub(crate) top: OutputTop,
    pub(crate) wraps: bool,
    pub(crate) is_numbered: bool,
    /// Number of columns scrolled off on the left, if lines are not wrapped.
    pub(crate) column: usize,
    pub(crate) search: Option<OutputSearch>,
    /// Whether earlier lines were requested.
    pub(crate) is_loading: bool,
}

impl OutputView {
    pub(crate) fn new() -> Self {
        Self {
            unit: None,
            form: OutputRendering::Rendered,
            buffer: OutputBuffer::default(),
            trouble: None,
            has_output: false,
            top: OutputTop::Follow,
            wraps: true,
            is_numbered: false,
            column: 0,
            search: None,
            is_loading: false,
        }
    }

    /// Switches to another output and keeps the display settings.
    pub(crate) fn switch_to(&mut self, unit: UnitId) {
        let (form, wraps, is_numbered) = (self.form, self.wraps, self.is_numbered);
        let needle = self.search.take().map(|search| search.needle().to_owned());
        *self = Self { unit: Some(unit), form, wraps, is_numbered, ..Self::new() };
        self.search = needle.map(|needle| OutputSearch::new(&needle, &self.buffer));
    }

    /// Whether all display settings have their defaults.
    pub(crate) fn is_usual(&self) -> bool {
        let is_plain = self.form == OutputRendering::Rendered && self.wraps;
        is_plain && self.search.is_none() && self.top == OutputTop::Follow
    }

    /// Whether all lines are visible, with the default settings.
    pub(crate) fn shows_all(&self, extent: OutputExtent) -> bool {
        let first = (self.buffer.first_key(), 0);
        let last_page = self.up_from((self.buffer.end_key(), 0), extent.rows, extent);
        last_page == first && self.wraps && self.search.is_none()
    }

    /// The first visible row: a line and a row of it.
    pub(crate) fn first(&self, extent: OutputExtent) -> (i64, usize) {
        match self.top {
            OutputTop::Follow => self.up_from((self.buffer.end_key(), 0), extent.rows, extent),
            OutputTop::At { key, row } => (key.max(self.buffer.first_key()), row),
        }
    }

    /// Scrolls by `rows`; a negative number scrolls up.
    pub(crate) fn scroll(&mut self, rows: isize, extent: OutputExtent) {
        let first = self.first(extent);
        let distance = rows.unsigned_abs();
        let next = match rows {
            0.. => self.down_from(first, distance, extent),
            _ => self.up_from(first, distance, extent),
        };
        self.go_to(next, extent);
    }

    /// Scrolls to a line, with some context above it.
    pub(crate) fn show(&mut self, key: i64, extent: OutputExtent) {
        let next = self.up_from((key, 0), extent.rows / 3, extent);
        self.go_to(next, extent);
    }

    pub(crate) fn go_to_top(&mut self) {
        self.top = OutputTop::At { key: self.buffer.first_key(), row: 0 };
    }

    /// Whether earlier lines should be requested.
    pub(crate) fn wants_earlier(&self) -> bool {
        let OutputTop::At { key, .. } = self.top else { return false };
        let is_near = key < self.buffer.first_key().saturating_add(PREFETCH_LINES);
        is_near && self.buffer.has_earlier() && !self.is_loading
    }

    /// Columns available for text.
    pub(crate) fn columns(&self, extent: OutputExtent) -> usize {
        extent.columns.saturating_sub(self.margin())
    }

    /// Columns used by line numbers.
    pub(crate) fn margin(&self) -> usize {
        if !self.is_numbered {
            return 0;
        }
        let digits = |number: i64| number.to_string().len();
        digits(self.buffer.first_key()).max(digits(self.buffer.end_key())).max(3) + 1
    }

    /// Number of rows of a line.
    pub(crate) fn rows_of(&self, key: i64, extent: OutputExtent) -> usize {
        if !self.wraps {
            return 1;
        }
        self.buffer.at(key).map_or(1, |line| rows(&line.text(), self.columns(extent)))
    }

    /// Scrolls to a row. If the end becomes visible, the view follows the output.
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
