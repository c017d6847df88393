//! Operator messages.

use super::control_requests::{message_request, unit, until};
use crate::control::{
    AcceptedRequest, ControlReply, ControlRequest, MAX_DELIVERED_BYTES, MAX_MESSAGE_BYTES,
    MAX_MESSAGES, RefusedRequest,
};
use crate::event::{LimitChanges, OperatorMessage, OutcomeClass};
use crate::history::RunHistory;
use crate::id::UnitId;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::tests::checks::{ON_COMPLETION, checked};
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
        .asked_at(1000, message_request("first\n\n"))
        .asked_at(2000, message_request("second"))
        .run();
    assert_eq!(given(&run.events), [(unit(2, 1, 1), vec![1, 2])]);
    assert_eq!(run.answer(2), Some(ControlReply::Accepted(AcceptedRequest::Queued { number: 2 })));
    let started = run.kinds().position(
        |kind| matches!(kind, EventKind::IterationStarted { unit, .. } if unit.step == 2),
    );
    let given_at = run.kinds().position(|kind| matches!(kind, EventKind::MessagesGiven { .. }));
    assert_eq!(given_at, started.map(|index| index + 1), "before the agent is started");
    let state = run.machine.state();
    assert!(state.messages.is_empty() && state.steps.iter().all(|step| step.given.is_empty()));
}

#[test]
fn the_agent_at_work_has_its_messages_in_its_step() {
    let mut run = RunSimulation::new(plan("a:2"), |_| SimulatedAgent::hanging());
    run.ask(message_request("  look at a \n"));
    let run = until(run, |phase| matches!(phase, MachinePhase::AgentRunning(_)));
    let given = &run.machine.state().steps[0].given;
    assert_eq!(*given, [OperatorMessage { number: 1, text: "  look at a".to_owned(), lane: None }]);
}

#[test]
fn no_message_is_lost_by_a_kill() {
    let slow = |_| SimulatedAgent { exits_at: Some(5000), ..SimulatedAgent::exiting(0) };
    let run = RunSimulation::new(plan("a:3"), slow)
        .asked_at(1000, message_request("first"))
        .asked_at(6000, message_request("second"))
        .run();
    let given_at = run.kinds().position(|kind| matches!(kind, EventKind::MessagesGiven { .. }));
    let second = run.kinds().position(
        |kind| matches!(kind, EventKind::MessageQueued { message } if message.number == 2),
    );
    let finished = run.kinds().position(
        |kind| matches!(kind, EventKind::IterationFinished { unit, .. } if unit.iteration == 2),
    );
    for (last, expected) in [
        (given_at, (unit(1, 2, 2), vec![1])),
        (second, (unit(1, 2, 2), vec![1, 2])),
        (finished, (unit(1, 3, 1), vec![2])),
    ] {
        let prefix = &run.events[..=last.expect("it is there")];
        let rest = resumed(prefix, slow);
        assert_eq!(given(&rest.events), [expected]);
    }
}

#[test]
fn an_undelivered_message_is_queued_again() {
    let script = |id: UnitId| match (id.iteration, id.attempt) {
        (1, 1) => SimulatedAgent::hanging(),
        (1, 2) => SimulatedAgent::with_outcome(OutcomeClass::UsageLimit)
            .with(|stream| stream.resets_in = Some(9)),
        (1, 3) => SimulatedAgent::cannot_start(true),
        _ => SimulatedAgent::with_outcome(OutcomeClass::Finished),
    };
    let mut run = RunSimulation::new(plan("a:2"), script);
    run.ask(message_request("look at a"));
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
fn a_message_to_an_agent_under_check_is_not_given_again() {
    let plan = checked("a:2 -> b", &ON_COMPLETION);
    let mut run = RunSimulation::new(plan, |_| SimulatedAgent::done());
    run.ask(message_request("look at a"));
    let run = run.run();
    let events = up_to(&run, |kind| matches!(kind, EventKind::AgentFinished { .. }));
    let rest = resumed(&events, |_| SimulatedAgent::done());
    assert_eq!((given(&rest.events), rest.machine.end()), (vec![], Some(&RunEnd::Complete)));
}

#[test]
fn the_number_of_queued_messages_is_limited() {
    let hanging = || {
        let run = RunSimulation::new(plan("a:2"), |_| SimulatedAgent::hanging());
        until(run, |phase| matches!(phase, MachinePhase::AgentRunning(_)))
    };
    let many = Some(ControlReply::Refused(RefusedRequest::ManyMessages));
    let mut run = hanging();
    for number in 1..=u32::try_from(MAX_MESSAGES).expect("it is a small number") {
        let queued = ControlReply::Accepted(AcceptedRequest::Queued { number });
        assert_eq!(run.ask(message_request("x")), Some(queued));
    }
    assert_eq!(run.ask(message_request("x")), many);
    let mut run = hanging();
    let longest = "x".repeat(MAX_MESSAGE_BYTES);
    for _ in 0..3 {
        assert_ne!(run.ask(message_request(&longest)), many);
    }
    assert_eq!(run.ask(message_request("x")), many);
}

/// Messages that exceed an environment variable would keep every agent from starting, and would
/// come back each time.
#[test]
fn the_quote_prefix_of_each_line_counts_as_length() {
    let run = RunSimulation::new(plan("a:2"), |_| SimulatedAgent::hanging());
    let mut run = until(run, |phase| matches!(phase, MachinePhase::AgentRunning(_)));
    let many_lines = format!("{}x", "\n".repeat(MAX_MESSAGE_BYTES - 1));
    let queued = ControlReply::Accepted(AcceptedRequest::Queued { number: 1 });
    assert_eq!(run.ask(message_request(&many_lines)), Some(queued), "it fits alone");
    assert_eq!(
        run.ask(message_request(&many_lines)),
        Some(ControlReply::Refused(RefusedRequest::ManyMessages))
    );
    let text = operator_messages_text(&run.machine.state().messages).expect("one waits");
    assert!(text.len() < MAX_DELIVERED_BYTES, "{}", text.len());
    assert!(
        matches!(run.ask(message_request("x")), Some(ControlReply::Accepted(_))),
        "there is room for this"
    );
}

/// Otherwise the given and the waiting messages might not fit into one prompt.
#[test]
fn given_messages_without_an_outcome_count_as_queued() {
    let mut run = RunSimulation::new(plan("a:2"), |_| SimulatedAgent::hanging());
    for _ in 0..MAX_MESSAGES {
        run.ask(message_request("x"));
    }
    let mut run = until(run, |phase| matches!(phase, MachinePhase::AgentRunning(_)));
    assert_eq!(run.machine.state().steps[0].given.len(), MAX_MESSAGES);
    assert_eq!(
        run.ask(message_request("x")),
        Some(ControlReply::Refused(RefusedRequest::ManyMessages))
    );
}

#[test]
fn a_stopped_run_keeps_its_messages_for_the_resume() {
    let slow = |_| SimulatedAgent { exits_at: Some(5000), ..SimulatedAgent::exiting(0) };
    let first = RunSimulation::new(plan("a:2"), slow)
        .asked_at(1000, ControlRequest::Stop)
        .asked_at(2000, message_request("look at a"))
        .run();
    assert_eq!(given(&first.events), []);
    assert_eq!(first.machine.state().messages.len(), 1);
    assert_eq!(given(&resumed(&first.events, slow).events), [(unit(1, 2, 1), vec![1])]);
}
