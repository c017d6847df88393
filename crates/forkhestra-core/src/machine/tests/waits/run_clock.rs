//! Clocks that jump: the wall clock at any time, and the awake clock after a reboot.

use crate::event::{Event, LimitChanges, Observation, OutputSummary, ProcessEnd};
use crate::id::{RunId, UnitId};
use crate::machine::tests::support::run_simulation::fold;
use crate::machine::tests::*;
use crate::policy::GracePeriods;
use crate::time::Timestamp;

/// One failing iteration of an agent that runs once and takes an hour, with the given wall-clock
/// times.
fn life(mut machine: Machine, awake: u64, attempt: u32, wall: &[i64]) -> Vec<Event> {
    let unit = UnitId { step: 1, iteration: 1, attempt };
    let (output, marker_match, observation) =
        (OutputSummary::default(), None, Observation::default());
    let inputs = [
        (0, Input::Begin),
        (0, Input::Observed { step: 1, observation: observation.clone() }),
        (0, Input::Started { unit, pid: 1, prompt: None }),
        (3600, Input::Exited { unit, end: ProcessEnd::Exited(1) }),
        (3600, Input::Gone { unit }),
        (
            3600,
            Input::Settled {
                closing_text: None,
                unit,
                output,
                marker_match,
                observation,
                needs_observation: false,
                stream_summary: None,
            },
        ),
    ];
    let mut events = Vec::new();
    for ((seconds, input), wall) in inputs.into_iter().zip(wall.iter().cycle()) {
        let now = Now {
            awake: Duration::from_secs(awake + seconds),
            wall: Timestamp::from_milliseconds(*wall),
        };
        for effect in machine.handle(now, input) {
            if let Effect::Emit(event) = effect {
                events.push(*event);
            }
        }
    }
    assert!(machine.end().is_some(), "{events:?}");
    events
}

#[test]
fn no_jump_of_the_calendar_changes_how_long_anything_took() {
    let grace_periods = GracePeriods::default;
    for wall in [&[0][..], &[0, i64::MAX, i64::MIN], &[i64::MAX, 0], &[5, 4, 3, 2, 1, 0]] {
        let start = Now { awake: seconds(1_000_000), wall: Timestamp::from_milliseconds(wall[0]) };
        let state = RunState::new(RunId::from_random(7), plan("a"));
        let mut events =
            life(Machine::new(state, "test", grace_periods(), start), 1_000_000, 1, wall);
        // After a reboot the awake clock starts again, too.
        let again = Now { awake: seconds(5), wall: Timestamp::from_milliseconds(wall[0]) };
        let changes = LimitChanges::default();
        let machine = Machine::resume(fold(&events), changes, "test", grace_periods(), again);
        events.extend(life(machine, 5, 2, wall));

        let elapsed: Vec<u64> = events.iter().map(|event| event.elapsed.as_secs()).collect();
        assert!(elapsed.is_sorted(), "{elapsed:?}");
        let state = fold(&events);
        assert_eq!((state.elapsed, state.steps[0].elapsed), (seconds(7200), seconds(7200)));
        let durations = events.iter().filter_map(|event| match &event.kind {
            EventKind::IterationFinished { report, .. } => Some(report.duration.as_secs()),
            _ => None,
        });
        assert_eq!(durations.collect::<Vec<_>>(), [3600, 3600], "{wall:?}");
    }
}
