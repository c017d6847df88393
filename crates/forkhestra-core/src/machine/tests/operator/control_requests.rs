//! Every request in every phase of a run: it is answered once, and the run still ends.

use crate::config::OnHookError;
use crate::control::{
    AcceptedRequest, AnswerRequest, ControlReply, ControlRequest, RefusedRequest,
};
use crate::event::{CancelCause, LimitChanges, OutcomeClass};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::tests::checks::{ON_COMPLETION, checked, with_clean_room};
use crate::machine::tests::hooks::hooked;
use crate::machine::tests::support::aux_job_scripts::{AuxJobScript, SimulatedRoom};
use crate::machine::tests::task_poll::{ready, working_through_tasks};
use crate::machine::tests::*;

pub(crate) fn unit(step: usize, iteration: u32, attempt: u32) -> UnitId {
    UnitId { step, iteration, attempt }
}

pub(crate) fn timeout(text: &str) -> LimitChanges {
    LimitChanges { timeout: limit(text), ..LimitChanges::default() }
}

pub(crate) fn message_request(text: &str) -> ControlRequest {
    ControlRequest::tell(text.to_owned())
}

/// Advances a run until its phase matches.
#[track_caller]
pub(crate) fn until(
    mut run: RunSimulation,
    is_there: impl Fn(&MachinePhase) -> bool,
) -> RunSimulation {
    while !is_there(&run.machine.phase) {
        assert!(run.step(), "the run never comes there");
    }
    run
}

/// The last agent hangs, or the run would end too soon.
fn hanging() -> RunSimulation {
    RunSimulation::new(plan("a:3 -> b"), |_| SimulatedAgent::hanging())
}

fn with_hook(point: HookPoint) -> RunSimulation {
    let plan = hooked(plan("a:2 -> b"), &[(point, OnHookError::Continue)]);
    RunSimulation::new(plan, |id| SimulatedAgent::exiting(i32::from(id.step == 2)))
        .with_chores(|_| AuxJobScript { exits_at: Some(2000), ..AuxJobScript::exiting(0) })
}

fn done_but_checked(room: SimulatedRoom) -> RunSimulation {
    let plan = with_clean_room(checked("a:3 -> b", &ON_COMPLETION), None);
    RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_rooms(move |_| room.clone())
        .with_chores(|_| AuxJobScript { exits_at: Some(2000), ..AuxJobScript::exiting(0) })
}

/// All phases of a run, with a name.
pub(crate) fn situations() -> Vec<(&'static str, RunSimulation)> {
    let crashing = RunSimulation::new(plan("a:3 -> b"), |_| SimulatedAgent::exiting(1));
    let unserved = |id: UnitId| match id.attempt {
        1 => SimulatedAgent::with_outcome(OutcomeClass::UsageLimit)
            .with(|stream| stream.resets_in = Some(60)),
        _ => SimulatedAgent::understood_done(),
    };
    let looked_at = |_| SimulatedAgent { looked_at: Some(500), ..SimulatedAgent::exiting(0) };
    let tasks =
        RunSimulation::new(working_through_tasks(plan("a:2 -> b")), |_| SimulatedAgent::exiting(0))
            .with_tasks(|_, _| (ready(), 500));
    let surveyed =
        RunSimulation::new(plan("a:2 -> b"), |_| SimulatedAgent::done()).in_repository(Some(700));
    let is_hooking = |phase: &MachinePhase| matches!(phase, MachinePhase::RunningHooks(_));
    let is_checking = |phase: &MachinePhase| phase.job().is_some();
    let is_inspecting = |phase: &MachinePhase| matches!(phase, MachinePhase::Inspecting(_));
    let looking = |phase: &MachinePhase| matches!(phase, MachinePhase::Observing { .. });
    let working = |phase: &MachinePhase| matches!(phase, MachinePhase::AgentRunning(_));
    vec![
        ("new", hanging()),
        ("looking", until(hanging(), looking)),
        ("backing off", until(crashing, |phase| matches!(phase, MachinePhase::BackingOff { .. }))),
        (
            "waiting",
            until(RunSimulation::new(plan("a:3 -> b"), unserved), |phase| {
                matches!(phase, MachinePhase::Waiting { .. })
            }),
        ),
        ("asking", until(tasks, |phase| matches!(phase, MachinePhase::PollingTasks { .. }))),
        ("working", until(hanging(), working)),
        ("looking after", until(RunSimulation::new(plan("a:2 -> b"), looked_at), is_inspecting)),
        ("preparing", until(done_but_checked(SimulatedRoom::After(500)), is_inspecting)),
        ("checking", until(done_but_checked(SimulatedRoom::After(5)), is_checking)),
        ("before", until(with_hook(HookPoint::PreIteration), is_hooking)),
        ("after", until(with_hook(HookPoint::PostIteration), is_hooking)),
        ("at the end", until(with_hook(HookPoint::OnFailure), is_hooking)),
        ("surveying", until(surveyed, |phase| matches!(phase, MachinePhase::Surveying { .. }))),
    ]
}

/// Ends a run that still hangs.
fn end(mut run: RunSimulation) -> RunSimulation {
    let is_paused =
        run.answers.iter().any(|(_, r)| *r == ControlReply::Accepted(AcceptedRequest::Paused));
    if is_paused {
        run.ask(ControlRequest::Continue);
    }
    run.later(seconds(5), Input::Cancel(CancelCause::Terminate));
    run.run()
}

#[test]
fn every_request_is_answered_once_wherever_the_run_stands() {
    let (first, none) = (Some(unit(1, 1, 1)), None);
    let stops = |after| ControlReply::Accepted(AcceptedRequest::Stops { after });
    let skips = ControlReply::Accepted(AcceptedRequest::Skips { step: 1 });
    let ending = ControlReply::Refused(RefusedRequest::Ending);
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
        ControlRequest::Stop,
        ControlRequest::StopNow,
        ControlRequest::Pause,
        ControlRequest::Continue,
        message_request("look at a"),
        ControlRequest::Skip,
        ControlRequest::SkipGroup,
        ControlRequest::Answer(AnswerRequest {
            step: 1,
            question: None,
            approves: true,
            text: None,
        }),
        ControlRequest::Set(timeout("1m")),
    ];
    for request in requests {
        for ((name, run), (expected_name, after, skipped)) in situations().into_iter().zip(&table) {
            assert_eq!(name, *expected_name);
            let expected = match request {
                ControlRequest::Stop => stops(*after),
                ControlRequest::StopNow => ControlReply::Accepted(AcceptedRequest::Ends),
                ControlRequest::Pause => ControlReply::Accepted(AcceptedRequest::Paused),
                ControlRequest::Continue => ControlReply::Refused(RefusedRequest::NotPaused),
                ControlRequest::Tell { .. } => {
                    ControlReply::Accepted(AcceptedRequest::Queued { number: 1 })
                }
                ControlRequest::Skip => ControlReply::clone(skipped),
                ControlRequest::Set(_) => ControlReply::Accepted(AcceptedRequest::Changed),
                ControlRequest::SkipGroup if **skipped == ending => ending,
                ControlRequest::SkipGroup => ControlReply::Refused(RefusedRequest::NoGroup),
                ControlRequest::Answer(_) => ControlReply::Refused(RefusedRequest::NotAsking),
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
            assert_eq!(
                support::run_simulation::fold(&run.events),
                *run.machine.state(),
                "{name}: {request:?}"
            );
        }
    }
}

#[test]
fn a_finished_run_refuses_requests() {
    let mut run = RunSimulation::new(plan("a"), |_| SimulatedAgent::exiting(0)).run();
    let events = run.events.len();
    for request in [
        ControlRequest::Stop,
        ControlRequest::StopNow,
        ControlRequest::Pause,
        message_request("x"),
        ControlRequest::Skip,
    ] {
        assert_eq!(run.ask(request), Some(ControlReply::Refused(RefusedRequest::Over)));
    }
    assert_eq!(run.events.len(), events, "nothing comes after the end");
}

#[test]
fn a_complete_run_that_is_resumed_says_that_it_is_over() {
    let whole = RunSimulation::new(plan("a"), |_| SimulatedAgent::exiting(0)).run();
    let mut run = RunSimulation::resumed(&whole.events, LimitChanges::default(), |_| {
        SimulatedAgent::exiting(0)
    });
    assert_eq!(run.ask(message_request("x")), None);
    let run = run.run();
    assert_eq!(run.answer(1), Some(ControlReply::Refused(RefusedRequest::Over)));
    assert!(run.events.is_empty());
}

#[test]
fn a_run_that_is_being_cancelled_takes_nothing_on() {
    let deaf = |_| SimulatedAgent { obeys: Some(ProcessSignal::Kill), ..SimulatedAgent::hanging() };
    let mut run = until(RunSimulation::new(plan("a:3"), deaf), |p| {
        matches!(p, MachinePhase::AgentRunning(_))
    });
    run.feed(Input::Cancel(CancelCause::Interrupt));
    let refused = Some(ControlReply::Refused(RefusedRequest::Ending));
    for request in [
        ControlRequest::Pause,
        message_request("x"),
        ControlRequest::Skip,
        ControlRequest::SkipGroup,
        ControlRequest::Answer(AnswerRequest {
            step: 1,
            question: None,
            approves: true,
            text: None,
        }),
        ControlRequest::Set(timeout("1m")),
    ] {
        assert_eq!(run.ask(request.clone()), refused, "{request:?}");
    }
    assert_eq!(run.ask(ControlRequest::Stop), Some(ControlReply::Accepted(AcceptedRequest::Ends)));
    assert_eq!(run.run().machine.end(), Some(&RunEnd::Interrupted(CancelCause::Interrupt)));
}

#[test]
fn an_invalid_request_is_refused_and_changes_nothing() {
    let iterations = LimitChanges {
        iterations: crate::text::count::Count::parse("5").ok(),
        ..LimitChanges::default()
    };
    let long = "x".repeat(crate::control::MAX_MESSAGE_BYTES + 1);
    for (request, expected) in [
        (message_request(""), RefusedRequest::EmptyMessage),
        (message_request(" \n\t\n"), RefusedRequest::EmptyMessage),
        (message_request(&long), RefusedRequest::LongMessage),
        (ControlRequest::Set(LimitChanges::default()), RefusedRequest::NoChange),
        (ControlRequest::Set(iterations), RefusedRequest::NoLoop),
        (ControlRequest::Continue, RefusedRequest::NotPaused),
    ] {
        let run = RunSimulation::new(plan("a -> b"), |_| SimulatedAgent::hanging());
        let mut run = until(run, |phase| matches!(phase, MachinePhase::AgentRunning(_)));
        let (before, events) = (run.machine.state().clone(), run.events.len());
        assert_eq!(run.ask(request), Some(ControlReply::Refused(expected)));
        assert_eq!((run.machine.state(), run.events.len()), (&before, events));
    }
}
