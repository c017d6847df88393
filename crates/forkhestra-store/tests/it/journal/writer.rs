//! Tests of writing a journal.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use forkhestra_core::event::{AuxJob, CompletionSignal, Event, EventKind, RunEnd, Verdict};
use forkhestra_store::journal::recorded_run;
use forkhestra_store::{
    Durability, Journal, JournalLock, LockError, LockProof, RunDir, WorkTreeLock,
};

use crate::samples::checks::{agent_finished, iteration_checked, passed};
use crate::samples::{
    event, iteration_finished, iteration_started, samples, started, unit, warning,
};
use crate::temporary_dir::{TemporaryDir, owner, read, reopened, run_id, timestamp};

#[test]
fn appended_events_are_read() {
    for durability in [Durability::Fsync, Durability::Os] {
        let temporary = TemporaryDir::new();
        let lock_proof = LockProof::Locked(
            WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect("free").lock,
        );
        let run =
            temporary.tree.create_run(&lock_proof, &run_id(3), timestamp()).expect("a directory");
        let mut journal =
            Journal::create(&run, &lock_proof, &owner(1), durability).expect("a journal");
        for (number, event) in samples().iter().enumerate() {
            assert_eq!(journal.next_seq(), number as u64);
            journal.append(event).expect("there is room");
            // Lines are not buffered, so a kill at any moment loses nothing.
            assert_eq!(read(&run).expect("it can be read").events.last(), Some(event));
        }
        let recorded = read(&run).expect("it can be read");
        assert_eq!(recorded.events, samples());
        assert_eq!((recorded.unknown, recorded.torn), (Vec::new(), None));
        assert_eq!(recorded.next_seq, samples().len() as u64);
    }
}

#[test]
fn the_journal_is_private() {
    let temporary = TemporaryDir::new();
    let lock = WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect("it is free").lock;
    let (run, _journal) = temporary.run_of(&[event(0, started())]);
    lock.release().expect("the disk works");
    let tree = temporary.tree.path();
    let paths: [PathBuf; 7] = [
        temporary.root.path().to_owned(),
        tree.to_owned(),
        tree.join("lock"),
        run.path().to_owned(),
        run.output(),
        run.journal(),
        run.path().join("owner"),
    ];
    for path in paths {
        let mode = fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn a_journal_is_not_created_over_another() {
    let temporary = TemporaryDir::new();
    let (run, _) = temporary.run_of(&[event(0, started())]);
    let error = Journal::create(&run, &LockProof::Waived, &owner(1), Durability::Os);
    let Err(LockError::Unusable(error)) = error else { panic!("{error:?}") };
    assert_eq!(error.path, run.journal());
    assert_eq!(read(&run).expect("it is as it was").events.len(), 1);
}

#[test]
fn the_lock_of_another_work_tree_does_not_do() {
    let temporary = TemporaryDir::new();
    let own = WorkTreeLock::acquire(&temporary.tree, &owner(1)).expect("it is free").lock;
    own.release().expect("the disk works");
    let other = temporary.root.work_tree(Path::new("/elsewhere"));
    let lock_proof =
        LockProof::Locked(WorkTreeLock::acquire(&other, &owner(1)).expect("it is free").lock);
    temporary.tree.create_run(&lock_proof, &run_id(1), timestamp()).expect_err("it is another one");
    let (run, _) = temporary.run_of(&[event(0, started())]);
    let recorded = read(&run).expect("it can be read");
    let lock = JournalLock::acquire(&run, &owner(1)).expect("no other process writes it");
    Journal::open_for_append(lock, &lock_proof, &recorded, Durability::Os)
        .expect_err("it is another one");
}

#[test]
fn a_resumed_run_is_appended_to() {
    let temporary = TemporaryDir::new();
    let all = samples();
    let (run, journal) = temporary.run_of(&all[..4]);
    drop(journal);
    for event in &all[4..8] {
        let recorded = read(&run).expect("it can be read");
        let mut journal = reopened(&run, &recorded).expect("it can be continued");
        journal.append(event).expect("there is room");
    }
    assert_eq!(read(&run).expect("it can be read").events, all[..8]);
}

#[test]
fn the_output_of_an_agent_that_was_not_seen_to_end_is_a_sign_of_life() {
    let temporary = TemporaryDir::new();
    let finished = iteration_finished(1, Verdict::Incomplete);
    let kinds = [started(), iteration_started(1), finished, iteration_started(2)];
    let events: Vec<Event> = kinds.into_iter().map(|kind| event(0, kind)).collect();
    let (run, _) = temporary.run_of(&events);

    assert_eq!(unrecorded(&run), 0);
    changed_later(&run.journal(), 10_800);
    assert_eq!(unrecorded(&run), 0, "a copy or a backup is no sign of life");
    print_later(&run.output_of(unit(1)), 7200);
    assert_eq!(unrecorded(&run), 0, "that agent was seen to end");
    print_later(&run.output_of(unit(2)), 3600);
    assert_eq!(unrecorded(&run), 3600);
}

#[test]
fn the_output_of_a_check_that_was_not_seen_to_end_is_a_sign_of_life() {
    let temporary = TemporaryDir::new();
    let check = |number| AuxJob::Check { unit: unit(1), number };
    let kinds = [
        started(),
        iteration_started(1),
        agent_finished(1, Verdict::Complete(CompletionSignal::File)),
        EventKind::AuxJobStarted { aux_job: check(1), pid: 4712 },
        EventKind::CheckFinished { unit: unit(1), report: passed() },
    ];
    let mut events: Vec<Event> = kinds.into_iter().map(|kind| event(0, kind)).collect();
    let (run, mut journal) = temporary.run_of(&events);
    print_later(&run.output_of(unit(1)), 7200);
    print_later(&run.output_of_aux_job(check(1)), 7200);
    assert_eq!(unrecorded(&run), 0);
    events.push(event(0, EventKind::AuxJobStarted { aux_job: check(2), pid: 4713 }));
    journal.append(&events[5]).expect("there is room");
    assert_eq!(unrecorded(&run), 0);
    print_later(&run.output_of_aux_job(check(2)), 3600);
    assert_eq!(unrecorded(&run), 3600);
    let over = iteration_checked(1, Verdict::Incomplete, vec![passed(), passed()]);
    journal.append(&event(0, over)).expect("there is room");
    assert_eq!(unrecorded(&run), 0);
}

#[test]
fn an_interruption_in_an_earlier_process_is_no_sign_of_life() {
    let temporary = TemporaryDir::new();
    let resumed = samples().remove(1).kind;
    let kinds = [started(), iteration_started(1), resumed];
    let events: Vec<Event> = kinds.into_iter().map(|kind| event(0, kind)).collect();
    let (run, _) = temporary.run_of(&events);
    print_later(&run.output_of(unit(1)), 3600);
    assert_eq!(unrecorded(&run), 0);
}

/// Seconds that the run continued after its last event.
fn unrecorded(run: &RunDir) -> u64 {
    let past = recorded_run::read(run).expect("the journal is sound");
    (past.history.state.elapsed - past.recorded_time()).as_secs()
}

/// Writes output `seconds` after all events.
fn print_later(directory: &Path, seconds: u64) {
    fs::create_dir_all(directory).expect("a directory");
    fs::write(directory.join("head"), "hello\n").expect("there is room");
    changed_later(&directory.join("head"), seconds);
}

fn changed_later(path: &Path, seconds: u64) {
    let events = u64::try_from(timestamp().milliseconds()).expect("it is not that long ago");
    let since = Duration::from_millis(events) + Duration::from_secs(seconds);
    let file = File::options().append(true).open(path).expect("it is there");
    file.set_modified(SystemTime::UNIX_EPOCH + since).expect("it is ours");
}

/// Where the file system supports it, space for an outcome is reserved before an agent starts, and
/// released at the end.
#[cfg(target_os = "linux")]
#[test]
fn an_iteration_has_room_for_its_outcome() {
    let temporary = TemporaryDir::new();
    let (run, mut journal) = temporary.run_of(&[event(0, started())]);
    let size = |path: &Path| {
        let metadata = fs::metadata(path).expect("it is there");
        (metadata.blocks() * 512, metadata.len())
    };
    journal.append(&event(1, iteration_started(1))).expect("there is room");
    let probe = File::create(temporary.path().join("probe")).expect("a file");
    let flags = rustix::fs::FallocateFlags::KEEP_SIZE;
    if rustix::fs::fallocate(&probe, flags, 0, 1).is_ok() {
        let (taken, length) = size(&run.journal());
        assert!(taken >= length + 16 * 1024, "{taken} for {length}");
    }
    journal.append(&event(2, warning("x"))).expect("there is room");
    let end = EventKind::RunFinished { end: RunEnd::Complete };
    journal.append(&event(3, end)).expect("there is room");
    let (taken, length) = size(&run.journal());
    assert!(taken < length + 16 * 1024, "{taken} for {length}");
    assert_eq!(read(&run).expect("it can be read").events.len(), 4);
}
