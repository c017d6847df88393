//! The evidence for why a run stopped.

use std::time::Duration;

use super::crossed_limit::CrossedLimit;
use super::iteration_tree_change::IterationTreeChange;
use crate::cost::Spend;
use crate::event::{CheckReport, HookReport, OutcomeClass, RunEnd, StepEnd};
use crate::history::{IterationRecord, RunHistory};

/// The number of last iterations that count as evidence.
const MAX_ITERATIONS: usize = 5;

/// The evidence for why a run stopped, from the step it stopped in.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence<'a> {
    /// One-based.
    pub step: usize,
    /// The limit that ended it.
    pub limit: Option<CrossedLimit>,
    /// Its last iterations in the last round, and what each changed in the work tree.
    pub iterations: Vec<(&'a IterationRecord, IterationTreeChange)>,
    /// The last iterations, if they led to no new state and used up a limit.
    pub nothing_new: Option<StagnationEvidence>,
    /// The last message of the agent or its provider, if it was no success.
    pub message: Option<&'a str>,
    /// The checks that failed after the last iteration.
    pub failed_checks: Vec<&'a CheckReport>,
    /// The hook that ended the step.
    pub failed_hook: Option<&'a HookReport>,
}

/// Consecutive iterations without a new state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StagnationEvidence {
    pub iterations: u32,
    pub duration: Duration,
    pub spend: Spend,
}

impl<'a> Evidence<'a> {
    /// The evidence in a history; none if its chain has no steps.
    pub fn of(history: &'a RunHistory) -> Option<Self> {
        let end = match &history.state.end {
            Some(RunEnd::Incomplete { step, end }) => Some((*step, end)),
            _ => None,
        };
        let step = end.map(|(step, _)| step).or_else(|| history.current_step())?;
        let (state, records) = (history.state.step(step)?, history.steps.get(step - 1)?);
        // An earlier round began with another work tree.
        let is_of_round =
            |record: &&IterationRecord| record.unit.iteration > state.finished_before_round;
        let before = records.iterations.iter().take_while(|record| !is_of_round(record)).count();
        let records = &records.iterations[before..];
        let changes = IterationTreeChange::of(&state.before, records);
        let iterations: Vec<_> = records.iter().zip(changes).collect();
        let is_complete = history.state.end == Some(RunEnd::Complete);
        let last = records.last().filter(|_| !is_complete);
        let checks = last.into_iter().flat_map(|last| &last.report.checks);
        let failed_hook = history.failed_hooks.last();
        Some(Self {
            step,
            limit: end.and_then(|(step, end)| CrossedLimit::of(end, &history.state, step)),
            nothing_new: end
                .filter(|(_, end)| is_by_used_up_limit(end))
                .and_then(|_| StagnationEvidence::of(&iterations)),
            message: last.and_then(message),
            failed_checks: checks.filter(|check| !check.passed()).collect(),
            failed_hook: failed_hook.filter(|_| matches!(end, Some((_, StepEnd::HookFailed(_))))),
            iterations: iterations[iterations.len().saturating_sub(MAX_ITERATIONS)..].to_vec(),
        })
    }
}

impl StagnationEvidence {
    fn of(iterations: &[(&IterationRecord, IterationTreeChange)]) -> Option<Self> {
        let last = iterations.iter().rev();
        let last: Vec<&IterationRecord> = last
            .take_while(|(_, change)| change.is_known_state())
            .map(|(record, _)| *record)
            .collect();
        let spends = last.iter().filter_map(|record| record.report.spend);
        (!last.is_empty()).then(|| Self {
            iterations: u32::try_from(last.len()).unwrap_or(u32::MAX),
            duration: last.iter().map(|record| record.report.duration).sum(),
            spend: spends.sum(),
        })
    }
}

/// Whether the step ended because its iterations, time or money were used up.
const fn is_by_used_up_limit(end: &StepEnd) -> bool {
    matches!(
        end,
        StepEnd::Stagnated(_)
            | StepEnd::Cycling(_)
            | StepEnd::MaxIterations
            | StepEnd::StepTime
            | StepEnd::GroupTime
            | StepEnd::RunTime
            | StepEnd::StepCost
            | StepEnd::GroupCost
            | StepEnd::RunCost
    )
}

fn message(record: &IterationRecord) -> Option<&str> {
    let outcome = &record.report.stream_summary.as_ref()?.outcome;
    outcome.message.as_deref().filter(|_| outcome.class != OutcomeClass::Finished)
}
