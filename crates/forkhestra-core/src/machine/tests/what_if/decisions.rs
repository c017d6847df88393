//! Limits that end a step between two iterations.

use super::support::{prediction, prediction_of};
use crate::cost::Spend;
use crate::event::{EventKind, OutcomeClass};
use crate::id::UnitId;
use crate::limit::LimitQuantity;
use crate::machine::tests::properties::with_quota;
use crate::machine::tests::support::run_simulation::RunSimulation;
use crate::machine::tests::support::samples::dollars;
use crate::machine::tests::support::simulated_agent::SimulatedAgent;
use crate::machine::tests::task_poll::{ready, working_through_tasks};
use crate::machine::tests::{ends, limit, limited, plan};
use crate::plan::Plan;
use crate::policy::TaskWork;
use crate::quota::{QuotaLimits, QuotaWindow};

/// Iterations of 10 ms. The work tree after each is a letter; the last one claims completion if it
/// is a capital.
fn run_of(trees: &'static str) -> RunSimulation {
    let script = move |unit: UnitId| {
        let index = unit.iteration as usize - 1;
        let tree = trees.chars().nth(index).expect("the run ends with its trees");
        let agent = SimulatedAgent { tree: Some(tree.to_ascii_lowercase()), ..spending(10) };
        SimulatedAgent { says_done_at_end: tree.is_uppercase(), ..agent }
    };
    RunSimulation::new(plan(&format!("a:{}", trees.len())), script).run()
}

fn spending(cents: u64) -> SimulatedAgent {
    SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(cents)
}

#[test]
fn fewer_iterations_end_a_run_and_harm_one_that_completes() {
    let run = run_of("xyzuvw");
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    assert_eq!(prediction(&run, "--max-iterations 6"), "unchanged");
    assert_eq!(prediction(&run, "--max-iterations 7"), "continues");
    let expected = "run max_iterations after iteration 4 of step 1, saved 20c 20ms";
    assert_eq!(prediction(&run, "--max-iterations 4"), expected);
    let run = run_of("xyzuvW");
    assert_eq!(prediction(&run, "--max-iterations 6"), "unchanged");
    assert_eq!(prediction(&run, "--max-iterations 7"), "unchanged");
    let expected = "run max_iterations after iteration 5 of step 1, saved 10c 15ms, harmed";
    assert_eq!(prediction(&run, "--max-iterations 5"), expected);
}

#[test]
fn iterations_without_a_change_end_a_run() {
    let run = run_of("xxxxyzzZ");
    let expected = "run stagnated after iteration 4 of step 1, saved 40c 45ms, harmed";
    assert_eq!(prediction(&run, "--stagnation 3"), expected);
    assert_eq!(prediction(&run, "--stagnation 4"), "unchanged");
    let run = run_of("xyxyxyzuvw");
    let expected = "run cycling after iteration 4 of step 1, saved 60c 60ms";
    assert_eq!(prediction(&run, "--stagnation 2"), expected);
    assert_eq!(prediction(&run, "--stagnation off"), "unchanged");
}

#[test]
fn a_run_that_stagnated_would_have_continued_with_a_looser_limit() {
    let plan = limited("a:9", |limits| limits.stagnation = limit("2"));
    let same = |_| SimulatedAgent { tree: Some('x'), ..spending(10) };
    let run = RunSimulation::new(plan, same).run();
    assert_eq!(ends(run.machine.state()), "stagnated: incomplete at 1");
    assert_eq!(prediction(&run, "--stagnation 2"), "unchanged");
    assert_eq!(prediction(&run, "--stagnation 3"), "continues");
    assert_eq!(prediction(&run, "--stagnation off"), "continues");
    // Another limit than the one that ended the run.
    assert_eq!(prediction(&run, "--max-iterations 20"), "unchanged");
    let expected = "run stagnated after iteration 2 of step 1, saved 10c 10ms";
    assert_eq!(prediction(&run, "--stagnation 1"), expected);
    // The first difference counts, in whichever direction it is.
    assert_eq!(
        prediction(&run, "--stagnation off --max-iterations 2"),
        expected.replace("stagnated", "max_iterations")
    );
    assert_eq!(prediction(&run, "--stagnation off --max-iterations 8"), "continues");
}

#[test]
fn a_limit_of_a_step_holds_for_each_step_and_one_of_the_run_for_all() {
    let script = |unit: UnitId| match unit.iteration {
        3 => SimulatedAgent::understood_done().spending(40),
        _ => spending(40),
    };
    let run = RunSimulation::new(plan("a:5 -> b:5"), script).run();
    assert_eq!(ends(run.machine.state()), "marker marker: complete");
    let step_1 = "run max_iterations after iteration 2 of step 1, saved 160c 50ms, harmed";
    assert_eq!(prediction(&run, "--max-iterations 2"), step_1);
    assert_eq!(prediction(&run, "--step-cost 1.20"), "unchanged");
    assert_eq!(
        prediction(&run, "--step-cost 0.80"),
        "run step_cost after iteration 2 of step 1, saved 160c 50ms, harmed"
    );
    assert_eq!(
        prediction(&run, "--max-cost 2"),
        "run run_cost after iteration 2 of step 2, saved 40c 15ms, harmed"
    );
    assert_eq!(
        prediction(&run, "--max-cost 1.20"),
        "run run_cost before iteration 1 of step 2, saved 120c 35ms, harmed"
    );
    assert_eq!(prediction(&run, "--max-cost 2.40"), "unchanged");
}

#[test]
fn a_cost_limit_ends_a_run_whose_cost_is_unknown() {
    let script = |unit: UnitId| {
        let agent = match unit.iteration {
            3 => SimulatedAgent::understood_done(),
            _ => SimulatedAgent::with_outcome(OutcomeClass::Finished),
        };
        agent.with(|stream| {
            stream.spends = vec![(5, Spend { unpriced: true, ..dollars(5) })];
        })
    };
    let run = RunSimulation::new(plan("a:5"), script).run();
    let expected = "run cost_unknown after iteration 1 of step 1, saved >=10c 25ms, harmed";
    assert_eq!(prediction(&run, "--max-cost 100"), expected);
    assert_eq!(prediction(&run, "--max-cost off"), "unchanged");
}

#[test]
fn a_shorter_wait_for_the_provider_ends_a_run() {
    let script = |unit: UnitId| match unit.attempt {
        1 => SimulatedAgent::with_outcome(OutcomeClass::UsageLimit)
            .with(|stream| stream.resets_in = Some(3600)),
        _ => SimulatedAgent::understood_done(),
    };
    let run = RunSimulation::new(plan("a:5"), script).run();
    assert_eq!(prediction(&run, "--max-wait 2h"), "unchanged");
    let expected = "run usage_limit before iteration 1 of step 1, saved 0c 3630015ms, harmed";
    assert_eq!(prediction(&run, "--max-wait 1h"), expected);
    // The limit of time is reached during the wait.
    let expected = "run run_time before iteration 1 of step 1, saved 0c 1830025ms, harmed";
    assert_eq!(prediction(&run, "--max-time 30m"), expected);
    assert_eq!(prediction(&run, "--max-time 2h"), "unchanged");
}

/// Two iterations; the account is too full for the second one for an hour.
fn waiting_for_quota(plan: Plan) -> RunSimulation {
    let script = |unit: UnitId| match unit.iteration {
        1 => spending(10).reporting(QuotaWindow::FiveHours, 95, 3600),
        _ => SimulatedAgent::understood_done().spending(10),
    };
    RunSimulation::new(with_quota(plan, QuotaLimits::parse("5h=90%").ok()), script).run()
}

#[test]
fn a_shorter_wait_for_the_quota_ends_a_run() {
    let run = waiting_for_quota(plan("a:3"));
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!(prediction(&run, "--max-wait 1h"), "unchanged");
    let expected = "run quota after iteration 1 of step 1, saved 10c 3600005ms, harmed";
    assert_eq!(prediction(&run, "--max-wait 59m"), expected);
    assert_eq!(prediction(&run, "--max-wait 59m --max-iterations 5"), expected);
    // A run with that limit ends like this.
    let real = waiting_for_quota(limited("a:3", |limits| limits.max_wait = limit("59m")));
    assert_eq!(ends(real.machine.state()), "quota: incomplete at 1");
    assert_eq!(prediction(&real, "--max-wait 59m"), "unchanged");
    assert_eq!(prediction(&real, "--max-wait 30m"), "unchanged", "it ends at the same point");
    assert_eq!(prediction(&real, "--max-wait 1h"), "continues");
    assert_eq!(prediction(&real, "--max-wait off"), "continues");
}

#[test]
fn a_step_that_stagnates_does_not_ask_its_tasks() {
    let plan = working_through_tasks(limited("a:9", |limits| {
        limits.stagnation = limit("off");
    }));
    let same = |_| SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(0) };
    let tasks = |_, finished| (if finished == 4 { TaskWork::AllDone } else { ready() }, 5);
    let run = RunSimulation::new(plan, same).with_tasks(tasks).run();
    assert_eq!(ends(run.machine.state()), "tasks_done: complete");
    // Used-up iterations let the tasks decide.
    assert_eq!(prediction(&run, "--max-iterations 4"), "unchanged");
    assert!(prediction(&run, "--max-iterations 3").ends_with("harmed"));
    let expected = "run stagnated after iteration 4 of step 1, saved 0c 0ms, harmed";
    assert_eq!(prediction(&run, "--stagnation 3"), expected);
    assert_eq!(prediction(&run, "--stagnation 4"), "unchanged");
}

#[test]
fn limits_are_simulated_up_to_the_last_event_of_a_cut_off_journal() {
    let run = run_of("xxxxxx");
    for count in 1..run.events.len() {
        let prediction = prediction_of(&run.events[..count], "--max-iterations 3");
        let has_fourth = run.events[..count].iter().any(|event| {
            matches!(event.kind, EventKind::IterationStarted { unit, .. } if unit.iteration == 4)
        });
        assert_eq!(prediction != "unchanged", has_fourth, "{count}: {prediction}");
        assert!(!prediction.contains("harmed"));
    }
}
