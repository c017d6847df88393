//! Tests of checks and work in the summary.

use forkhestra_core::config::Backend;
use forkhestra_core::event::{
    CancelCause, CheckOutcome, ClaimRefusal, CommitSummary, LimitChanges, Observation, PathList,
    RunEnd, StepEnd, Verdict, WorkSummary,
};
use insta::assert_snapshot;

use super::support::aux_jobs::check;
use super::support::event_script::{EventScript, marker};

const TEST: &str = "command:\"cargo test\"";

fn work(commits: usize) -> WorkSummary {
    let commit = |number: usize| CommitSummary {
        id: format!("{number}a1b2c3d4e5f60718"),
        subject: format!("Do the work, part {number}"),
    };
    let commits = (1..=commits).map(commit).collect();
    WorkSummary {
        commits,
        more_commits: 0,
        files: 4,
        insertions: 120,
        deletions: 8,
        ..WorkSummary::default()
    }
}

fn summary(script: &EventScript) -> String {
    let report = script.report();
    report.split_once("Summary\n").expect("there is a summary").1.to_owned()
}

#[test]
fn a_completed_step_reports_its_cause_and_its_work() {
    let good = vec![check(TEST, CheckOutcome::Passed), check("file:DONE.md", CheckOutcome::Passed)];
    let observation =
        Observation { protected: Some(PathList::default()), ..Observation::default() };
    let script = EventScript::of("planner -> builder:20")
        .protecting(2, "tests/**")
        .once(1, 0)
        .step(2)
        .iteration(2, 1)
        .weighed((2, 1), Verdict::Complete(marker()), good, observation)
        .surveyed(2, work(7))
        .step_over(2, StepEnd::Complete(marker()))
        .end(RunEnd::Complete);
    assert_snapshot!(summary(&script), @"
      1  planner  complete  1 iteration  exit_code  1.5s
      2  builder  complete  1 iteration  marker     0s
         marker; checks passed: cargo test, file:DONE.md; unchanged in the end: tests/**
         7 commits; 4 files changed, +120 -8
           1a1b2c3 Do the work, part 1
           2a1b2c3 Do the work, part 2
           3a1b2c3 Do the work, part 3
           … and 4 more

    [forkhestra] In all: 2 iterations, 1.5s, 7 commits, +120 -8 lines
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (2/2 steps)
    ");
}

#[test]
fn an_incomplete_step_reports_its_obstacle() {
    let checks = vec![check(TEST, CheckOutcome::Failed), check("tasks", CheckOutcome::Passed)];
    let refused = Verdict::Refused(ClaimRefusal::ChecksFailed);
    let end = StepEnd::MaxIterations;
    let script = EventScript::of("builder:1")
        .in_a_room(1, "npm ci")
        .step(1)
        .iteration(1, 1)
        .weighed((1, 1), refused, checks, Observation::default())
        .surveyed(1, WorkSummary::default())
        .step_over(1, end.clone())
        .end(RunEnd::Incomplete { step: 1, end });
    assert_snapshot!(summary(&script), @"
      1  builder  incomplete  1 iteration  max_iterations  0s
         max_iterations; checks failed: cargo test; checks passed in a clean room: tasks
         no commit; no file changed

    [forkhestra] Check failed: cargo test: exit 101
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] To resume: forkhestra resume q7w3k9zt --max-iterations 2
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, not complete after 1 iteration
    ");
}

#[test]
fn a_resumed_process_reports_the_figures_of_the_history() {
    let interrupted = RunEnd::Interrupted(CancelCause::Interrupt);
    let script = EventScript::of("builder:5")
        .of_backend(1, Backend::Claude)
        .step(1)
        .silent(1, 1)
        .step_over(1, StepEnd::Cancelled)
        .after(60_000)
        .end(interrupted.clone())
        .resumed(LimitChanges::default())
        // The process is killed, and the cost of its agent is not known.
        .iteration(1, 2)
        .resumed(LimitChanges::default());
    assert_eq!(script.status_after(0), None);
    let script = script.silent(1, 2).step_over(1, StepEnd::Cancelled).end(interrupted);
    assert_snapshot!(summary(&script).lines().next().unwrap_or_default(), @"  1  builder  incomplete  2 iterations  interrupted  3s  tokens unknown  cost unknown");
}
