//! Lets every call fail while the output of an agent, or a view of a run, is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forkhestra_core::event::{Event, EventKind, Observation, Verdict};
use forkhestra_core::history::RunHistory;
use forkhestra_store::output_log::{LogCapacity, OutputLog, OutputWriter, Secrets};
use forkhestra_store::view::{ViewDir, ViewFacts, ViewWriter};
use serde_json::Value;
use tempfile::TempDir;

use super::disk::disk_contents::DiskContents;
use super::disk::disk_fault::{DiskFailure, DiskFault, FaultDuration};
use super::disk::simulated_disk::SimulatedDisk;
use super::power_failure_trials::report_points;
use crate::samples::{event, iteration_finished, iteration_started, started};

/// Calls `act` on a disk without failures, and then once for each way in which one of its calls can
/// fail. Returns the number of failures.
fn with_every_failure(act: impl Fn(&'static SimulatedDisk, &Path)) -> usize {
    let try_with = |fault: Option<DiskFault>| {
        let directory = TempDir::new().expect("there is room");
        let disk = SimulatedDisk::new(directory.path(), &DiskContents::default());
        fault.into_iter().for_each(|fault| disk.fail(fault));
        act(disk, directory.path());
        disk
    };
    let calls = try_with(None).calls();
    let faults = DiskFault::each(&calls, &DiskFailure::REPORTED, FaultDuration::Once);
    for (_, fault) in &faults {
        assert!(try_with(Some(*fault)).happened().is_some(), "{fault:?} did not happen");
    }
    faults.len()
}

#[test]
fn an_unwritable_log_keeps_the_written_part_only() {
    let points = with_every_failure(|disk, top| {
        let path = top.join("output/1-1-1/stdout");
        let taken = keep(disk, &path, &[b'x'; 200]);
        assert_kept(&path, &[b'x'; 200], taken);
        let output: Vec<u8> = (0..200).collect();
        // The second log replaces the first.
        let taken = keep(disk, &path, &output);
        if taken > 0 {
            assert_kept(&path, &output, taken);
        }
    });
    report_points("logs", points, 180);
}

/// Appends to a log until that fails, and returns the number of bytes that it accepted.
fn keep(disk: &'static SimulatedDisk, path: &Path, output: &[u8]) -> usize {
    let capacity = LogCapacity { head: 50, tail: 150 };
    let secrets = Arc::new(Secrets::default());
    let mut writer = OutputWriter::new(disk, path.to_owned(), capacity, &secrets);
    let pieces = output.chunks(45);
    pieces.take_while(|piece| writer.append(piece).is_ok()).map(<[u8]>::len).sum()
}

/// Asserts that a log holds the accepted bytes, possibly some more, and nothing that was not
/// printed.
fn assert_kept(path: &Path, output: &[u8], taken: usize) {
    let log = OutputLog::open(path.to_owned());
    let kept = log.kept().expect("it can be read");
    assert!(kept.missing().is_empty() && kept.end() >= taken as u64, "{kept:?} of {taken}");
    let mut offset = 0;
    let mut buffer = [0; 64];
    loop {
        let chunk = log.read_at(offset as u64, &mut buffer).expect("it can be read");
        if chunk.length == 0 {
            return;
        }
        assert_eq!(buffer[..chunk.length], output[offset..offset + chunk.length]);
        offset += chunk.length;
    }
}

#[test]
fn a_view_that_cannot_be_written_is_whole_all_the_same_and_complete_the_next_time() {
    let events = events();
    let [early, late] = [4, 8].map(|end| RunHistory::of(&events[..end]).expect("a sound history"));
    let write = |disk, top: &Path| {
        let facts = ViewFacts { journal: PathBuf::from("/journal.jsonl"), resume: None };
        let mut writer = ViewWriter::new(ViewDir::with_disk(disk, top), facts);
        let mut failed = 0;
        for history in [&early, &late] {
            while writer.update(history).is_err() {
                failed += 1;
                assert!(failed < 2, "one call fails");
                assert_whole(&DiskContents::read(top));
            }
        }
        DiskContents::read(top)
    };
    let undisturbed = {
        let directory = TempDir::new().expect("there is room");
        let disk = SimulatedDisk::new(directory.path(), &DiskContents::default());
        assert_whole(&write(disk, directory.path()))
    };
    let points = with_every_failure(|disk, top| {
        assert_eq!(assert_whole(&write(disk, top)), undisturbed);
    });
    report_points("views", points, 74);
}

/// Asserts that all files are complete, and that there are no others. Returns their contents.
fn assert_whole(contents: &DiskContents) -> Vec<(PathBuf, Vec<Value>)> {
    let files = contents.0.iter().filter_map(|(path, bytes)| Some((path, bytes.as_ref()?)));
    files.map(|(path, bytes)| (path.clone(), json_lines(path, bytes))).collect()
}

fn json_lines(path: &Path, bytes: &[u8]) -> Vec<Value> {
    match path.extension().and_then(|it| it.to_str()) {
        Some("json") => vec![serde_json::from_slice(bytes).expect("it is whole")],
        // A line that did not fit is incomplete, and is repeated after it.
        Some("jsonl") => {
            let lines = bytes.split(|byte| *byte == b'\n');
            lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
        }
        _ => {
            assert!(path.ends_with(".gitignore"), "{} is left", path.display());
            assert_eq!(bytes, b"*\n");
            Vec::new()
        }
    }
}

fn events() -> Vec<Event> {
    let mut kinds = vec![
        started(),
        EventKind::StepStarted { instead_of: None, step: 1, observation: Observation::default() },
    ];
    for iteration in 1..=3 {
        kinds.push(iteration_started(iteration));
        kinds.push(iteration_finished(iteration, Verdict::Incomplete));
    }
    kinds.into_iter().enumerate().map(|(number, kind)| event(number, kind)).collect()
}
