//! Selects the attempts to print.

use std::collections::BTreeSet;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::id::LaneNumber;
use forkhestra_core::text;
use typeset::text::visible;

use super::run_attempts::{AgentAttempt, RunAttempts};

/// The selection as requested on the command line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogSelectionArgs {
    /// Only this step, counted from 1.
    pub(crate) step: Option<usize>,
    /// Only this iteration, counted from 1.
    pub(crate) iteration: Option<u32>,
    /// Only this lane.
    pub(crate) lane: Option<LaneNumber>,
    /// Whether to wait for output that does not exist yet.
    pub(crate) may_wait: bool,
}

/// The selection, resolved for one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogSelection {
    step: Option<usize>,
    iteration: Option<u32>,
    lane: Option<LaneNumber>,
}

impl LogSelection {
    /// Whether an attempt is selected.
    pub(crate) fn includes(self, attempt: &AgentAttempt) -> bool {
        let unit = attempt.unit;
        self.lane.is_none_or(|lane| attempt.lane == Some(lane))
            && self.step.is_none_or(|step| step == unit.step)
            && self.iteration.is_none_or(|iteration| iteration == unit.iteration)
    }

    /// Whether no more selected output can appear, even if the run continues.
    pub(crate) fn is_exhausted(self, attempts: &RunAttempts) -> bool {
        let is_past = |step| self.iteration.is_some_and(|one| one < attempts.last_iteration(step));
        attempts.is_over()
            || self.step.is_some_and(|step| attempts.has_ended(step) || is_past(step))
    }
}

impl LogSelectionArgs {
    /// Resolves the selection. The error names what exists instead.
    pub(crate) fn resolve(self, attempts: &RunAttempts) -> Result<LogSelection, Diagnostic> {
        if let Some(step) = self.step.filter(|step| *step > attempts.steps()) {
            return Err(no_step(step, attempts));
        }
        if let Some(lane) = self.lane.filter(|lane| !self.has_lane(*lane, attempts)) {
            return Err(no_lane(lane, attempts));
        }
        let Some(iteration) = self.iteration else {
            return match self.step.filter(|step| !self.has(*step, 1, attempts)) {
                Some(step) => Err(not_begun(step, attempts)),
                None => Ok(LogSelection { step: self.step, iteration: None, lane: self.lane }),
            };
        };
        let step = match (self.step, self.candidates(iteration, attempts).as_slice()) {
            (Some(step), [_, ..]) => step,
            (None, [step]) => *step,
            (_, []) => return Err(no_iteration(iteration, self.step, attempts)),
            (None, several) => return Err(ambiguous_step(iteration, several, attempts)),
        };
        Ok(LogSelection { step: Some(step), iteration: Some(iteration), lane: self.lane })
    }

    /// Whether an agent ran in a lane, or may still run there if waiting is allowed.
    fn has_lane(self, lane: LaneNumber, attempts: &RunAttempts) -> bool {
        let planned = usize::try_from(attempts.state.plan.agents_at_once()).unwrap_or(usize::MAX);
        let may_come = self.may_wait && !attempts.is_over() && lane.index() < planned;
        may_come && attempts.state.plan.has_lanes()
            || attempts.tries.iter().any(|attempt| attempt.lane == Some(lane))
    }

    /// The steps that have this iteration. Loops are preferred over steps that run once.
    fn candidates(self, iteration: u32, attempts: &RunAttempts) -> Vec<usize> {
        let steps = (1..=attempts.steps()).filter(|step| self.step.is_none_or(|one| one == *step));
        let having: Vec<usize> =
            steps.filter(|step| self.has(*step, iteration, attempts)).collect();
        let loops: Vec<usize> =
            having.iter().copied().filter(|step| attempts.is_loop(*step)).collect();
        if loops.is_empty() { having } else { loops }
    }

    /// Whether a step has this iteration, or may still get it if waiting is allowed.
    fn has(self, step: usize, iteration: u32, attempts: &RunAttempts) -> bool {
        let may_come = self.may_wait && !attempts.has_ended(step);
        iteration <= attempts.last_iteration(step)
            || may_come && iteration <= attempts.last_possible_iteration(step)
    }
}

fn no_step(step: usize, attempts: &RunAttempts) -> Diagnostic {
    let names: Vec<String> = (1..=attempts.steps()).map(|step| named(step, attempts)).collect();
    let hint = match names.as_slice() {
        [] => "the chain is empty".to_owned(),
        [only] => format!("the only step is {only}"),
        names => format!("the steps are {}", text::join_with_and(names)),
    };
    Diagnostic::error(format!("there is no step {step}")).hint(hint)
}

fn no_lane(lane: LaneNumber, attempts: &RunAttempts) -> Diagnostic {
    let lanes: BTreeSet<LaneNumber> =
        attempts.tries.iter().filter_map(|attempt| attempt.lane).collect();
    let lanes: Vec<String> = lanes.iter().map(LaneNumber::to_string).collect();
    let hint = match lanes.as_slice() {
        [] => "all agents of the run worked in the work tree".to_owned(),
        [only] => format!("the only lane with an agent is {only}"),
        lanes => format!("agents worked in the lanes {}", text::join_with_and(lanes)),
    };
    Diagnostic::error(format!("no agent worked in lane {lane}")).hint(hint)
}

fn not_begun(step: usize, attempts: &RunAttempts) -> Diagnostic {
    Diagnostic::error(format!("step {} has not begun", named(step, attempts)))
        .maybe_hint(iterations(None, attempts))
}

fn no_iteration(iteration: u32, step: Option<usize>, attempts: &RunAttempts) -> Diagnostic {
    let message = match step {
        Some(step) => format!("step {} has no iteration {iteration}", named(step, attempts)),
        None => format!("there is no iteration {iteration}"),
    };
    Diagnostic::error(message).maybe_hint(iterations(step, attempts))
}

fn ambiguous_step(iteration: u32, steps: &[usize], attempts: &RunAttempts) -> Diagnostic {
    let options: Vec<String> = steps
        .iter()
        .map(|step| format!("`--step {step}` ({})", visible(attempts.state.plan.agent_name(*step))))
        .collect();
    Diagnostic::error(format!("several steps have an iteration {iteration}"))
        .hint(format!("say which one: {}", text::join_with_or(&options)))
}

/// The existing iterations of a step, or of all started steps.
fn iterations(step: Option<usize>, attempts: &RunAttempts) -> Option<String> {
    let steps = (1..=attempts.steps()).filter(|number| step.is_none_or(|step| step == *number));
    let begun: Vec<String> = steps
        .filter_map(|step| match attempts.last_iteration(step) {
            0 => None,
            1 => Some(format!("step {} has iteration 1", named(step, attempts))),
            last => Some(format!("step {} has iterations 1 to {last}", named(step, attempts))),
        })
        .collect();
    let nothing = "no agent was started".to_owned();
    Some(if begun.is_empty() { nothing } else { text::join_with_and(&begun) })
}

fn named(step: usize, attempts: &RunAttempts) -> String {
    format!("{step} ({})", visible(attempts.state.plan.agent_name(step)))
}
