//! The search itself, in the process that runs the tests.

use std::time::Duration;

use forkhestra_core::bisect::{
    Bisection, BisectionOutcome, BisectionStep, SkipReason, TrialAnswer,
};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::CancelCause;
use forkhestra_engine::CheckoutRequest;
use forkhestra_engine::bisect::{TrialError, TrialReport, TrialRunner};

use super::bisect_range::{BisectRange, BisectSnapshot};
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::report::bisect;

/// The search for the first bad snapshot.
pub(crate) struct BisectSearch<'a> {
    pub(crate) range: &'a BisectRange,
    pub(crate) run: &'a str,
    /// Whether the output of tests is shown.
    pub(crate) is_verbose: bool,
}

/// A snapshot that was tested.
pub(crate) struct TestedSnapshot {
    /// Its index in the range.
    pub(crate) index: usize,
    pub(crate) answer: TrialAnswer,
    pub(crate) duration: Duration,
}

/// What a search found.
pub(crate) struct BisectResult {
    pub(crate) outcome: BisectionOutcome,
    pub(crate) tested: Vec<TestedSnapshot>,
}

/// Why a search ended early.
pub(crate) enum BisectFailure {
    Cancelled(CancelCause),
    Error(CommandError),
}

impl BisectSearch<'_> {
    /// Tests snapshots until the first bad one is found.
    pub(crate) fn search(
        &self,
        runner: &mut TrialRunner<'_>,
        screen: &mut ConsoleOutput,
    ) -> Result<BisectResult, BisectFailure> {
        let snapshots = &self.range.snapshots;
        let mut bisection = Bisection::new(snapshots.len());
        for (index, _) in snapshots.iter().enumerate().filter(|(_, it)| it.tree.is_none()) {
            bisection.record(index, TrialAnswer::Skip(SkipReason::Gone));
        }
        let mut tested = Vec::new();
        loop {
            let index = match bisection.next_step() {
                BisectionStep::Test(index) => index,
                BisectionStep::Over(outcome) => return Ok(BisectResult { outcome, tested }),
            };
            let snapshot = &snapshots[index];
            let report = self.test(snapshot, runner, screen)?;
            bisection.record(index, report.answer);
            let left = match bisection.next_step() {
                BisectionStep::Test(_) => Some(bisection.left()),
                BisectionStep::Over(_) => None,
            };
            screen.remark(&bisect::progress(snapshot, &report, left));
            if let Some(output) = report.output.as_deref().filter(|_| self.is_verbose) {
                screen.remark(&bisect::output(output));
            }
            let TrialReport { answer, duration, .. } = report;
            tested.push(TestedSnapshot { index, answer, duration });
        }
    }

    fn test(
        &self,
        snapshot: &BisectSnapshot,
        runner: &mut TrialRunner<'_>,
        screen: &mut ConsoleOutput,
    ) -> Result<TrialReport, BisectFailure> {
        let message = format!("snapshot {} of run {}", snapshot.name(), self.run);
        let request = CheckoutRequest {
            tree: snapshot.tree.as_deref().unwrap_or_default(),
            head: snapshot.point.head.as_deref(),
            message: &message,
        };
        runner.test(&request).map_err(|error| match error {
            TrialError::Cancelled(by) => BisectFailure::Cancelled(by),
            error => {
                if let TrialError::Abort { output: Some(output), .. } = &error {
                    screen.remark(&bisect::output(output));
                }
                BisectFailure::Error(CommandError::wrong(failure(snapshot, &error)))
            }
        })
    }
}

/// The message of a test that decides nothing.
fn failure(snapshot: &BisectSnapshot, error: &TrialError) -> Diagnostic {
    let diagnostic = Diagnostic::error(format!("{}: {error}", snapshot.name()));
    match error {
        TrialError::Abort { .. } => {
            diagnostic.hint("a command that exits with 125 skips the snapshot")
        }
        _ => diagnostic,
    }
}
