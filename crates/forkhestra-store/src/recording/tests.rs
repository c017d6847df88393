//! Tests of complete and damaged recordings.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use forkhestra_core::config::Backend;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::{RunId, UnitId};
use tempfile::TempDir;

use super::*;
use crate::disk::SYSTEM;
use crate::output_log::Secrets;

/// The first released version. Readers must always be able to read it.
const MANIFEST: &str = r#"{
  "format": "1.0",
  "run": "k3v9m2xq",
  "started": "2026-11-15T07:59:12.123Z",
  "program": "0.1.0",
  "chain": "build-all",
  "definition": "planner:3 -> ./test.sh",
  "steps": [
    {"number": 1, "agent": "planner", "backend": "claude"},
    {"number": 2, "agent": "./test.sh", "backend": null}
  ]
}"#;

const RECORD: &str = r#"{
  "format": "1.0",
  "step": 1,
  "iteration": 2,
  "attempt": 1,
  "started": "2026-11-15T08:01:02.003Z",
  "durationMs": 61234,
  "end": {"exited": 0},
  "endedBecause": "lingering",
  "class": "finished",
  "spend": {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "nanodollars": 5},
  "effects": {
    "start": {"head": "aa", "branch": "refs/heads/main", "index": "bb", "tree": "bb"},
    "end": {"head": "cc", "branch": "refs/heads/main", "index": "dd", "tree": "ee", "leftOut": ["x"]},
    "commits": [{"id": "cc", "parents": ["aa"], "tree": "dd", "subject": "Add it",
      "object": "commit-1.txt", "patch": "commit-1.patch"}],
    "movesHead": true,
    "rest": "rest.patch",
    "inexactBecause": "x is too large"
  }
}"#;

struct RecordingFixture(TempDir);

impl RecordingFixture {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("there is room"))
    }

    fn path(&self) -> std::path::PathBuf {
        self.0.path().join("recording")
    }

    fn create(&self) -> Recording {
        let manifest = serde_json::from_str(MANIFEST).expect("it is one");
        Recording::create(&SYSTEM, &self.path(), &manifest).expect("there is room")
    }

    fn error(&self) -> String {
        Recording::open(&self.path())
            .expect_err("it is none")
            .to_string()
            .replace(&*self.0.path().to_string_lossy(), "$DIR")
    }
}

fn unit(step: usize, iteration: u32, attempt: u32) -> UnitId {
    UnitId { step, iteration, attempt }
}

fn record(of: UnitId) -> UnitRecord {
    let record: UnitRecord = serde_json::from_str(RECORD).expect("it is one");
    UnitRecord { step: of.step, iteration: of.iteration, attempt: of.attempt, ..record }
}

fn writer(recording: &Recording, of: UnitId, secrets: &[&str]) -> UnitRecordingWriter {
    let secrets = Arc::new(Secrets::new(secrets));
    UnitRecordingWriter::create(&SYSTEM, recording, of, &secrets).expect("there is room")
}

fn write(recording: &Recording, of: UnitId) {
    writer(recording, of, &[]).finish(&record(of), &[]).expect("there is room");
}

#[test]
fn released_formats_stay_readable() {
    let fixture = RecordingFixture::new();
    fs::create_dir_all(fixture.path().join("1-2-1")).expect("there is room");
    fs::write(fixture.path().join("recording.json"), MANIFEST).expect("there is room");
    fs::write(fixture.path().join("1-2-1/unit.json"), RECORD).expect("there is room");
    let recording = Recording::open(&fixture.path()).expect("it is one");
    assert_eq!(recording.run().as_str(), "k3v9m2xq");
    let steps = recording.steps();
    assert_eq!((steps[0].agent.as_str(), steps[0].backend), ("planner", Some(Backend::Claude)));
    assert_eq!((steps[1].agent.as_str(), steps[1].backend), ("./test.sh", None));
    let unit = recording.unit(1, 2, 1).expect("it is there");
    assert_eq!(unit.record.end, EndRecord::Exited(0));
    let effects = unit.record.effects.expect("they are there");
    assert_eq!((effects.end.tree.as_str(), effects.staged), ("ee", None));
    assert_eq!(effects.commits[0].patch.as_deref(), Some("commit-1.patch"));
}

#[test]
fn a_written_value_reads_back() {
    let fixture = RecordingFixture::new();
    let recording = fixture.create();
    let mut writer = writer(&recording, unit(1, 1, 1), &["sk-secret-1", "sk-secret-2"]);
    let (out, err) = (OutputStream::Stdout, OutputStream::Stderr);
    for (stream, bytes) in [
        (out, &b"one\ntwo sk-sec"[..]),
        (err, b"complaint\n"),
        (out, b"ret-2 three\n"),
        (out, &[b'x'; 200_000]),
        (out, b"end: sk-secret-"),
    ] {
        writer.append(stream, bytes).expect("there is room");
    }
    let files = [("rest.patch".to_owned(), b"diff".to_vec())];
    writer.finish(&record(unit(1, 1, 1)), &files).expect("there is room");

    let recorded = recording.unit(1, 1, 1).expect("it is there");
    assert_eq!(recorded.record, record(unit(1, 1, 1)));
    assert_eq!(recorded.file("rest.patch").expect("it is there"), b"diff");
    let chunks: Vec<RecordedChunk> = recorded
        .chunks()
        .expect("they are there")
        .map(|chunk| chunk.expect("it is whole"))
        .collect();
    assert!(chunks.is_sorted_by_key(|chunk| chunk.at));
    let printed = |stream| {
        let of = chunks.iter().filter(|chunk| chunk.stream == stream);
        String::from_utf8(of.flat_map(|chunk| chunk.bytes.clone()).collect()).expect("it is text")
    };
    let xs = "x".repeat(200_000);
    let stdout = format!("one\ntwo *********** three\n{xs}end: sk-secret-");
    assert!(printed(out) == stdout, "{:?}", printed(out).get(..60));
    assert_eq!(printed(err), "complaint\n");
    let file = fs::read_to_string(fixture.path().join("1-1-1/stdout")).expect("it is text");
    assert!(file == stdout, "the file holds the same");
}

#[test]
fn an_unrecorded_attempt_plays_the_last_recorded_one() {
    let fixture = RecordingFixture::new();
    let recording = fixture.create();
    for of in [unit(1, 1, 1), unit(1, 1, 3), unit(1, 2, 1), unit(2, 1, 1)] {
        write(&recording, of);
    }
    let found = |step, iteration, attempt| {
        let found = recording.unit(step, iteration, attempt);
        found.map(|found| found.unit()).map_err(|error| {
            error.to_string().replace(&*fixture.0.path().to_string_lossy(), "$DIR")
        })
    };
    assert_eq!(found(1, 1, 1), Ok(unit(1, 1, 1)));
    assert_eq!(found(1, 1, 2), Ok(unit(1, 1, 3)));
    assert_eq!(found(1, 2, 9), Ok(unit(1, 2, 1)));
    let missing = "iteration 3 of step 1 (planner) was not recorded: $DIR/recording has \
                   2 iterations of this step";
    assert_eq!(found(1, 3, 1), Err(missing.to_owned()));
    let missing = "iteration 2 of step 2 (./test.sh) was not recorded: $DIR/recording has \
                   1 iteration of this step";
    assert_eq!(found(2, 2, 1), Err(missing.to_owned()));
    for step in [0, 3] {
        let error = found(step, 1, 1).expect_err("there is no such step");
        assert!(error.contains(&format!("iteration 1 of step {step} was not recorded")), "{error}");
    }
}

#[test]
fn a_unit_that_was_not_finished_is_passed_over() {
    let fixture = RecordingFixture::new();
    let recording = fixture.create();
    write(&recording, unit(1, 1, 1));
    let mut cut_off = writer(&recording, unit(1, 1, 2), &[]);
    cut_off.append(OutputStream::Stdout, b"half of a li").expect("there is room");
    drop(cut_off);
    fs::create_dir(fixture.path().join("notes")).expect("there is room");
    fs::create_dir(fixture.path().join("01-1-1")).expect("there is room");
    assert_eq!(recording.units().expect("it is there"), [unit(1, 1, 1)]);
    assert_eq!(recording.unit(1, 1, 2).expect("the other is").unit(), unit(1, 1, 1));
    // Starting a unit again removes the old one.
    write(&recording, unit(1, 1, 2));
    drop(writer(&recording, unit(1, 1, 2), &[]));
    assert_eq!(recording.units().expect("it is there"), [unit(1, 1, 1)]);
}

#[test]
fn every_kind_of_wrong_directory_is_named() {
    let fixture = RecordingFixture::new();
    assert_eq!(fixture.error(), "$DIR/recording does not exist");
    fs::create_dir(fixture.path()).expect("there is room");
    let none = "$DIR/recording is not a recording: there is no recording.json in it";
    assert_eq!(fixture.error(), none);
    for (text, expected) in [
        ("", "is damaged: EOF while parsing a value at line 1 column 0"),
        ("{\"format\": \"1.0\"}", "is damaged: missing field `run` at line 1 column 17"),
        ("{\"format\": \"2.0\"}", "has version 2.0 of the format, and this program reads 1.x"),
        (&MANIFEST.replace("claude", "hal"), "is damaged: unknown variant `hal`"),
        (&MANIFEST.replace("\"number\": 2", "\"number\": 3"), "is damaged: step 2 has number 3"),
        (&MANIFEST.replace("k3v9m2xq", "../x"), "is damaged: is not the id of a run"),
    ] {
        fs::write(fixture.path().join("recording.json"), text).expect("there is room");
        let (error, expected) =
            (fixture.error(), format!("$DIR/recording/recording.json {expected}"));
        assert!(error.starts_with(&expected), "{error}");
    }
    let newer = MANIFEST.replace("\"1.0\"", "\"1.7\", \"mood\": \"good\"");
    fs::write(fixture.path().join("recording.json"), newer).expect("there is room");
    Recording::open(&fixture.path()).expect("a newer minor version is read");
    fs::remove_dir_all(fixture.path()).expect("it is ours");
    fs::write(fixture.path(), "a file").expect("there is room");
    assert_eq!(fixture.error(), none);
}

#[test]
fn a_damaged_unit_is_an_error_and_opens_no_other_file() {
    let fixture = RecordingFixture::new();
    let recording = fixture.create();
    let mut writer = writer(&recording, unit(1, 1, 1), &[]);
    writer.append(OutputStream::Stdout, b"one\n").expect("there is room");
    writer.finish(&record(unit(1, 1, 1)), &[]).expect("there is room");
    let recorded = recording.unit(1, 1, 1).expect("it is there");
    for name in ["../recording.json", "/etc/passwd", ".."] {
        let error = recorded.file(name).expect_err("it is elsewhere").to_string();
        assert!(error.contains("unit.json is damaged: it names the file"), "{name}: {error}");
    }
    assert!(recorded.file("rest.patch").is_err());
    let first = || recorded.chunks().and_then(|mut chunks| chunks.next().expect("there is one"));
    assert!(first().is_ok());
    fs::write(recorded.directory.join("stdout"), "on").expect("it is ours");
    let error = first().expect_err("it is cut off").to_string();
    assert!(error.ends_with("stdout is damaged: it is shorter than timing.jsonl says"), "{error}");
    fs::write(recorded.directory.join("timing.jsonl"), "{}\n").expect("it is ours");
    let error = first().expect_err("it is damaged").to_string();
    assert!(error.contains("timing.jsonl is damaged: line 1: missing field"), "{error}");
}

#[test]
fn only_a_run_that_is_resumed_goes_on_with_its_recording() {
    let fixture = RecordingFixture::new();
    let manifest: RecordingManifest = serde_json::from_str(MANIFEST).expect("it is one");
    let other = RecordingManifest { run: RunId::from_random(7), ..manifest.clone() };
    let begin =
        |manifest: &RecordingManifest| Recording::create(&SYSTEM, &fixture.path(), manifest);
    let go_on =
        |manifest: &RecordingManifest| Recording::resume(&SYSTEM, &fixture.path(), manifest);
    fs::create_dir(fixture.path()).expect("there is room");
    write(&begin(&manifest).expect("an empty directory will do"), unit(1, 1, 1));
    assert!(matches!(begin(&manifest), Err(RecordingError::AlreadyThere { .. })));
    assert!(matches!(go_on(&other), Err(RecordingError::AlreadyThere { .. })));
    let recording = go_on(&manifest).expect("it is its own");
    assert_eq!(recording.units().expect("they are there"), [unit(1, 1, 1)]);
    fs::remove_dir_all(fixture.path()).expect("it is ours");
    go_on(&manifest).expect("it begins once more");
    fs::remove_file(fixture.path().join("recording.json")).expect("it is ours");
    fs::write(fixture.path().join("a.txt"), "mine").expect("it is ours");
    assert!(matches!(go_on(&manifest), Err(RecordingError::InTheWay(_))));
    let file: &Path = &fixture.path().join("a.txt");
    assert!(matches!(Recording::check_free(file), Err(RecordingError::InTheWay(_))));
}
