//! Operator messages.

use super::control_requests::{tell, unit, until};
use crate::control::{
    AcceptedRequest, ControlReply, ControlRequest, LONGEST_MESSAGE, MOST_MESSAGES, MOST_TOLD,
    RefusedRequest,
};
use crate::event::{LimitChanges, OperatorMessage, OutcomeClass};
use crate::history::RunHistory;
use crate::id::UnitId;
use crate::machine::state_machine::MachinePhase;
use crate::machine::tests::checks::{ONCE_ASKED, checked};
use crate::machine::tests::*;
use crate::policy::operator_messages_text;

/// Which agent got which messages, in order.
fn given(events: &[Event]) -> Vec<(UnitId, Vec<u32>)> {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::MessagesGiven { unit, messages } => Some((*unit, messages.clone())),
            _ => None,
        })
        .collect()
}

fn resumed(events: &[Event], script: impl Fn(UnitId) -> SimulatedAgent + 'static) -> RunSimulation {
    RunSimulation::resumed(events, LimitChanges::default(), script).run()
}

#[test]
fn a_message_reaches_the_next_agent_of_whichever_step() {
    let slow = |_| SimulatedAgent { exits_at: Some(5000), ..SimulatedAgent::exiting(0) };
    let run = RunSimulation::new(plan("a -> b:2"), slow)
        .asked_at(1000, tell("first\n\n"))
        .asked_at(2000, tell("second"))
        .run();
    assert_eq!(given(&run.events), [(unit(2, 1, 1), vec![1, 2])]);
    assert_eq!(run.answer(2), Some(ControlReply::Accepted(AcceptedRequest::Queued { number: 2 })));
    let started = run
        .kinds()
        .position(|kind| matches!(kind, EventKind::IterationStarted { unit } if unit.step == 2));
    let told = run.kinds().position(|kind| matches!(kind, EventKind::MessagesGiven { .. }));
    assert_eq!(told, started.map(|index| index + 1), "before the agent is started");
    let state = run.machine.state();
    assert!(state.messages.is_empty() && state.steps.iter().all(|step| step.given.is_empty()));
}

#[test]
fn the_agent_at_work_has_its_messages_in_its_step() {
    let mut run = RunSimulation::new(plan("a:2"), |_| SimulatedAgent::hanging());
    run.ask(tell("  look at a \n"));
    let run = until(run, |phase| matches!(phase, MachinePhase::AgentRunning(_)));
    let given = &run.machine.state().steps[0].given;
    assert_eq!(*given, [OperatorMessage { number: 1, text: "  look at a".to_owned() }]);
}

#[test]
fn nothing_that_somebody_said_is_lost_by_a_kill() {
    let slow = |_| SimulatedAgent { exits_at: Some(5000), ..SimulatedAgent::exiting(0) };
    let run = RunSimulation::new(plan("a:3"), slow)
        .asked_at(1000, tell("first"))
        .asked_at(6000, tell("second"))
        .run();
    let told = run.kinds().position(|kind| matches!(kind, EventKind::MessagesGiven { .. }));
    let second = run.kinds().position(
        |kind| matches!(kind, EventKind::MessageQueued { message } if message.number == 2),
    );
    let finished = run.kinds().position(
        |kind| matches!(kind, EventKind::IterationFinished { unit, .. } if unit.iteration == 2),
    );
    for (last, expected) in [
        (told, (unit(1, 2, 2), vec![1])),
        (second, (unit(1, 2, 2), vec![1, 2])),
        (finished, (unit(1, 3, 1), vec![2])),
    ] {
        let prefix = &run.events[..=last.expect("it is there")];
        let rest = resumed(prefix, slow);
        assert_eq!(given(&rest.events), [expected]);
    }
}

#[test]
fn what_came_to_nothing_is_said_again() {
    let script = |id: UnitId| match (id.iteration, id.attempt) {
        (1, 1) => SimulatedAgent::hanging(),
        (1, 2) => SimulatedAgent::heard(OutcomeClass::UsageLimit)
            .with(|stream| stream.resets_in = Some(9)),
        (1, 3) => SimulatedAgent::cannot_start(true),
        _ => SimulatedAgent::heard(OutcomeClass::Finished),
    };
    let mut run = RunSimulation::new(plan("a:2"), script);
    run.ask(tell("look at a"));
    let first = run.asked_at(2000, ControlRequest::StopNow).run();
    let rest = resumed(&first.events, script);
    let both = [&first.events[..], &rest.events].concat();
    let tries = [1, 2, 3, 4].map(|attempt| (unit(1, 1, attempt), vec![1]));
    assert_eq!(given(&both), tries);
    let history = RunHistory::of(&both).expect("they fit");
    assert_eq!(history.steering.messages[0].given, Some(unit(1, 1, 4)));
    let waiting = RunHistory::of(&first.events).expect("they fit");
    assert_eq!(waiting.steering.messages[0].given, None, "it waits again");
}

#[test]
fn what_was_said_to_an_agent_that_is_being_checked_is_not_said_again() {
    let plan = checked("a:2 -> b", &ONCE_ASKED);
    let mut run = RunSimulation::new(plan, |_| SimulatedAgent::done());
    run.ask(tell("look at a"));
    let run = run.run();
    let events = up_to(&run, |kind| matches!(kind, EventKind::AgentFinished { .. }));
    let rest = resumed(&events, |_| SimulatedAgent::done());
    assert_eq!((given(&rest.events), rest.machine.end()), (vec![], Some(&RunEnd::Complete)));
}

#[test]
fn so_many_messages_wait_and_no_more() {
    let hanging = || {
        let run = RunSimulation::new(plan("a:2"), |_| SimulatedAgent::hanging());
        until(run, |phase| matches!(phase, MachinePhase::AgentRunning(_)))
    };
    let many = Some(ControlReply::Refused(RefusedRequest::ManyMessages));
    let mut run = hanging();
    for number in 1..=u32::try_from(MOST_MESSAGES).expect("it is a small number") {
        let queued = ControlReply::Accepted(AcceptedRequest::Queued { number });
        assert_eq!(run.ask(tell("x")), Some(queued));
    }
    assert_eq!(run.ask(tell("x")), many);
    let mut run = hanging();
    let longest = "x".repeat(LONGEST_MESSAGE);
    for _ in 0..3 {
        assert_ne!(run.ask(tell(&longest)), many);
    }
    assert_eq!(run.ask(tell("x")), many);
}

/// Messages that exceed an environment variable would keep every agent from starting, and would
/// come back each time.
#[test]
fn what_is_told_at_each_line_of_a_message_counts_too() {
    let run = RunSimulation::new(plan("a:2"), |_| SimulatedAgent::hanging());
    let mut run = until(run, |phase| matches!(phase, MachinePhase::AgentRunning(_)));
    let many_lines = format!("{}x", "\n".repeat(LONGEST_MESSAGE - 1));
    let queued = ControlReply::Accepted(AcceptedRequest::Queued { number: 1 });
    assert_eq!(run.ask(tell(&many_lines)), Some(queued), "it fits alone");
    assert_eq!(
        run.ask(tell(&many_lines)),
        Some(ControlReply::Refused(RefusedRequest::ManyMessages))
    );
    let told = operator_messages_text(&run.machine.state().messages).expect("one waits");
    assert!(told.len() < MOST_TOLD, "{}", told.len());
    assert!(
        matches!(run.ask(tell("x")), Some(ControlReply::Accepted(_))),
        "there is room for this"
    );
}

/// Otherwise the given and the waiting messages might not fit into one prompt.
#[test]
fn what_may_come_back_counts_as_waiting() {
    let mut run = RunSimulation::new(plan("a:2"), |_| SimulatedAgent::hanging());
    for _ in 0..MOST_MESSAGES {
        run.ask(tell("x"));
    }
    let mut run = until(run, |phase| matches!(phase, MachinePhase::AgentRunning(_)));
    assert_eq!(run.machine.state().steps[0].given.len(), MOST_MESSAGES);
    assert_eq!(run.ask(tell("x")), Some(ControlReply::Refused(RefusedRequest::ManyMessages)));
}

#[test]
fn whoever_stops_a_run_may_leave_a_message_for_when_it_goes_on() {
    let slow = |_| SimulatedAgent { exits_at: Some(5000), ..SimulatedAgent::exiting(0) };
    let first = RunSimulation::new(plan("a:2"), slow)
        .asked_at(1000, ControlRequest::Stop)
        .asked_at(2000, tell("look at a"))
        .run();
    assert_eq!(given(&first.events), []);
    assert_eq!(first.machine.state().messages.len(), 1);
    assert_eq!(given(&resumed(&first.events, slow).events), [(unit(1, 2, 1), vec![1])]);
}
