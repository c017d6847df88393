//! Tries all points, several at a time.

use std::io::{IsTerminal, Write, stdout};
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::args::Args;
use super::chain::reference_chain::ReferenceChain;
use super::crash_trial::{self, CrashTrial, TrialFailure};
use super::point::Point;
use super::point_row::{PointRow, rows};
use devkit::error::Result;

/// Runs wait for the disk and for their agents most of the time.
const WORKERS_PER_CORE: usize = 2;

/// Kills runs at one point after the other.
pub(super) struct PointSearch<'a> {
    chain: &'a ReferenceChain,
    rows: Mutex<Vec<PointRow>>,
    found: Mutex<SearchResult>,
}

/// The results.
#[derive(Default)]
pub(super) struct SearchResult {
    pub(super) survived: Vec<Point>,
    pub(super) failures: usize,
}

impl<'a> PointSearch<'a> {
    pub(super) fn new(chain: &'a ReferenceChain, args: &Args) -> Self {
        Self { chain, rows: Mutex::new(rows(chain, args)), found: Mutex::default() }
    }

    /// Tries all points.
    pub(super) fn run(self) -> Result<SearchResult> {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        thread::scope(|scope| {
            let workers: Vec<_> =
                (0..cores * WORKERS_PER_CORE).map(|_| scope.spawn(|| self.work())).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("it does not panic"))
        })?;
        if stdout().is_terminal() {
            println!();
        }
        Ok(self.found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn work(&self) -> Result<()> {
        while let Some((row, point)) = self.next() {
            let trial = crash_trial::run(self.chain, point)?;
            let is_there = !matches!(trial, CrashTrial::NotReached);
            locked(&self.rows)[row].tried(point.number, is_there);
            match trial {
                CrashTrial::NotReached => {}
                CrashTrial::Survived => self.note(point),
                CrashTrial::Failed(failure) => self.fail(point, &failure),
            }
        }
        Ok(())
    }

    fn next(&self) -> Option<(usize, Point)> {
        let mut rows = locked(&self.rows);
        rows.iter_mut().enumerate().find_map(|(at, row)| Some((at, row.next()?)))
    }

    fn note(&self, point: Point) {
        let mut found = locked(&self.found);
        found.survived.push(point);
        if stdout().is_terminal() {
            print!("\r{} points tried", found.survived.len() + found.failures);
            // Progress output may fail.
            let _ = stdout().flush();
        }
    }

    fn fail(&self, point: Point, failure: &TrialFailure) {
        let mut found = locked(&self.found);
        found.failures += 1;
        println!("FAILED: {} {}", failure.what, point.place.call);
        for problem in &failure.problems {
            println!("  {}", problem.replace('\n', "\n    "));
        }
        println!("  files kept for inspection: {}", failure.kept_directory.display());
        println!("  to repeat it: cargo xtask crash --chain {} {point}", self.chain.subject);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
