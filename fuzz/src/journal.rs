//! The journal of a run.

use std::time::Duration;

use forkhestra_core::event::{Event, LimitChanges, Sight};
use forkhestra_core::machine::{Input, Machine, Now, RunState};
use forkhestra_core::policy::Patience;
use forkhestra_core::time::Timestamp;
use forkhestra_store::format::{Decoded, decode, encode};

/// Any lines are events that read back from their own printing, or are refused; and whatever events
/// they are, they add up to a run that can be gone on with, or do not fit.
pub fn journal(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    let events: Vec<Event> = text.lines().filter_map(event).collect();
    let Some((first, rest)) = events.split_first() else {
        return;
    };
    let Ok(mut state) = RunState::begin(first) else {
        return;
    };
    for event in rest {
        if state.apply(event).is_err() {
            return;
        }
    }
    go_on(state);
}

fn event(line: &str) -> Option<Event> {
    let Ok(Decoded::Known(event)) = decode(line) else {
        return None;
    };
    let again = decode(&encode(&event, 7)).expect("a printed event is an event");
    assert_eq!(again, Decoded::Known(event.clone()));
    Some(event)
}

/// Resumes, and lets the first things happen.
fn go_on(state: RunState) {
    let now = Now { awake: Duration::from_secs(1), wall: Timestamp::from_milliseconds(1) };
    let changes = LimitChanges::default();
    let mut machine = Machine::resume(state, changes, "fuzz", Patience::default(), now);
    machine.handle(now, Input::Begin);
    for step in 1..=machine.state().plan.steps.len() {
        machine.handle(now, Input::Looked { step, sight: Sight::default() });
    }
    for _ in 0..3 {
        let Some(awake) = machine.deadline() else {
            return;
        };
        machine.handle(Now { awake, ..now }, Input::Tick);
    }
}
