//! Tries many power failures, and counts them.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::check::check;
use super::disk::change_fate::{FateCoverage, SimulatedRandom, fates};
use super::disk::disk_contents::DiskContents;
use super::disk::disk_history::DiskLogEntry;
use super::disk::simulated_disk::SimulatedDisk;
use super::journal_knowledge::{JournalKnowledge, MachineFailure};

/// The seed of the random numbers.
const SEED: u64 = 20_261_115;

/// Power failures that are tried.
#[derive(Debug)]
pub(crate) struct PowerFailureTrials {
    directory: TempDir,
    disks: usize,
    chance: SimulatedRandom,
    /// Hashes of the states that were checked already.
    seen: HashSet<u64>,
    tried: usize,
}

impl PowerFailureTrials {
    pub(crate) fn new() -> Self {
        // The files are temporary, and memory is faster.
        let memory = Path::new("/dev/shm");
        let directory =
            if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let directory = directory.expect("there is room");
        Self { directory, disks: 0, chance: SimulatedRandom(SEED), seen: HashSet::new(), tried: 0 }
    }

    /// A directory for a disk.
    pub(crate) fn place(&mut self) -> PathBuf {
        self.disks += 1;
        self.directory.path().join(self.disks.to_string())
    }

    /// Simulates a power failure at each of these points, given as lengths of the history.
    pub(crate) fn power_failures(
        &mut self,
        disk: &SimulatedDisk,
        moments: impl IntoIterator<Item = usize>,
        thoroughness: FateCoverage,
    ) {
        let history = disk.history();
        for moment in moments {
            let past = &history[..moment];
            let knowledge = JournalKnowledge::after(past);
            let known = hash(&format!("{knowledge:?}"));
            let chance = &mut self.chance;
            let left =
                disk.after_power_failure(past, |changes| fates(changes, thoroughness, chance));
            for (index, contents) in left.iter().enumerate() {
                // The first state has all changes: it is that of a killed process.
                let accident =
                    if index == 0 { MachineFailure::Killed } else { MachineFailure::PowerFailure };
                self.tried += 1;
                if self.seen.insert(hash(&(contents, known, accident))) {
                    self.try_out(contents, &knowledge, accident, past);
                }
            }
        }
    }

    fn try_out(
        &mut self,
        contents: &DiskContents,
        knowledge: &JournalKnowledge,
        accident: MachineFailure,
        past: &[DiskLogEntry],
    ) {
        let place = self.place();
        if let Err(wrong) = check(&place, contents, knowledge, accident) {
            let files = contents.0.iter().map(|(path, bytes)| {
                let bytes = bytes.as_deref().map(String::from_utf8_lossy);
                format!("{}: {bytes:?}\n", path.display())
            });
            let last = &past[past.len().saturating_sub(12)..];
            panic!("{wrong}\n{accident:?} after {last:#?}\n{}", files.collect::<String>());
        }
        fs::remove_dir_all(place).expect("it is there");
    }

    /// Prints the number of trials, and asserts that it has not dropped.
    pub(crate) fn report(&self, what: &str, points: usize, at_least: (usize, usize)) {
        let (tried, different) = (self.tried, self.seen.len());
        report_points(what, points, at_least.0);
        report_points(
            &format!("{what}, power failures (seed {SEED}, {different} different disks)"),
            tried,
            at_least.1,
        );
    }
}

/// Prints the number of points, and asserts that it has not dropped.
#[expect(clippy::print_stdout, reason = "the numbers are published in docs/reliability.md")]
pub(crate) fn report_points(what: &str, points: usize, at_least: usize) {
    println!("simulated disk: {what}: {points}");
    assert!(points >= at_least, "{what}: there were {at_least} once, and {points} now");
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
