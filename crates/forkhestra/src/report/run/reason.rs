//! The words of `forkhestra_core::explain`, safe to print and with local times.

use forkhestra_core::event::{
    AgentEnd, AgentOutcome, ClaimRefusal, IterationReport, MarkerMatch, RunEnd, StepEnd,
};
use forkhestra_core::explain::{self, EndEntry, EndFacts, Remedy};
use forkhestra_core::machine::RunState;
use forkhestra_core::text;
use typeset::text::visible;

use crate::report::text::local_time::minute_in_zone;

pub(crate) use forkhestra_core::explain::cancel;

/// What the state of a run says about a step, from one.
pub(crate) fn facts(state: &RunState, step: usize) -> EndFacts<'_> {
    EndFacts::of(state, step, &minute_in_zone)
}

/// What is said about the end of a step.
pub(crate) fn entry(end: &StepEnd, facts: &EndFacts<'_>) -> EndEntry {
    EndEntry::of(end, facts).shown(visible)
}

/// What to do about a run that did not complete.
pub(crate) fn remedy(state: &RunState) -> Option<Remedy> {
    match state.end.as_ref()? {
        RunEnd::Incomplete { step, end } => entry(end, &facts(state, *step)).remedy,
        RunEnd::Complete | RunEnd::Interrupted(_) => None,
    }
}

/// How the process of an agent ended.
pub(crate) fn agent_end(end: &AgentEnd) -> String {
    visible(&end.to_string())
}

/// How an agent says that its iteration went.
pub(crate) fn outcome(outcome: &AgentOutcome) -> String {
    visible(&explain::outcome(outcome))
}

/// Why an agent stopped before it came to the end of its work, if it did.
pub(crate) fn stopped(report: &IterationReport, max_turns: Option<u32>) -> Option<String> {
    explain::stopped(report, max_turns).map(|why| visible(&why))
}

/// Why a completion claim was refused.
pub(crate) fn refusal(why: ClaimRefusal, report: Option<&IterationReport>) -> String {
    visible(&explain::refusal(why, report))
}

/// Which completion marker was missing, or why it would not have counted.
pub(crate) fn looked_for(report: &IterationReport) -> Option<String> {
    explain::looked_for(report).map(|why| visible(&why))
}

/// Where a marker was seen.
pub(crate) fn sighting(sighting: &MarkerMatch) -> String {
    visible(&explain::sighting(sighting))
}

/// A number of things.
pub(crate) fn count(number: u32, singular: &str) -> String {
    text::count(usize::try_from(number).unwrap_or(usize::MAX), singular)
}
