//! Why things ended, in words. The one word that programs look for is the core's.

use forkhestra_core::event::{AgentEnd, Cancel, Ending, StepEnd};
use forkhestra_core::words;
use typeset::text::visible;

/// Why we ended an agent, after `ended by us: `.
pub(crate) const fn ending(why: Ending) -> &'static str {
    match why {
        Ending::Lingering => "it said that it was done, but did not exit",
        Ending::Idle => "idle for too long (--idle-timeout)",
        Ending::Timeout => "the iteration took too long (--timeout)",
        Ending::StepTime => "the time of the step is used up",
        Ending::RunTime => "the time of the run is used up (--max-time)",
        Ending::Cancelled => "the run was interrupted",
    }
}

/// The same where there is little room.
pub(crate) const fn ending_in_brief(why: Ending) -> &'static str {
    match why {
        Ending::Lingering => "done, but still there",
        Ending::Idle => "idle for too long",
        Ending::Timeout => "took too long",
        Ending::StepTime => "the time of the step is used up",
        Ending::RunTime => "the time of the run is used up",
        Ending::Cancelled => "interrupted",
    }
}

/// Who or what cancelled a run.
pub(crate) const fn cancel(by: Cancel) -> &'static str {
    match by {
        Cancel::OutputClosed => "nobody can read the output any more",
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
pub(crate) fn step_end(end: &StepEnd, iterations: u32) -> String {
    match end {
        StepEnd::MaxIterations => format!("not done after {}", count(iterations, "iteration")),
        StepEnd::Failed(AgentEnd::NotStarted { reason, .. }) => {
            format!("could not be started: {}", visible(reason))
        }
        StepEnd::Failed(end) => format!("failed ({})", agent_end(end)),
        end => cause(end).unwrap_or_else(|| end.word().to_owned()),
    }
}

/// What the reason's one word does not say by itself.
pub(crate) fn cause(end: &StepEnd) -> Option<String> {
    Some(match end {
        StepEnd::Complete(_) | StepEnd::MaxIterations | StepEnd::Cancelled => return None,
        StepEnd::Failed(end) => agent_end(end),
        StepEnd::Stagnated(iterations) => {
            format!("nothing has changed for {}", count(*iterations, "iteration"))
        }
        StepEnd::Cycling(iterations) => {
            let iterations = count(*iterations, "iteration");
            format!("for {iterations} the work tree only became what it had been before")
        }
        StepEnd::Ended(why) => format!("ended by us: {}", ending_in_brief(*why)),
        StepEnd::StepTime => ending_in_brief(Ending::StepTime).to_owned(),
        StepEnd::RunTime => ending_in_brief(Ending::RunTime).to_owned(),
    })
}

/// A number of things.
pub(crate) fn count(number: u32, singular: &str) -> String {
    words::count(usize::try_from(number).unwrap_or(usize::MAX), singular)
}
