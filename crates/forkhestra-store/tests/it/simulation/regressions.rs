//! Bugs that the simulated disk has found, one test each.

use std::fs;

use forkhestra_core::event::Event;
use forkhestra_store::journal::journal_contents;
use forkhestra_store::{JournalLock, WorkTreeLock};

use super::disk::change_fate::ChangeFate;
use super::disk::disk_contents::DiskContents;
use super::disk::disk_fault::{DiskFailure, DiskFault, FaultDuration, Kind};
use super::disk::disk_history::DiskChange;
use super::run_scripts::WHOLE_RUN;
use super::simulated_writer::{SimulatedState, SimulatedWriter, lock_owner};
use crate::samples::{event, iteration_started, warning};
use tempfile::TempDir;

/// A disk for one test.
struct DiskSimulation {
    directory: TempDir,
    world: SimulatedState,
}

impl DiskSimulation {
    fn new() -> Self {
        Self::with(&SimulatedState::empty())
    }

    fn with(contents: &DiskContents) -> Self {
        let directory = tempfile::tempdir().expect("there is room");
        let state = SimulatedState::new(&directory.path().join("disk"), contents);
        Self { directory, world: state }
    }

    /// Lets a call fail, after `calls_before` others.
    fn fail(&self, failure: DiskFailure, lasts: FaultDuration, calls_before: usize) {
        let call = self.world.disk.calls().len() + calls_before;
        self.world.disk.fail(DiskFault { call, failure, lasts });
    }

    /// The events in the journal of the first run if the power fails now.
    fn events_left(&self, fate: impl Fn(&DiskChange) -> ChangeFate) -> Vec<Event> {
        let fates =
            |changes: &[&DiskChange]| vec![changes.iter().map(|change| fate(change)).collect()];
        let left = self.world.disk.after_power_failure(&self.world.disk.history(), fates);
        let state = SimulatedState::new(&self.directory.path().join("left"), &left[0]);
        let run = state.run(1).expect("the run is there");
        journal_contents::read(&run.journal()).expect("it can be read").events
    }
}

fn lost(_: &DiskChange) -> ChangeFate {
    ChangeFate::Lost
}

#[test]
fn a_run_in_a_new_state_directory_is_not_lost_with_the_directories_above_it() {
    let simulation = DiskSimulation::new();
    let mut process = SimulatedWriter::start(&simulation.world, 1).expect("nothing fails");
    process.append_all(&WHOLE_RUN[..3]).expect("nothing fails");
    assert_eq!(simulation.events_left(lost), WHOLE_RUN[..3]);
}

#[test]
fn directories_whose_creator_was_killed_are_made_to_last_by_the_next_one() {
    for calls_before in 0..9 {
        let simulation = DiskSimulation::new();
        simulation.fail(DiskFailure::Killed, FaultDuration::UntilMended, calls_before);
        WorkTreeLock::acquire(&simulation.world.tree, &lock_owner(1)).expect_err("it was killed");
        simulation.world.disk.mend();
        let mut process = SimulatedWriter::start(&simulation.world, 1).expect("nothing fails");
        process.append_all(&WHOLE_RUN[..3]).expect("nothing fails");
        assert_eq!(simulation.events_left(lost), WHOLE_RUN[..3], "after {calls_before} calls");
    }
}

/// A failed sync may have dropped lines that were appended before.
#[test]
fn lines_are_written_again_after_a_sync_that_failed() {
    let simulation = DiskSimulation::new();
    let mut process = SimulatedWriter::start(&simulation.world, 1).expect("nothing fails");
    process.append_all(&WHOLE_RUN[..2]).expect("nothing fails");
    // Space is reserved, the line is written, and the sync fails.
    simulation.fail(DiskFailure::Broken, FaultDuration::Once, 2);
    process.append(&WHOLE_RUN[2]).expect_err("the sync fails");
    process.append(&WHOLE_RUN[2]).expect("nothing fails any more");
    assert_eq!(simulation.events_left(lost), WHOLE_RUN[..3]);
}

#[test]
fn a_resume_rewrites_lines_after_a_failed_sync() {
    let simulation = DiskSimulation::new();
    let mut process = SimulatedWriter::start(&simulation.world, 1).expect("nothing fails");
    process.append_all(&WHOLE_RUN[..2]).expect("nothing fails");
    simulation.fail(DiskFailure::Broken, FaultDuration::UntilMended, 2);
    process.append(&WHOLE_RUN[2]).expect_err("the sync fails");
    drop(process);
    simulation.world.disk.mend();

    let run = simulation.world.run(1).expect("it is there");
    let mut process = SimulatedWriter::resume(&simulation.world, &run, 2).expect("nothing fails");
    let next = event(9, iteration_started(2));
    process.append(&next).expect("nothing fails");
    assert_eq!(simulation.events_left(lost), [&WHOLE_RUN[..3], &[next]].concat());
}

/// Whether these bytes are the line of a warning with this text. A hash follows the text.
fn is_line_of(bytes: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(&format!("\"message\":\"{text}\""))
}

/// Otherwise it could follow a lost new line, and look like damage.
#[test]
fn a_torn_end_that_was_cut_off_does_not_come_back() {
    let simulation = DiskSimulation::new();
    let mut process = SimulatedWriter::start(&simulation.world, 1).expect("nothing fails");
    process.append_all(&WHOLE_RUN[..3]).expect("nothing fails");
    drop(process);
    let mut contents = DiskContents::read(&simulation.directory.path().join("disk"));
    contents.journal().extend_from_slice("x".repeat(400).as_bytes());

    let simulation = DiskSimulation::with(&contents);
    let run = simulation.world.run(1).expect("it is there");
    let mut process = SimulatedWriter::resume(&simulation.world, &run, 2).expect("nothing fails");
    let short = ["first", "second", "third", "fourth"].map(|text| event(9, warning(text)));
    process.append_all(&short).expect("nothing fails");
    let without_the_cut_and_the_second = |change: &DiskChange| match change {
        DiskChange::Resized { .. } => ChangeFate::Lost,
        DiskChange::Written { bytes, .. } if is_line_of(bytes, "second") => ChangeFate::Lost,
        _ => ChangeFate::Kept,
    };
    let expected = [&WHOLE_RUN[..3], &short[..1]].concat();
    assert_eq!(simulation.events_left(without_the_cut_and_the_second), expected);
}

#[test]
fn a_failed_lock_write_keeps_the_old_owner() {
    for failure in DiskFailure::REPORTED {
        for calls_before in 0..5 {
            let simulation = DiskSimulation::new();
            let tree = &simulation.world.tree;
            drop(WorkTreeLock::acquire(tree, &lock_owner(1)).expect("it is free"));
            simulation.fail(failure, FaultDuration::Once, calls_before);
            let failed = WorkTreeLock::acquire(tree, &lock_owner(2_000_000)).is_err();
            simulation.world.disk.mend();
            let acquired = WorkTreeLock::acquire(tree, &lock_owner(3)).expect("it is free");
            let expected = if failed { lock_owner(1) } else { lock_owner(2_000_000) };
            assert_eq!(acquired.leftover, Some(expected), "{failure:?} after {calls_before} calls");
        }
    }
}

/// A longer entry is overwritten, and the process may be killed before the rest is cut off.
#[test]
fn a_lock_has_an_owner_after_a_crash_at_any_point() {
    for calls_before in 0..5 {
        let simulation = DiskSimulation::new();
        let tree = &simulation.world.tree;
        drop(WorkTreeLock::acquire(tree, &lock_owner(1_000_000)).expect("it is free"));
        simulation.fail(DiskFailure::Killed, FaultDuration::UntilMended, calls_before);
        let _ = WorkTreeLock::acquire(tree, &lock_owner(2));
        simulation.world.disk.mend();
        let acquired = WorkTreeLock::acquire(tree, &lock_owner(3)).expect("it is free");
        let leftover = acquired.leftover.expect("there was an owner");
        assert!([1_000_000, 2].contains(&leftover.pid), "{leftover} after {calls_before} calls");
    }
}

#[test]
fn a_journal_that_could_not_be_taken_names_no_owner() {
    let simulation = DiskSimulation::new();
    let process = SimulatedWriter::start(&simulation.world, 1).expect("nothing fails");
    drop(process);
    let run = simulation.world.run(1).expect("it is there");
    // The journal is opened and locked, and the owner file is created.
    simulation.fail(DiskFailure::FullHalfway, FaultDuration::Once, 3);
    JournalLock::acquire(&run, &lock_owner(2)).expect_err("there is no room");
    let names: Vec<_> = fs::read_dir(run.path()).expect("it is there").flatten().collect();
    assert!(names.iter().all(|name| name.file_name() != "owner"), "{names:?}");
    assert_eq!(simulation.world.disk.calls().last().map(|call| call.kind), Some(Kind::RemoveFile));
}
