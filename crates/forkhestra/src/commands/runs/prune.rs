//! `forkhestra runs prune`: removes runs by age, number and size.

use std::cmp::Reverse;
use std::time::Duration;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::limit::Age;
use forkhestra_core::text;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::now;
use forkhestra_store::{FileError, ListedRun, RemoveError};

use super::removal::{RemovalCandidate, removal_error, report_removals};
use crate::cli::args::runs::{RetentionArgs, RunsPruneArgs};
use crate::cli::byte_size::ByteSize;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::retention::{
    RetentionAction, RetentionCandidate, RetentionDecision, RetentionRules, RetentionStatus, decide,
};
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;

/// Age below which a directory without a journal is spared: its run may be starting.
const STARTING_RUN_AGE: Duration = Duration::from_secs(60);

/// Removes the runs that match the criteria.
pub(super) fn execute(
    args: &RunsPruneArgs,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let now = now().wall;
    let rules = rules(args, now)?;
    let project = ProjectLocation::find(&args.place.project())?;
    let finder = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let found = if args.all { finder.all_runs()? } else { finder.work_tree_runs()? };
    let (mut seen, mut leftovers) = (Vec::new(), Vec::new());
    for run in found {
        let run = RemovalCandidate::observe(run)?;
        if run.listed.is_some() {
            seen.push(run);
        } else if run.status == RetentionStatus::Over
            && now.saturating_since(run.run.started()) > STARTING_RUN_AGE
        {
            leftovers.push(run);
        }
    }
    // Directory names have a resolution of one second only.
    seen.sort_by_key(|run| Reverse(run.listed.as_ref().map(ListedRun::started)));
    let candidates: Result<Vec<RetentionCandidate>, FileError> =
        seen.iter().map(candidate).collect();
    let candidates = candidates?;
    let decision = decide(&candidates, &rules);
    let pruning =
        PruneReport { candidates_seen: &seen, candidates: &candidates, decision: &decision, args };
    if args.dry_run {
        screen.print(&pruning.report(&[]))?;
        return Ok(exit_code::COMPLETE);
    }
    // Leftovers of interrupted removals and of runs that never started are removed without a
    // report.
    let tidied = leftovers.iter().filter_map(|run| run.remove(&project).err());
    let mut errors: Vec<Diagnostic> = tidied.map(|error| removal_error(&error)).collect();
    let (failed, left) = pruning.carry_out(&project);
    screen.report(&left);
    errors.extend(failed.iter().flatten().map(removal_error));
    report_removals(&pruning.report(&failed), errors, screen)?;
    Ok(exit_code::COMPLETE)
}

/// The retention rules from the arguments, or an error if no criterion is given.
fn rules(args: &RunsPruneArgs, now: Timestamp) -> Result<RetentionRules, Diagnostic> {
    let RetentionArgs { older_than, keep, max_size } = args.criteria;
    if older_than.is_none() && keep.is_none() && max_size.is_none() {
        return Err(Diagnostic::error("nothing says which runs are to be removed")
            .hint("`--older-than 30d` removes what is older, `--keep 20` all but the last ones")
            .hint("`--max-size 2G` removes the oldest until the rest is no larger"));
    }
    Ok(RetentionRules {
        older_than: older_than.map(|age| before(now, age)),
        keep,
        max_size: max_size.map(|size| size.0),
        only_output: args.logs,
        force: args.force,
    })
}

/// The time that lies `age` before `now`.
fn before(now: Timestamp, age: Age) -> Timestamp {
    let age = i64::try_from(age.duration().as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_milliseconds(now.milliseconds().saturating_sub(age))
}

fn candidate(seen: &RemovalCandidate) -> Result<RetentionCandidate, FileError> {
    let known = seen.listed.as_ref().and_then(|listed| listed.overview.as_ref().ok());
    let updated = known.and_then(|known| Timestamp::parse(&known.updated_at).ok());
    Ok(RetentionCandidate {
        tree: seen.run.work_tree().path().to_owned(),
        // The start is all that is known of an unreadable run.
        updated: updated.unwrap_or_else(|| seen.run.started()),
        size: seen.size()?,
        status: seen.status,
    })
}

/// The examined runs with the decision about each of them.
struct PruneReport<'a> {
    candidates_seen: &'a [RemovalCandidate],
    candidates: &'a [RetentionCandidate],
    decision: &'a RetentionDecision,
    args: &'a RunsPruneArgs,
}

impl PruneReport<'_> {
    /// Removes what was decided. Returns one result for each run, and warnings about what is
    /// left.
    fn carry_out(&self, project: &ProjectLocation) -> (Vec<Option<RemoveError>>, Vec<Diagnostic>) {
        let (mut failed, mut left) = (Vec::new(), Vec::new());
        for (run, action) in self.candidates_seen.iter().zip(&self.decision.actions) {
            let removed = match action {
                RetentionAction::Keep => Ok(Vec::new()),
                RetentionAction::RemoveOutput => run.remove_output().map(|()| Vec::new()),
                RetentionAction::Remove => run.remove(project),
            };
            match removed {
                Ok(notes) => {
                    left.extend(notes);
                    failed.push(None);
                }
                Err(error) => failed.push(Some(error)),
            }
        }
        (failed, left)
    }

    /// The text about removed runs, or with `--dry-run` about runs that would be removed.
    fn report(&self, failed: &[Option<RemoveError>]) -> String {
        let verb = if self.args.dry_run { "Would remove" } else { "Removed" };
        let (mut text, mut sum) = (String::new(), PrunedSize::default());
        for (index, run) in self.candidates_seen.iter().enumerate() {
            if failed.get(index).is_some_and(Option::is_some) {
                continue;
            }
            let size = self.candidates[index].size;
            let (what, bytes) = match self.decision.actions[index] {
                RetentionAction::Keep => continue,
                RetentionAction::RemoveOutput => ("the output of ", size.output),
                RetentionAction::Remove => ("", size.total()),
            };
            sum.add(self.decision.actions[index], bytes);
            text.push_str(&format!("{verb} {what}{}: {}\n", run.shown(), ByteSize(bytes)));
        }
        text.push_str(&sum.shown(self.args.dry_run));
        text.push_str(&self.rest());
        text
    }

    /// The text about runs that were kept, with the reasons.
    fn rest(&self) -> String {
        let mut report = String::new();
        if self.decision.spared > 0 {
            let runs = text::count(self.decision.spared, "unfinished or damaged run");
            report.push_str(&if self.args.logs {
                format!("Kept the output of {runs}; `-f` removes it, too\n")
            } else {
                format!("Kept {runs}; `-f` removes these, too\n")
            });
        }
        if self.decision.unreadable > 0 {
            let runs = text::count(self.decision.unreadable, "unreadable run");
            let what = if self.args.logs { "the output of " } else { "" };
            report.push_str(&format!(
                "Kept {what}{runs}: a newer version of forkhestra may be needed, see `forkhestra runs`\n"
            ));
        }
        let left = ByteSize(self.decision.left);
        if self.args.criteria.max_size.is_some_and(|limit| left > limit) {
            report.push_str(&format!("What is left takes {left}\n"));
        }
        report
    }
}

/// Totals of what was removed.
#[derive(Default)]
struct PrunedSize {
    runs: usize,
    outputs: usize,
    bytes: u64,
}

impl PrunedSize {
    fn add(&mut self, action: RetentionAction, bytes: u64) {
        match action {
            RetentionAction::Keep => {}
            RetentionAction::RemoveOutput => self.outputs += 1,
            RetentionAction::Remove => self.runs += 1,
        }
        self.bytes += bytes;
    }

    fn shown(&self, is_dry: bool) -> String {
        let runs = text::count(self.runs, "run");
        let what = match (self.runs, self.outputs) {
            (0, 0) => return "Nothing to remove\n".to_owned(),
            (_, 0) => runs,
            (0, outputs) => format!("The output of {}", text::count(outputs, "run")),
            (_, outputs) => format!("{runs} and the output of {outputs} more"),
        };
        let bytes = ByteSize(self.bytes);
        if is_dry {
            format!("{what} would be removed, and {bytes} given back\n")
        } else {
            format!("{what} removed, {bytes} given back\n")
        }
    }
}
