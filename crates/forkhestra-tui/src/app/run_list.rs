//! The runs there are.

use forkhestra_core::id::RunId;

use crate::run_source::{RunListItem, RunScope};

/// The runs there are, and which of them is looked at.
#[derive(Debug)]
pub(crate) struct RunList {
    pub(crate) scope: RunScope,
    /// What is known; none before anything is.
    pub(crate) runs: Option<Result<Vec<RunListItem>, String>>,
    pub(crate) selected: Option<RunId>,
    /// What all that are shown have in them.
    pub(crate) filter: String,
    /// Whether letters go into the filter.
    pub(crate) is_typing: bool,
}

impl RunList {
    pub(crate) const fn new(scope: RunScope) -> Self {
        Self { scope, runs: None, selected: None, filter: String::new(), is_typing: false }
    }

    /// Those that are shown.
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

    /// The place of the one that is looked at.
    pub(crate) fn place(&self, shown: &[&RunListItem]) -> usize {
        let is_it = |run: &&RunListItem| Some(&run.run) == self.selected.as_ref();
        shown.iter().position(is_it).unwrap_or(0)
    }

    /// Goes so many down, or up if it is less than nothing.
    pub(crate) fn step(&mut self, by: isize) {
        let shown = self.shown();
        let last = shown.len().saturating_sub(1);
        let next = self.place(&shown).saturating_add_signed(by).min(last);
        self.selected = shown.get(next).map(|run| run.run.clone());
    }

    /// Whether it shows ages, which grow.
    pub(crate) fn shows_ages(&self) -> bool {
        self.runs.as_ref().and_then(|runs| runs.as_ref().ok()).is_some_and(|runs| !runs.is_empty())
    }
}
