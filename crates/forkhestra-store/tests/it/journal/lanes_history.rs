//! The history of the sample run with lanes.

use std::time::Duration;

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::history::{
    ExecutionStatus, LandingCounts, Liveness, QueueActivity, RunActivity, RunHistory,
};
use forkhestra_core::id::LaneNumber;

use crate::samples::lanes::{self, lane};

/// The history up to the last event for which something holds.
fn until(is_last: impl Fn(&Event) -> bool) -> RunHistory {
    let events = lanes::run();
    let last = events.iter().position(is_last).expect("there is one");
    RunHistory::of(&events[..=last]).expect("they fit")
}

fn starts(event: &Event, iteration: u32) -> bool {
    matches!(event.kind, EventKind::AgentStarted { unit, .. } if unit.step == 2 && unit.iteration == iteration)
}

#[test]
fn every_lane_has_its_agent_and_its_activity() {
    let history = until(|event| starts(event, 2));
    let running: Vec<(u32, Option<u8>)> = history
        .unfinished_agents()
        .map(|agent| (agent.unit.iteration, agent.lane.map(LaneNumber::get)))
        .collect();
    assert_eq!(running, [(1, Some(1)), (2, Some(2))]);
    assert_eq!(history.lanes.running_agents(), 2);
    assert_eq!((history.activity, history.lanes.queue), (RunActivity::Idle, QueueActivity::Idle));
    assert_eq!(history.step_status(2, Liveness::Alive), ExecutionStatus::Running);
    assert_eq!(history.step_iterations(2), 0);
}

#[test]
fn the_queue_checks_what_waits_as_one_batch() {
    let is_check = |event: &Event| event.elapsed == Duration::from_millis(21 * 1001);
    let history = until(is_check);
    let QueueActivity::CheckingBatch { last, works, since } = history.lanes.queue else {
        panic!("{:?}", history.lanes.queue)
    };
    assert_eq!((last.iteration, works, since), (2, 2, Duration::from_millis(21 * 1001)));
    assert_eq!((history.lanes.waiting(), history.step_iterations(2)), (0, 2));
    let queued = history.lanes.lane(lane(1)).and_then(|lane| lane.queued);
    assert_eq!(queued, Some(Duration::from_millis(18 * 1001)));
}

#[test]
fn landings_and_work_that_was_sent_back_are_counted() {
    let history = RunHistory::of(&lanes::run()).expect("they fit");
    let counts = LandingCounts {
        landed: 4,
        batches: 3,
        conflicts: 1,
        parked: 1,
        ..LandingCounts::default()
    };
    assert_eq!((history.lanes.counts(), history.lanes.counts_of_step(2)), (counts, counts));
    assert!(history.lanes.counts_of_step(1).is_empty());
    let second = history.lanes.counts_of_lane(lane(2));
    assert_eq!((second.landed, second.batches, second.sent_back()), (1, 1, 1));
    let landing = &history.lanes.landings[0];
    assert_eq!(
        (landing.landed.len(), landing.checked.map(|checks| checks.duration)),
        (2, Some(Duration::from_millis(2100)))
    );
    let parked = &history.lanes.parked[0];
    let name = parked.ref_name(&history.state.run);
    assert!(name.ends_with("/parked/1"), "{name}");
    assert_eq!(parked.tasks, ["TASK-004"]);
    assert!(history.lanes.held.is_none() && !history.lanes.is_open);
    assert_eq!((history.step_iterations(2), history.iterations()), (5, 6));
    let lanes: Vec<Option<u8>> =
        history.attempts().map(|record| record.lane.map(LaneNumber::get)).collect();
    assert_eq!(lanes, [None, Some(1), Some(2), Some(1), Some(2), Some(1)]);
}

/// Wall time is counted once, and the work of all lanes beside it.
#[test]
fn times_add_up_to_the_clock_of_the_run() {
    let history = RunHistory::of(&lanes::run()).expect("they fit");
    let times = history.times();
    assert_eq!(times.total(), history.state.elapsed);
    assert!(times.landing > Duration::ZERO, "{times:?}");
    let of_lanes = times.work_in_lanes + Duration::from_millis(1001);
    assert!(of_lanes > times.agents, "the planner ran for a second: {times:?}");
    for (number, event) in lanes::run().iter().enumerate() {
        let history = RunHistory::of(&lanes::run()[..=number]).expect("they fit");
        assert_eq!(history.times().total(), event.elapsed, "event {number}");
    }
}
