//! Runs that are killed, cancelled or out of time while an agent's work is observed. The agent's
//! end is recorded by then, so it is never paid for again.

use super::support::simulated_stream::SimulatedStream;
use super::*;
use crate::event::{CancelCause, LimitChanges, OutcomeClass, ProcessEnd};
use crate::id::UnitId;

/// The same agent, with an observation that takes a second.
fn looked_at(agent: SimulatedAgent) -> SimulatedAgent {
    SimulatedAgent { looked_at: Some(1000), ..agent }
}

fn is_gone(kind: &EventKind) -> bool {
    matches!(kind, EventKind::AgentFinished { .. })
}

/// A run that was killed during the observation of its first agent's work, and is resumed with
/// another agent.
fn killed_and_resumed(plan: Plan, first: SimulatedAgent, next: SimulatedAgent) -> RunSimulation {
    let agent = looked_at(first.clone());
    let whole = RunSimulation::new(plan, move |_| agent.clone()).run();
    let events = up_to(&whole, is_gone);
    let script = move |unit: UnitId| {
        let is_first = (unit.iteration, unit.attempt) == (1, 1);
        looked_at(if is_first { first.clone() } else { next.clone() })
    };
    RunSimulation::resumed(&events, LimitChanges::default(), script).run()
}

#[test]
fn an_agent_that_is_known_to_be_gone_is_not_started_again() {
    let limited = SimulatedAgent::with_outcome(OutcomeClass::UsageLimit);
    let limited = limited.with(|stream: &mut SimulatedStream| stream.resets_in = Some(60));
    // Columns: the chain, its first agent; the verdict of each attempt, and the end.
    let table = [
        ("a:3", SimulatedAgent::done(), vec!["complete"], "marker: complete"),
        ("a:1", SimulatedAgent::exiting(0), vec!["incomplete"], "max_iterations: incomplete at 1"),
        ("a:2", SimulatedAgent::exiting(0), vec!["incomplete", "complete"], "marker: complete"),
        ("a:2", SimulatedAgent::exiting(7), vec!["crashed", "complete"], "marker: complete"),
        ("a:1", limited, vec!["postponed", "complete"], "marker: complete"),
        (
            "a:3",
            SimulatedAgent::with_outcome(OutcomeClass::Authentication),
            vec!["blocked"],
            "authentication: incomplete at 1",
        ),
        ("a", SimulatedAgent::exiting(0), vec!["complete"], "exit_code: complete"),
        ("a", SimulatedAgent::exiting(7), vec!["crashed"], "failed: incomplete at 1"),
    ];
    for (chain, agent, expected, end) in table {
        let what = format!("{chain} {agent:?}");
        let again = killed_and_resumed(plan(chain), agent, SimulatedAgent::done());
        assert_eq!(verdicts(&again), expected, "{what}");
        assert_eq!(again.spawned.len(), expected.len() - 1, "{what}");
        assert_eq!(ends(again.machine.state()), end, "{what}");
    }
}

#[test]
fn an_observation_after_a_resume_decides_too() {
    let mut plan = limited("a:9", |limits| limits.stagnation = limit("1"));
    let same = SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(0) };
    let again = killed_and_resumed(plan.clone(), same.clone(), same);
    assert_eq!(ends(again.machine.state()), "stagnated: incomplete at 1");
    assert_eq!((verdicts(&again).len(), again.spawned.len()), (2, 1), "nothing is known before");
    plan.steps[0].require_work = true;
    let idle = SimulatedAgent::understood_done()
        .with(|stream: &mut SimulatedStream| stream.tool_calls = 0);
    let again = killed_and_resumed(
        plan,
        idle,
        SimulatedAgent { tree: Some('y'), ..SimulatedAgent::done() },
    );
    assert_eq!(verdicts(&again), ["refused", "complete"]);
}

/// A raised limit also applies to an agent that the old one ended.
#[test]
fn an_agent_that_a_limit_ended_does_not_end_the_step_that_was_given_more() {
    let plan = limited("a:3", |limits| limits.run_time = limit("20s"));
    let whole = RunSimulation::new(plan, |_| looked_at(SimulatedAgent::hanging())).run();
    let events = up_to(&whole, is_gone);
    let script = |unit: UnitId| match unit.iteration {
        1 => looked_at(SimulatedAgent::hanging()),
        _ => SimulatedAgent::done(),
    };
    let still = RunSimulation::resumed(&events, LimitChanges::default(), script).run();
    assert_eq!(ends(still.machine.state()), "run_time: incomplete at 1");
    let changes = LimitChanges { run_time: limit("1h"), ..LimitChanges::default() };
    let more = RunSimulation::resumed(&events, changes, script).run();
    assert_eq!(verdicts(&more), ["ended", "complete"]);
    assert_eq!(ends(more.machine.state()), "marker: complete");
}

#[test]
fn a_cancel_does_not_wait_for_an_observation() {
    for by in [CancelCause::Interrupt, CancelCause::GuardLost] {
        let run = RunSimulation::new(plan("a:3"), |_| looked_at(SimulatedAgent::exiting(0)));
        let run = run.cancelled_at(500, by).run();
        assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(by)));
        assert_eq!((verdicts(&run), run.took().as_millis()), (vec!["incomplete"], 500));
        let again = RunSimulation::resumed(&run.events, LimitChanges::default(), |_| {
            SimulatedAgent::done()
        });
        assert_eq!(again.run().spawned, [UnitId { step: 1, iteration: 2, attempt: 1 }]);
    }
}

/// A step that requires work needs an observation before a claim is accepted.
#[test]
fn an_unobserved_claim_is_observed_later() {
    let mut plan = plan("a:3");
    plan.steps[0].require_work = true;
    let agent = |_| looked_at(SimulatedAgent { tree: Some('x'), ..SimulatedAgent::done() });
    let run = RunSimulation::new(plan, agent).cancelled_at(500, CancelCause::Interrupt).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(CancelCause::Interrupt)));
    assert_eq!(verdicts(&run), [""; 0]);
    let again = RunSimulation::resumed(&run.events, LimitChanges::default(), agent).run();
    assert_eq!((verdicts(&again), again.spawned.len()), (vec!["complete"], 0));
}

#[test]
fn time_used_up_by_an_observation_does_not_undo_the_work() {
    let plan = limited("a:3", |limits| limits.run_time = limit("20s"));
    let run = RunSimulation::new(plan, |_| SimulatedAgent {
        looked_at: Some(90_000),
        ..SimulatedAgent::done()
    })
    .run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!(run.took().as_secs(), 90);
}

/// The duration of the observation does not count for the agent.
#[test]
fn the_outcome_of_an_agent_is_recorded_twice_alike() {
    let run = RunSimulation::new(plan("a:1"), |_| looked_at(SimulatedAgent::exiting(3))).run();
    let reports: Vec<_> = run
        .kinds()
        .filter_map(|kind| match kind {
            EventKind::AgentFinished { report, .. }
            | EventKind::IterationFinished { report, .. } => Some(report),
            _ => None,
        })
        .collect();
    assert_eq!(reports.len(), 2);
    assert_eq!(reports[0], reports[1]);
    assert_eq!(reports[0].end, Some(ProcessEnd::Exited(3)));
}

#[test]
fn the_work_of_a_cancelled_agent_is_observed_unless_cancelled_twice() {
    let agent = SimulatedAgent {
        tree: Some('x'),
        obeys: Some(ProcessSignal::Interrupt),
        ..SimulatedAgent::hanging()
    };
    let script = move |_| looked_at(agent.clone());
    let seen = |run: &RunSimulation| {
        let reports = run.kinds().filter_map(|kind| match kind {
            EventKind::IterationFinished { report, .. } => Some(report.observation.tree.is_some()),
            _ => None,
        });
        reports.collect::<Vec<bool>>()
    };
    let once =
        RunSimulation::new(plan("a:2"), script.clone()).cancelled_at(100, CancelCause::Interrupt);
    let once = once.run();
    assert_eq!((seen(&once), verdicts(&once)), (vec![true], vec!["interrupted"]));
    assert_eq!(ends(once.machine.state()), "interrupted: interrupt");
    let twice = RunSimulation::new(plan("a:2"), script).cancelled_at(100, CancelCause::Interrupt);
    let twice = twice.cancelled_at(500, CancelCause::Interrupt).run();
    assert_eq!((seen(&twice), verdicts(&twice)), (vec![false], vec!["interrupted"]));
    assert!(twice.took() < seconds(1));
    let killed = up_to(&once, is_gone);
    let again =
        RunSimulation::resumed(&killed, LimitChanges::default(), |_| SimulatedAgent::done()).run();
    assert_eq!(verdicts(&again), ["interrupted", "complete"]);
    assert_eq!(again.spawned.iter().map(|unit| unit.attempt).collect::<Vec<_>>(), [2]);
}
