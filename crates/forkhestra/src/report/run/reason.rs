//! Why things ended, in words. The one word that programs look for is the core's.

use forkhestra_core::event::{
    AgentEnd, Cancel, Ending, IterationReport, Outcome, OutcomeClass, Paths, Refusal, Sighting,
    Signals, StepEnd, Verdict,
};
use forkhestra_core::history::History;
use forkhestra_core::limit::{Limit, Time};
use forkhestra_core::machine::RunState;
use forkhestra_core::words;
use typeset::text::visible;

use super::patience;
use crate::report::checks;

/// What ended a step whose tasks are not all done.
const NOTHING_TO_TAKE: &str = "no task can be claimed";

/// What is known of a step beside how it ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'a> {
    /// How many iterations are over.
    pub(crate) iterations: u32,
    /// How long its agent might wait for its provider.
    pub(crate) max_wait: Limit<Time>,
    /// What came of the last iteration.
    pub(crate) last: Option<&'a IterationReport>,
}

impl<'a> Known<'a> {
    /// What is known of a step, from one, of a run of the past.
    pub(crate) fn of(history: &'a History, step: usize) -> Self {
        Self::of_state(&history.state, step)
    }

    /// The same of a run that may go on.
    pub(crate) fn of_state(run: &'a RunState, step: usize) -> Self {
        let index = step.checked_sub(1);
        let state = index.and_then(|index| run.steps.get(index));
        let plan = index.and_then(|index| run.plan.steps.get(index));
        Self {
            iterations: state.map_or(0, |state| state.finished),
            max_wait: plan.map_or(Limit::Off, |plan| plan.limits.max_wait.value),
            last: state.and_then(|state| state.last.as_ref()),
        }
    }
}

/// Why forkhestra stopped an agent, after `stopped by forkhestra: `.
pub(crate) const fn ending(why: Ending) -> &'static str {
    match why {
        Ending::Lingering => "it claimed completion, but did not exit",
        Ending::Idle => "no progress for too long (--idle-timeout)",
        Ending::Futile => "nothing more will come of it",
        Ending::Timeout => "the iteration took too long (--timeout)",
        Ending::StepTime => "the time of the step is used up",
        Ending::RunTime => "the time of the run is used up (--max-time)",
        Ending::StepCost => "the cost limit of the step is reached (--step-cost)",
        Ending::RunCost => "the cost limit is reached (--max-cost)",
        Ending::CostUnknown => "its cost is unknown, and there is a limit",
        Ending::Skipped => "its step is skipped",
        Ending::Cancelled => "the run was interrupted",
    }
}

/// The same where there is little room.
pub(crate) const fn ending_in_brief(why: Ending) -> &'static str {
    match why {
        Ending::Lingering => "complete, but did not exit",
        Ending::Idle => "no progress for too long",
        Ending::Futile => "nothing more will come of it",
        Ending::Timeout => "took too long",
        Ending::StepTime => "the time of the step is used up",
        Ending::RunTime => "the time of the run is used up",
        Ending::StepCost => "the cost limit of the step is reached",
        Ending::RunCost => "the cost limit is reached",
        Ending::CostUnknown => "its cost is unknown, and there is a limit",
        Ending::Skipped => "skipped",
        Ending::Cancelled => "interrupted",
    }
}

/// Who or what cancelled a run.
pub(crate) const fn cancel(by: Cancel) -> &'static str {
    match by {
        Cancel::Stop => "`forkhestra stop`",
        Cancel::StopNow => "`forkhestra stop --now`",
        Cancel::OutputClosed => "the output is closed",
        Cancel::Hangup => "SIGHUP",
        Cancel::Interrupt => "SIGINT",
        Cancel::Terminate => "SIGTERM",
        Cancel::GuardLost => "the process that watches over the run was killed",
    }
}

/// How an agent's process ended.
pub(crate) fn agent_end(end: &AgentEnd) -> String {
    visible(&end.to_string())
}

/// How a step ended that did not complete, for a verdict.
pub(crate) fn step_end(end: &StepEnd, known: Known<'_>) -> String {
    match end {
        StepEnd::MaxIterations => {
            format!("not complete after {}", count(known.iterations, "iteration"))
        }
        StepEnd::Failed(AgentEnd::NotStarted { reason, .. }) => {
            format!("could not be started: {}", visible(reason))
        }
        StepEnd::Failed(end) => format!("failed ({})", agent_end(end)),
        end => cause(end, known).unwrap_or_else(|| end.word().to_owned()),
    }
}

/// The same without what was said in full when the step ended.
pub(crate) fn step_end_in_brief(end: &StepEnd, known: Known<'_>) -> String {
    match end {
        StepEnd::Blocked(why) => {
            let silent = Outcome { message: None, ..why.clone() };
            let patience = patience::is_over(&silent, known.max_wait);
            patience.unwrap_or_else(|| outcome_in_brief(why).to_owned())
        }
        StepEnd::Stagnated(_) => step_end(end, Known { last: None, ..known }),
        StepEnd::TasksBlocked(_) => NOTHING_TO_TAKE.to_owned(),
        end => step_end(end, known),
    }
}

/// What the reason's one word does not say by itself.
pub(crate) fn cause(end: &StepEnd, known: Known<'_>) -> Option<String> {
    Some(match end {
        StepEnd::Complete(_) | StepEnd::MaxIterations | StepEnd::Skipped | StepEnd::Cancelled => {
            return None;
        }
        StepEnd::Failed(end) => agent_end(end),
        StepEnd::Stagnated(iterations) => {
            let flat = known.last.and_then(|last| last.sight.signals.as_ref()).map(in_words);
            let flat = flat.map(|flat| format!(": {flat}")).unwrap_or_default();
            format!("nothing has changed for {}{flat}", count(*iterations, "iteration"))
        }
        StepEnd::Cycling(1) => "the work tree is again what it had been before".to_owned(),
        StepEnd::Cycling(iterations) => {
            let iterations = count(*iterations, "iteration");
            format!("for {iterations} the work tree only became what it had been before")
        }
        StepEnd::Ended(why) => format!("stopped by forkhestra: {}", ending_in_brief(*why)),
        StepEnd::StepTime => ending_in_brief(Ending::StepTime).to_owned(),
        StepEnd::RunTime => ending_in_brief(Ending::RunTime).to_owned(),
        StepEnd::StepCost => ending_in_brief(Ending::StepCost).to_owned(),
        StepEnd::RunCost => ending_in_brief(Ending::RunCost).to_owned(),
        StepEnd::CostUnknown => ending_in_brief(Ending::CostUnknown).to_owned(),
        StepEnd::Blocked(why) => {
            patience::is_over(why, known.max_wait).unwrap_or_else(|| outcome(why))
        }
        StepEnd::Refused(why) => refusal(*why, known.last),
        StepEnd::HookFailed(command) => format!("the hook `{}` failed", visible(command)),
        StepEnd::CannotCheck(why) => {
            format!("what the agent made cannot be checked: {}", visible(why))
        }
        StepEnd::TasksBlocked(why) => format!("{NOTHING_TO_TAKE}: {}", visible(why)),
        StepEnd::NoTasks => "there are no tasks".to_owned(),
    })
}

/// How an agent's own stream says that it went, in our words and in its own.
pub(crate) fn outcome(outcome: &Outcome) -> String {
    let what = outcome_in_brief(outcome);
    match &outcome.message {
        Some(message) => format!("{what}: {}", visible(message)),
        None => what.to_owned(),
    }
}

/// The same in our words only.
fn outcome_in_brief(outcome: &Outcome) -> &'static str {
    match outcome.class {
        OutcomeClass::Finished => "it came to its end",
        OutcomeClass::TurnLimit => "its turns are used up",
        OutcomeClass::Budget => "what it may spend is spent",
        OutcomeClass::UsageLimit => "its provider's usage limit is reached",
        OutcomeClass::Overloaded => "its provider does not serve it",
        OutcomeClass::Authentication => "authentication failed",
        OutcomeClass::Billing if is_wrong_account(outcome) => "the wrong account would pay",
        OutcomeClass::Billing => "it cannot be paid for like this",
        OutcomeClass::ContextTooLong => "what it has to read is too long for its model",
        OutcomeClass::Refused => "its model does not want to answer",
        OutcomeClass::Misconfigured => "the agent refused to start",
        OutcomeClass::Interrupted => "it was interrupted from outside",
        OutcomeClass::Crashed => "it failed",
    }
}

/// Why an agent stopped before it came to the end of its work, if that is what it did. `max_turns` is
/// how many turns it may take, if anybody said so.
pub(crate) fn stopped(report: &IterationReport, max_turns: Option<u32>) -> Option<String> {
    let told = &report.heard.as_ref()?.outcome;
    Some(match told.class {
        OutcomeClass::Finished => return None,
        OutcomeClass::TurnLimit => {
            let turns = max_turns.map(|turns| format!(" (maxTurns {turns})")).unwrap_or_default();
            format!("its turns are used up{turns}")
        }
        OutcomeClass::Budget => "what it may spend is spent".to_owned(),
        OutcomeClass::ContextTooLong => "its context is full".to_owned(),
        _ => outcome(told),
    })
}

/// Whether an agent would be paid for in a way that its config does not want.
pub(crate) fn is_wrong_account(outcome: &Outcome) -> bool {
    let said = outcome.message.as_deref().unwrap_or_default();
    outcome.class == OutcomeClass::Billing && said.ends_with(" is wanted")
}

/// Why a completion claim was refused. What is known of its iteration says more.
pub(crate) fn refusal(why: Refusal, report: Option<&IterationReport>) -> String {
    let listed = |paths: Option<&Paths>| {
        let some = paths.filter(|paths| !paths.is_empty());
        some.map(|paths| visible(&paths.in_words()))
    };
    let sight = report.map(|report| &report.sight);
    match why {
        Refusal::NoWork => "it used no tool and changed nothing".to_owned(),
        Refusal::ChecksFailed => {
            let failure = report.and_then(|report| checks::failure(&report.checks));
            failure.unwrap_or_else(|| "a check failed".to_owned())
        }
        Refusal::ProtectedFiles => match listed(sight.and_then(|sight| sight.protected.as_ref())) {
            Some(paths) => format!("it changed protected files: {paths}"),
            None => "it changed protected files".to_owned(),
        },
        Refusal::UncommittedWork => {
            let what = "not all of its work is committed";
            match listed(sight.and_then(|sight| sight.uncommitted.as_ref())) {
                Some(paths) => format!("{what}; commit first: {paths}"),
                None => what.to_owned(),
            }
        }
    }
}

/// The signs of life that there are: all of them were flat if nothing has changed.
fn in_words(signals: &Signals) -> String {
    let head = signals.head.as_ref().map(|_| "HEAD");
    let tasks = signals.tasks.as_ref().map(|_| "task files");
    let names: Vec<&str> = head.into_iter().chain(["index", "work tree"]).chain(tasks).collect();
    words::all_of(&names)
}

/// What was looked for in vain, or why it would not have counted, if the agent's stream is one that we
/// understand.
pub(crate) fn looked_for(report: &IterationReport) -> Option<String> {
    let heard = &report.heard.as_ref()?.outcome;
    match (&report.verdict, heard.class) {
        (Verdict::Incomplete, OutcomeClass::Finished) => Some("no completion marker".to_owned()),
        (Verdict::Complete(_), _) | (_, OutcomeClass::Finished) => None,
        _ => Some(outcome(heard)),
    }
}

/// Where a marker was seen.
pub(crate) fn sighting(sighting: &Sighting) -> String {
    let Sighting { marker, line, message, .. } = sighting;
    let message = message.map(|message| format!(" of message {message}")).unwrap_or_default();
    format!("marker `{}` in line {line}{message}", visible(marker))
}

/// A number of things.
pub(crate) fn count(number: u32, singular: &str) -> String {
    words::count(usize::try_from(number).unwrap_or(usize::MAX), singular)
}
