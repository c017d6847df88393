//! The current activity of a run, in one line.

use std::time::Duration;

use forkhestra_core::cost::Cost;
use forkhestra_core::event::AuxJob;
use forkhestra_core::explain::{StopReasonEntry, wait_subject};
use forkhestra_core::history::{QueueActivity, RunActivity, RunHistory};
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::UnitId;
use forkhestra_core::time::Timestamp;

use super::duration::whole_seconds;
use super::reported_step::ReportedStep;
use crate::report::text::lanes::lane_activities;
use crate::report::text::run_commands::RunCommands;
use crate::report::text::{checks, local_time, spend};

/// The kind of process at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CurrentWorker {
    Agent,
    Check,
    Setup,
    Hook,
}

impl CurrentWorker {
    /// The process at work in a run or in one of its lanes, agents first.
    pub(super) fn of_run(run: &RunHistory) -> Option<Self> {
        if run.lanes.running_agents() > 0 {
            return Some(Self::Agent);
        }
        let of_lanes = run.lanes.lanes.iter().find_map(|lane| Self::of(lane.activity));
        let is_landing =
            !matches!(run.lanes.queue, QueueActivity::Idle | QueueActivity::BringingForward { .. });
        of_lanes.or(is_landing.then_some(Self::Check)).or_else(|| Self::of(run.activity))
    }

    /// The process at work, if any.
    pub(super) const fn of(activity: RunActivity) -> Option<Self> {
        match activity {
            RunActivity::AgentRunning { .. } => Some(Self::Agent),
            RunActivity::AuxJobRunning { job, .. } => Some(match job {
                AuxJob::Check { .. } => Self::Check,
                AuxJob::Setup { .. } => Self::Setup,
                AuxJob::Hook { .. } => Self::Hook,
            }),
            RunActivity::Idle
            | RunActivity::Judging { .. }
            | RunActivity::BackingOff { .. }
            | RunActivity::Asking { .. }
            | RunActivity::WaitingForProvider { .. } => None,
        }
    }
}

/// The live line at this time of the run; none if there is nothing to show.
pub(super) fn live_line(
    run: &RunHistory,
    commands: Option<&RunCommands>,
    now: Duration,
) -> Option<String> {
    // The prefix comes first, so that a narrow terminal does not cut it off.
    let prefix = match (run.steering.paused, run.state.stop_requested && run.state.end.is_none()) {
        (Some(_), _) => Some("[Paused]".to_owned()),
        (None, true) => Some("[Stopping]".to_owned()),
        (None, false) => None,
    };
    let parts: Vec<String> = prefix.into_iter().chain(activity(run, commands, now)).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn activity(run: &RunHistory, commands: Option<&RunCommands>, now: Duration) -> Option<String> {
    match run.activity {
        RunActivity::Idle if run.lanes.is_open => Some(lanes(run, now)),
        RunActivity::Idle => None,
        RunActivity::AgentRunning { unit, since } => {
            let step = ReportedStep::of(run, unit.step)?;
            let what = iteration(step, unit.iteration);
            let time = whole_seconds(now.saturating_sub(since));
            let ending = run.unfinished_agent().and_then(|(_, agent)| agent.ending);
            let ending = ending.map_or_else(String::new, |why| {
                format!(" | ending it: {}", StopReasonEntry::of(why).brief)
            });
            Some(format!("[Agent: {}] {what} | {time}{}{ending}", step.name(), totals(run, now)))
        }
        RunActivity::Asking { step, since } => {
            let question = run.open_question().filter(|question| question.step == step);
            // The run's clock is paused, so there is no time to count.
            let since = question.map_or(since, |question| question.asked);
            let since = local_time::time_in_zone(since, run.updated);
            let commands = question.map(|question| question.number).zip(commands);
            let answer = commands.map(|(number, commands)| {
                format!(" | {} | {}", commands.approve(number), commands.deny(number))
            });
            let answer = answer.unwrap_or_default();
            Some(format!("[Step {step}] Waiting for an answer since {since}{answer}"))
        }
        RunActivity::Judging { unit, since } => doing(run, unit, "checking", now, since),
        RunActivity::AuxJobRunning { job, since } => aux_job(run, job, now, since),
        RunActivity::BackingOff { step, crashes, until } => {
            let step = ReportedStep::of(run, step)?;
            let what = iteration(step, step.state.finished + 1);
            // Rounded up, so that the countdown does not show zero while the wait lasts.
            let left = until.saturating_sub(now) + Duration::from_millis(999);
            let (left, failed) = (whole_seconds(left), failed(crashes));
            Some(format!("[Agent: {}] {what} in {left} | {failed}", step.name()))
        }
        RunActivity::WaitingForProvider { step, why, until } => {
            let step = ReportedStep::of(run, step)?;
            let what = iteration(step, step.state.finished + 1);
            let wall = wall_time(run, now);
            let left = until.saturating_since(wall) + Duration::from_millis(999);
            let (left, time) = (whole_seconds(left), local_time::time_in_zone(until, wall));
            // The remaining time comes first: a narrow terminal cuts off the end.
            let wait = format!("{left} for {}, until {time}", wait_subject(why));
            Some(format!("[Agent: {}] Waiting {wait} | {what}{}", step.name(), totals(run, now)))
        }
    }
}

/// Text for what all lanes and their merge queue do.
fn lanes(run: &RunHistory, now: Duration) -> String {
    let all = &run.lanes.lanes;
    let busy = all.iter().filter(|lane| lane.activity.unit().is_some());
    let agents = busy.filter_map(|lane| {
        let step = ReportedStep::of(run, lane.unit?.step)?;
        let number = lane.unit?.iteration;
        let at = step.position(number).map_or(number.to_string(), |at| at.beside_round());
        Some(format!("{}: {at} {}", lane.number, lane_activities::lane_words(lane, now)))
    });
    let agents: Vec<String> = agents.collect();
    let queue = lane_activities::queue_words(&run.lanes, now);
    let head = format!("[Lanes: {} of {} at work]", agents.len(), all.len());
    let parts: Vec<String> = queue.into_iter().chain(agents).collect();
    let parts = parts.join(" | ");
    let totals = totals(run, now);
    format!("{head} {parts}{totals}").trim_end().to_owned()
}

/// Text for a running aux job and its elapsed time.
fn aux_job(run: &RunHistory, job: AuxJob, now: Duration, since: Duration) -> Option<String> {
    match job {
        AuxJob::Check { unit, number } => {
            let step = ReportedStep::of(run, unit.step)?;
            let check = step.plan.check(number)?;
            let what = format!("checking: {}", checks::planned_name(&check.value));
            doing(run, unit, &what, now, since)
        }
        AuxJob::Setup { unit } => {
            let step = ReportedStep::of(run, unit.step)?;
            let setup = step.plan.clean_room.as_ref()?.value.setup.as_deref()?;
            doing(run, unit, &format!("clean room: {}", checks::short(setup)), now, since)
        }
        AuxJob::Hook { moment, number } => {
            let command = checks::short(&run.state.plan.hook(number)?.run);
            match (moment.point, moment.unit) {
                (HookPoint::PreIteration | HookPoint::PostIteration, Some(unit)) => {
                    let what = format!("{} hook: {command}", moment.point);
                    doing(run, unit, &what, now, since)
                }
                (point, _) => {
                    let time = whole_seconds(now.saturating_sub(since));
                    Some(format!("[Hook: {point}] {command} | {time}"))
                }
            }
        }
    }
}

/// Text for work on an iteration and its elapsed time.
fn doing(
    run: &RunHistory,
    unit: UnitId,
    what: &str,
    now: Duration,
    since: Duration,
) -> Option<String> {
    let step = ReportedStep::of(run, unit.step)?;
    let (iteration, totals) = (iteration(step, unit.iteration), totals(run, now));
    let time = whole_seconds(now.saturating_sub(since));
    if step.is_question() {
        return Some(format!("[Step {}] {what} | {time}{totals}", unit.step));
    }
    Some(format!("[Agent: {}] {iteration} | {what} | {time}{totals}", step.name()))
}

/// The wall-clock time at this time of the run.
fn wall_time(run: &RunHistory, now: Duration) -> Timestamp {
    run.updated.saturating_add(now.saturating_sub(run.state.elapsed))
}

/// Cost of the run so far, and how much of the current step's account is used, if it is known.
fn totals(run: &RunHistory, now: Duration) -> String {
    let step = run.current_step();
    let quota = step.and_then(|step| run.state.quota_text(step, wall_time(run, now)));
    let quota = quota.map_or_else(String::new, |quota| format!(" | {quota}"));
    cost(run) + &quota
}

/// Cost of the run so far. Without a known price, the tokens are shown instead.
fn cost(run: &RunHistory) -> String {
    let cost = spend::known(run.state.spend()).map(|spend| match spend.cost() {
        Cost::Unknown if spend.tokens.is_zero() => spend::cost(spend),
        Cost::Unknown => spend::tokens(spend),
        cost => cost.to_string(),
    });
    let is_replay = run.state.plan.steps.iter().all(|step| step.agent.replay.is_some());
    let replayed = if is_replay { " (replayed)" } else { "" };
    cost.map_or_else(String::new, |cost| format!(" | {cost}{replayed}"))
}

/// How often an agent failed without a success in between.
pub(super) fn failed(crashes: u32) -> String {
    match crashes {
        0 | 1 => "failed once".to_owned(),
        crashes => format!("failed {crashes} times in a row"),
    }
}

fn iteration(step: ReportedStep<'_>, iteration: u32) -> String {
    let text = match step.position(iteration) {
        _ if iteration == 0 => "Before the first iteration".to_owned(),
        // The round is in front of it.
        Some(position) => format!("Iteration {}", position.beside_round()),
        None => "Running".to_owned(),
    };
    match step.round() {
        Some((round, max)) => format!("Round {round}/{max} | {text}"),
        None => text,
    }
}
