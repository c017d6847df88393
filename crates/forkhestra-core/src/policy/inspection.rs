//! The decision table for checks: which are due, and what they make of an iteration.

use crate::config::{CheckWhen, OnProtectedChange};
use crate::event::{
    AuxJobResult, CheckOutcome, CheckReport, ClaimRefusal, CompletionSignal, IterationReport,
    Observation, ProcessEnd, StopReason, Verdict,
};
use crate::plan::{PlanCheck, PlanStep};

/// Whether an objection other than a check can refute a completion claim of a step.
pub fn is_guarded(step: &PlanStep) -> bool {
    has_protection(step) || step.clean_room.is_some()
}

/// Whether an observation is missing that could refute a completion claim of a step.
pub fn is_unobserved(step: &PlanStep, observation: &Observation) -> bool {
    (has_protection(step) && observation.protected.is_none())
        || (step.clean_room.is_some() && observation.uncommitted.is_none())
        || (step.require_work && observation.tree.is_none())
}

fn has_protection(step: &PlanStep) -> bool {
    let protect = step.protect.as_ref();
    protect.is_some_and(|protect| protect.value.on_change == OnProtectedChange::Refuse)
}

/// The objection to a completion claim, independent of checks. The claim is refused as well if it is
/// unknown whether protected files were changed, or what is committed. What is not committed is only
/// observed where only commits count: with a clean room, and in a lane.
pub fn objection(step: &PlanStep, observation: &Observation) -> Option<ClaimRefusal> {
    let changed = observation.protected.as_ref().is_none_or(|paths| !paths.is_empty());
    let uncommitted = observation.uncommitted.as_ref().is_some_and(|paths| !paths.is_empty());
    if changed && has_protection(step) {
        Some(ClaimRefusal::ProtectedFiles)
    } else if uncommitted {
        Some(ClaimRefusal::UncommittedWork)
    } else if step.clean_room.is_some() && observation.uncommitted.is_none() {
        Some(ClaimRefusal::NotVerified)
    } else {
        None
    }
}

/// Whether the repository could be compared before, and cannot be now. Without it a work tree is
/// compared in another way, so that a difference proves no work.
pub fn is_incomparable(before: &Observation, now: &Observation) -> bool {
    before.signals.is_some() && now.signals.is_none()
}

/// Whether a check is due after an iteration with this verdict.
pub fn is_due(check: &PlanCheck, verdict: &Verdict, objection: Option<ClaimRefusal>) -> bool {
    match verdict {
        // The agent did not finish, so there is no work to check.
        Verdict::Interrupted | Verdict::Postponed | Verdict::Blocked => false,
        // This ends the step, whatever the checks result in.
        Verdict::AgentStopped(
            StopReason::RunTime
            | StopReason::StepTime
            | StopReason::GroupTime
            | StopReason::RunCost
            | StopReason::StepCost
            | StopReason::GroupCost
            | StopReason::CostUnknown
            | StopReason::NotPicked
            | StopReason::Skipped,
        ) => false,
        Verdict::Complete(_) if objection.is_none() => true,
        _ => check.when == CheckWhen::Always,
    }
}

/// The final verdict on an iteration. A failing check refuses a completion claim; without a claim,
/// where only the exit code triggered the checks, more work is left.
pub fn final_verdict(
    report: &IterationReport,
    objection: Option<ClaimRefusal>,
    checks: &[CheckReport],
    loops: bool,
) -> Verdict {
    let Verdict::Complete(by) = &report.verdict else { return report.verdict.clone() };
    let is_green = checks.iter().all(CheckReport::passed);
    match objection {
        Some(why) => Verdict::Refused(why),
        None if is_green => report.verdict.clone(),
        None if loops && *by == CompletionSignal::ExitCode => Verdict::Incomplete,
        None => Verdict::Refused(ClaimRefusal::ChecksFailed),
    }
}

/// The outcome of a check, and the reason if it did not pass. It passes only if nothing contradicts
/// that.
pub fn outcome(
    answer: &AuxJobResult,
    end: Option<&ProcessEnd>,
    stop_reason: Option<StopReason>,
) -> (CheckOutcome, Option<String>) {
    let message_or = |otherwise: String| {
        Some(match (answer.passed, &answer.message) {
            // The check's own success message would contradict its failure.
            (Some(true), _) => format!("{otherwise}, though it says that it passed"),
            (_, Some(message)) => message.clone(),
            (_, None) => otherwise,
        })
    };
    match (stop_reason, end, answer.passed) {
        (Some(StopReason::Timeout), ..) => {
            (CheckOutcome::TimedOut, message_or("took too long".to_owned()))
        }
        (Some(why), ..) => (CheckOutcome::NotRun, Some(format!("was ended: {}", why.as_str()))),
        (None, Some(ProcessEnd::NotStarted { reason, .. }), _) => {
            (CheckOutcome::NotRun, Some(reason.clone()))
        }
        (None, Some(ProcessEnd::Exited(0)), None | Some(true)) | (None, None, Some(true)) => {
            (CheckOutcome::Passed, answer.message.clone())
        }
        (None, Some(ProcessEnd::Exited(0)) | None, Some(false)) => {
            (CheckOutcome::Failed, message_or("says that it did not pass".to_owned()))
        }
        (None, Some(end), _) => (CheckOutcome::Failed, message_or(end.to_string())),
        (None, None, None) => (CheckOutcome::NotRun, message_or("gave no answer".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::check::CheckSpec;
    use crate::dsl::Dsl;
    use crate::event::{OutputSummary, PathList};
    use crate::limit::{HumanDuration, Limit};
    use crate::plan::{
        self, CleanRoom, FileState, PlanRequest, ProgramLocation, Protection, RunTarget, Sourced,
    };

    struct EmptyHost;

    impl plan::HostEnvironment for EmptyHost {
        fn locate(&self, program: &str) -> ProgramLocation {
            ProgramLocation::Found(program.to_owned())
        }

        fn file(&self, _: &str) -> FileState {
            FileState::Readable
        }

        fn prompt_file(&self, _: &str) -> FileState {
            FileState::Readable
        }

        fn task_database(&self) -> Option<String> {
            None
        }
    }

    fn step(protect: Option<OnProtectedChange>, has_room: bool) -> PlanStep {
        let request =
            PlanRequest::new(RunTarget::Dsl(Dsl::parse("a:2").expect("it is one")), "/work");
        let layers = crate::config::ConfigLayers::default();
        let built = plan::build(&request, &layers, &EmptyHost).expect("it is a plan");
        let mut step = built.plan.steps[0].clone();
        let patterns = vec!["tests/**".to_owned()];
        step.protect =
            protect.map(|on_change| Sourced::default(Protection { patterns, on_change }));
        let room = CleanRoom { setup: None, timeout: Limit::Off, keep: Vec::new() };
        step.clean_room = has_room.then(|| Sourced::default(room));
        step
    }

    fn check(when: CheckWhen) -> PlanCheck {
        let timeout = Limit::At(HumanDuration::from_secs(1));
        let check = CheckSpec::ExitCode;
        PlanCheck { check, name: None, when, timeout, must_fail_first: false, runner: None }
    }

    #[test]
    fn objections_to_a_claim() {
        use ClaimRefusal::{NotVerified, ProtectedFiles, UncommittedWork};
        use OnProtectedChange::{Allow, Refuse};
        let paths = |is_some: bool| Some(PathList::of(is_some.then(|| "a".to_owned())));
        let (none, some, unseen) = (paths(false), paths(true), None);
        // Columns: the rules, the protected files, the uncommitted files; the objection, and
        // whether it is observed.
        let table = [
            (None, false, &unseen, &unseen, None, true),
            (None, false, &some, &some, Some(UncommittedWork), true),
            (Some(Allow), false, &some, &unseen, None, true),
            (Some(Allow), false, &unseen, &unseen, None, true),
            (Some(Refuse), false, &none, &unseen, None, true),
            (Some(Refuse), false, &none, &some, Some(UncommittedWork), true),
            (Some(Refuse), false, &some, &unseen, Some(ProtectedFiles), true),
            (Some(Refuse), false, &unseen, &unseen, Some(ProtectedFiles), false),
            (None, true, &unseen, &none, None, true),
            (None, true, &some, &none, None, true),
            (None, true, &unseen, &some, Some(UncommittedWork), true),
            (None, true, &unseen, &unseen, Some(NotVerified), false),
            (Some(Refuse), true, &some, &some, Some(ProtectedFiles), true),
            (Some(Refuse), true, &none, &some, Some(UncommittedWork), true),
            (Some(Allow), true, &some, &some, Some(UncommittedWork), true),
        ];
        for (protect, has_room, protected, uncommitted, expected, is_seen) in table {
            let step = step(protect, has_room);
            let observation = Observation {
                protected: protected.clone(),
                uncommitted: uncommitted.clone(),
                ..Observation::default()
            };
            let what = format!("{protect:?} {has_room} {protected:?} {uncommitted:?}");
            assert_eq!(objection(&step, &observation), expected, "{what}");
            assert_eq!(is_unobserved(&step, &observation), !is_seen, "{what}");
            assert_eq!(is_guarded(&step), protect == Some(Refuse) || has_room, "{what}");
        }
    }

    fn verdicts() -> Vec<Verdict> {
        let endings = [
            StopReason::Lingering,
            StopReason::Idle,
            StopReason::Futile,
            StopReason::Timeout,
            StopReason::StepTime,
            StopReason::GroupTime,
            StopReason::RunTime,
            StopReason::StepCost,
            StopReason::GroupCost,
            StopReason::RunCost,
            StopReason::CostUnknown,
        ];
        let mut all = vec![
            Verdict::Complete(CompletionSignal::File),
            Verdict::Complete(CompletionSignal::ExitCode),
            Verdict::Incomplete,
            Verdict::Crashed,
            Verdict::Refused(ClaimRefusal::NoWork),
            Verdict::Postponed,
            Verdict::Blocked,
            Verdict::Interrupted,
        ];
        all.extend(endings.map(Verdict::AgentStopped));
        all
    }

    #[test]
    fn which_checks_are_due() {
        for verdict in verdicts() {
            for objection in [None, Some(ClaimRefusal::ProtectedFiles)] {
                let asked = matches!(verdict, Verdict::Complete(_)) && objection.is_none();
                let ends_anyway =
                    matches!(&verdict, Verdict::AgentStopped(why) if *why >= StopReason::StepTime);
                let ran = !matches!(
                    verdict,
                    Verdict::Postponed | Verdict::Blocked | Verdict::Interrupted
                );
                let due = |when| is_due(&check(when), &verdict, objection);
                assert_eq!(due(CheckWhen::Completion), asked, "{verdict:?} {objection:?}");
                let always = ran && !ends_anyway;
                assert_eq!(due(CheckWhen::Always), always, "{verdict:?} {objection:?}");
            }
        }
    }

    fn result(outcome: CheckOutcome) -> CheckReport {
        let name = "check".to_owned();
        CheckReport { name, outcome, message: None, tail: None, duration: Duration::ZERO }
    }

    fn report(verdict: Verdict) -> IterationReport {
        IterationReport {
            closing_text: None,
            verdict,
            end: None,
            duration: Duration::ZERO,
            observation: Observation::default(),
            output: OutputSummary::default(),
            stream_summary: None,
            spend: None,
            checks: Vec::new(),
        }
    }

    #[test]
    fn the_verdict_of_an_iteration() {
        let green = [result(CheckOutcome::Passed), result(CheckOutcome::Passed)];
        let refused = |why| Verdict::Refused(why);
        for verdict in verdicts() {
            let report = report(verdict.clone());
            for not_passed in [CheckOutcome::Failed, CheckOutcome::TimedOut, CheckOutcome::NotRun] {
                let red = [result(CheckOutcome::Passed), result(not_passed)];
                for (loops, objection) in [
                    (true, None),
                    (false, None),
                    (true, Some(ClaimRefusal::UncommittedWork)),
                    (false, Some(ClaimRefusal::ProtectedFiles)),
                ] {
                    let of =
                        |checks: &[CheckReport]| final_verdict(&report, objection, checks, loops);
                    let found = (of(&[]), of(&green), of(&red));
                    let same = (verdict.clone(), verdict.clone());
                    let expected = match (&verdict, objection) {
                        (Verdict::Complete(_), Some(why)) => {
                            (refused(why), refused(why), refused(why))
                        }
                        (Verdict::Complete(CompletionSignal::ExitCode), None) if loops => {
                            (same.0, same.1, Verdict::Incomplete)
                        }
                        (Verdict::Complete(_), None) => {
                            (same.0, same.1, refused(ClaimRefusal::ChecksFailed))
                        }
                        _ => (same.0, same.1, verdict.clone()),
                    };
                    assert_eq!(found, expected, "{verdict:?} {objection:?} {loops}");
                }
            }
        }
    }

    #[test]
    fn the_outcome_of_a_check() {
        use CheckOutcome::{Failed, NotRun, Passed, TimedOut};
        let (zero, one, killed) =
            (ProcessEnd::Exited(0), ProcessEnd::Exited(1), ProcessEnd::Signaled(9));
        let never = ProcessEnd::NotStarted { reason: "gone".to_owned(), transient: false };
        let timeout = Some(StopReason::Timeout);
        let no = "says that it did not pass";
        let but = |why: &str| format!("{why}, though it says that it passed");
        let (one_but, killed_but) = (but("exit 1"), but("killed by signal 9"));
        let late_but = but("took too long");
        // Without a message of its own.
        let table = [
            (None, Some(&zero), None, Passed, None),
            (None, Some(&zero), Some(true), Passed, None),
            (None, Some(&zero), Some(false), Failed, Some(no)),
            (None, Some(&one), None, Failed, Some("exit 1")),
            (None, Some(&one), Some(true), Failed, Some(one_but.as_str())),
            (None, Some(&one), Some(false), Failed, Some("exit 1")),
            (None, Some(&killed), Some(true), Failed, Some(killed_but.as_str())),
            (None, Some(&never), None, NotRun, Some("gone")),
            (None, Some(&never), Some(true), NotRun, Some("gone")),
            (None, None, Some(true), Passed, None),
            (None, None, Some(false), Failed, Some(no)),
            (None, None, None, NotRun, Some("gave no answer")),
            (timeout, Some(&zero), Some(true), TimedOut, Some(late_but.as_str())),
            (timeout, None, None, TimedOut, Some("took too long")),
            (
                Some(StopReason::Cancelled),
                Some(&zero),
                Some(true),
                NotRun,
                Some("was ended: cancelled"),
            ),
            (Some(StopReason::RunTime), None, None, NotRun, Some("was ended: run_time")),
        ];
        for (stop_reason, end, passed, expected, message) in table {
            let answer = AuxJobResult { passed, message: None, tail: None };
            let found = outcome(&answer, end, stop_reason);
            assert_eq!(
                found,
                (expected, message.map(str::to_owned)),
                "{stop_reason:?} {end:?} {passed:?}"
            );
            // Its own message replaces the default one, where it can know the reason.
            let answer = AuxJobResult { message: Some("mine".to_owned()), ..answer };
            let (same, check_message) = outcome(&answer, end, stop_reason);
            let knows = !matches!(end, Some(ProcessEnd::NotStarted { .. }));
            let is_wrong = passed == Some(true) && expected != Passed;
            let is_ours =
                is_wrong || !knows || stop_reason.is_some_and(|why| why != StopReason::Timeout);
            assert_eq!((same, check_message.as_deref() == Some("mine")), (expected, !is_ours));
        }
    }
}
