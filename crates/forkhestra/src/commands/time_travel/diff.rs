//! `forkhestra diff`: what changed between two snapshots of a run.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::os::unix::process::CommandExt;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::{SnapshotPoint, SnapshotRange};
use forkhestra_engine::{DiffPager, SnapshotDiff};
use typeset::color_mode::ColorMode;

use crate::cli::args::time_travel::DiffArgs;
use crate::cli::command_error::CommandError;
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::run_snapshots::{RunSnapshots, snapshot_error};
use crate::project::project_location::ProjectLocation;

/// Replaces this process by `git diff`, so that pager, signals and exit code are those of git.
pub(crate) fn execute(args: &DiffArgs) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let finder = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let (run, range) = run_and_range(args)?;
    let snapshots = RunSnapshots::find(run, &finder)?;
    let (from, to) = compared_points(&snapshots, args, range)?;
    let tree = |point: &SnapshotPoint| {
        snapshots.reader.tree(&point.snapshot).map_err(|error| snapshot_error(&error))
    };
    let (from, to) = (tree(from)?, tree(to)?);
    let color = match args.place.color.color {
        ColorMode::Auto => None,
        ColorMode::Always => Some("--color=always"),
        ColorMode::Never => Some("--color=never"),
    };
    let options: Vec<&str> = args.stat.then_some("--stat").into_iter().chain(color).collect();
    let environment = &project.environment;
    let git_pager = environment.inherited.iter().find(|(name, _)| name == "GIT_PAGER");
    let pager = match io::stdout().is_terminal() {
        true => DiffPager::On(git_pager.map(|(_, value)| OsStr::new(value))),
        false => DiffPager::Off,
    };
    let diff = SnapshotDiff {
        from: &from,
        to: &to,
        options: &options,
        paths: &args.paths,
        directory: &environment.current_directory,
        pager,
    };
    let command = snapshots.reader.diff_command(diff);
    let error = command.map_err(|error| snapshot_error(&error))?.exec();
    Err(CommandError::wrong(Diagnostic::error(format!("git cannot be started: {error}"))))
}

/// The run and the range that were typed. A range needs no run before it.
fn run_and_range(args: &DiffArgs) -> Result<(Option<&str>, Option<SnapshotRange>), CommandError> {
    let is_range = |word: &&str| word.contains("..") && !word.contains('/');
    let (run, range) = match (args.run.as_deref(), args.range.as_deref()) {
        (Some(word), None) if is_range(&word) => (None, Some(word)),
        typed => typed,
    };
    let wrong = |range: &str, why: &dyn std::error::Error| {
        CommandError::wrong(Diagnostic::error(format!("`{range}` {why}")))
    };
    let range = range.map(|range| SnapshotRange::parse(range).map_err(|why| wrong(range, &why)));
    let range = range.transpose()?;
    if range.is_some() && args.iteration.is_some() {
        let message = "`--iteration` names both states: leave out the range";
        return Err(CommandError::wrong(Diagnostic::error(message)));
    }
    Ok((run, range))
}

/// The two states to compare.
fn compared_points<'a>(
    snapshots: &'a RunSnapshots,
    args: &DiffArgs,
    range: Option<SnapshotRange>,
) -> Result<(&'a SnapshotPoint, &'a SnapshotPoint), CommandError> {
    let timeline = &snapshots.timeline;
    if let Some(iteration) = args.iteration {
        let after = snapshots.point(iteration)?;
        let before = timeline.before(after).ok_or_else(|| {
            let message = format!("`{iteration}` is the state before the run, and no iteration");
            CommandError::wrong(Diagnostic::error(message))
        })?;
        return Ok((before, after));
    }
    let SnapshotRange { from, to } = range.unwrap_or(SnapshotRange { from: None, to: None });
    let from = from.map_or_else(|| snapshots.first(), |address| snapshots.point(address))?;
    let to = to.map_or_else(|| snapshots.last(), |address| snapshots.point(address))?;
    Ok((from, to))
}
