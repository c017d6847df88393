//! Positions in the last drawn frame, for mouse clicks and page sizes.

use ratatui::layout::{Position, Rect};

use crate::app::output_view::OutputExtent;
use crate::app::run_screen_state::RunTab;
use crate::keys::KeyAction;

/// A mouse target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HitTarget {
    /// A run of the list, by index.
    Listed(usize),
    /// A step, counted from one.
    Step(usize),
    /// An iteration, by index.
    Iteration(usize),
    /// A task, by index.
    Task(usize),
    /// The detail screen.
    Detail,
    /// The list of iterations.
    Timeline,
    /// The pane of the selected tab.
    Pane,
    /// The tab shown at the side.
    Side,
    Tab(RunTab),
    /// A key in a footer or the help.
    Key(KeyAction),
    Dialog,
    /// A limit, by index.
    Field(usize),
    /// A button of a confirmation.
    Answer(bool),
}

/// Positions in the last drawn frame.
#[derive(Debug, Clone, Default)]
pub(crate) struct HitMap {
    targets: Vec<(Rect, HitTarget)>,
    /// Size of the output area.
    pub(crate) output: OutputExtent,
    /// Visible rows of a list.
    pub(crate) list_rows: usize,
    /// Visible and total rows of the other tabs.
    pub(crate) pane_rows: (usize, usize),
    /// Visible and total rows of the detail screen.
    pub(crate) detail_rows: (usize, usize),
    /// Visible and total rows of the help.
    pub(crate) help_rows: (usize, usize),
    /// Visible and total rows of the question in the form that answers it.
    pub(crate) question_rows: (usize, usize),
    /// Whether timeline and tabs are side by side.
    pub(crate) is_wide: bool,
    /// Whether the output is shown beside the other tabs.
    pub(crate) has_side: bool,
    /// Whether there was no room for anything, so that no question is visible.
    pub(crate) is_too_small: bool,
}

impl HitMap {
    /// Adds a target in front of earlier ones.
    pub(crate) fn add(&mut self, area: Rect, target: HitTarget) {
        self.targets.push((area, target));
    }

    /// The frontmost target at a position.
    pub(crate) fn at(&self, column: u16, row: u16) -> Option<HitTarget> {
        let position = Position::new(column, row);
        let here = |(place, _): &&(Rect, HitTarget)| place.contains(position);
        self.targets.iter().rev().find(here).map(|(_, target)| *target)
    }
}
