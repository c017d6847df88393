//! The texts of `forkhestra_core::explain`, safe to print and with local times.

use forkhestra_core::event::{
    AgentOutcome, ClaimRefusal, IterationReport, MarkerMatch, ProcessEnd, RunEnd, StepEnd,
};
use forkhestra_core::explain::{self, EndEntry, EndFacts, Remedy};
use forkhestra_core::machine::RunState;
use typeset::text::visible;

use crate::report::text::local_time::minute_in_zone;

pub(crate) use forkhestra_core::explain::cancel;
pub(crate) use forkhestra_core::text::count;

/// Facts about a step, counted from one, from the state of a run.
pub(crate) fn facts(state: &RunState, step: usize) -> EndFacts<'_> {
    EndFacts::of(state, step, &minute_in_zone)
}

/// The explanation of how a step ended.
pub(crate) fn entry(end: &StepEnd, facts: &EndFacts<'_>) -> EndEntry {
    EndEntry::of(end, facts).shown(visible)
}

/// The remedy for a run that did not complete.
pub(crate) fn remedy(state: &RunState) -> Option<Remedy> {
    match state.end.as_ref()? {
        RunEnd::Incomplete { step, end } => entry(end, &facts(state, *step)).remedy,
        RunEnd::Complete | RunEnd::Interrupted(_) => None,
    }
}

/// How the process of an agent ended.
pub(crate) fn agent_end(end: &ProcessEnd) -> String {
    visible(&end.to_string())
}

/// The outcome that an agent reports for its iteration.
pub(crate) fn outcome(outcome: &AgentOutcome) -> String {
    visible(&explain::outcome(outcome))
}

/// Why an agent stopped before the end of its work, if it did.
pub(crate) fn stopped(report: &IterationReport, max_turns: Option<u32>) -> Option<String> {
    explain::stopped(report, max_turns).map(|why| visible(&why))
}

/// Why a completion claim was refused.
pub(crate) fn refusal(why: ClaimRefusal, report: Option<&IterationReport>) -> String {
    visible(&explain::refusal(why, report))
}

/// Which completion marker was missing, or why it would not have counted.
pub(crate) fn missing_marker(report: &IterationReport) -> Option<String> {
    explain::missing_marker(report).map(|why| visible(&why))
}

/// Where a marker matched.
pub(crate) fn match_position(marker_match: &MarkerMatch) -> String {
    visible(&explain::match_position(marker_match))
}
