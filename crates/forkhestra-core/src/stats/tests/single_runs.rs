//! Single runs with odd histories.

use super::journal_script::{Attempt, JournalScript, cents};
use super::journals::complete;
use crate::check::CheckSpec;
use crate::config::CheckWhen;
use crate::event::{
    ClaimRefusal, CompletionSignal, EventKind, RunEnd, StepEnd, StopReason, TaskChangeKind, Verdict,
};
use crate::history::{ExecutionStatus, Liveness};
use crate::id::UnitId;
use crate::limit::Limit;
use crate::plan::{PlanCheck, Sourced};
use crate::stats::{
    NamedFigures, RunStatistics, SpendByCategory, SpendCategory, StatsGrouping, StatsQuery,
    StatsReport, TaskOutcome,
};

fn script() -> JournalScript {
    JournalScript::begin(1, "2026-11-01T00:00:00Z", "builder:9", Some("sonnet"))
}

fn statistics(script: JournalScript) -> RunStatistics {
    let events = script.end(StepEnd::MaxIterations);
    RunStatistics::of(&JournalScript::history(&events), Liveness::Gone)
}

#[test]
fn every_verdict_has_its_category() {
    use SpendCategory::{Aborted, NoChange, Productive, Refused};
    let cases = [
        (complete(), "new", Productive),
        // A reviewer that accepts changes nothing.
        (complete(), "begin", Productive),
        (Verdict::Incomplete, "new", Productive),
        (Verdict::Incomplete, "begin", NoChange),
        (Verdict::Refused(ClaimRefusal::ChecksFailed), "new", Refused),
        (Verdict::Refused(ClaimRefusal::ProtectedFiles), "begin", Refused),
        (Verdict::Refused(ClaimRefusal::NoWork), "begin", NoChange),
        (Verdict::Crashed, "new", Aborted),
        (Verdict::AgentStopped(StopReason::StepCost), "new", Aborted),
        (Verdict::Postponed, "new", Aborted),
        (Verdict::Blocked, "new", Aborted),
        (Verdict::Interrupted, "new", Aborted),
    ];
    for (verdict, tree, expected) in cases {
        let events = script().attempt(&Attempt::of(1, verdict.clone(), 7).tree(tree)).events;
        let history = JournalScript::history(&events);
        let record = &history.steps[0].iterations[0];
        assert_eq!(SpendCategory::of(record), expected, "{verdict:?} {tree}");
        let money = RunStatistics::of(&history, Liveness::Gone).money();
        let mut by_category = SpendByCategory::default();
        by_category.add(expected, cents(7, false).dollars);
        assert_eq!(money, by_category);
    }
}

/// The task database may be outside of the work tree.
#[test]
fn an_iteration_that_only_finishes_a_task_is_productive() {
    for (kind, expected) in [
        (TaskChangeKind::Finished, SpendCategory::Productive),
        (TaskChangeKind::Created, SpendCategory::Productive),
        (TaskChangeKind::Claimed, SpendCategory::NoChange),
        (TaskChangeKind::Released, SpendCategory::NoChange),
    ] {
        let attempt = Attempt::of(1, Verdict::Incomplete, 7).tree("begin").task("TASK-1", kind);
        let history = JournalScript::history(&script().attempt(&attempt).events);
        assert_eq!(SpendCategory::of(&history.steps[0].iterations[0]), expected, "{kind:?}");
    }
}

#[test]
fn an_iteration_without_an_observation_is_assumed_to_be_productive() {
    let history =
        JournalScript::history(&script().attempt(&Attempt::of(1, Verdict::Incomplete, 7)).events);
    let record = &history.steps[0].iterations[0];
    assert_eq!((record.changed, SpendCategory::of(record)), (None, SpendCategory::Productive));
}

#[test]
fn money_of_an_active_agent_is_running_and_that_of_a_killed_one_aborted() {
    let mut script = script();
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    script.push(EventKind::IterationStarted { unit, fallback: None });
    script.push(EventKind::Spent { unit, spend: cents(7, false) });
    let history = JournalScript::history(&script.events);
    let seven = cents(7, false).dollars;
    let alive = RunStatistics::of(&history, Liveness::Alive);
    assert_eq!(alive.money(), SpendByCategory { running: seven, ..SpendByCategory::default() });
    assert_eq!(alive.status, ExecutionStatus::Running);
    let gone = RunStatistics::of(&history, Liveness::Gone);
    assert_eq!(gone.money(), SpendByCategory { aborted: seven, ..SpendByCategory::default() });
    assert_eq!(gone.status, ExecutionStatus::Interrupted);
}

/// The report of an agent may lack what it reported before.
#[test]
fn money_counts_that_only_an_earlier_event_reports() {
    let mut script = script();
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    script.push(EventKind::IterationStarted { unit, fallback: None });
    script.push(EventKind::Spent { unit, spend: cents(7, false) });
    let silent = Attempt { cents: None, ..Attempt::of(1, Verdict::Incomplete, 0) };
    let finished = JournalScript::begin(1, "2026-11-01T00:00:00Z", "builder:9", None)
        .attempt(&silent)
        .events
        .pop()
        .expect("it finished");
    script.push(finished.kind);
    let history = JournalScript::history(&script.events);
    let statistics = RunStatistics::of(&history, Liveness::Gone);
    assert_eq!(statistics.spend(), history.spend());
    assert_eq!(statistics.money().productive, cents(7, false).dollars);
}

#[test]
fn a_reopened_task_is_not_done_and_needs_another_try() {
    use TaskChangeKind::{Claimed, Finished, Reopened};
    let first = Attempt::of(1, Verdict::Incomplete, 10).task("TASK-1", Finished);
    let reopens = Attempt::of(2, Verdict::Incomplete, 5).task("TASK-1", Reopened);
    let half = statistics(script().attempt(&first).attempt(&reopens));
    assert_eq!(half.tasks[0].outcome, TaskOutcome::Open);
    assert_eq!(half.tasks[0].finished_by, None);
    let mut claims = Attempt::of(3, Verdict::Incomplete, 5).task("TASK-1", Claimed);
    claims.in_progress = vec!["TASK-1"];
    // The fourth continues what the third claimed.
    let continues = Attempt::of(4, Verdict::Incomplete, 2);
    let ends = Attempt::of(5, Verdict::Incomplete, 1).task("TASK-1", Finished);
    let script = script().attempt(&first).attempt(&reopens).attempt(&claims).attempt(&continues);
    let whole = statistics(script.attempt(&ends));
    let task = &whole.tasks[0];
    assert_eq!((task.outcome, task.iterations), (TaskOutcome::Done, 4));
    assert_eq!(task.spend, Some(cents(18, false)));
}

#[test]
fn a_task_that_was_only_created_is_not_worked_on() {
    let attempt = Attempt::of(1, Verdict::Incomplete, 10).task("TASK-1", TaskChangeKind::Created);
    assert!(statistics(script().attempt(&attempt)).tasks.is_empty());
}

#[test]
fn a_check_is_flaky_only_on_the_same_tree() {
    let verdict = |passed| {
        if passed { complete() } else { Verdict::Refused(ClaimRefusal::ChecksFailed) }
    };
    let flaky = |runs: &[(&'static str, bool)]| {
        let numbered = (1..).zip(runs);
        let script = numbered.fold(script(), |script, (number, (tree, passed))| {
            let attempt = Attempt::of(number, verdict(*passed), 1);
            let attempt = if tree.is_empty() { attempt } else { attempt.tree(tree) };
            script.attempt(&attempt.check(*passed, 1))
        });
        statistics(script).checks[0].flaky
    };
    assert_eq!(flaky(&[("a", false), ("b", true)]), 0);
    assert_eq!(flaky(&[("a", false), ("a", true)]), 1);
    assert_eq!(flaky(&[("a", false), ("b", false), ("a", true), ("a", false)]), 1);
    assert_eq!(flaky(&[("a", false), ("a", true), ("b", true), ("b", false)]), 2);
    assert_eq!(flaky(&[("", false), ("", true)]), 0, "an unknown tree is no tree");
}

#[test]
fn no_runs_give_an_empty_report() {
    let day_of = |_| String::new();
    let report = StatsReport::of(Vec::new(), StatsQuery { by: None, since: None, day_of: &day_of });
    assert_eq!((report.runs.total, report.all.tasks.done, report.all.money), (0, 0, None));
    assert!(report.all.tasks.cost.is_none() && report.most_expensive.is_empty());
}

/// The report about these runs, by task.
fn report(runs: Vec<RunStatistics>) -> StatsReport {
    let day_of = |_| String::new();
    StatsReport::of(
        runs,
        StatsQuery { by: Some(StatsGrouping::Task), since: None, day_of: &day_of },
    )
}

#[test]
fn the_repair_of_a_refused_claim_belongs_to_its_task() {
    let refused = || Verdict::Refused(ClaimRefusal::ChecksFailed);
    let finishes = Attempt::of(1, refused(), 10).tree("a").task("TASK-1", TaskChangeKind::Finished);
    let script = script()
        .attempt(&finishes)
        .attempt(&Attempt::of(2, refused(), 20).tree("b"))
        .attempt(&Attempt::of(3, Verdict::Interrupted, 1))
        .attempt(&Attempt { attempt: 2, ..Attempt::of(3, complete(), 30).tree("c") });
    let statistics = statistics(script);
    let [task] = statistics.tasks.as_slice() else { panic!("it is one: {statistics:?}") };
    assert_eq!((task.iterations, task.spend), (3, Some(cents(61, false))));
    assert_eq!(report(vec![statistics]).all.tasks.first_try, 0);
}

#[test]
fn a_run_whose_only_step_was_skipped_is_not_complete() {
    let status = |ends: &[StepEnd]| {
        let chain = if ends.len() == 1 { "a:9" } else { "a:9 -> b:9" };
        let mut script = JournalScript::begin(1, "2026-11-01T00:00:00Z", chain, None);
        for (step, end) in (1..).zip(ends.iter().cloned()) {
            script.push(EventKind::StepFinished { step, end });
        }
        script.push(EventKind::RunFinished { end: RunEnd::Complete });
        RunStatistics::of(&JournalScript::history(&script.events), Liveness::Gone).status
    };
    let done = StepEnd::Complete(CompletionSignal::File);
    assert_eq!(status(&[StepEnd::Skipped]), ExecutionStatus::Skipped);
    assert_eq!(status(&[StepEnd::Skipped, StepEnd::Skipped]), ExecutionStatus::Skipped);
    assert_eq!(status(&[StepEnd::Skipped, done]), ExecutionStatus::Complete);
}

#[test]
fn a_task_that_a_later_run_reopens_is_not_done() {
    use TaskChangeKind::{Finished, Reopened};
    let first = Attempt::of(1, complete(), 50).task("TASK-1", Finished);
    let reopens = Attempt::of(1, complete(), 25).task("TASK-1", Reopened);
    let later = JournalScript::begin(2, "2026-11-02T00:00:00Z", "builder:9", Some("sonnet"));
    let runs = vec![statistics(script().attempt(&first)), statistics(later.attempt(&reopens))];
    let report = report(runs);
    assert_eq!((report.all.tasks.done, report.all.tasks.first_try), (0, 0));
    let tasks = report.tasks_worked_on.expect("they are requested");
    // The second run did not work on it.
    let [task] = tasks.as_slice() else { panic!("it is one: {tasks:?}") };
    assert_eq!((task.outcome, task.runs, task.iterations), (TaskOutcome::Open, 1, 1));
    assert_eq!(task.cost, Some(0.5));
}

#[test]
fn the_last_change_of_a_task_decides_although_its_run_began_earlier() {
    use TaskChangeKind::{Claimed, Finished};
    let claims = |number| Attempt {
        in_progress: vec!["TASK-1"],
        ..Attempt::of(1, Verdict::Incomplete, number).task("TASK-1", Claimed)
    };
    let mut first = script().attempt(&claims(50));
    first.push(EventKind::StepFinished { step: 1, end: StepEnd::MaxIterations });
    let end = RunEnd::Incomplete { step: 1, end: StepEnd::MaxIterations };
    first.push(EventKind::RunFinished { end });
    let ends = Attempt::of(2, complete(), 10).task("TASK-1", Finished);
    let first = statistics(first.resume(7_200).attempt(&ends));
    let between = JournalScript::begin(2, "2026-11-01T01:00:00Z", "reviewer:9", Some("opus"));
    let between = statistics(between.attempt(&claims(25)));
    let report = report(vec![first, between]);
    assert_eq!((report.all.tasks.done, report.all.tasks.iterations), (1, 3));
    let done = |agent: &NamedFigures| (agent.name.clone(), agent.figures.tasks.done);
    let expected =
        [(Some("builder (sonnet)".to_owned()), 1), (Some("reviewer (opus)".to_owned()), 0)];
    assert_eq!(report.agents.iter().map(done).collect::<Vec<_>>(), expected);
}

#[test]
fn a_task_whose_cost_is_unknown_costs_nothing_known() {
    let unknown = Attempt { unpriced: true, ..Attempt::of(1, complete(), 0) };
    let report = report(vec![statistics(
        script().attempt(&unknown.task("TASK-1", TaskChangeKind::Finished)),
    )]);
    assert_eq!((report.all.tasks.done, report.all.tasks.cost), (1, None));
    let tasks = report.tasks_worked_on.expect("they are requested");
    assert_eq!((tasks[0].cost, tasks[0].at_least), (None, true));
}

#[test]
fn a_task_that_was_finished_before_the_run_was_killed_counts() {
    let finishes =
        Attempt::of(1, complete(), 50).task("TASK-1", TaskChangeKind::Finished).check(true, 9);
    let mut events = script().attempt(&finishes).events;
    // The process was killed during the check.
    let is_start = |kind: &EventKind| matches!(kind, EventKind::AuxJobStarted { .. });
    let start = events.iter().position(|event| is_start(&event.kind)).expect("it began");
    events.truncate(start + 1);
    let history = JournalScript::history(&events);
    let of = |liveness| report(vec![RunStatistics::of(&history, liveness)]);
    let gone = of(Liveness::Gone);
    assert_eq!((gone.all.tasks.done, gone.all.tasks.iterations), (1, 1));
    let tasks = gone.tasks_worked_on.expect("they are requested");
    assert_eq!(tasks[0].cost, Some(0.5));
    // It may still be refused.
    assert_eq!(of(Liveness::Alive).all.tasks.done, 0);
}

#[test]
fn checks_of_other_steps_are_other_checks_unless_they_run_the_same_command() {
    let flaky = |commands: [&str; 2]| {
        let mut script = JournalScript::begin(1, "2026-11-01T00:00:00Z", "a:9 -> b:9", None);
        if let EventKind::RunStarted { plan, .. } = &mut script.events[0].kind {
            for (step, command) in plan.steps.iter_mut().zip(commands) {
                step.checks = vec![Sourced::default(PlanCheck {
                    check: CheckSpec::Command(command.to_owned()),
                    name: Some("test".to_owned()),
                    when: CheckWhen::Always,
                    timeout: Limit::Off,
                    must_fail_first: false,
                    runner: None,
                })];
            }
        }
        let mut script = script.attempt(&Attempt::of(1, complete(), 1).tree("t").check(true, 1));
        script.push(EventKind::StepFinished { step: 1, end: StepEnd::MaxIterations });
        let refused = Verdict::Refused(ClaimRefusal::ChecksFailed);
        let second = Attempt { step: 2, ..Attempt::of(1, refused, 1).tree("t").check(false, 1) };
        let history = JournalScript::history(&script.attempt(&second).events);
        let checks = RunStatistics::of(&history, Liveness::Gone).checks;
        (checks[0].runs, checks[0].failed, checks[0].flaky)
    };
    assert_eq!(flaky(["true", "false"]), (2, 1, 0));
    assert_eq!(flaky(["./test.sh", "./test.sh"]), (2, 1, 1));
}

/// What changed before a resume may be the work of a person.
#[test]
fn a_change_since_before_a_resume_is_not_known_to_be_the_agents() {
    let changed = |tree| {
        let first = Attempt::of(1, Verdict::Incomplete, 7).tree("a");
        let again = Attempt::of(2, Verdict::Incomplete, 7).tree(tree);
        let third = Attempt::of(3, Verdict::Incomplete, 7).tree("c");
        let script = script().attempt(&first).resume(60).attempt(&again).attempt(&third);
        let history = JournalScript::history(&script.events);
        history.steps[0].iterations.iter().map(|record| record.changed).collect::<Vec<_>>()
    };
    assert_eq!(changed("a"), [Some(true), Some(false), Some(true)]);
    assert_eq!(changed("b"), [Some(true), None, Some(true)]);
}
