//! Alternatives that did not run.

use forkhestra_core::event::{
    CancelCause, CheckOutcome, CompletionSignal, EventKind, ForkOrigin, InheritedStep, ProcessEnd,
    RunEnd, StepEnd, WorkTreeSnapshot,
};
use forkhestra_core::history::{Liveness, RunHistory};
use forkhestra_core::id::RunId;

use crate::report::run::tests::support::aux_jobs::check;
use crate::report::run::tests::support::event_script::EventScript;
use crate::report::text::status;

/// What the summary and `show` call a step of a run that is over.
#[track_caller]
fn words(script: &EventScript, step: usize) -> String {
    let history = RunHistory::of(&script.recorded()).expect("it can have happened");
    let shown = status::of_step(&history, step, Liveness::Gone).0.to_owned();
    let report = script.report();
    let start = format!("  {step}  ");
    let row = report.lines().find_map(|line| line.strip_prefix(&start));
    let row = row.unwrap_or_else(|| panic!("no row: {report}"));
    let (_, cells) = row.split_once("  ").expect("it has cells");
    let word = cells.trim().split("  ").next().unwrap_or_default();
    assert_eq!(word, shown, "{report}");
    shown
}

/// After a resume it may run.
#[test]
fn an_alternative_that_may_still_run_is_not_reached() {
    let by = CancelCause::Terminate;
    let interrupted = EventScript::of("a else b -> c")
        .step(1)
        .interrupted(1, 1)
        .step_over(1, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(by));
    let before = EventScript::of("x -> (a else b) -> c").once(1, 3);
    let before =
        before.end(RunEnd::Incomplete { step: 1, end: StepEnd::Failed(ProcessEnd::Exited(3)) });
    let unclear = CheckOutcome::NotRun;
    let end = StepEnd::CannotCheck("file:y".to_owned());
    let unclear = EventScript::of("a else b -> c")
        .condition(1, false, check("file:y", unclear))
        .step_over(1, end.clone())
        .end(RunEnd::Incomplete { step: 1, end });
    for (script, step) in [(interrupted, 2), (before, 3), (unclear, 2)] {
        assert_eq!(words(&script, step), "not reached");
        assert_eq!(words(&script, step + 1), "not reached");
    }
}

#[test]
fn an_alternative_is_not_needed_if_what_it_would_replace_is_complete() {
    let complete = EventScript::of("a else b").once(1, 0).end(RunEnd::Complete);
    assert_eq!(words(&complete, 2), "not needed");
    let end = StepEnd::Failed(ProcessEnd::Exited(3));
    let later = EventScript::of("a else (b -> c) else d -> e").once(1, 0).once(5, 3);
    let later = later.end(RunEnd::Incomplete { step: 5, end });
    for step in [2, 3, 4] {
        assert_eq!(words(&later, step), "not needed");
    }
}

/// The alternative ran instead, so nothing was left for it to do.
#[test]
fn a_step_that_was_replaced_before_it_began_is_not_reached() {
    let script = EventScript::of("(a -> b) else c").once(1, 3).step_instead_of(3, 1);
    let script = script.last(3, 1).end(RunEnd::Complete);
    assert_eq!(words(&script, 2), "not reached");
}

/// In `show` and in JSON it is not incomplete either.
#[test]
fn an_inherited_step_that_was_not_needed_is_called_so() {
    let run = RunId::parse("abcdefgh").expect("it is an id");
    let snapshot = WorkTreeSnapshot { number: 1, commit: "c0ffee".to_owned() };
    let mut script = EventScript::of("a else b -> ? -> c");
    let EventKind::RunStarted { origin, inherited, .. } = &mut script.events[0].kind else {
        panic!("it starts");
    };
    *origin = Some(ForkOrigin { run, step: 1, iteration: 1, snapshot });
    let by = CompletionSignal::ExitCode;
    *inherited = vec![
        InheritedStep { step: 1, end: StepEnd::Complete(by) },
        InheritedStep { step: 2, end: StepEnd::NotNeeded },
        InheritedStep { step: 3, end: StepEnd::Complete(CompletionSignal::Approved) },
    ];
    let script = script.once(4, 0).end(RunEnd::Complete);
    assert_eq!(words(&script, 1), "complete");
    assert_eq!(words(&script, 2), "not needed");
    assert_eq!(words(&script, 3), "approved");
    let report = script.report();
    assert!(report.contains("\n  1  a  complete    in run abcdefgh\n"), "{report}");
    assert!(report.contains("\n  2  b  not needed\n"), "{report}");
}
