//! Report of `show`: one run, its steps, all attempts, and how to continue.

mod ending;
mod head;
mod iterations;
mod lanes;
mod page;
mod steering;
mod steps;
mod why;
mod why_view;

use std::time::Duration;

use forkhestra_core::history::{Liveness, RunHistory};
use forkhestra_core::time::Timestamp;
use forkhestra_store::journal::recorded_run::RecordedRun;
use forkhestra_store::view::{ForkView, WholeView};
use forkhestra_store::{LockOwner, RunDir, RunOverview};
use typeset::table::{TableCell, indented};
use typeset::text::escaped_json;

use crate::report::text::run_commands::RunCommands;

/// Maximum number of entries of one kind without `--all`.
const MAX_SHOWN: usize = 20;

/// A run and facts that its journal does not contain.
pub(crate) struct ShownRunFacts<'a> {
    pub(crate) run: &'a RunDir,
    pub(crate) past: &'a RecordedRun,
    pub(crate) liveness: Liveness,
    /// The process that holds the run's lock, if known.
    pub(crate) owner: Option<LockOwner>,
    /// The runs that were forked from it, newest first.
    pub(crate) forks: Vec<RunOverview>,
    /// The command that resumes the run, with a higher value for the limit that ended it.
    pub(crate) resume_command: String,
    pub(crate) commands: RunCommands,
    pub(crate) now: Timestamp,
    /// Width of the screen; none if nothing may be cut.
    pub(crate) columns: Option<usize>,
}

/// How many entries are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShowDetail {
    /// The last iterations and warnings.
    Last,
    All,
}

/// A run on one screen.
pub(crate) fn page(subject: &ShownRunFacts<'_>) -> String {
    page::render(subject)
}

/// Everything about a run, for a person.
pub(crate) fn render(subject: &ShownRunFacts<'_>, detail: ShowDetail) -> String {
    let parts = [
        head::render(subject),
        steps::render(subject, steps::StepDetail::Full),
        iterations::render(subject, detail),
        steering::messages(subject, detail),
        ending::warnings(subject, detail),
        ending::failed_hooks(subject, detail),
        ending::work_trees(subject),
        ending::files(subject),
        ending::next_steps(subject),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Why a run stopped, for a person.
pub(crate) fn why(subject: &ShownRunFacts<'_>) -> String {
    why::render(subject)
}

/// Everything about a run as JSON, optionally with why it stopped.
pub(crate) fn json(subject: &ShownRunFacts<'_>, with_why: bool) -> String {
    let ShownRunFacts { run, past, liveness, owner, resume_command, .. } = subject;
    let view = WholeView::of(run, past, *liveness, owner.as_ref(), resume_command);
    let forks = subject.forks.iter().filter_map(ForkView::of).collect();
    let view = WholeView { forks, why: with_why.then(|| why_view::json(subject)), ..view };
    let text = serde_json::to_string_pretty(&view).expect("texts and numbers are JSON");
    escaped_json(&text).into_owned() + "\n"
}

impl ShownRunFacts<'_> {
    const fn history(&self) -> &RunHistory {
        &self.past.history
    }

    /// Run time that is not yet in the history: time since the last event and the output recorded
    /// after it.
    fn time_since(&self) -> Duration {
        match self.liveness {
            Liveness::Gone => Duration::ZERO,
            Liveness::Alive if self.history().is_clock_paused() => Duration::ZERO,
            Liveness::Alive => {
                let history = self.history();
                let counted = history.state.elapsed.saturating_sub(self.past.recorded_time());
                self.now.saturating_since(history.updated).saturating_sub(counted)
            }
        }
    }
}

impl ShowDetail {
    /// Number of entries that are left out.
    const fn left_out(self, number: usize) -> usize {
        match self {
            Self::Last => number.saturating_sub(MAX_SHOWN),
            Self::All => 0,
        }
    }
}

/// A table of names and values, which must be safe to print.
fn facts_table(facts: Vec<(&str, String)>) -> String {
    let row = |(name, value)| vec![TableCell::new(name), TableCell::new(value)];
    indented(&facts.into_iter().map(row).collect::<Vec<_>>(), "  ")
}
