//! Limits that end a running agent.

use super::support::{limits as options, prediction};
use crate::config::CheckWhen;
use crate::event::OutcomeClass;
use crate::id::UnitId;
use crate::machine::tests::checks::checked;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::run_simulation::RunSimulation;
use crate::machine::tests::support::samples::dollars;
use crate::machine::tests::support::simulated_agent::SimulatedAgent;
use crate::machine::tests::{ends, limit, limited, plan};

/// An agent that runs for this many seconds and spends 10 cents in each.
fn working(seconds: u64) -> SimulatedAgent {
    let spends = (1..=seconds).map(|second| (1000 * second - 500, dollars(10 * second))).collect();
    let agent = SimulatedAgent::with_outcome(OutcomeClass::Finished);
    let agent = agent.with(|stream| stream.spends = spends);
    SimulatedAgent { exits_at: Some(1000 * seconds), ..agent }
}

fn done(agent: SimulatedAgent) -> SimulatedAgent {
    SimulatedAgent { says_done_at_end: true, ..agent }
}

/// Iterations of 5, 20 and 10 seconds, the last of which completes the step.
fn three(unit: UnitId) -> SimulatedAgent {
    match unit.iteration {
        1 => working(5),
        2 => working(20),
        _ => done(working(10)),
    }
}

#[test]
fn a_timeout_ends_an_iteration_of_a_loop() {
    let run = RunSimulation::new(plan("a:5"), three).run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!(prediction(&run, "--timeout 20s"), "unchanged");
    // The spend at 12 seconds is bounded by that of the next report, at 12.5 seconds.
    let expected = "iteration timeout in iteration 2 of step 1, saved >=70c 8000ms, harmed";
    assert_eq!(prediction(&run, "--timeout 12s"), expected);
    let expected = "iteration timeout in iteration 1 of step 1, saved >=0c 1000ms, harmed";
    assert_eq!(prediction(&run, "--timeout 4s"), expected);
}

#[test]
fn a_timeout_in_the_last_iteration_ends_the_run() {
    let never = |unit: UnitId| if unit.iteration == 2 { working(20) } else { working(5) };
    let run = RunSimulation::new(plan("a:2"), never).run();
    let expected = "run max_iterations in iteration 2 of step 1, saved >=70c 8000ms";
    assert_eq!(prediction(&run, "--timeout 12s"), expected);
}

#[test]
fn a_timeout_ends_a_step_that_runs_once() {
    let run = RunSimulation::new(plan("a -> b"), |_| working(9)).run();
    let expected = "run timeout in iteration 1 of step 1, saved >=120c 13000ms, harmed";
    assert_eq!(prediction(&run, "--timeout 5s"), expected);
}

#[test]
fn times_of_step_and_run_end_an_agent_and_the_run() {
    let run = RunSimulation::new(plan("a:5 -> b"), three).run();
    // An agent that runs once does the first one's work.
    let expected = "run run_time in iteration 2 of step 1, saved >=190c 20005ms, harmed";
    assert_eq!(prediction(&run, "--max-time 20s"), expected);
    assert_eq!(prediction(&run, "--step-time 20s"), expected.replace("run_time", "step_time"));
    assert_eq!(prediction(&run, "--step-time 35s"), "unchanged");
    let expected = "run run_time in iteration 1 of step 2, saved >=20c 3005ms, harmed";
    assert_eq!(prediction(&run, "--max-time 37s"), expected);
    assert_eq!(prediction(&run, "--max-time 41s"), "unchanged");
}

#[test]
fn an_agent_is_ended_when_it_reports_the_cost() {
    let run = RunSimulation::new(plan("a:5"), three).run();
    let expected = "run run_cost in iteration 2 of step 1, saved 240c 24505ms, harmed";
    assert_eq!(prediction(&run, "--max-cost 1.05"), expected);
    // The last report of an agent comes when it has finished.
    let expected = "run run_cost after iteration 2 of step 1, saved 100c 10005ms, harmed";
    assert_eq!(prediction(&run, "--max-cost 2.45"), expected);
    assert_eq!(prediction(&run, "--max-cost 3.45"), "unchanged");
}

#[test]
fn an_agent_that_a_limit_ended_would_have_continued() {
    for (own, looser) in [
        ("--timeout 12s", "--timeout 13s"),
        ("--max-time 20s", "--max-time off"),
        ("--step-time 20s", "--step-time 21s"),
        ("--max-cost 1.05", "--max-cost 1.15"),
    ] {
        let plan = limited("a:5", |limits| *limits = options(own));
        let run = RunSimulation::new(plan, three).run();
        assert_eq!(prediction(&run, own), "unchanged", "{own}");
        assert_eq!(prediction(&run, looser), "continues", "{own}");
        assert_eq!(prediction(&run, "--max-iterations 9"), "unchanged", "{own}");
    }
}

#[test]
fn a_claim_counts_although_the_agent_is_ended_later() {
    let lingering = |_| SimulatedAgent {
        says_done_at: Some(2000),
        exits_at: Some(9000),
        ..SimulatedAgent::exiting(0)
    };
    let run = RunSimulation::new(plan("a:5"), lingering).run();
    assert_eq!(prediction(&run, "--timeout 5s"), "unchanged");
    assert_eq!(
        prediction(&run, "--timeout 1s"),
        "iteration timeout in iteration 1 of step 1, saved 0c 8000ms, harmed"
    );
}

#[test]
fn times_end_checks() {
    let mut run = RunSimulation::new(checked("a:5", &[CheckWhen::Completion]), three);
    run.aux_jobs.script =
        Box::new(|_| AuxJobScript { exits_at: Some(30_000), ..AuxJobScript::exiting(0) });
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!(prediction(&run, "--max-time 66s"), "unchanged");
    let expected = "run run_time in iteration 3 of step 1, saved 0c 25005ms, harmed";
    assert_eq!(prediction(&run, "--max-time 40s"), expected);
}

#[test]
fn the_time_of_a_crash_is_waited_for_until_the_limit() {
    let crashing = |unit: UnitId| {
        if unit.iteration < 8 { SimulatedAgent::exiting(1) } else { SimulatedAgent::done() }
    };
    let run = RunSimulation::new(plan("a:9"), crashing).run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    let prediction = prediction(&run, "--max-time 20s");
    assert!(prediction.starts_with("run run_time after iteration "), "{prediction}");
    let plan = limited("a:9", |limits| limits.run_time = limit("20s"));
    let run = RunSimulation::new(plan, crashing).run();
    let iterations = run.machine.state().iterations();
    assert!(prediction.contains(&format!("after iteration {iterations} of")), "{prediction}");
}
