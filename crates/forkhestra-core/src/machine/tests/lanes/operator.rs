//! What operators do to runs with lanes.

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::{LaneAgent, LaneScripts};
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::{laned, one_step};
use crate::config::Backend;
use crate::control::ControlRequest;
use crate::event::{CancelCause, EventKind, LimitChanges, OutcomeClass};
use crate::machine::ProcessSignal;
use crate::machine::tests::ends;
use crate::machine::tests::support::simulated_agent::SimulatedAgent;
use crate::plan::{AgentKind, DirectSpawn, ProgramLocation};
use crate::text::count::Count;

fn four_lanes() -> LanesSimulation {
    LanesSimulation::new(one_step("a:20", 4), LaneScripts::default())
}

fn hanging() -> LaneScripts {
    LaneScripts {
        agent: Box::new(|_| LaneAgent::of(SimulatedAgent::hanging())),
        ..LaneScripts::default()
    }
}

fn count_of(run: &LanesSimulation, signal: ProcessSignal) -> usize {
    run.signals.iter().filter(|(_, _, sent)| *sent == signal).count()
}

#[test]
fn a_stop_ends_each_lane_after_its_iteration_and_its_landing() {
    let run = four_lanes().asked_at(50, ControlRequest::Stop).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "interrupted: stop");
    assert_eq!((run.started.len(), run.repository.user.len()), (4, 4));
    let resumed = run.resumed(LimitChanges::default()).run();
    assert_rules(&resumed);
    assert_eq!(ends(resumed.machine.state()), "max_iterations: incomplete at 1");
    assert_eq!((resumed.started.len(), resumed.repository.user.len()), (16, 20));
}

#[test]
fn a_stop_now_ends_all_agents_and_a_resume_repeats_them_in_their_lanes() {
    let run = four_lanes().asked_at(50, ControlRequest::StopNow).run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "interrupted: stop_now");
    let resumed = run.resumed(LimitChanges::default()).run();
    assert_rules(&resumed);
    let first: Vec<String> =
        resumed.started.iter().take(4).map(|start| start.unit.to_string()).collect();
    assert_eq!(first, ["1.1.2", "1.2.2", "1.3.2", "1.4.2"]);
    assert_eq!(ends(resumed.machine.state()), "max_iterations: incomplete at 1");
}

#[test]
fn a_cancelled_run_ends_all_agents() {
    for (by, signal) in [
        (CancelCause::Interrupt, ProcessSignal::Interrupt),
        (CancelCause::Terminate, ProcessSignal::Terminate),
    ] {
        let run = four_lanes().cancelled_at(50, by).run();
        assert_rules(&run);
        assert_eq!(count_of(&run, signal), 4);
        assert_eq!(ends(run.machine.state()), format!("interrupted: {}", by.as_str()));
    }
}

#[test]
fn a_second_interrupt_kills_all_agents() {
    let deaf = SimulatedAgent { obeys: Some(ProcessSignal::Kill), ..SimulatedAgent::hanging() };
    let scripts = LaneScripts {
        agent: Box::new(move |_| LaneAgent::of(deaf.clone())),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(one_step("a:20", 4), scripts)
        .cancelled_at(50, CancelCause::Interrupt)
        .cancelled_at(60, CancelCause::Interrupt)
        .run();
    assert_eq!(count_of(&run, ProcessSignal::Kill), 4);
    assert_eq!(ends(run.machine.state()), "interrupted: interrupt");
}

#[test]
fn a_pause_suspends_all_agents_and_starts_none() {
    let run = four_lanes()
        .asked_at(50, ControlRequest::Pause)
        .asked_at(5000, ControlRequest::Continue)
        .run();
    assert_rules(&run);
    assert_eq!(count_of(&run, ProcessSignal::Suspend), 4);
    assert_eq!(count_of(&run, ProcessSignal::Continue), 4);
    assert_eq!(run.repository.user.len(), 20);
}

#[test]
fn a_skip_ends_all_lanes_and_loses_no_work() {
    let run = LanesSimulation::new(laned("a:20 -> b", &[(1, 4)]), hanging())
        .asked_at(50, ControlRequest::Skip)
        .asked_at(90_000, ControlRequest::Skip)
        .run();
    assert_rules(&run);
    assert_eq!(ends(run.machine.state()), "skipped skipped: complete");
    // The agents had committed something.
    let parked: usize = run.repository.parked.values().map(std::collections::BTreeSet::len).sum();
    assert_eq!(parked, 4, "{:#?}", run.story());
}

#[test]
fn each_message_is_given_to_one_agent() {
    let run = four_lanes()
        .asked_at(50, ControlRequest::Tell { text: "one".to_owned(), lane: None })
        .asked_at(60, ControlRequest::Tell { text: "two".to_owned(), lane: None })
        .asked_at(250, ControlRequest::Tell { text: "three".to_owned(), lane: None })
        .run();
    assert_rules(&run);
    let given: Vec<u32> = run
        .kinds()
        .filter_map(|kind| match kind {
            EventKind::MessagesGiven { messages, .. } => Some(messages.clone()),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(given, [1, 2, 3]);
}

#[test]
fn messages_of_an_agent_without_an_outcome_are_given_again() {
    let scripts = LaneScripts {
        agent: Box::new(|start| {
            let process = SimulatedAgent {
                exits_at: Some(if start.unit.attempt == 1 { 100_000 } else { 100 }),
                ..SimulatedAgent::exiting(0)
            };
            LaneAgent::of(process)
        }),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(one_step("a:2", 2), scripts)
        .asked_at(0, ControlRequest::Tell { text: "one".to_owned(), lane: None })
        .cancelled_at(500, CancelCause::Interrupt)
        .run();
    let told = |run: &LanesSimulation| {
        run.kinds().filter(|kind| matches!(kind, EventKind::MessagesGiven { .. })).count()
    };
    assert_eq!(told(&run), 1, "{:#?}", run.story());
    let resumed = run.resumed(LimitChanges::default()).run();
    assert_rules(&resumed);
    assert_eq!(told(&resumed), 2, "{:#?}", resumed.story());
    assert_eq!(resumed.machine.state().undelivered().count(), 0);
}

#[test]
fn changed_limits_hold_for_all_lanes() {
    let set = |count: &str| {
        let iterations = Count::parse(count).ok();
        ControlRequest::Set(LimitChanges { iterations, ..LimitChanges::default() })
    };
    let run = four_lanes().asked_at(50, set("6")).run();
    assert_rules(&run);
    assert_eq!(run.started.len(), 6);
    let run = LanesSimulation::new(one_step("a:4", 4), LaneScripts::default())
        .asked_at(50, set("9"))
        .run();
    assert_rules(&run);
    assert_eq!(run.started.len(), 9);
    // One lane rests already.
    let scripts = LaneScripts {
        agent: Box::new(|start| {
            LaneAgent::taking(if start.unit.iteration == 1 { 1000 } else { 10 })
        }),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(one_step("a:2", 2), scripts).asked_at(500, set("6")).run();
    assert_rules(&run);
    assert_eq!(run.started.len(), 6);
    assert!(
        run.started.iter().filter(|start| start.lane.is_some_and(|lane| lane.get() == 2)).count()
            > 3
    );
}

#[test]
fn a_stop_does_not_wait_for_a_lane_that_waits_for_its_provider() {
    let mut plan = one_step("a:12", 2);
    let location = ProgramLocation::Found("/bin/claude".to_owned());
    let direct = DirectSpawn::new(Backend::Claude, "claude".to_owned(), location);
    plan.steps[0].agent.kind = AgentKind::Direct(direct);
    let scripts = LaneScripts {
        agent: Box::new(|_| {
            let process = SimulatedAgent::with_outcome(OutcomeClass::UsageLimit);
            LaneAgent::of(process.with(|stream| stream.resets_in = Some(1000))).idle()
        }),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(plan, scripts).asked_at(5000, ControlRequest::Stop).run();
    assert_eq!(ends(run.machine.state()), "interrupted: stop");
    assert!(run.machine.state().elapsed.as_secs() < 10, "{:?}", run.machine.state().elapsed);
}

#[test]
fn a_stop_does_not_wait_for_a_lane_that_backs_off() {
    let scripts = LaneScripts {
        agent: Box::new(|_| LaneAgent::of(SimulatedAgent::exiting(1)).idle()),
        ..LaneScripts::default()
    };
    // The delay after the fifth crash is long.
    let run = LanesSimulation::new(one_step("a:30", 2), scripts)
        .asked_at(60_000, ControlRequest::Stop)
        .run();
    assert_eq!(ends(run.machine.state()), "interrupted: stop");
    assert!(run.machine.state().elapsed.as_secs() < 62, "{:?}", run.machine.state().elapsed);
}
