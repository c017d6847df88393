//! One run on the screen: what became of it and of its steps, every try, and how to go on.

mod ending;
mod head;
mod iterations;
mod page;
mod steering;
mod steps;
mod why;
mod why_view;

use std::time::Duration;

use forkhestra_core::history::{Liveness, RunHistory};
use forkhestra_core::time::Timestamp;
use forkhestra_store::journal::recorded_run::RecordedRun;
use forkhestra_store::view::WholeView;
use forkhestra_store::{LockOwner, RunDir};

/// Unless all are wanted, no more than this of one kind are shown.
const MOST_SHOWN: usize = 20;

/// A run, and what its journal does not say.
pub(crate) struct ShownRunFacts<'a> {
    pub(crate) run: &'a RunDir,
    pub(crate) past: &'a RecordedRun,
    pub(crate) liveness: Liveness,
    /// Who is at work on it, if that is known.
    pub(crate) owner: Option<LockOwner>,
    /// The command that goes on with it.
    pub(crate) resume_command: String,
    pub(crate) now: Timestamp,
    /// How wide the screen is; none if nothing may be cut.
    pub(crate) columns: Option<usize>,
}

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShowDetail {
    /// The last iterations and warnings.
    Last,
    /// All of them.
    All,
}

/// A run on one screen.
pub(crate) fn page(subject: &ShownRunFacts<'_>) -> String {
    page::render(subject)
}

/// Everything about a run, for a person.
pub(crate) fn render(subject: &ShownRunFacts<'_>, extent: ShowDetail) -> String {
    let parts = [
        head::render(subject),
        steps::render(subject, steps::StepDetail::Full),
        iterations::render(subject, extent),
        steering::messages(subject, extent),
        ending::warnings(subject, extent),
        ending::failed_hooks(subject, extent),
        ending::work_trees(subject),
        ending::files(subject),
        ending::what_next(subject),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Why a run stopped, for a person.
pub(crate) fn why(subject: &ShownRunFacts<'_>) -> String {
    why::render(subject)
}

/// Everything about a run, for a program; with why it stopped if that is wanted.
pub(crate) fn json(subject: &ShownRunFacts<'_>, with_why: bool) -> String {
    let ShownRunFacts { run, past, liveness, owner, resume_command, .. } = subject;
    let view = WholeView::of(run, past, *liveness, owner.as_ref(), resume_command);
    let view = WholeView { why: with_why.then(|| why_view::json(subject)), ..view };
    serde_json::to_string_pretty(&view).expect("texts and numbers are JSON") + "\n"
}

impl ShownRunFacts<'_> {
    const fn history(&self) -> &RunHistory {
        &self.past.history
    }

    /// How much longer it has been going on than its last event, and the output since then, say.
    fn time_since(&self) -> Duration {
        match self.liveness {
            Liveness::Gone => Duration::ZERO,
            Liveness::Alive if self.history().steering.paused.is_some() => Duration::ZERO,
            Liveness::Alive => {
                let history = self.history();
                let counted = history.state.elapsed.saturating_sub(self.past.recorded_time());
                self.now.saturating_since(history.updated).saturating_sub(counted)
            }
        }
    }
}

impl ShowDetail {
    /// How many of these are left out.
    const fn left_out(self, number: usize) -> usize {
        match self {
            Self::Last => number.saturating_sub(MOST_SHOWN),
            Self::All => 0,
        }
    }
}
