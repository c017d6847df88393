//! Runs with lanes that were killed at any point reach the same end, and nobody is paid twice.

use std::collections::BTreeSet;

use super::support::journal_rules::assert_rules;
use super::support::lane_scripts::{LaneAgent, LaneScripts};
use super::support::lanes_simulation::LanesSimulation;
use super::support::plans::{one_step, parallel, with_check, with_landing_check};
use crate::config::CheckWhen;
use crate::event::{CancelCause, EventKind, LimitChanges};
use crate::machine::tests::ends;
use crate::plan::Plan;

/// Kills a run behind each of its events, and resumes it.
#[track_caller]
fn assert_every_prefix_resumes(plan: Plan, scripts: LaneScripts) {
    let run = LanesSimulation::new(plan, scripts).run();
    assert_rules(&run);
    let expected = ends(run.machine.state());
    let landed = run.repository.user.len();
    for events in 1..run.events.len() {
        for late in [false, true] {
            let resumed = run.killed_after(events, late).run();
            assert_rules(&resumed);
            let story = || {
                format!(
                    "killed after {events}, {}\n{}",
                    run.story()[events - 1],
                    resumed.story().join("\n")
                )
            };
            assert_eq!(ends(resumed.machine.state()), expected, "{}", story());
            assert_eq!(iterations(&resumed), iterations(&run), "{}", story());
            // An agent that was killed behind its commit makes another one.
            assert!(resumed.repository.user.len() >= landed, "{}", story());
        }
    }
}

/// The iterations that were started.
fn iterations(run: &LanesSimulation) -> BTreeSet<(usize, u32)> {
    let started = run.kinds().filter_map(|kind| match kind {
        EventKind::IterationStarted { unit, .. } => Some((unit.step, unit.iteration)),
        _ => None,
    });
    started.collect()
}

#[test]
fn a_run_with_a_conflict_resumes_from_every_event() {
    let scripts = || LaneScripts {
        agent: Box::new(|start| LaneAgent {
            merges: start.feedback.is_some(),
            ..LaneAgent::taking(100 + u64::from(start.unit.iteration))
        }),
        conflicts: Box::new(|one, other| {
            let pair = ["1.1", "1.2"];
            let is_of = |name: &str| pair.iter().any(|of| name.starts_with(&format!("{of}.")));
            is_of(one) && is_of(other) && one[..3] != other[..3]
        }),
        ..LaneScripts::default()
    };
    assert_every_prefix_resumes(with_landing_check(one_step("a:8 -> b", 3)), scripts());
}

#[test]
fn a_step_that_completes_resumes_from_every_event() {
    let scripts = LaneScripts {
        agent: Box::new(|start| {
            let agent = LaneAgent::taking(100 + u64::from(start.unit.iteration));
            if start.unit.iteration == 4 { agent.done() } else { agent }
        }),
        ..LaneScripts::default()
    };
    let plan = with_check(one_step("a:4 -> b", 2), CheckWhen::Completion);
    assert_every_prefix_resumes(plan, scripts);
}

/// The agent may have committed before it was cut off, and nobody would know.
#[test]
fn an_iteration_that_was_cut_off_beside_a_claim_is_finished_first() {
    let scripts = LaneScripts {
        agent: Box::new(|start| match start.unit.iteration {
            1 => LaneAgent::taking(100).done(),
            _ => LaneAgent::taking(5_000),
        }),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(one_step("a:9", 2), scripts);
    let run = run.cancelled_at(1_000, CancelCause::Interrupt).run();
    let resumed = run.resumed(LimitChanges::default()).run();
    assert_rules(&resumed);
    assert_eq!(ends(resumed.machine.state()), "marker: complete");
    let again: Vec<_> = resumed.started.iter().map(|start| start.unit.to_string()).collect();
    assert_eq!(again, ["1.2.2"], "{}", resumed.story().join("\n"));
}

#[test]
fn parallel_branches_resume_from_every_event() {
    let scripts = LaneScripts {
        agent: Box::new(|start| {
            let agent = LaneAgent::taking(100 * start.unit.step as u64);
            if start.unit.iteration == 2 { agent.done() } else { agent }
        }),
        ..LaneScripts::default()
    };
    assert_every_prefix_resumes(parallel("a:5 -> b:5 -> c", 1..=2), scripts);
}

#[test]
fn a_landing_that_is_recorded_but_not_carried_out_is_carried_out_once() {
    let run = LanesSimulation::new(one_step("a:4", 2), LaneScripts::default()).run();
    let landed = run.kinds().position(|kind| matches!(kind, EventKind::Landed { .. }));
    let killed = run.killed_after(landed.expect("it landed") + 1, false);
    let before = killed.repository.integration.clone();
    let resumed = killed.run();
    assert_rules(&resumed);
    assert_eq!(before.map(|units| units.len()), Some(0));
    assert_eq!(resumed.repository.user, run.repository.user);
}

#[test]
fn work_that_waited_lands_in_the_old_order() {
    let scripts = LaneScripts {
        agent: Box::new(|start| LaneAgent::taking(150 - 10 * u64::from(start.unit.iteration))),
        ..LaneScripts::default()
    };
    let run = LanesSimulation::new(with_landing_check(one_step("a:4", 4)), scripts);
    let run = run.run_until(
        |kind| matches!(kind, EventKind::LandingChecked { units, .. } if !units.is_empty()),
    );
    let queued: Vec<String> = run
        .kinds()
        .filter_map(|kind| match kind {
            EventKind::WorkQueued { unit, .. } => Some(unit.to_string()),
            _ => None,
        })
        .collect();
    let resumed = run.killed_after(run.events.len(), false).run();
    assert_rules(&resumed);
    let landed: Vec<String> = resumed
        .kinds()
        .filter_map(|kind| match kind {
            EventKind::Landed { landed, .. } => {
                Some(landed.iter().map(|work| work.unit.to_string()))
            }
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(landed[..queued.len()], queued);
}
