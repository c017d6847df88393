//! Somebody wants the run to end after the iteration at work.

use super::asked::{situations, unit, until};
use super::checking::{ONCE_ASKED, checked};
use super::chores::Chore;
use super::hooking::hooked;
use super::*;
use crate::config::OnError;
use crate::control::{Accepted, Reply, Request};
use crate::event::{Cancel, Errand, LimitChanges};
use crate::hook::HookPoint;
use crate::machine::driver::Phase;

fn stopped() -> Option<RunEnd> {
    Some(RunEnd::Interrupted(Cancel::Stop))
}

#[test]
fn the_iteration_at_work_is_let_finish_and_no_other_is_begun() {
    let slow = |_| Agent { exits_at: Some(9_000), ..Agent::exiting(0) };
    let run = Simulation::new(plan("a:5 -> b"), slow).asked_at(2000, Request::Stop).run();
    assert_eq!(ends(run.machine.state()), "interrupted pending: stop");
    assert_eq!((run.spawned.len(), run.took().as_secs()), (1, 9));
    assert_eq!((verdicts(&run), run.pushes.len()), (vec!["incomplete"], 0));
    assert_eq!(run.machine.end().map(RunEnd::exit_code), Some(130));
    let names: Vec<bool> = run
        .kinds()
        .filter_map(|kind| match kind {
            EventKind::StopRequested => Some(false),
            EventKind::Cancelled { by: Cancel::Stop } => Some(true),
            _ => None,
        })
        .collect();
    assert_eq!(names, [false, true], "what is asked for comes before what comes of it");
}

#[test]
fn checks_and_hooks_of_the_iteration_at_work_belong_to_it() {
    let points = [HookPoint::PreIteration, HookPoint::PostIteration, HookPoint::OnInterrupt];
    let plan = hooked(checked("a:5", &ONCE_ASKED), &points.map(|at| (at, OnError::Continue)));
    let run = Simulation::new(plan, |_| Agent { exits_at: Some(3000), ..Agent::done() })
        .with_chores(|errand| Chore::exiting(i32::from(matches!(errand, Errand::Check { .. }))))
        .asked_at(2000, Request::Stop)
        .run();
    assert_eq!((run.machine.end().cloned(), verdicts(&run)), (stopped(), vec!["refused"]));
    let is_check = |errand: &Errand| matches!(errand, Errand::Check { .. });
    let ran: Vec<bool> = run.chores.ran.iter().map(is_check).collect();
    assert_eq!(ran, [false, true, false, false], "before, check, after, at the end");
}

#[test]
fn a_run_whose_last_step_is_done_by_then_is_complete() {
    let slow = |_| Agent { exits_at: Some(9_000), ..Agent::done() };
    let run = Simulation::new(plan("a:5"), slow).asked_at(2000, Request::Stop).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
    assert!(!run.kinds().any(|kind| matches!(kind, EventKind::Cancelled { .. })));
    let run = Simulation::new(plan("a:5 -> b"), slow).asked_at(2000, Request::Stop).run();
    assert_eq!(ends(run.machine.state()), "marker pending: stop");
}

#[test]
fn a_run_of_which_nothing_is_at_work_ends_at_once() {
    for (name, mut run) in situations() {
        if !["looking", "backing off", "waiting", "asking"].contains(&name) {
            continue;
        }
        let before = run.spawned.len();
        run.ask(Request::Stop);
        assert_eq!(run.machine.end().cloned(), stopped(), "{name}");
        assert_eq!(run.spawned.len(), before, "{name}");
    }
}

#[test]
fn a_hook_before_an_agent_is_let_finish_but_the_agent_is_not_started() {
    let hooks = [(HookPoint::PreIteration, OnError::Continue); 2];
    let run = Simulation::new(hooked(plan("a:2"), &hooks), |_| Agent::done());
    let mut run = until(run, |phase| matches!(phase, Phase::Hooking(_)));
    let reply = Reply::Accepted(Accepted::Stops { after: None });
    assert_eq!(run.ask(Request::Stop), Some(reply));
    let run = run.run();
    assert_eq!((run.machine.end().cloned(), run.spawned.len()), (stopped(), 0));
    assert_eq!((run.chores.ran.len(), run.chores.pushes.len()), (1, 0));
    let again = Simulation::resumed(&run.events, LimitChanges::default(), |_| Agent::done()).run();
    assert_eq!((again.chores.ran.len(), again.spawned.len()), (1, 1), "the first one has run");
}

#[test]
fn asking_twice_is_noted_once() {
    let mut run =
        Simulation::new(plan("a:5"), |_| Agent { exits_at: Some(90), ..Agent::hanging() });
    run = until(run, |phase| matches!(phase, Phase::Working(_)));
    let reply = Reply::Accepted(Accepted::Stops { after: Some(unit(1, 1, 1)) });
    assert_eq!(
        (run.ask(Request::Stop), run.ask(Request::Stop)),
        (Some(reply.clone()), Some(reply))
    );
    let run = run.run();
    assert_eq!(run.kinds().filter(|kind| **kind == EventKind::StopRequested).count(), 1);
}

#[test]
fn whoever_resumes_a_run_wants_it_to_go_on() {
    let script = |id: crate::id::UnitId| match id.iteration {
        1 => Agent { exits_at: Some(5000), ..Agent::exiting(0) },
        _ => Agent::done(),
    };
    let first = Simulation::new(plan("a:5"), script).asked_at(2000, Request::Stop).run();
    assert_eq!(first.machine.end().cloned(), stopped());
    let killed = up_to(&first, |kind| *kind == EventKind::StopRequested);
    for (events, expected) in [(first.events, unit(1, 2, 1)), (killed, unit(1, 1, 2))] {
        let again = Simulation::resumed(&events, LimitChanges::default(), script).run();
        assert_eq!(again.spawned[0], expected);
        assert_eq!(again.machine.end(), Some(&RunEnd::Complete));
    }
}

#[test]
fn to_stop_now_is_to_end_the_agent_and_twice_is_to_kill_it() {
    let deaf = |_| Agent { obeys: Some(Push::Kill), ..Agent::hanging() };
    let once = Simulation::new(plan("a:5"), deaf).asked_at(2000, Request::StopNow).run();
    let pushes: Vec<Push> = once.pushes.iter().map(|(_, push)| *push).collect();
    assert_eq!((pushes, once.took().as_secs()), (vec![Push::Terminate, Push::Kill], 12));
    let twice = Simulation::new(plan("a:5"), deaf)
        .asked_at(2000, Request::StopNow)
        .asked_at(3000, Request::StopNow)
        .run();
    assert_eq!(twice.took().as_secs(), 3);
    assert_eq!(ends(twice.machine.state()), "interrupted: stop_now");
}

#[test]
fn whoever_does_not_want_to_wait_after_all_ends_the_agent() {
    for request in [Request::StopNow, Request::Stop] {
        let run = Simulation::new(plan("a:5"), |_| Agent::hanging())
            .asked_at(2000, Request::Stop)
            .asked_at(3000, request.clone())
            .cancelled_at(4000, Cancel::Interrupt)
            .run();
        let end = if request == Request::StopNow { "stop_now" } else { "interrupt" };
        assert_eq!(ends(run.machine.state()), format!("interrupted: {end}"));
    }
}
