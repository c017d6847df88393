//! What holds for the events of every run with lanes.

use std::collections::{BTreeMap, BTreeSet};

use super::lanes_simulation::LanesSimulation;
use super::simulated_repository::{UnitSet, units_of};
use crate::event::{Event, EventKind, Verdict};
use crate::id::{LaneNumber, UnitId};

/// Checks the events of a run and what they did to the repository.
#[track_caller]
pub(in crate::machine::tests) fn assert_rules(run: &LanesSimulation) {
    assert_agents_are_paid_once(&run.events);
    assert_work_lands_once(&run.events, &run.story());
    assert_nothing_is_lost(run);
}

/// No attempt starts twice, no lane has two agents, an iteration has one outcome, and an attempt
/// without one is repeated in the same lane.
#[track_caller]
fn assert_agents_are_paid_once(events: &[Event]) {
    let mut started: BTreeSet<String> = BTreeSet::new();
    let mut at_work: BTreeMap<Option<LaneNumber>, UnitId> = BTreeMap::new();
    let mut attempts: BTreeMap<(usize, u32), (Option<LaneNumber>, u32)> = BTreeMap::new();
    let mut outcomes: BTreeSet<(usize, u32)> = BTreeSet::new();
    let EventKind::RunStarted { plan, .. } = &events[0].kind else { panic!("no plan") };
    // A resume retries a failed agent of a step that runs once.
    let loops = |step: usize| plan.steps[step - 1].iterations.is_some();
    for event in events {
        match &event.kind {
            EventKind::IterationStarted { unit, .. } => {
                assert!(started.insert(unit.to_string()), "{unit} is started twice");
                let before = at_work.insert(event.lane, *unit);
                assert_eq!(before, None, "{unit} is the second agent in lane {:?}", event.lane);
                let number = (unit.step, unit.iteration);
                assert!(!outcomes.contains(&number) || !loops(unit.step), "{unit} is paid again");
                let (lane, attempt) = attempts.get(&number).copied().unwrap_or((event.lane, 0));
                assert_eq!((lane, attempt + 1), (event.lane, unit.attempt), "of {unit}");
                attempts.insert(number, (event.lane, unit.attempt));
            }
            EventKind::IterationFinished { unit, report } => {
                at_work.retain(|_, running| running != unit);
                if !matches!(report.verdict, Verdict::Interrupted | Verdict::Postponed) {
                    let is_new = outcomes.insert((unit.step, unit.iteration));
                    assert!(is_new || !loops(unit.step), "{unit} ends twice");
                }
            }
            EventKind::RunResumed { .. } => at_work.clear(),
            _ => {}
        }
    }
}

/// What lands was queued and not decided about since, it lands on what has landed before, and no
/// unit lands twice.
#[track_caller]
fn assert_work_lands_once(events: &[Event], story: &[String]) {
    let mut queued: BTreeMap<LaneNumber, (UnitId, UnitSet)> = BTreeMap::new();
    let mut integration: Option<UnitSet> = None;
    let mut last = 0;
    for event in events {
        match (&event.kind, event.lane) {
            (EventKind::IntegrationStarted { commit, .. }, _) => {
                integration = Some(units_of(commit));
                queued.clear();
            }
            (EventKind::WorkQueued { unit, work }, Some(lane)) => {
                let work = (*unit, units_of(&work.commit));
                let before = queued.insert(lane, work.clone());
                assert!(
                    before.is_none_or(|before| before == work),
                    "{unit} replaces other work: {story:#?}"
                );
            }
            (EventKind::WorkParked { .. }, Some(lane)) => {
                queued.remove(&lane);
            }
            (EventKind::LandingRefused { unit, .. }, Some(lane)) => {
                let refused = queued.remove(&lane).map(|(unit, _)| unit);
                assert_eq!(refused, Some(*unit), "only queued work is refused");
            }
            (EventKind::Landed { from, to, landed, number, .. }, _) => {
                assert_eq!(Some(units_of(from)), integration, "it lands on what has landed");
                last += 1;
                assert_eq!(*number, last, "landings are numbered in order");
                let mut sum = units_of(from);
                assert!(!landed.is_empty(), "nothing lands");
                for work in landed {
                    let (unit, units) = queued.remove(&work.lane).expect("it was queued");
                    assert_eq!((unit, units.clone()), (work.unit, units_of(&work.work.commit)));
                    sum.extend(units);
                }
                assert_eq!(units_of(to), sum, "exactly the queued work lands");
                integration = Some(sum);
            }
            _ => {}
        }
    }
}

/// Every unit of work is landed, parked or in its lane. The user's work tree never has work that has
/// not landed.
#[track_caller]
fn assert_nothing_is_lost(run: &LanesSimulation) {
    let repository = &run.repository;
    let mut kept: UnitSet = repository.user.clone();
    kept.extend(repository.integration.iter().flatten().cloned());
    kept.extend(repository.parked.values().flatten().cloned());
    kept.extend(repository.lanes.values().flat_map(|lane| lane.head.clone()));
    let lost: Vec<&String> = repository.made.difference(&kept).collect();
    assert!(lost.is_empty(), "{lost:?} is lost:\n{}", run.story().join("\n"));
}
