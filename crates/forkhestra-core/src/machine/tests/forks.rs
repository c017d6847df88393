//! Runs that continue from a snapshot of another run.

use super::support::run_simulation::{fold, start};
use super::*;
use crate::event::{
    ForkOrigin, InheritedStep, LimitChanges, Observation, StepEnd, WorkTreeSnapshot,
};
use crate::history::{ForkPoint, RunHistory, SnapshotAddress};
use crate::id::{RunId, UnitId};
use crate::policy::GracePeriods;
use crate::time::Timestamp;

fn second_time(unit: UnitId) -> SimulatedAgent {
    if unit.iteration == 2 { SimulatedAgent::done() } else { SimulatedAgent::exiting(0) }
}

/// The events of a run with a snapshot before each step and after each iteration.
fn with_snapshots(mut events: Vec<Event>) -> Vec<Event> {
    let mut number = 0;
    let mut keep = |observation: &mut Observation| {
        observation.snapshot = Some(WorkTreeSnapshot { number, commit: format!("c{number}") });
        number += 1;
    };
    for event in &mut events {
        match &mut event.kind {
            EventKind::StepStarted { observation, .. } => keep(observation),
            EventKind::IterationFinished { report, .. } => keep(&mut report.observation),
            _ => {}
        }
    }
    events
}

fn point(history: &RunHistory, address: &str) -> ForkPoint {
    let address = SnapshotAddress::parse(address).expect("it is an address");
    ForkPoint::of(history, history.snapshots.find(address).expect("it is there"))
}

fn source(chain: &str) -> RunHistory {
    let events = RunSimulation::new(plan(chain), second_time).run().events;
    RunHistory::of(&with_snapshots(events)).expect("the machine's own events fit")
}

fn forked(
    history: &RunHistory,
    address: &str,
    script: impl Fn(UnitId) -> SimulatedAgent + 'static,
) -> RunSimulation {
    let ForkPoint { origin, inherited } = point(history, address);
    let plan = history.state.plan.clone();
    let state = RunState::forked(RunId::from_random(8), plan, origin, &inherited);
    let state = state.expect("the steps can be inherited");
    let machine = Machine::new(state, "test", GracePeriods::default(), start());
    RunSimulation::with(machine, Box::new(script)).run()
}

#[test]
fn a_fork_goes_on_with_the_step_of_its_snapshot() {
    let history = source("a:3 -> b:3 -> c");
    for (address, next, inherited) in [
        ("0", 1, 0),
        ("1.1", 1, 0),
        // Step 1 was complete then.
        ("1.2", 2, 1),
        ("2.0", 2, 1),
        ("2.1", 2, 1),
        ("2.2", 3, 2),
        ("3.0", 3, 2),
        // After the last step nothing would be left to do.
        ("3.1", 3, 2),
    ] {
        let point = point(&history, address);
        assert_eq!((point.next_step(), point.inherited.len()), (next, inherited), "{address}");
        let run = forked(&history, address, second_time);
        assert_eq!(run.spawned.first().map(ToString::to_string), Some(format!("{next}.1.1")));
        assert_eq!(run.machine.state().end, Some(RunEnd::Complete), "{address}");
        assert_eq!(run.machine.state().complete_steps(), 3, "{address}");
    }
}

#[test]
fn a_step_that_did_not_complete_goes_on() {
    let failing = |unit: UnitId| SimulatedAgent::exiting(i32::from(unit.step == 2));
    let events = RunSimulation::new(plan("a -> b"), failing).run().events;
    let history = RunHistory::of(&with_snapshots(events)).expect("they fit");
    let run = forked(&history, "2.1", |_| SimulatedAgent::exiting(0));
    assert_eq!(run.spawned, [UnitId { step: 2, iteration: 1, attempt: 1 }]);
    assert_eq!(run.machine.state().end, Some(RunEnd::Complete));
}

#[test]
fn money_time_and_iterations_begin_anew() {
    let history = source("a:9 -> b:9");
    let run = forked(&history, "2.1", |_| SimulatedAgent::exiting(0));
    let state = run.machine.state();
    assert_eq!((state.iterations(), state.steps[1].finished), (9, 9));
    assert!(state.spend().is_zero() && state.steps[0].elapsed.is_zero());
    assert_eq!(state.end, Some(RunEnd::Incomplete { step: 2, end: StepEnd::MaxIterations }));
}

#[test]
fn a_fork_resumes_from_every_prefix_of_its_journal() {
    let history = source("a:3 -> b:3 -> c");
    let whole = forked(&history, "2.1", second_time);
    for number in 1..whole.events.len() {
        let events = &whole.events[..number];
        let state = fold(events);
        assert_eq!(RunHistory::of(events).expect("they fit").state, state, "{number} events");
        assert_eq!((state.inherited_steps, &state.origin), (1, &whole.machine.state().origin));
        let run = RunSimulation::resumed(events, LimitChanges::default(), second_time).run();
        assert_eq!(run.machine.state().end, Some(RunEnd::Complete), "{number} events");
        assert!(run.spawned.iter().all(|unit| unit.step > 1), "{number} events");
    }
}

#[test]
fn a_fork_of_a_fork_inherits_the_same_steps() {
    let history = source("a:3 -> b:3 -> c");
    let events = with_snapshots(forked(&history, "2.0", second_time).events);
    let fork = RunHistory::of(&events).expect("they fit");
    let again = forked(&fork, "2.1", second_time);
    assert_eq!(again.spawned.first().map(ToString::to_string).as_deref(), Some("2.1.1"));
    let origin = again.machine.state().origin.clone().expect("it was forked");
    assert_eq!((origin.run, origin.iteration), (RunId::from_random(8), 1));
}

#[test]
fn steps_that_a_run_cannot_have_passed_are_refused() {
    let origin = ForkOrigin {
        run: RunId::from_random(1),
        step: 2,
        iteration: 0,
        snapshot: WorkTreeSnapshot { number: 0, commit: "c".to_owned() },
    };
    let complete = StepEnd::Complete(CompletionSignal::File);
    let table = [
        (2, complete.clone(), "these steps cannot be inherited"),
        (1, StepEnd::MaxIterations, "these steps cannot be inherited"),
        (0, complete, "these steps cannot be inherited"),
    ];
    for (step, end, expected) in table {
        let kind = EventKind::RunStarted {
            run: RunId::from_random(2),
            program: "test".to_owned(),
            plan: Box::new(plan("a -> b")),
            origin: Some(origin.clone()),
            inherited: vec![InheritedStep { step, end }],
        };
        let first = Event::new(Timestamp::default(), Duration::ZERO, kind);
        let refused = RunState::begin(&first).expect_err("it does not fit");
        assert_eq!(refused.to_string(), format!("contradicts the events before it: {expected}"));
    }
}

/// A group or an alternative is inherited as a whole, or begins again.
#[test]
fn a_fork_begins_with_a_stage_of_the_chain() {
    let script = |unit: UnitId| match (unit.step, unit.iteration) {
        // The first alternative fails, and the group needs two rounds.
        (2 | 5, _) | (6, 1) => SimulatedAgent::exiting(1),
        _ => SimulatedAgent::exiting(0),
    };
    let events = RunSimulation::new(plan("a -> b else c -> (d -> e else f):3 -> g"), script).run();
    let history = RunHistory::of(&with_snapshots(events.events)).expect("they fit");
    assert_eq!(history.state.end, Some(RunEnd::Complete));
    for (address, first, inherited) in [
        ("1.1", "2.1.1", 1),
        ("2.1", "2.1.1", 1),
        ("3.1", "4.1.1", 3),
        ("4.0", "4.1.1", 3),
        ("4.2", "4.1.1", 3),
        ("6.1", "4.1.1", 3),
        ("6.2", "7.1.1", 6),
        ("7.1", "7.1.1", 6),
    ] {
        assert_eq!(point(&history, address).inherited.len(), inherited, "{address}");
        let run = forked(&history, address, |_| SimulatedAgent::exiting(0));
        assert_eq!(
            run.spawned.first().map(ToString::to_string).as_deref(),
            Some(first),
            "{address}"
        );
        let state = run.machine.state();
        assert_eq!(state.end, Some(RunEnd::Complete), "{address}");
        assert_eq!(state.steps_on_path().len(), state.complete_steps(), "{address}");
        assert_eq!(fold(&run.events), *state, "{address}");
    }
}

#[test]
fn the_snapshots_of_rounds_are_in_the_order_of_time() {
    let script =
        |unit: UnitId| SimulatedAgent::exiting(i32::from(unit.step == 2 && unit.iteration < 3));
    let events = RunSimulation::new(plan("(a -> b):3"), script).run().events;
    let history = RunHistory::of(&with_snapshots(events)).expect("they fit");
    let numbers: Vec<u32> =
        history.snapshots.points.iter().map(|point| point.snapshot.number).collect();
    assert_eq!(numbers, (0..12).collect::<Vec<u32>>());
    assert_eq!(point(&history, "0").origin.snapshot.number, 0, "before the run");
}
