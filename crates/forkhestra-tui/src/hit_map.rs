//! Where everything was when it was drawn last: what the mouse points at, and how far a page goes.

use ratatui::layout::{Position, Rect};

use crate::app::output_view::OutputExtent;
use crate::app::run_screen_state::RunTab;
use crate::keys::KeyAction;

/// Something that the mouse can point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HitTarget {
    /// A run of the list, by its place.
    Listed(usize),
    /// A step, from one.
    Step(usize),
    /// An iteration, by its place.
    Iteration(usize),
    /// A task, by its place.
    Task(usize),
    /// What was opened in place of the views.
    Detail,
    /// The list of iterations.
    Timeline,
    /// What is looked at beside it.
    Pane,
    /// The tab that is shown at the side.
    Side,
    Tab(RunTab),
    /// A key that is shown.
    Key(KeyAction),
    /// What stands in front.
    Dialog,
    /// A limit, by its place.
    Field(usize),
    /// An answer.
    Answer(bool),
}

/// Where everything was.
#[derive(Debug, Clone, Default)]
pub(crate) struct HitMap {
    targets: Vec<(Rect, HitTarget)>,
    /// How large the output is.
    pub(crate) output: OutputExtent,
    /// How many rows of a list are to be seen.
    pub(crate) list_rows: usize,
    /// How many rows the other tabs have place for, and how many they have.
    pub(crate) pane_rows: (usize, usize),
    /// The same for what was opened in place of the views.
    pub(crate) detail_rows: (usize, usize),
    /// The same for the help.
    pub(crate) help_rows: (usize, usize),
    /// Whether iterations and tabs have their places side by side.
    pub(crate) is_wide: bool,
    /// Whether the output has its place beside the other tabs.
    pub(crate) has_side: bool,
}

impl HitMap {
    /// Something is here, in front of everything else that is.
    pub(crate) fn add(&mut self, place: Rect, target: HitTarget) {
        self.targets.push((place, target));
    }

    /// What is at a place.
    pub(crate) fn at(&self, column: u16, row: u16) -> Option<HitTarget> {
        let position = Position::new(column, row);
        let here = |(place, _): &&(Rect, HitTarget)| place.contains(position);
        self.targets.iter().rev().find(here).map(|(_, target)| *target)
    }
}
