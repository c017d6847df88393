//! Every request, wherever the run stands: it is answered once, and whatever it is, the run comes to
//! an end.

use super::asking::{ready, working_through_tasks};
use super::checking::{ONCE_ASKED, checked, in_room};
use super::chores::{Chore, Room};
use super::hooking::hooked;
use super::*;
use crate::config::OnError;
use crate::control::{Accepted, Refused, Reply, Request};
use crate::event::{Cancel, LimitChanges, OutcomeClass};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::machine::driver::Phase;

pub(super) fn unit(step: usize, iteration: u32, attempt: u32) -> UnitId {
    UnitId { step, iteration, attempt }
}

pub(super) fn timeout(text: &str) -> LimitChanges {
    LimitChanges { timeout: limit(text), ..LimitChanges::default() }
}

pub(super) fn tell(text: &str) -> Request {
    Request::Tell(text.to_owned())
}

/// Lets a run go on until it stands like this.
#[track_caller]
pub(super) fn until(mut run: Simulation, is_there: impl Fn(&Phase) -> bool) -> Simulation {
    while !is_there(&run.machine.phase) {
        assert!(run.step(), "the run never comes there");
    }
    run
}

/// The last one hangs for ever, or the run would be over too soon.
fn hanging() -> Simulation {
    Simulation::new(plan("a:3 -> b"), |_| Agent::hanging())
}

fn with_hook(point: HookPoint) -> Simulation {
    let plan = hooked(plan("a:2 -> b"), &[(point, OnError::Continue)]);
    Simulation::new(plan, |id| Agent::exiting(i32::from(id.step == 2)))
        .with_chores(|_| Chore { exits_at: Some(2000), ..Chore::exiting(0) })
}

fn done_but_checked(room: Room) -> Simulation {
    let plan = in_room(checked("a:3 -> b", &ONCE_ASKED), None);
    Simulation::new(plan, |_| Agent::done())
        .with_rooms(move |_| room.clone())
        .with_chores(|_| Chore { exits_at: Some(2000), ..Chore::exiting(0) })
}

/// Where a run may stand, with a name.
pub(super) fn situations() -> Vec<(&'static str, Simulation)> {
    let crashing = Simulation::new(plan("a:3 -> b"), |_| Agent::exiting(1));
    let unserved = |id: UnitId| match id.attempt {
        1 => Agent::heard(OutcomeClass::UsageLimit).with(|stream| stream.resets_in = Some(60)),
        _ => Agent::understood_done(),
    };
    let looked_at = |_| Agent { looked_at: Some(500), ..Agent::exiting(0) };
    let tasks = Simulation::new(working_through_tasks(plan("a:2 -> b")), |_| Agent::exiting(0))
        .with_tasks(|_, _| (ready(), 500));
    let surveyed = Simulation::new(plan("a:2 -> b"), |_| Agent::done()).in_repository(Some(700));
    let is_hooking = |phase: &Phase| matches!(phase, Phase::Hooking(_));
    let is_checking = |phase: &Phase| phase.job().is_some();
    let is_inspecting = |phase: &Phase| matches!(phase, Phase::Inspecting(_));
    let looking = |phase: &Phase| matches!(phase, Phase::Looking { .. });
    let working = |phase: &Phase| matches!(phase, Phase::Working(_));
    vec![
        ("new", hanging()),
        ("looking", until(hanging(), looking)),
        ("backing off", until(crashing, |phase| matches!(phase, Phase::BackingOff { .. }))),
        (
            "waiting",
            until(Simulation::new(plan("a:3 -> b"), unserved), |phase| {
                matches!(phase, Phase::Waiting { .. })
            }),
        ),
        ("asking", until(tasks, |phase| matches!(phase, Phase::Asking { .. }))),
        ("working", until(hanging(), working)),
        ("looking after", until(Simulation::new(plan("a:2 -> b"), looked_at), is_inspecting)),
        ("preparing", until(done_but_checked(Room::After(500)), is_inspecting)),
        ("checking", until(done_but_checked(Room::After(5)), is_checking)),
        ("before", until(with_hook(HookPoint::PreIteration), is_hooking)),
        ("after", until(with_hook(HookPoint::PostIteration), is_hooking)),
        ("at the end", until(with_hook(HookPoint::OnFailure), is_hooking)),
        ("surveying", until(surveyed, |phase| matches!(phase, Phase::Surveying { .. }))),
    ]
}

/// Ends whatever still hangs.
fn end(mut run: Simulation) -> Simulation {
    let is_paused = run.answers.iter().any(|(_, r)| *r == Reply::Accepted(Accepted::Paused));
    if is_paused {
        run.ask(Request::Continue);
    }
    run.later(seconds(5), Input::Cancel(Cancel::Terminate));
    run.run()
}

#[test]
fn every_request_is_answered_once_wherever_the_run_stands() {
    let (first, none) = (Some(unit(1, 1, 1)), None);
    let stops = |after| Reply::Accepted(Accepted::Stops { after });
    let skips = Reply::Accepted(Accepted::Skips { step: 1 });
    let ending = Reply::Refused(Refused::Ending);
    let table = [
        ("new", none, &skips),
        ("looking", none, &skips),
        ("backing off", none, &skips),
        ("waiting", none, &skips),
        ("asking", none, &skips),
        ("working", first, &skips),
        ("looking after", first, &skips),
        ("preparing", first, &skips),
        ("checking", first, &skips),
        ("before", none, &skips),
        ("after", first, &skips),
        ("at the end", none, &ending),
        ("surveying", none, &skips),
    ];
    let requests = [
        Request::Stop,
        Request::StopNow,
        Request::Pause,
        Request::Continue,
        tell("look at a"),
        Request::Skip,
        Request::Set(timeout("1m")),
    ];
    for request in requests {
        for ((name, run), (expected_name, after, skipped)) in situations().into_iter().zip(&table) {
            assert_eq!(name, *expected_name);
            let expected = match request {
                Request::Stop => stops(*after),
                Request::StopNow => Reply::Accepted(Accepted::Ends),
                Request::Pause => Reply::Accepted(Accepted::Paused),
                Request::Continue => Reply::Refused(Refused::NotPaused),
                Request::Tell(_) => Reply::Accepted(Accepted::Queued { number: 1 }),
                Request::Skip => Reply::clone(skipped),
                Request::Set(_) => Reply::Accepted(Accepted::Changed),
            };
            let mut run = run;
            let at_once = run.ask(request.clone());
            assert_eq!(at_once.is_none(), name == "new", "{name}: {request:?}");
            if name == "new" {
                assert!(run.step(), "it begins");
            }
            assert_eq!(run.answer(1), Some(expected), "{name}: {request:?}");
            let run = end(run);
            assert!(run.answers.iter().filter(|(ticket, _)| *ticket == 1).count() == 1);
            assert_eq!(simulation::fold(&run.events), *run.machine.state(), "{name}: {request:?}");
        }
    }
}

#[test]
fn a_run_that_is_over_says_so() {
    let mut run = Simulation::new(plan("a"), |_| Agent::exiting(0)).run();
    let events = run.events.len();
    for request in [Request::Stop, Request::StopNow, Request::Pause, tell("x"), Request::Skip] {
        assert_eq!(run.ask(request), Some(Reply::Refused(Refused::Over)));
    }
    assert_eq!(run.events.len(), events, "nothing comes after the end");
}

#[test]
fn a_complete_run_that_is_resumed_says_that_it_is_over() {
    let whole = Simulation::new(plan("a"), |_| Agent::exiting(0)).run();
    let mut run =
        Simulation::resumed(&whole.events, LimitChanges::default(), |_| Agent::exiting(0));
    assert_eq!(run.ask(tell("x")), None);
    let run = run.run();
    assert_eq!(run.answer(1), Some(Reply::Refused(Refused::Over)));
    assert!(run.events.is_empty());
}

#[test]
fn a_run_that_is_being_cancelled_takes_nothing_on() {
    let deaf = |_| Agent { obeys: Some(Push::Kill), ..Agent::hanging() };
    let mut run = until(Simulation::new(plan("a:3"), deaf), |p| matches!(p, Phase::Working(_)));
    run.tell(Input::Cancel(Cancel::Interrupt));
    let refused = Some(Reply::Refused(Refused::Ending));
    for request in [Request::Pause, tell("x"), Request::Skip, Request::Set(timeout("1m"))] {
        assert_eq!(run.ask(request.clone()), refused, "{request:?}");
    }
    assert_eq!(run.ask(Request::Stop), Some(Reply::Accepted(Accepted::Ends)));
    assert_eq!(run.run().machine.end(), Some(&RunEnd::Interrupted(Cancel::Interrupt)));
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let iterations = LimitChanges {
        iterations: crate::count::Count::parse("5").ok(),
        ..LimitChanges::default()
    };
    let long = "x".repeat(crate::control::LONGEST_MESSAGE + 1);
    for (request, expected) in [
        (tell(""), Refused::EmptyMessage),
        (tell(" \n\t\n"), Refused::EmptyMessage),
        (tell(&long), Refused::LongMessage),
        (Request::Set(LimitChanges::default()), Refused::NoChange),
        (Request::Set(iterations), Refused::NoLoop),
        (Request::Continue, Refused::NotPaused),
    ] {
        let run = Simulation::new(plan("a -> b"), |_| Agent::hanging());
        let mut run = until(run, |phase| matches!(phase, Phase::Working(_)));
        let (before, events) = (run.machine.state().clone(), run.events.len());
        assert_eq!(run.ask(request), Some(Reply::Refused(expected)));
        assert_eq!((run.machine.state(), run.events.len()), (&before, events));
    }
}
