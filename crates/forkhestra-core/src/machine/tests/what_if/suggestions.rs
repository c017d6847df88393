//! Suggested limits.

use super::support::limits;
use crate::control::ControlRequest;
use crate::event::{Event, OutcomeClass, RunEnd};
use crate::id::UnitId;
use crate::limit::{LimitChanges, LimitQuantity};
use crate::machine::tests::properties::with_quota;
use crate::machine::tests::support::run_simulation::{RunSimulation, fold};
use crate::machine::tests::support::simulated_agent::SimulatedAgent;
use crate::machine::tests::{limited, plan};
use crate::quota::{QuotaLimits, QuotaWindow};
use crate::what_if::{
    LimitSimulation, LimitSuggestion, LimitSummary, SimulatedLimit, SuggestionSearch,
};

/// A run that completes after this many iterations of as many seconds and cents each.
fn completed_after(iterations: u32) -> Vec<Event> {
    let script = move |unit: UnitId| {
        let number = u64::from(iterations);
        let agent = SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(number);
        let tree = Some(if unit.iteration.is_multiple_of(3) { 'x' } else { 'y' });
        SimulatedAgent {
            exits_at: Some(1000 * number),
            says_done_at_end: unit.iteration == iterations,
            tree,
            ..agent
        }
    };
    RunSimulation::new(plan("a:99"), script).run().events
}

fn suggestion(option: &str, runs: &[Vec<Event>]) -> LimitSuggestion {
    let limit =
        SimulatedLimit::all().find(|limit| limit.option() == option).expect("it is simulated");
    let mut search = SuggestionSearch::new(limit);
    runs.iter().for_each(|events| search.add(events, &fold(events)).expect("the events fit"));
    search.suggestion()
}

#[test]
fn the_tightest_value_that_harms_no_run_is_suggested() {
    let runs: Vec<Vec<Event>> = (2..14).map(completed_after).collect();
    for (option, expected) in [
        ("max-iterations", "--max-iterations 13"),
        ("timeout", "--timeout 13s"),
        // 13 times 13 seconds, in whole minutes.
        ("max-time", "--max-time 3m"),
        ("step-time", "--step-time 3m"),
        // After 12 iterations 1.56 dollars are spent, and another one follows.
        ("max-cost", "--max-cost 1.57"),
        ("step-cost", "--step-cost 1.57"),
    ] {
        let found = suggestion(option, &runs);
        assert_eq!((found.runs, found.ended_by_any_value), (12, 0), "{option}");
        assert_eq!(found.value, Some(limits(expected)), "{option}");
        assert!(runs.iter().all(|events| {
            !LimitSimulation::outcome(events, &limits(expected)).expect("the events fit").harms()
        }));
    }
}

#[test]
fn runs_to_which_a_limit_does_not_apply_do_not_count() {
    let runs: Vec<Vec<Event>> = (2..14).map(completed_after).collect();
    let found = suggestion("max-wait", &runs);
    assert_eq!((found.value, found.runs), (None, 0));
    // A single iteration cannot be one without a change too many.
    let once: Vec<Vec<Event>> = (0..12).map(|_| completed_after(1)).collect();
    let found = suggestion("stagnation", &once);
    assert_eq!((found.value, found.runs), (None, 0));
    let found = suggestion("max-iterations", &once);
    assert_eq!((found.value, found.runs), (Some(limits("--max-iterations 1")), 12));
}

#[test]
fn nine_runs_are_too_few() {
    let runs: Vec<Vec<Event>> = (2..11).map(completed_after).collect();
    let found = suggestion("max-iterations", &runs);
    assert_eq!((found.value, found.runs), (None, 9));
}

#[test]
fn runs_with_an_unknown_cost_are_counted_on_their_own() {
    let unpriced = |unit: UnitId| {
        let agent = SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(5);
        let agent = agent.with(|stream| stream.spends[0].1.unpriced = true);
        SimulatedAgent { says_done_at_end: unit.iteration == 3, ..agent }
    };
    let mut runs: Vec<Vec<Event>> = (2..14).map(completed_after).collect();
    runs.push(RunSimulation::new(plan("a:99"), unpriced).run().events);
    let found = suggestion("max-cost", &runs);
    assert_eq!((found.runs, found.ended_by_any_value), (12, 1));
    assert_eq!(found.value, Some(limits("--max-cost 1.57")));
}

/// Ten times a run with this own limit that was resumed with a looser one, or given it in the run.
fn resumed_runs(
    chain: &str,
    own: &str,
    looser: &str,
    script: impl Fn(UnitId) -> SimulatedAgent + Clone + 'static,
) -> Vec<Vec<Event>> {
    let mut plan =
        limited(chain, |changes| *changes = LimitChanges { iterations: None, ..limits(own) });
    plan = with_quota(plan, QuotaLimits::parse("5h=90%").ok());
    let first = RunSimulation::new(plan, script.clone()).run().events;
    let second = RunSimulation::resumed(&first, limits(looser), script).run().events;
    let events = [first, second].concat();
    assert_eq!(fold(&events).end, Some(RunEnd::Complete), "{own} {looser}");
    vec![events; 10]
}

/// The fifth iteration completes. Each takes 3 seconds, costs 3 cents and changes something, except
/// that the second to the fourth change nothing.
fn fifth(unit: UnitId) -> SimulatedAgent {
    let tree = Some(if (1..=4).contains(&unit.iteration) { 'x' } else { 'y' });
    let agent = SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(3);
    SimulatedAgent { exits_at: Some(3000), tree, says_done_at_end: unit.iteration == 5, ..agent }
}

#[test]
fn a_value_that_ended_runs_which_completed_after_a_resume_is_not_suggested() {
    let long = |_| SimulatedAgent {
        exits_at: Some(9000),
        says_done_at_end: true,
        ..SimulatedAgent::exiting(0)
    };
    let waits = |unit: UnitId| match unit.iteration {
        1 => SimulatedAgent::with_outcome(OutcomeClass::Finished).reporting(
            QuotaWindow::FiveHours,
            95,
            3600,
        ),
        _ => SimulatedAgent::understood_done(),
    };
    for (option, runs, expected) in [
        (
            "max-iterations",
            resumed_runs("a:2", "", "--max-iterations 9", fifth),
            "--max-iterations 5",
        ),
        (
            "stagnation",
            resumed_runs("a:9", "--stagnation 2", "--stagnation 8", fifth),
            "--stagnation 4",
        ),
        // The same limit holds again after the resume.
        ("stagnation", resumed_runs("a:9", "--stagnation 2", "", fifth), "--stagnation 4"),
        (
            "max-cost",
            resumed_runs("a:9", "--max-cost 0.06", "--max-cost 9", fifth),
            "--max-cost 0.13",
        ),
        (
            "step-cost",
            resumed_runs("a:9", "--step-cost 0.06", "--step-cost off", fifth),
            "--step-cost 0.13",
        ),
        (
            "max-time",
            resumed_runs("a:9", "--max-time 6s", "--max-time 9h", fifth),
            "--max-time 15s",
        ),
        (
            "step-time",
            resumed_runs("a:9", "--step-time 6s", "--step-time off", fifth),
            "--step-time 15s",
        ),
        ("timeout", resumed_runs("a", "--timeout 5s", "--timeout off", long), "--timeout 9s"),
        (
            "max-wait",
            resumed_runs("a:9", "--max-wait 30m", "--max-wait 2h", waits),
            "--max-wait 1h",
        ),
    ] {
        let found = suggestion(option, &runs);
        assert_eq!((found.runs, found.value), (10, Some(limits(expected))), "{option}");
    }
}

#[test]
fn a_value_that_was_raised_during_the_run_is_not_suggested() {
    let raised = ControlRequest::Set(limits("--max-iterations 9"));
    let run = RunSimulation::new(plan("a:3"), fifth).asked_at(4_000, raised).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
    let found = suggestion("max-iterations", &vec![run.events; 10]);
    assert_eq!(found.value, Some(limits("--max-iterations 5")));
}

#[test]
fn a_summary_counts_savings_of_runs_that_did_not_complete() {
    let never = RunSimulation::new(plan("a:7"), |_| {
        SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(10)
    });
    let mut summary = LimitSummary::default();
    for events in [completed_after(5), never.run().events, completed_after(2)] {
        let limits = limits("--max-iterations 3");
        summary.add(&LimitSimulation::outcome(&events, &limits).expect("the events fit"));
    }
    assert_eq!((summary.ended, summary.iteration_ended), (2, 0));
    assert_eq!((summary.harmed, summary.continued), (1, 0));
    assert_eq!(summary.saved.money.nanos(), 400_000_000);
    assert_eq!(summary.saved.time.as_millis(), 40);
}

#[test]
fn every_limit_is_simulated_or_has_a_reason_why_not() {
    let simulated: Vec<&str> = SimulatedLimit::all().map(SimulatedLimit::option).collect();
    let not_simulated: Vec<&str> =
        SimulatedLimit::not_simulated().map(|(limit, _)| limit.option).collect();
    assert_eq!(not_simulated, ["idle-timeout", "quota"]);
    // `rounds` belongs to the flow of a plan and is no row of the table.
    let keys = LimitChanges::KEYS.iter().filter(|key| **key != "rounds");
    assert_eq!(simulated.len() + not_simulated.len(), keys.count());
    let all = limits("--max-iterations 3 --timeout 5s --max-cost 2");
    let each = SimulatedLimit::each(&all);
    assert_eq!(each, ["--max-iterations 3", "--timeout 5s", "--max-cost 2"].map(limits));
}
