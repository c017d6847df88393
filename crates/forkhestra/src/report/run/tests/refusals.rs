//! Tests of refused or unproductive work: the reason and the remedy.

use forkhestra_core::event::{
    ClaimRefusal, Fingerprint, Observation, PathList, RunEnd, StepEnd, Verdict,
    WorkTreeFingerprints, WorkTreeSnapshot,
};
use insta::assert_snapshot;

use super::support::event_script::{EventScript, marker};
use crate::report::plan::dry_run::Verbosity;

fn paths(names: &[&str]) -> Option<PathList> {
    Some(PathList::of(names.iter().map(|&name| name.to_owned())))
}

fn protected(names: &[&str]) -> Observation {
    Observation { protected: paths(names), ..Observation::default() }
}

fn print(text: &str) -> Fingerprint {
    Fingerprint(text.to_owned())
}

fn signals(head: Option<&str>, tasks: Option<&str>) -> WorkTreeFingerprints {
    let head = head.map(str::to_owned);
    WorkTreeFingerprints {
        head,
        branch: None,
        index: print("i"),
        files: print("f"),
        tasks: tasks.map(print),
    }
}

fn kept(number: u32) -> Option<WorkTreeSnapshot> {
    Some(WorkTreeSnapshot { number, commit: "c0ffee".to_owned() })
}

/// A loop of two iterations with this result of the last one.
fn ended(
    before: Observation,
    verdict: Verdict,
    observation: Observation,
    end: StepEnd,
) -> EventScript {
    let started = forkhestra_core::event::EventKind::StepStarted {
        instead_of: None,
        step: 1,
        observation: before,
    };
    EventScript::of("builder:2")
        .then(started)
        .silent(1, 1)
        .iteration(1, 2)
        .weighed((1, 2), verdict, Vec::new(), observation)
        .step_over(1, end.clone())
        .end(RunEnd::Incomplete { step: 1, end })
}

/// The lines from the end of the last iteration on, without the summary.
fn last_iteration_report(script: &EventScript) -> String {
    let report = script.report();
    let lines = report.lines().filter(|line| line.starts_with("[forkhestra]"));
    let dull = ["Starting", "Iteration 1/2", "Iteration 2/2", "Summary", "Logs: ", "To resume"];
    let is_dull = |line: &str| dull.iter().any(|dull| line.ends_with(dull) || line.contains(dull));
    lines.filter(|line| !is_dull(line)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn protected_files_are_listed_and_can_be_restored() {
    let names = ["tests/a.rs", "tests/two words.rs"];
    let before = Observation { snapshot: kept(3), ..Observation::default() };
    let refused = Verdict::Refused(ClaimRefusal::ProtectedFiles);
    let script = ended(before, refused.clone(), protected(&names), StepEnd::MaxIterations);
    assert_snapshot!(last_iteration_report(&script), @r#"
    [forkhestra] Incomplete after 2 iterations (max_iterations)
    [forkhestra] What to do: put the protected files back (`git restore --source=refs/forkhestra/q7w3k9zt/3 -- tests/a.rs 'tests/two words.rs'`; delete protected files that are new, and omit them from this command), then resume; or allow changes (`"onProtectedChange": "allow"` in the config, or `--no-protect-scripts` for scripts of checks), and start a new run (resume keeps the plan as it was)
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, not complete after 2 iterations
    "#);
    let unkept = ended(Observation::default(), refused, protected(&names), StepEnd::MaxIterations);
    let report = unkept.report();
    assert!(report.contains("What to do: put the protected files back, then resume;"), "{report}");
}

#[test]
fn work_that_is_not_committed_is_listed() {
    let observation =
        Observation { uncommitted: paths(&["b.txt", "a.txt"]), ..Observation::default() };
    let refused = Verdict::Refused(ClaimRefusal::UncommittedWork);
    let script = ended(Observation::default(), refused, observation, StepEnd::MaxIterations);
    assert_snapshot!(last_iteration_report(&script), @"
    [forkhestra] Incomplete after 2 iterations (max_iterations)
    [forkhestra] What to do: commit or remove what is not committed (a.txt, b.txt), then resume
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, not complete after 2 iterations
    ");
}

#[test]
fn allowed_changes_of_protected_files_are_reported_once() {
    let script = EventScript::of("builder:5")
        .step(1)
        .weighed((1, 1), Verdict::Incomplete, Vec::new(), protected(&["tests/a.rs"]))
        .weighed((1, 2), Verdict::Incomplete, Vec::new(), protected(&["tests/a.rs"]))
        .weighed((1, 3), Verdict::Complete(marker()), Vec::new(), protected(&["tests/b.rs"]))
        .weighed((1, 4), Verdict::Incomplete, Vec::new(), protected(&[]));
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 5 iterations)
    [forkhestra] Iteration 1/5 changed protected files: tests/a.rs
    [forkhestra] Iteration 3/5 changed protected files: tests/b.rs
    ");
}

#[test]
fn stagnation_names_the_unchanged_signals() {
    let flat = |signals| {
        let observation = Observation { signals, ..Observation::default() };
        let script =
            ended(Observation::default(), Verdict::Incomplete, observation, StepEnd::Stagnated(3));
        let report = script.report();
        let line = report.lines().find(|line| line.contains("Incomplete after"));
        line.expect("the step has ended").to_owned()
    };
    let start = "[forkhestra] Incomplete after 2 iterations: nothing has changed for 3 iterations";
    for (signals, expected) in [
        (None, ""),
        (Some(signals(Some("h"), Some("t"))), ": HEAD, index, work tree and task files"),
        (Some(signals(Some("h"), None)), ": HEAD, index and work tree"),
        (Some(signals(None, None)), ": index and work tree"),
    ] {
        assert_eq!(flat(signals), format!("{start}{expected} (stagnated)"));
    }
}

#[test]
fn the_last_line_names_unchanged_signals_only_in_quiet_mode() {
    let observation =
        Observation { signals: Some(signals(Some("h"), None)), ..Observation::default() };
    let script =
        ended(Observation::default(), Verdict::Incomplete, observation, StepEnd::Stagnated(3));
    let verdict = |detail| script.report_in(detail).lines().last().unwrap_or_default().to_owned();
    assert!(verdict(Verbosity::Normal).ends_with("nothing has changed for 3 iterations"));
    assert!(verdict(Verbosity::Quiet).ends_with("iterations: HEAD, index and work tree"));
}

#[test]
fn stagnation_and_cycles_have_remedies() {
    let stagnated = StepEnd::Stagnated(3);
    let script =
        ended(Observation::default(), Verdict::Incomplete, Observation::default(), stagnated);
    assert_snapshot!(last_iteration_report(&script), @r#"
    [forkhestra] Incomplete after 2 iterations: nothing has changed for 3 iterations (stagnated)
    [forkhestra] What to do: the agent is stuck: see `forkhestra logs`, add guidance with `forkhestra tell q7w3k9zt "…"`, then resume (3 more iterations)
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, nothing has changed for 3 iterations
    "#);
    let observation = Observation { snapshot: kept(2), ..Observation::default() };
    let script =
        ended(Observation::default(), Verdict::Incomplete, observation, StepEnd::Cycling(1));
    assert_snapshot!(last_iteration_report(&script), @r#"
    [forkhestra] Incomplete after 2 iterations: the work tree returned to the state of an earlier iteration (cycling)
    [forkhestra] What to do: see what it undoes (`git diff refs/forkhestra/q7w3k9zt/1 refs/forkhestra/q7w3k9zt/2`), say what to keep with `forkhestra tell q7w3k9zt "…"`, then resume
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, the work tree returned to the state of an earlier iteration
    "#);
}
