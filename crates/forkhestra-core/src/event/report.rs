//! What came of an iteration, and what was seen on the way.

use std::time::Duration;

use super::end::{AgentEnd, Ending};
use super::errand::CheckReport;
use super::outcome::Heard;
use super::sight::Sight;
use crate::cost::Spend;

/// A line of output that is a marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The marker, as it is written in a config.
    pub marker: String,
    /// Where its line begins in the agent's standard output, in bytes.
    pub offset: u64,
    /// The number of its line, from one: in the output, or in the message if there are messages.
    pub line: u64,
    /// The number of the assistant's message that it stands in, from one; none in plain output.
    pub message: Option<u32>,
}

/// What says that a step is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completion {
    /// A marker in the output.
    Marker(Sighting),
    /// The done file appeared or changed.
    File,
    /// The agent exited with 0, which is all that is asked of one that runs once, and of a loop whose
    /// checks decide.
    ExitCode,
    /// Every task of the task database is done, so that no agent was started.
    Tasks,
}

impl Completion {
    /// The signal as one word, as events and summaries say it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Marker(_) => "marker",
            Self::File => "file",
            Self::ExitCode => "exit_code",
            Self::Tasks => "tasks_done",
        }
    }
}

/// What came of an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The step's work is done.
    Complete(Completion),
    /// There is more to do.
    Incomplete,
    /// The agent failed.
    Crashed,
    /// The agent says that the work is done, but is not believed.
    Refused(Refusal),
    /// We ended the agent.
    Ended(Ending),
    /// The agent's provider would not serve it; its number is used again after a wait.
    Postponed,
    /// The agent cannot work, and will not be able to before somebody does something about it; its
    /// number is used again.
    Blocked,
    /// The iteration was cut off; its number is used again.
    Interrupted,
}

impl Verdict {
    /// What it came to, in one word.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Complete(_) => "complete",
            Self::Incomplete => "incomplete",
            Self::Crashed => "crashed",
            Self::Refused(_) => "refused",
            Self::Ended(_) => "ended",
            Self::Postponed => "postponed",
            Self::Blocked => "blocked",
            Self::Interrupted => "interrupted",
        }
    }

    /// The word that people see. It differs from [`Self::word`] in one case: an iteration without a
    /// completion claim has `continued` the work.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Incomplete => "continued",
            other => other.word(),
        }
    }
}

/// Why a completion claim was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It used no tool and changed nothing, and its step requires work.
    NoWork,
    /// A check did not pass.
    ChecksFailed,
    /// It changed files that it may not change.
    ProtectedFiles,
    /// Not everything it made is committed, and only what is committed counts.
    UncommittedWork,
}

impl Refusal {
    /// The reason as one word, as events say it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoWork => "no_work",
            Self::ChecksFailed => "checks_failed",
            Self::ProtectedFiles => "protected_files",
            Self::UncommittedWork => "uncommitted_work",
        }
    }
}

/// Everything that is known of an iteration when it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IterationReport {
    /// What came of it.
    pub verdict: Verdict,
    /// How the process ended; unknown if we were not there to see it.
    pub end: Option<AgentEnd>,
    /// How long it took: awake, and not paused.
    pub duration: Duration,
    /// What was there afterwards.
    pub sight: Sight,
    /// What it printed.
    pub output: OutputSummary,
    /// What was heard from it; none if its stream is not one that we understand.
    pub heard: Option<Heard>,
    /// What it spent; none if nobody can tell.
    pub spend: Option<Spend>,
    /// What was checked afterwards, in this order.
    pub checks: Vec<CheckReport>,
}

impl IterationReport {
    /// Whether the iteration has an outcome. One that was cut off has none, and one whose agent
    /// never ran or was not served did nothing: the number of either is used again.
    pub const fn has_outcome(&self) -> bool {
        let ran = !matches!(self.end, Some(AgentEnd::NotStarted { .. }));
        ran && !matches!(self.verdict, Verdict::Interrupted | Verdict::Postponed | Verdict::Blocked)
    }
}

/// How much an agent printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutputSummary {
    /// Bytes on standard output.
    pub stdout: u64,
    /// Bytes on standard error.
    pub stderr: u64,
}
