//! Tests of the order, timing and end of a replay.

use std::cell::RefCell;

use forkhestra_core::plan::ReplaySpeed;
use forkhestra_core::time::Timestamp;
use forkhestra_store::recording::{EndRecord, UnitRecord, VERSION};

use super::timing::due;
use super::*;

/// Plays chunks of output, and returns the order of output and effects.
fn play(pieces: &[&str], effects: Result<(), ReplayError>) -> (String, Result<(), ReplayError>) {
    let (order, mut effects) = (RefCell::new(String::new()), Some(effects));
    let chunk = |text: &&str| {
        let (at, stream) = (Duration::ZERO, OutputStream::Stdout);
        Ok(RecordedChunk { at, stream, bytes: text.as_bytes().to_vec() })
    };
    let result = perform(
        pieces.iter().map(chunk),
        &mut |chunk| {
            order.borrow_mut().push_str(&String::from_utf8_lossy(&chunk.bytes));
            Ok(())
        },
        &mut || {
            order.borrow_mut().push_str("<effects>");
            effects.take().expect("effects are made once")
        },
    );
    (order.into_inner(), result)
}

#[test]
fn everything_comes_in_its_order_and_the_effects_before_the_last_piece() {
    for (pieces, expected) in [
        (&["one\ntw", "o\n", "three\n"][..], "one\ntwo\n<effects>three\n"),
        (&["all there is\n"], "<effects>all there is\n"),
        (&[], "<effects>"),
    ] {
        let (order, result) = play(pieces, Ok(()));
        assert_eq!(order, expected);
        assert!(result.is_ok(), "{result:?}");
    }
}

#[test]
fn effects_that_fail_end_the_playing_before_the_last_piece() {
    let (order, result) = play(&["one\n", "two\n"], Err(ReplayError::Cannot("no".to_owned())));
    assert_eq!(order, "one\n<effects>");
    assert!(matches!(result, Err(ReplayError::Cannot(_))), "{result:?}");
}

#[test]
fn pauses_are_divided_by_the_speed() {
    let second = Duration::from_secs(1);
    for (speed, expected) in [("1", 1000), ("4", 250), ("0.5", 2000), ("max", 0)] {
        let speed = ReplaySpeed::parse(speed).expect("it is one");
        assert_eq!(due(second, speed).as_millis(), expected, "{speed}");
    }
}

#[test]
fn a_replayed_end_is_the_recorded_one_unless_we_caused_it() {
    let record = |end, because: Option<&str>| UnitRecord {
        format: VERSION,
        step: 1,
        iteration: 1,
        attempt: 1,
        started: Timestamp::default().to_string(),
        duration_ms: 0,
        end,
        ended_because: because.map(str::to_owned),
        class: None,
        spend: None,
        effects: None,
        no_effects_because: None,
    };
    let table = [
        (EndRecord::Exited(0), None, ReplayEnd::Exit(0)),
        (EndRecord::Exited(173), None, ReplayEnd::Exit(173)),
        (EndRecord::Signaled(15), None, ReplayEnd::Signal(15)),
        (EndRecord::Signaled(15), Some("timeout"), ReplayEnd::Never),
        (EndRecord::Exited(0), Some("lingering"), ReplayEnd::Never),
    ];
    for (end, because, expected) in table {
        assert_eq!(ReplayEnd::of(&record(end, because)), expected, "{end:?} {because:?}");
    }
}
