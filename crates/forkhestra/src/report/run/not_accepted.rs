//! What a person can do about work that is not accepted, or that does not go on.

use forkhestra_core::built_in;
use forkhestra_core::event::{Paths, Refusal, StepEnd, Verdict};
use forkhestra_core::policy::is_no_such_task;
use typeset::text::visible;

use super::remedy::{Failure, NEW_RUN, Remedy};
use crate::report::{checks, kept};

/// What to do about a step that ended like this, if it is one of those.
pub(super) fn remedy(failure: &Failure<'_>) -> Option<Remedy> {
    let last = failure.last.map(|last| &last.verdict);
    match (failure.end, last) {
        (StepEnd::Refused(why), _) => Some(once(*why, failure)),
        (
            StepEnd::MaxIterations | StepEnd::Stagnated(_) | StepEnd::Cycling(_),
            Some(Verdict::Refused(why)),
        ) if in_the_way(*why) => Some(of_refusal(*why, failure)),
        (StepEnd::Stagnated(tries), _) => Some(Remedy::resume(format!(
            "the agent is stuck: see `forkhestra logs`, add guidance with {}, \
             then resume ({tries} more iterations)",
            tell(failure)
        ))),
        (StepEnd::Cycling(_), _) => Some(Remedy::resume(cycling(failure))),
        (StepEnd::CannotCheck(_), _) => Some(Remedy::resume(
            "see to that, then resume: the checks run again, and the agent does not",
        )),
        (StepEnd::TasksBlocked(why), _) if is_no_such_task(why) => {
            Some(Remedy::new_run("name a task that exists (`forge-tasks list` shows them)"))
        }
        (StepEnd::TasksBlocked(_), _) => Some(Remedy::resume(
            "see what they wait for (`forge-tasks view ID`), and free them \
             (`forge-tasks edit ID --status \"To Do\"`), then resume; \
             a new run takes the tasks as they are",
        )),
        (StepEnd::NoTasks, _) if has_planned(failure) => Some(Remedy::resume(
            "read why the planner made no tasks (`forkhestra logs`), or create them \
             (`forge-tasks create TITLE`), then resume",
        )),
        (StepEnd::NoTasks, _) => Some(Remedy::resume(
            "plan first (`forkhestra --chain plan`, or `forge-tasks create TITLE`), then resume",
        )),
        (StepEnd::HookFailed(command), _) => Some(Remedy::resume(format!(
            "correct the hook `{}`, then resume; or do not let it end the run \
             (`\"onError\": \"continue\"` in the config), and {NEW_RUN}",
            checks::short(command)
        ))),
        _ => None,
    }
}

/// Whether an earlier step of the run was there to make tasks.
fn has_planned(failure: &Failure<'_>) -> bool {
    let steps = &failure.plan.steps;
    let earlier = steps.iter().take(failure.step.saturating_sub(1));
    earlier.into_iter().any(|step| built_in::is_planner(&step.agent.name))
}

/// Whether the next agent meets the same refusal, unless somebody does something first.
const fn in_the_way(why: Refusal) -> bool {
    matches!(why, Refusal::ProtectedFiles | Refusal::UncommittedWork)
}

/// An agent that runs once is started again by a resume.
fn once(why: Refusal, failure: &Failure<'_>) -> Remedy {
    match why {
        Refusal::ProtectedFiles | Refusal::UncommittedWork => of_refusal(why, failure),
        Refusal::ChecksFailed => Remedy::resume(
            "do what the check asks for, or correct the check, then resume; the agent runs again",
        ),
        Refusal::NoWork => Remedy::resume(format!(
            "add guidance with {}, then resume; the agent runs again",
            tell(failure)
        )),
    }
}

fn of_refusal(why: Refusal, failure: &Failure<'_>) -> Remedy {
    let sight = failure.last.map(|last| &last.sight);
    match why {
        Refusal::ProtectedFiles => {
            let paths = sight.and_then(|sight| sight.protected.as_ref());
            Remedy::resume(format!(
                "put the protected files back{}, then resume; or allow changes \
                 (`\"onProtectedChange\": \"allow\"` in the config), and {NEW_RUN}",
                command(failure, paths)
            ))
        }
        Refusal::UncommittedWork => {
            let paths = sight.and_then(|sight| sight.uncommitted.as_ref());
            let paths = paths.map(|paths| format!(" ({})", visible(&paths.in_words())));
            let paths = paths.unwrap_or_default();
            Remedy::resume(format!("commit or remove what is not committed{paths}, then resume"))
        }
        Refusal::ChecksFailed | Refusal::NoWork => once(why, failure),
    }
}

/// How files come back, if the work tree before the step is kept. Git does not bring back what was
/// not there, and refuses to do anything if it is asked for that by name.
fn command(failure: &Failure<'_>, paths: Option<&Paths>) -> String {
    let before = failure.before.and_then(|before| before.snapshot.as_ref());
    let (Some(run), Some(before)) = (failure.run, before) else { return String::new() };
    let listed = match paths {
        Some(Paths { listed, more: 0 }) => listed.as_slice(),
        _ => &[],
    };
    format!(
        " (`{}`; remove those that are new, and leave them out)",
        kept::restore(run, before, listed)
    )
}

/// The command that leaves a message for the agent of the resumed run.
fn tell(failure: &Failure<'_>) -> String {
    match failure.run {
        Some(run) => format!("`forkhestra tell {run} \"…\"`"),
        None => "`forkhestra tell \"…\"`".to_owned(),
    }
}

fn cycling(failure: &Failure<'_>) -> String {
    let last = failure.last.and_then(|last| last.sight.snapshot.as_ref());
    let undone = last.filter(|last| last.number > 0).zip(failure.run).map(|(last, run)| {
        let before = kept::reference(run, last.number - 1);
        format!(" (`git diff {before} {}`)", kept::reference(run, last.number))
    });
    format!(
        "see what it undoes{}, say what to keep with {}, then resume",
        undone.unwrap_or_default(),
        tell(failure)
    )
}
