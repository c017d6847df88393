//! Sentences about single events, without prefix or layout.

use std::time::Duration;

use forkhestra_core::event::{
    AgentOutcome, CancelCause, CheckOutcome, CheckReport, CompletionSignal, IterationReport,
    OutcomeClass, StepEnd, StopReason, Verdict, WaitCause,
};
use forkhestra_core::explain::{self, StopReasonEntry};
use forkhestra_core::history::RunHistory;
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::Limit;
use forkhestra_core::text;
use forkhestra_core::time::Timestamp;
use typeset::text::visible;

use super::duration::{short_duration, whole_seconds};
use super::live_line::{CurrentWorker, failed};
use super::reported_step::ReportedStep;
use super::{reason, steering};
use crate::report::text::local_time::minute_in_zone;
use crate::report::text::{checks, fallback};

/// The label of an iteration.
pub(super) fn label(step: ReportedStep<'_>, unit: UnitId) -> String {
    match step.position(unit.iteration) {
        Some(position) => format!("Iteration {position}"),
        None => format!("Iteration {}", unit.iteration),
    }
}

/// The result of a loop iteration, if it did not end normally.
pub(super) fn iteration_finished(
    step: ReportedStep<'_>,
    unit: UnitId,
    report: &IterationReport,
) -> Option<String> {
    let label = label(step, unit);
    let ended =
        |why| Some(format!("{label} stopped by forkhestra: {}", StopReasonEntry::of(why).sentence));
    match (&report.verdict, step.last().and_then(|last| last.ending)) {
        // The end of the step reports it.
        _ if step.max_iterations().is_none() => None,
        (Verdict::AgentStopped(StopReason::Cancelled) | Verdict::Interrupted, _) => None,
        (Verdict::AgentStopped(StopReason::Futile), _) => {
            let outcome_text = report
                .stream_summary
                .as_ref()
                .map(|stream_summary| reason::outcome(&stream_summary.outcome));
            let why = outcome_text
                .unwrap_or_else(|| StopReasonEntry::of(StopReason::Futile).sentence.to_owned());
            Some(format!("{label} stopped by forkhestra: {why}"))
        }
        (Verdict::AgentStopped(StopReason::Idle), _) => {
            Some(format!("{label} stopped by forkhestra: {}", idle_text(step)))
        }
        (Verdict::AgentStopped(why), _) => ended(*why),
        (Verdict::Complete(_), Some(why @ StopReason::Lingering)) => ended(why),
        // forkhestra stopped the process, so its exit status explains nothing.
        (Verdict::Crashed, Some(StopReason::Futile)) => {
            reason::stopped(report, step.max_turns()).map(|why| format!("{label} failed: {why}"))
        }
        (Verdict::Crashed, _) => Some(format!("{label} failed{}", last_end(step))),
        (Verdict::Refused(why), _) => {
            let why = reason::refusal(*why, Some(report));
            Some(format!("{label} claimed completion; refused: {why}"))
        }
        (Verdict::Incomplete, _) => {
            let stopped = reason::stopped(report, step.max_turns());
            let stopped = stopped.map(|why| format!("{label} stopped: {why}"));
            let failure = || checks::failure(&report.checks);
            stopped.or_else(|| failure().map(|why| format!("{label} is not complete: {why}")))
        }
        (Verdict::Complete(_) | Verdict::Postponed | Verdict::Blocked, _) => None,
    }
}

/// What an agent stopped as idle failed to produce, and for how long. The text covers running tools
/// too, because it is not known here whether one was running.
fn idle_text(step: ReportedStep<'_>) -> String {
    let Limit::At(limit) = step.plan.limits.idle_timeout.value else {
        return StopReasonEntry::of(StopReason::Idle).sentence.to_owned();
    };
    if step.plan.agent.kind.direct().is_some() {
        format!("no progress for {limit}: no text, tool result or usage (--idle-timeout)")
    } else {
        format!("no output for {limit} (--idle-timeout)")
    }
}

/// Protected files that an iteration newly changed without being refused for it.
pub(super) fn protected_files(step: ReportedStep<'_>, unit: UnitId) -> Option<String> {
    let paths = visible(&step.newly_changed()?.names_text());
    Some(format!("{} changed protected files: {paths}", label(step, unit)))
}

/// The results of the checks before the first iteration.
pub(super) fn calibrated(reports: &[CheckReport]) -> String {
    let passed = reports.iter().filter(|report| report.passed()).count();
    let failed = text::count(reports.len() - passed, "check");
    format!("Before the first iteration: {failed} failed, {passed} passed")
}

/// The result of a check.
pub(super) fn check_finished(report: &CheckReport) -> String {
    let name = checks::name(&report.name);
    let why = visible(report.message.as_deref().unwrap_or(report.outcome.as_str()));
    // Messages about a script already contain its name.
    let why = if why.starts_with(&format!("`{name}`")) { why } else { format!("{name}: {why}") };
    match report.outcome {
        CheckOutcome::Passed => {
            format!("Check passed: {name} ({})", short_duration(report.duration))
        }
        CheckOutcome::Failed | CheckOutcome::TimedOut => format!("Check failed: {why}"),
        CheckOutcome::NotRun => format!("Check could not run: {why}"),
    }
}

/// The failure of a hook.
pub(super) fn hook_failed(point: HookPoint, why: &str, command: &str) -> String {
    format!("Hook {point} failed: {} ({command})", visible(why))
}

/// Why the next iteration waits, and how long.
pub(super) fn backing_off(step: ReportedStep<'_>, crashes: u32, delay: Duration) -> String {
    let (failed, delay) = (failed(crashes), short_duration(delay));
    format!("{} {failed}{}, waiting {delay}", step.name(), last_end(step))
}

/// What the next iteration waits for, and until when; `now` is the time of that decision.
pub(super) fn waiting(
    step: ReportedStep<'_>,
    why: WaitCause,
    until: Timestamp,
    run: &RunHistory,
) -> String {
    let now = run.updated;
    let (name, left) = (step.name(), whole_seconds(until.saturating_since(now)));
    let long_wait = |cause: &str| {
        let until = minute_in_zone(until);
        let after = "Ctrl-C stops; resume continues the wait";
        format!("{cause}: waiting until {until} ({left}); {after}")
    };
    match why {
        WaitCause::UsageLimit => {
            let is_usable = run.state.has_usable_fallback(step.number);
            let both = fallback::both_titles(step.plan).filter(|_| is_usable);
            let both = both.map(|both| format!("{name} is not started: limits of {both} hold"));
            let only = || format!("{name} has reached its provider's usage limit");
            long_wait(&both.unwrap_or_else(only))
        }
        WaitCause::Quota => {
            let exceeded = run.state.exceeded_quota(step.number, now);
            let unknown = || "its account is fuller than --quota allows".to_owned();
            let why = exceeded.map_or_else(unknown, |exceeded| exceeded.to_string());
            long_wait(&format!("{name} is not started, because {why}"))
        }
        WaitCause::Overloaded => {
            let unknown = AgentOutcome::of(OutcomeClass::Overloaded);
            let last = step.last_report().and_then(|last| last.stream_summary.as_ref());
            let why = last.map_or(&unknown, |stream_summary| &stream_summary.outcome);
            let not_served =
                visible(&explain::provider_failure_text(&format!("{name}'s provider"), why));
            format!("{not_served}: trying again in {left}")
        }
    }
}

fn last_end(step: ReportedStep<'_>) -> String {
    let end = step.last_report().and_then(|last| last.end.as_ref());
    end.map_or_else(String::new, |end| format!(" ({})", reason::agent_end(end)))
}

/// The last line of a step.
pub(super) fn step_finished(step: ReportedStep<'_>, end: &StepEnd) -> String {
    let iterations = reason::count(step.iterations_in_round(), "iteration");
    let name = step.name_in_sentence();
    match (step.max_iterations(), end) {
        (_, StepEnd::NotNeeded) => format!("Not needed: {name}"),
        (_, StepEnd::CannotCheck(why)) if !step.facts().has_begun => {
            format!("Not started: {name}: {}", visible(why))
        }
        (None, StepEnd::Complete(CompletionSignal::Tasks)) => {
            format!("Done: {}: {}", step.name(), tasks_done(step))
        }
        (None, StepEnd::Complete(_)) => format!("Done: {}{}", step.name(), last_end(step)),
        (None, StepEnd::Cancelled) => format!("Interrupted: {name}"),
        (None, StepEnd::Skipped) => format!("Skipped: {name}"),
        (Some(_), StepEnd::Skipped) => format!("Skipped after {iterations}"),
        (None, StepEnd::NotAccepted) => format!("{}: {name}", failed_word(step)),
        (None, StepEnd::Refused(why)) => {
            let why = reason::refusal(*why, step.last_report());
            format!("{}: {name}: {why}", failed_word(step))
        }
        (None, end) => {
            let why =
                reason::entry(end, &step.facts()).cause.unwrap_or_else(|| end.as_str().to_owned());
            format!("{}: {name} ({why})", failed_word(step))
        }
        (Some(_), StepEnd::Complete(CompletionSignal::Tasks)) => {
            format!("Complete after {iterations}: {}", tasks_done(step))
        }
        (Some(_), StepEnd::Complete(_)) => format!("Complete after {iterations}"),
        (Some(_), end) => {
            let why = reason::entry(end, &step.facts())
                .cause
                .map_or_else(String::new, |cause| format!(": {cause}"));
            format!("Incomplete after {iterations}{why} ({})", end.as_str())
        }
    }
}

/// What became of the work of an agent that runs once, and is not complete.
fn failed_word(step: ReportedStep<'_>) -> &'static str {
    if step.is_not_accepted() { "Not accepted" } else { "Failed" }
}

fn tasks_done(step: ReportedStep<'_>) -> String {
    step.task().map_or_else(|| "every task is done".to_owned(), |id| format!("{id} is done"))
}

/// Who cancelled the run, possibly for the second time, and the effect on the process at work.
pub(super) fn cancelled(by: CancelCause, at_work: Option<CurrentWorker>, again: bool) -> String {
    let why = reason::cancel(by);
    let at_work = at_work.map(|worker| match worker {
        CurrentWorker::Agent => ("agents", "them"),
        CurrentWorker::Check => ("the check", "it"),
        CurrentWorker::Setup => ("the setup of the clean room", "it"),
        CurrentWorker::Hook => ("the hook", "it"),
    });
    if by.is_stop_request() {
        return steering::stopped(by, at_work, again);
    }
    let Some((what, them)) = at_work else { return format!("Interrupted ({why})") };
    match by {
        _ if again => format!("Interrupted again ({why}): killing {what}"),
        CancelCause::Interrupt | CancelCause::Terminate | CancelCause::Hangup => {
            format!("Interrupted ({why}): ending {what}; a second signal kills {them} at once")
        }
        CancelCause::Stop
        | CancelCause::StopNow
        | CancelCause::OutputClosed
        | CancelCause::GuardLost => {
            format!("Interrupted ({why}): ending {what}")
        }
    }
}
