//! A task or an iteration that was opened in place of the views.

use forkhestra_core::id::UnitId;

/// What was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DetailSubject {
    /// The task with this id.
    Task(String),
    /// This iteration.
    Iteration(UnitId),
}

/// What was opened, and how far it is scrolled.
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
