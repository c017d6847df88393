//! State of the run list.

use forkhestra_core::id::RunId;

use crate::run_source::{RunListItem, RunScope};

/// The listed runs and the selection.
#[derive(Debug)]
pub(crate) struct RunList {
    pub(crate) scope: RunScope,
    /// None before the first list has arrived.
    pub(crate) runs: Option<Result<Vec<RunListItem>, String>>,
    pub(crate) selected: Option<RunId>,
    /// Only runs that contain this text are shown.
    pub(crate) filter: String,
    /// Whether typed characters go into the filter.
    pub(crate) is_typing: bool,
}

impl RunList {
    pub(crate) const fn new(scope: RunScope) -> Self {
        Self { scope, runs: None, selected: None, filter: String::new(), is_typing: false }
    }

    /// The runs that match the filter.
    pub(crate) fn shown(&self) -> Vec<&RunListItem> {
        let runs = self.runs.as_ref().and_then(|runs| runs.as_ref().ok());
        let filter = self.filter.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&filter);
        let fits = |run: &&RunListItem| {
            let words = [run.run.as_str(), &run.chain, &run.directory, run.status.as_str()];
            words.into_iter().any(has)
        };
        runs.into_iter().flatten().filter(fits).collect()
    }

    /// Index of the selected run.
    pub(crate) fn selected_index(&self, shown: &[&RunListItem]) -> usize {
        let is_it = |run: &&RunListItem| Some(&run.run) == self.selected.as_ref();
        shown.iter().position(is_it).unwrap_or(0)
    }

    /// Moves the selection by `by`; a negative number moves it up.
    pub(crate) fn step(&mut self, by: isize) {
        let shown = self.shown();
        let last = shown.len().saturating_sub(1);
        let next = self.selected_index(&shown).saturating_add_signed(by).min(last);
        self.selected = shown.get(next).map(|run| run.run.clone());
    }

    /// Whether the list shows ages, which grow with time.
    pub(crate) fn shows_ages(&self) -> bool {
        self.runs.as_ref().and_then(|runs| runs.as_ref().ok()).is_some_and(|runs| !runs.is_empty())
    }
}
