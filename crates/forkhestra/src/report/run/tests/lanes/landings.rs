//! What a person reads of lanes and landings.

use forkhestra_core::event::Verdict;
use forkhestra_core::event::{CheckOutcome, EventKind, PathList, ProcessEnd, RunEnd, StepEnd};

use super::lane_script::{begun, unit};
use crate::report::plan::dry_run::Verbosity;
use crate::report::run::tests::support::event_script::EventScript;

/// Three lanes: two works land together, one conflicts and is parked in the end.
fn night() -> EventScript {
    begun()
        .checks("5f3a9c0", &[], CheckOutcome::Passed)
        .works(1, 1, None)
        .works(2, 2, Some("TASK-003"))
        .checks("a3d10f2", &[1, 2], CheckOutcome::Passed)
        .lands(1, "a3d10f2", &[(1, 1, None), (2, 2, Some("TASK-003"))])
        .works(3, 3, Some("TASK-007"))
        .conflicts(3, 3, 2)
        .works(3, 4, Some("TASK-007"))
        .checks("b41efc0", &[4], CheckOutcome::Failed)
        .fails_checks(3, 4)
        .in_lane(1, |script| {
            script.iteration(1, 5).iteration_finished(
                (1, 5),
                Verdict::Crashed,
                ProcessEnd::Exited(1),
            )
        })
        .works(3, 6, Some("TASK-007"))
        .conflicts(3, 6, 1)
        .parks(3, 6, 1)
        .then(EventKind::LanesClosed { step: 1 })
}

#[test]
fn every_line_names_its_lane() {
    let end = StepEnd::MaxIterations;
    let text = night().step_over(1, end.clone()).end(RunEnd::Incomplete { step: 1, end }).report();
    insta::assert_snapshot!(text);
}

#[test]
fn details_name_their_lane() {
    let text = begun().in_lane(2, |script| script.iteration(1, 1)).report_in(Verbosity::Verbose);
    insta::assert_snapshot!(text);
}

#[test]
fn a_quiet_run_names_what_a_person_has_to_do() {
    let held = EventKind::Held {
        step: 1,
        why: "it is changed in the work tree".to_owned(),
        paths: PathList::of(["src/cart.rs".to_owned()]),
    };
    let end = StepEnd::NotLanded("it is changed in the work tree: src/cart.rs".to_owned());
    let text = night()
        .then(held)
        .step_over(1, end.clone())
        .end(RunEnd::Incomplete { step: 1, end })
        .report_in(Verbosity::Quiet);
    insta::assert_snapshot!(text);
}

#[test]
fn the_live_line_shows_all_agents_and_the_queue() {
    let script = begun()
        .in_lane(1, |script| script.iteration(1, 1))
        .after(20_000)
        .in_lane(2, |script| script.iteration(1, 2));
    assert_eq!(
        script.status_after(3_000).as_deref(),
        Some("[Lanes: 2 of 3 at work] 1: 1/20 working 23s | 2: 2/20 working 3s")
    );
    let aux_job = forkhestra_core::event::AuxJob::Check { unit: unit(2), number: 1 };
    let script = script
        .works(1, 3, None)
        .works(2, 2, None)
        .works(3, 4, None)
        .then(EventKind::AuxJobStarted { aux_job, pid: 9 });
    assert_eq!(
        script.status_after(80_000).as_deref(),
        Some("[Lanes: 0 of 3 at work] waiting 1 · checking batch of 2, 1m 20s")
    );
}
