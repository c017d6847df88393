//! Spend and cost limits.

use crate::cost::{Dollars, Spend};
use crate::event::{CancelCause, LimitChanges, OutcomeClass, Verdict};
use crate::id::UnitId;
use crate::machine::tests::support::run_simulation::fold;
use crate::machine::tests::support::samples::dollars;
use crate::machine::tests::*;

/// A chain with a cost limit for the run.
fn for_at_most(chain: &str, cost: &str) -> Plan {
    let mut plan = plan(chain);
    plan.limits.cost.value = limit(cost).expect("there is one");
    plan
}

/// A chain with a cost limit for each step.
fn steps_for_at_most(chain: &str, cost: &str) -> Plan {
    let mut plan = plan(chain);
    for step in &mut plan.steps {
        step.limits.cost.value = limit(cost).expect("there is one");
    }
    plan
}

fn finished() -> SimulatedAgent {
    SimulatedAgent::with_outcome(OutcomeClass::Finished)
}

/// An agent that spends a dollar every second and does not end by itself.
fn spendthrift() -> SimulatedAgent {
    let spends = (1..100).map(|second| (1000 * second, dollars(100 * second))).collect();
    SimulatedAgent { exits_at: None, ..finished().with(|stream| stream.spends = spends) }
}

fn spends(run: &RunSimulation) -> Vec<u64> {
    run.kinds()
        .filter_map(|kind| match kind {
            EventKind::Spent { spend, .. } => Some(spend.dollars.nanos() / 10_000_000),
            _ => None,
        })
        .collect()
}

#[test]
fn spend_adds_up_over_iterations_and_steps() {
    let run = RunSimulation::new(plan("a:2 -> b"), |unit| match unit.step {
        1 if unit.iteration == 2 => SimulatedAgent::understood_done().spending(30),
        1 => finished().spending(20),
        _ => finished().spending(7),
    })
    .run();
    let state = run.machine.state();
    assert_eq!([state.spend_of(1), state.spend_of(2)], [dollars(50), dollars(7)]);
    assert_eq!((state.spend(), state.spend_of(9)), (dollars(57), Spend::default()));
    let reports = run.kinds().filter_map(|kind| match kind {
        EventKind::IterationFinished { report, .. } => report.spend,
        _ => None,
    });
    assert_eq!(reports.sum::<Spend>(), dollars(57));
}

#[test]
fn an_unknown_spend_is_not_reported() {
    let run = RunSimulation::new(plan("a"), |_| SimulatedAgent::exiting(0)).run();
    assert!(run.kinds().all(|kind| match kind {
        EventKind::IterationFinished { report, .. } => report.spend.is_none(),
        kind => !matches!(kind, EventKind::Spent { .. }),
    }));
}

#[test]
fn the_same_amount_is_recorded_once() {
    let twice = |_| {
        finished().with(|stream| {
            stream.spends = vec![(1, dollars(5)), (2, dollars(5)), (3, dollars(6))];
        })
    };
    assert_eq!(spends(&RunSimulation::new(plan("a"), twice).run()), [5, 6]);
}

#[test]
fn an_agent_that_reaches_a_limit_of_cost_is_ended() {
    for (plan, end, why) in [
        (for_at_most("a:9", "5"), "run_cost", StopReason::RunCost),
        (steps_for_at_most("a:9", "5"), "step_cost", StopReason::StepCost),
        (for_at_most("a", "5"), "run_cost", StopReason::RunCost),
        (steps_for_at_most("a", "5"), "step_cost", StopReason::StepCost),
    ] {
        let run = RunSimulation::new(plan, |_| spendthrift()).run();
        assert_eq!(ends(run.machine.state()), format!("{end}: incomplete at 1"));
        assert_eq!((endings(&run), run.took().as_secs()), (vec![why], 5));
        assert_eq!(run.spawned.len(), 1);
    }
}

#[test]
fn of_two_limits_that_are_reached_at_once_that_of_the_run_is_named() {
    let mut plan = steps_for_at_most("a:9", "5");
    plan.limits.cost.value = limit("5").expect("there is one");
    let run = RunSimulation::new(plan, |_| spendthrift()).run();
    assert_eq!(endings(&run), [StopReason::RunCost]);
}

#[test]
fn nothing_is_started_once_all_is_spent() {
    let run = RunSimulation::new(for_at_most("a:9 -> b", "1"), |unit| match unit.iteration {
        3 => SimulatedAgent::understood_done().spending(20),
        _ => finished().spending(40),
    })
    .run();
    assert_eq!(run.machine.state().spend(), dollars(100));
    assert_eq!(ends(run.machine.state()), "marker run_cost: incomplete at 2");
    assert_eq!(run.spawned.len(), 3, "the third was done with the last cent");
}

/// A concluded agent incurs no further cost, and its work counts.
#[test]
fn a_concluded_agent_is_not_stopped_by_a_cost_limit() {
    let through = |_| {
        SimulatedAgent::understood_done().with(|stream| {
            stream.concludes_at = Some(4);
            stream.spends = vec![(5, dollars(900))];
        })
    };
    let run = RunSimulation::new(for_at_most("a:9 -> b", "5"), through).run();
    assert_eq!(endings(&run), []);
    assert_eq!(ends(run.machine.state()), "marker run_cost: incomplete at 2");
}

#[test]
fn an_agent_that_continues_after_its_result_is_ended() {
    let goes_on = |_| {
        let agent = SimulatedAgent { exits_at: None, ..finished() };
        agent.with(|stream| {
            stream.concludes_at = Some(4);
            stream.spends = vec![(5, dollars(900))];
            stream.goes_on_at = Some(6);
        })
    };
    let run = RunSimulation::new(for_at_most("a:9", "5"), goes_on).run();
    assert_eq!((endings(&run), run.took().as_millis()), (vec![StopReason::RunCost], 7));
}

/// The stream concluded although the agent's termination had begun: the work is done.
#[test]
fn a_marker_that_is_read_after_the_limit_counts() {
    let late = |_| SimulatedAgent {
        obeys: Some(ProcessSignal::Kill),
        ..SimulatedAgent::understood_done().spending(900)
    };
    let run = RunSimulation::new(for_at_most("a:9", "5"), late).run();
    assert_eq!(endings(&run), [StopReason::RunCost]);
    assert_eq!(ends(run.machine.state()), "marker: complete");
}

#[test]
fn an_unenforceable_cost_limit_ends_the_agent() {
    let unpriced = |_| {
        let spend = Spend { dollars: Dollars::ZERO, unpriced: true, ..dollars(1) };
        let agent = SimulatedAgent { exits_at: None, ..finished() };
        agent.with(|stream| stream.spends = vec![(5, spend)])
    };
    for plan in [for_at_most("a:9", "5"), steps_for_at_most("a:9", "5")] {
        let run = RunSimulation::new(plan, unpriced).run();
        assert_eq!(endings(&run), [StopReason::CostUnknown]);
        assert_eq!(ends(run.machine.state()), "cost_unknown: incomplete at 1");
        let again = RunSimulation::resumed(&run.events, LimitChanges::default(), unpriced).run();
        // The user may have added a price for its model in between.
        assert_eq!((again.spawned.len(), endings(&again)), (1, vec![StopReason::CostUnknown]));
        let off = LimitChanges {
            run_cost: limit("off"),
            step_cost: limit("off"),
            ..LimitChanges::default()
        };
        let done = |_| SimulatedAgent::understood_done();
        let again = RunSimulation::resumed(&run.events, off, done).run();
        assert_eq!(ends(again.machine.state()), "marker: complete");
    }
    let free = limited("a:1", |limits| limits.timeout = limit("1m"));
    assert_eq!(endings(&RunSimulation::new(free, unpriced).run()), [StopReason::Timeout]);
}

/// An agent that ended before it reported a cost has an unknown spend, so a limit cannot be
/// enforced.
#[test]
fn an_unreported_cost_ends_a_run_with_a_limit() {
    let silent = Spend { unpriced: true, ..Spend::default() };
    let agents = move |unit: UnitId| match unit.iteration {
        1 => SimulatedAgent::with_outcome(OutcomeClass::Crashed)
            .with(|stream| stream.spends = vec![(1, silent)]),
        _ => SimulatedAgent::understood_done().spending(30),
    };
    let run = RunSimulation::new(for_at_most("a:9", "5"), agents).run();
    assert_eq!(ends(run.machine.state()), "cost_unknown: incomplete at 1");
    assert_eq!(run.spawned.len(), 1);
    // Resuming accepts the unknown cost if the run ended for it. After a kill the run has to end
    // for it first.
    let again = RunSimulation::resumed(&run.events, LimitChanges::default(), agents).run();
    assert_eq!(ends(again.machine.state()), "marker: complete");
    let is_over = |event: &Event| matches!(event.kind, EventKind::IterationFinished { .. });
    let cut = run.events.iter().position(is_over).expect("an iteration is over") + 1;
    let killed = &run.events[..cut];
    let resumed_run = RunSimulation::resumed(killed, LimitChanges::default(), agents).run();
    assert_eq!(ends(resumed_run.machine.state()), "cost_unknown: incomplete at 1");
    assert_eq!(resumed_run.spawned.len(), 0);
    let limit = LimitChanges { run_cost: limit("5"), ..LimitChanges::default() };
    let limited = RunSimulation::resumed(killed, limit, agents).run();
    assert_eq!(ends(limited.machine.state()), "marker: complete");
    let spend = again.machine.state().spend();
    assert_eq!((spend.dollars, spend.unpriced), (dollars(30).dollars, true));
    let free = RunSimulation::new(plan("a:9"), agents).run();
    assert_eq!(ends(free.machine.state()), "marker: complete");
}

/// The cost of a complete step counts for the run.
#[test]
fn an_unknown_cost_of_one_step_ends_the_next_one() {
    let silent = Spend { unpriced: true, ..Spend::default() };
    let agents = move |_: UnitId| {
        SimulatedAgent::understood_done().with(|stream| stream.spends = vec![(1, silent)])
    };
    let run = RunSimulation::new(for_at_most("a:9 -> b:9", "5"), agents).run();
    assert_eq!(run.spawned.len(), 1, "{}", ends(run.machine.state()));
}

/// Its last output is read after its termination began: the first stop reason stays.
#[test]
fn an_agent_that_is_ended_before_it_reports_a_cost_is_not_said_to_be_ended_for_it() {
    let silent = Spend { unpriced: true, ..Spend::default() };
    let hangs = move |_: UnitId| SimulatedAgent {
        exits_at: None,
        obeys: Some(ProcessSignal::Kill),
        ..finished().with(|stream| stream.spends = vec![(11_000, silent)])
    };
    let mut plan = for_at_most("a:9", "5");
    plan.steps[0].limits.timeout.value = limit("10s").expect("there is one");
    let run = RunSimulation::new(plan, hangs).run();
    let verdicts = run.kinds().filter_map(|kind| match kind {
        EventKind::IterationFinished { report, .. } => Some(report.verdict.clone()),
        _ => None,
    });
    assert_eq!(verdicts.collect::<Vec<_>>(), [Verdict::AgentStopped(StopReason::Timeout)]);
    assert_eq!(ends(run.machine.state()), "cost_unknown: incomplete at 1");
}

#[test]
fn four_fifths_of_a_limit_are_warned_of_once() {
    let slowly = |_| {
        let spends = (1..50).map(|n| (n, dollars(n))).collect();
        SimulatedAgent { exits_at: Some(60), ..finished().with(|stream| stream.spends = spends) }
    };
    let mut plan = steps_for_at_most("a:9", "1");
    plan.limits.cost.value = limit("1.20").expect("there is one");
    let run = RunSimulation::new(plan, slowly).run();
    assert_eq!(
        warnings(&run),
        [
            "80 % of the cost limit of step 1 is reached: $0.8000 of $1.00",
            "80 % of the cost limit of the run is reached: $0.9600 of $1.20",
        ]
    );
    assert_eq!(ends(run.machine.state()), "step_cost: incomplete at 1");
}

#[test]
fn the_budget_is_the_least_of_run_and_step() {
    let left = |run: Option<&str>, step: Option<&str>| {
        let mut plan = plan("a:9 -> b:9");
        plan.limits.cost.value = run.and_then(limit).unwrap_or(Limit::Off);
        plan.steps[1].limits.cost.value = step.and_then(limit).unwrap_or(Limit::Off);
        let mut state = RunState::new(crate::id::RunId::from_random(1), plan);
        state.steps[0].spend = dollars(300);
        state.steps[1].spend = dollars(100);
        state.steps[1].spending = Some(dollars(50));
        state.budget_left(2)
    };
    assert_eq!(left(None, None), None);
    assert_eq!(left(Some("5"), None), Some(dollars(50).dollars));
    assert_eq!(left(None, Some("5")), Some(dollars(350).dollars));
    assert_eq!(left(Some("5"), Some("2")), Some(dollars(50).dollars));
    assert_eq!(left(Some("9"), Some("1")), Some(Dollars::ZERO));
}

/// A run that was killed after it had spent 300 cents, and its resumption.
fn killed() -> (Vec<Event>, RunSimulation) {
    let run = RunSimulation::new(plan("a:9"), |_| spendthrift());
    let run = run.cancelled_at(9_500, CancelCause::Interrupt).run();
    let events = up_to(
        &run,
        |kind| matches!(kind, EventKind::Spent { spend, .. } if *spend == dollars(300)),
    );
    let done = |_: UnitId| SimulatedAgent::understood_done().spending(50);
    let again = RunSimulation::resumed(&events, LimitChanges::default(), done).run();
    (events, again)
}

#[test]
fn the_spend_of_a_killed_iteration_counts_once() {
    let (events, again) = killed();
    assert_eq!(fold(&events).spend(), dollars(300));
    assert_eq!(again.machine.state().spend(), dollars(350));
    let EventKind::IterationFinished { report, .. } = &again.events[1].kind else {
        panic!("{:?}", again.events)
    };
    assert_eq!(report.spend, Some(dollars(300)));
    let whole = [&events[..], &again.events].concat();
    assert_eq!(fold(&whole).spend(), dollars(350));
    // A journal without that event folds to the same state.
    let unsaid = [&events[..], &again.events[..1], &again.events[2..]].concat();
    assert_eq!(fold(&unsaid), fold(&whole));
}

#[test]
fn the_spend_of_a_cancelled_iteration_counts() {
    let run = RunSimulation::new(for_at_most("a:9", "5"), |_| spendthrift());
    let run = run.cancelled_at(4_500, CancelCause::Interrupt).run();
    assert_eq!(run.machine.state().spend(), dollars(400));
    let again =
        RunSimulation::resumed(&run.events, LimitChanges::default(), |_| spendthrift()).run();
    assert_eq!(ends(again.machine.state()), "run_cost: incomplete at 1");
    assert_eq!((again.machine.state().spend(), again.took().as_secs()), (dollars(500), 1));
}

#[test]
fn a_limit_that_still_holds_ends_the_run_again_and_a_raised_one_does_not() {
    let raised = |flag: &str| LimitChanges {
        run_cost: limit("20").filter(|_| flag == "run"),
        step_cost: limit("20").filter(|_| flag == "step"),
        ..LimitChanges::default()
    };
    let unit = |iteration, attempt| UnitId { step: 1, iteration, attempt };
    for (flag, chain, next) in [
        ("run", "a:9", unit(2, 1)),
        ("step", "a:9", unit(2, 1)),
        ("run", "a", unit(1, 2)),
        ("step", "a", unit(1, 2)),
    ] {
        let plan = if flag == "run" { for_at_most } else { steps_for_at_most };
        let run = RunSimulation::new(plan(chain, "5"), |_| spendthrift()).run();
        // The process may have died before the end of the step or of the run was recorded.
        for kept in [run.events.len() - 2, run.events.len() - 1, run.events.len()] {
            let events = &run.events[..kept];
            let same =
                RunSimulation::resumed(events, LimitChanges::default(), |_| finished()).run();
            assert_eq!((same.machine.end(), same.spawned.len()), (run.machine.end(), 0));
            let done = |_: UnitId| SimulatedAgent::understood_done().spending(1);
            let more = RunSimulation::resumed(events, raised(flag), done).run();
            assert_eq!(more.spawned, [next], "{flag} {chain} {kept}");
            assert_eq!(more.machine.end(), Some(&RunEnd::Complete));
            assert_eq!(more.machine.state().spend(), dollars(501));
        }
    }
}
