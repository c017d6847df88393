//! Recordings that a test has written, played on a stage that a test watches.

use std::cell::{Cell, RefCell};
use std::io;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::event::{AgentEnd, OutcomeClass};
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::{Fault, Speed};
use forkhestra_core::time::Timestamp;
use forkhestra_engine::agent::{Moment, Rules, conclude, listener};
use forkhestra_store::output_log::Secrets;
use forkhestra_store::recording::{
    Chunk, EndRecord, Manifest, ManifestStep, RecordedStream, UnitRecord, UnitWriter, VERSION,
};

use super::pace::due;
use super::*;

const STDOUT: RecordedStream = RecordedStream::Stdout;
const STDERR: RecordedStream = RecordedStream::Stderr;

fn chunk(at: u64, stream: RecordedStream, text: &str) -> Result<Chunk, RecordingError> {
    Ok(Chunk { at: Duration::from_millis(at), stream, bytes: text.as_bytes().to_vec() })
}

/// Plays three lines, the middle one in two pieces, and tells what happened in which order.
fn played(score: &Score) -> (String, Stopped) {
    let told = RefCell::new(String::new());
    let chunks =
        [chunk(5, STDOUT, "one\ntw"), chunk(10, STDERR, "oops\n"), chunk(20, STDOUT, "o\nthree\n")];
    let stopped = perform(
        chunks.into_iter(),
        score,
        &mut Stage {
            stdout: &mut Told(&told, ""),
            stderr: &mut Told(&told, "!"),
            wait_until: &mut |at| told.borrow_mut().push_str(&format!("<{}>", at.as_millis())),
            effects: &mut || {
                told.borrow_mut().push_str("<effects>");
                Ok(())
            },
        },
    );
    (told.into_inner(), stopped.expect("nothing fails"))
}

struct Told<'a>(&'a RefCell<String>, &'static str);

impl io::Write for Told<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.0.borrow_mut().push_str(&format!("{}{text}", self.1));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn everything_comes_in_its_order_and_the_effects_before_the_last_line() {
    let (told, stopped) = played(&Score { stop_at: None, effects_at: 8 });
    assert_eq!(told, "<5>one\ntw<10>!oops\n<20>o\n<effects>three\n");
    assert_eq!(stopped, Stopped::AtEnd);
}

#[test]
fn effects_come_before_a_line_that_is_all_there_is() {
    let (told, _) = played(&Score { stop_at: None, effects_at: 0 });
    assert_eq!(told, "<5><effects>one\ntw<10>!oops\n<20>o\nthree\n");
}

#[test]
fn an_agent_that_prints_nothing_has_effects_all_the_same() {
    let made = Cell::new(false);
    let stopped = perform(
        std::iter::empty(),
        &Score { stop_at: None, effects_at: 0 },
        &mut Stage {
            stdout: &mut Vec::new(),
            stderr: &mut Vec::new(),
            wait_until: &mut |_| {},
            effects: &mut || {
                made.set(true);
                Ok(())
            },
        },
    );
    assert!(made.get() && matches!(stopped, Ok(Stopped::AtEnd)));
}

#[test]
fn what_stops_at_a_fault_has_no_effects() {
    for (stop_at, expected) in
        [(0, "<5>"), (4, "<5>one\n"), (5, "<5>one\nt"), (8, "<5>one\ntw<10>!oops\n<20>o\n")]
    {
        let (told, stopped) = played(&Score { stop_at: Some(stop_at), effects_at: 8 });
        assert_eq!((told.as_str(), stopped), (expected, Stopped::AtFault));
    }
}

#[test]
fn effects_that_fail_end_the_playing_before_the_last_line() {
    let mut stdout = Vec::new();
    let trouble = perform(
        [chunk(0, STDOUT, "one\ntwo\n")].into_iter(),
        &Score { stop_at: None, effects_at: 4 },
        &mut Stage {
            stdout: &mut stdout,
            stderr: &mut Vec::new(),
            wait_until: &mut |_| {},
            effects: &mut || Err(Trouble::Cannot("no".to_owned())),
        },
    );
    assert!(matches!(trouble, Err(Trouble::Cannot(_))), "{trouble:?}");
    assert_eq!(stdout, b"one\n");
}

/// A unit on disk that printed this.
fn recorded(directory: &Path, output: &str) -> UnitRecording {
    let step = ManifestStep { number: 1, agent: "a".to_owned(), backend: Some("codex".to_owned()) };
    let manifest = Manifest {
        format: VERSION,
        run: "00000000".to_owned(),
        started: Timestamp::default().to_string(),
        program: "0".to_owned(),
        chain: None,
        definition: "a".to_owned(),
        steps: vec![step],
    };
    let disk = &forkhestra_store::disk::RealDisk;
    let recording = Recording::create(disk, directory, manifest).expect("it can be made");
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    let secrets = Arc::new(Secrets::default());
    let mut writer = UnitWriter::create(disk, &recording, unit, &secrets).expect("it can be made");
    writer.append(STDOUT, output.as_bytes()).expect("it can be written");
    writer.finish(&record(EndRecord::Exited(0), None), &[]).expect("it can be written");
    recording.unit(1, 1, 1).expect("it is there")
}

fn record(end: EndRecord, ended_because: Option<&str>) -> UnitRecord {
    UnitRecord {
        format: VERSION,
        step: 1,
        iteration: 1,
        attempt: 1,
        started: Timestamp::default().to_string(),
        duration_ms: 0,
        end,
        ended_because: ended_because.map(str::to_owned),
        class: None,
        spend: None,
        effects: None,
        no_effects_because: None,
    }
}

#[test]
fn faults_are_where_their_lines_are() {
    let place = tempfile::tempdir().expect("a directory");
    let unit = recorded(&place.path().join("rec"), "one\nfour\nlast\n");
    let score = |text: &str| {
        let fault = Fault::parse(text).expect("it is one");
        Score::of(&unit.directory, Some(fault.kind)).map(|score| score.stop_at)
    };
    assert_eq!(score("limit@1").ok(), Some(Some(0)));
    assert_eq!(score("crash@2").ok(), Some(Some(4)));
    assert_eq!(score("truncate@2").ok(), Some(Some(6)));
    assert_eq!(score("hang").ok(), Some(None));
    let whole = Score::of(&unit.directory, None).expect("it can be read");
    assert_eq!(whole, Score { stop_at: None, effects_at: 9 });
    let fault = Fault { iteration: 1, kind: FaultKind::Crash(NonZeroU32::MAX) };
    assert_eq!(
        check_fault(&unit.directory, fault),
        Err("the fault `1:crash@4294967295` cannot happen: there is no line 4294967295, the \
             recorded output has 3 lines"
            .to_owned())
    );
}

#[test]
fn pauses_are_divided_by_the_speed() {
    let second = Duration::from_secs(1);
    for (speed, expected) in [("1", 1000), ("4", 250), ("0.5", 2000), ("max", 0)] {
        let speed = Speed::parse(speed).expect("it is one");
        assert_eq!(due(second, speed).as_millis(), expected, "{speed}");
    }
}

#[test]
fn whose_stream_it_is_stands_in_the_recording() {
    let place = tempfile::tempdir().expect("a directory");
    let unit = recorded(&place.path().join("rec"), "");
    assert_eq!(backend(&unit).ok(), Some(Some(Backend::Codex)));
}

#[test]
fn an_end_is_the_one_that_was_recorded_unless_we_made_it() {
    let table = [
        (EndRecord::Exited(0), None, Ending::Exit(0)),
        (EndRecord::Exited(173), None, Ending::Exit(173)),
        (EndRecord::Signaled(15), None, Ending::Signal(15)),
        (EndRecord::Signaled(15), Some("timeout"), Ending::Never),
        (EndRecord::Exited(0), Some("lingering"), Ending::Never),
    ];
    for (end, because, expected) in table {
        assert_eq!(Ending::of(&record(end, because)), expected, "{end:?} {because:?}");
    }
}

#[test]
fn a_limit_is_one_to_whoever_understands_the_agent() {
    let now = Timestamp::parse("2026-11-15T03:00:00.000Z").expect("a moment");
    let seconds = u64::try_from(now.milliseconds() / 1000).expect("it is after 1970");
    for agent in Backend::ALL {
        let limit = Limit::of(Some(agent), seconds);
        let mut listener = listener(agent, Rules::default()).expect("the markers are right");
        listener.feed(&limit.stdout, &mut |_| {});
        let findings = listener.finish(&mut |_| {});
        let (end, moment) =
            (AgentEnd::Exited(i32::from(limit.code)), Moment { now, utc_offset: 0 });
        let heard = conclude(agent, &findings, &end, "", moment).expect("it is understood");
        assert_eq!(heard.outcome.class, OutcomeClass::UsageLimit, "{agent:?}");
        let resets = heard.outcome.resets.expect("it is said when");
        assert_eq!(resets.saturating_since(now), Duration::from_secs(1), "{agent:?}");
    }
}

#[test]
fn the_limit_of_a_program_is_a_message_and_a_code() {
    let limit = Limit::of(None, 0);
    assert!(limit.stdout.is_empty() && !limit.stderr.is_empty());
    assert_eq!(limit.code, 1);
}
