//! Rounds of repeated groups.

use forkhestra_core::history::{RefusalSource, RoundRefusal, RunHistory};
use forkhestra_core::plan::{Flow, FlowGroup, Plan};
use forkhestra_core::policy::MAX_REASON_BYTES;
use forkhestra_core::text;

use super::questions;
use crate::report::text::{checks, operator_message};

/// Maximum number of refused rounds listed of a group.
const MAX_REFUSED: usize = 3;

/// The round of a group: `Round 2 of 3`, with the steps if several groups are repeated.
pub(crate) fn round_of_group(plan: &Plan, number: usize, round: u32) -> String {
    let Some(group) = plan.group(number) else {
        return format!("Round {round}");
    };
    let of = group.rounds.map(|rounds| format!(" of {rounds}")).unwrap_or_default();
    let steps =
        if repeated(plan).count() > 1 { format!(" of {}", steps(group)) } else { String::new() };
    format!("Round {round}{of}{steps}")
}

/// The repeated groups of a plan.
fn repeated(plan: &Plan) -> impl Iterator<Item = &FlowGroup> {
    let groups = plan.flow.iter().flat_map(Flow::groups);
    groups.filter(|group| group.rounds.is_some())
}

/// The steps of a group: `steps 2 to 5`.
fn steps(group: &FlowGroup) -> String {
    step_numbers(&group.stages.steps())
}

/// Steps that follow one another: `steps 2 to 5`.
pub(super) fn step_numbers(steps: &[usize]) -> String {
    match steps {
        [first, .., last] if last - first > 1 => format!("steps {first} to {last}"),
        [first, last] => format!("steps {first} and {last}"),
        [only] => format!("step {only}"),
        _ => "its steps".to_owned(),
    }
}

/// Who refused a round, and the first line of the reason: `by reviewer: the tests fail`.
pub(crate) fn refused_by(plan: &Plan, refusal: &RoundRefusal) -> String {
    let by = match &refusal.by {
        RefusalSource::Agent => format!("by {}", questions::step_name(plan, refusal.step)),
        RefusalSource::Checks(names) => {
            let names: Vec<String> = names.iter().map(|name| checks::name(name)).collect();
            let noun = if names.len() == 1 { "check" } else { "checks" };
            // The reason only names the checks again.
            return format!("by {noun} {}", text::join_with_and(&names));
        }
        RefusalSource::Person => "by a person".to_owned(),
        RefusalSource::Timeout => "because no answer came in time".to_owned(),
    };
    let is_of_person = matches!(refusal.by, RefusalSource::Person);
    let reason = refusal.reason.as_deref().map(|reason| match is_of_person {
        true => operator_message::first_line(reason),
        false => reason_line(reason),
    });
    let reason = reason.filter(|reason| !reason.is_empty());
    reason.map_or(by.clone(), |reason| format!("{by}: {reason}"))
}

/// The first line of an agent's reason, or the last one if only its end is recorded.
fn reason_line(reason: &str) -> String {
    // The cut leaves whole characters, of up to four bytes.
    let is_cut = reason.len() + 3 >= MAX_REASON_BYTES;
    let last = reason.lines().rev().find(|line| !line.trim().is_empty());
    operator_message::first_line(last.filter(|_| is_cut).unwrap_or(reason))
}

/// When the iterations of a step were that has not begun in the current round.
pub(crate) fn before_round(round: u32) -> String {
    format!("before round {round}")
}

/// The lines about the rounds of each group that ends with a step (one-based), for the lines below
/// the row of the step.
pub(crate) fn below_step(history: &RunHistory, step: usize) -> Vec<String> {
    let plan = &history.state.plan;
    let ending = repeated(plan).filter(|group| group.stages.steps().last() == Some(&step));
    // The inner group is nearer to its last step.
    let groups: Vec<&FlowGroup> = ending.collect();
    groups.into_iter().rev().flat_map(|group| group_lines(history, group)).collect()
}

fn group_lines(history: &RunHistory, group: &FlowGroup) -> Vec<String> {
    let (state, plan) = (&history.state, &history.state.plan);
    let Some(round) = state.groups.get(group.number - 1).map(|group| group.round) else {
        return Vec::new();
    };
    let (Some(rounds), true) = (group.rounds, round > 0) else { return Vec::new() };
    let is_accepted = state.is_round_accepted(group.number);
    let word = if is_accepted { ", accepted" } else { "" };
    let mut lines = vec![format!("round {round} of {rounds} of {}{word}", steps(group))];
    let mut all: Vec<(u32, &RoundRefusal)> = history.flow.refused_rounds(group.number).collect();
    // A resume can approve the round that a person refused. The rounds of an inner group have the same
    // numbers in each round of the outer one.
    let last = history.flow.rounds.iter().rfind(|record| record.group == group.number);
    if is_accepted && last.is_some_and(|last| last.refusal.is_some()) {
        all.pop();
    }
    let left_out = all.len().saturating_sub(MAX_REFUSED);
    if left_out > 0 {
        lines.push(format!("  … {} before", text::count(left_out, "refused round")));
    }
    lines.extend(all[left_out..].iter().map(|(number, refusal)| {
        format!("  round {number} was refused {}", refused_by(plan, refusal))
    }));
    lines
}
