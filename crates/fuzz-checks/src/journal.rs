//! Checks the reader of journals.

use std::time::Duration;

use forkhestra_core::event::{AuxJobResult, Event, LimitChanges, Observation};
use forkhestra_core::machine::{Effect, Input, Machine, Now, RunState};
use forkhestra_core::policy::GracePeriods;
use forkhestra_core::time::Timestamp;
use forkhestra_store::format::{LineHashError, LineHashes, decode, encode};

/// The number of effects and waits that are simulated after a resume.
const MAX_ROUNDS: usize = 12;

/// Lines are either events that survive a round trip, or rejected. Any events either fold into a
/// run that can be resumed, or do not fit.
pub fn journal(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    let events: Vec<Event> = text.lines().filter_map(event).collect();
    chain(text, &events);
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
    resume_run(state);
}

/// Lines that this program writes continue the chain, stay the same events, and fit in no other place. Any other bytes
/// are checked without a panic.
fn chain(text: &str, events: &[Event]) {
    let mut given = LineHashes::default();
    for line in text.as_bytes().split(|byte| *byte == b'\n') {
        let _ = given.check(line);
    }
    let (mut writer, mut reader) = (given.clone(), given);
    for (seq, event) in events.iter().enumerate() {
        let mut line = encode(event, seq as u64).into_bytes();
        writer.seal(&mut line, 0);
        let before = reader.clone();
        assert_eq!(reader.check(&line), Ok(()));
        assert_eq!(reader.clone().check(&line), Err(LineHashError::Mismatch));
        assert_eq!(before.clone().check(&line), Ok(()));
        let text = str::from_utf8(&line).expect("a line is text");
        assert_eq!(decode(text).expect("it is an event").as_ref(), Some(event));
    }
}

fn event(line: &str) -> Option<Event> {
    let Ok(Some(event)) = decode(line) else {
        return None;
    };
    let again = decode(&encode(&event, 7)).expect("a printed event is an event");
    assert_eq!(again, Some(event.clone()));
    Some(event)
}

/// Resumes a run and performs its first effects. No agent ever ends.
fn resume_run(state: RunState) {
    let mut now = Now { awake: Duration::from_secs(1), wall: Timestamp::from_milliseconds(1) };
    let changes = LimitChanges::default();
    let mut machine = Machine::resume(state, changes, "fuzz", GracePeriods::default(), now);
    let mut effects = machine.handle(now, Input::Begin);
    for _ in 0..MAX_ROUNDS {
        let answers: Vec<Input> = effects.drain(..).filter_map(|effect| answer(&effect)).collect();
        if answers.is_empty() {
            let Some(awake) = machine.deadline() else {
                return;
            };
            now.awake = awake;
            effects = machine.handle(now, Input::Tick);
        }
        for answer in answers {
            effects.extend(machine.handle(now, answer));
        }
    }
}

/// The result of an effect, as the engine would return it.
fn answer(effect: &Effect) -> Option<Input> {
    match *effect {
        Effect::Observe { step } => {
            Some(Input::Observed { step, observation: Observation::default() })
        }
        Effect::PrepareCleanRoom { unit } => Some(Input::CleanRoomPrepared { unit, failure: None }),
        Effect::RunAuxJob { aux_job } => {
            Some(Input::AuxJobSettled { aux_job, answer: AuxJobResult::default() })
        }
        Effect::SurveyWork { step } => Some(Input::WorkSurveyed { step, work: None }),
        _ => None,
    }
}
