//! Detail screen of a task or an iteration.

use forkhestra_core::id::UnitId;

/// The task or iteration that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DetailSubject {
    /// A task by its id.
    Task(String),
    Iteration(UnitId),
}

/// An open detail screen with its scroll position.
#[derive(Debug, Clone)]
pub(crate) struct DetailView {
    pub(crate) subject: DetailSubject,
    pub(crate) scroll: usize,
}

impl DetailView {
    pub(crate) const fn new(subject: DetailSubject) -> Self {
        Self { subject, scroll: 0 }
    }
}
