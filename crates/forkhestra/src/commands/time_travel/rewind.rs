//! `forkhestra rewind`: restores files, index and branch from a snapshot of a run, and undoes it.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::{SnapshotAddress, SnapshotPoint};
use forkhestra_engine::signal::BlockedSignals;
use forkhestra_engine::{
    HeadRelation, RewindLabel, RewindProgress, RewindRecords, RewindScope, RewindSurvey,
    RewindTarget, UndoSurvey, now,
};

use crate::cli::args::time_travel::RewindArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::rewind_session::{RewindSession, rewind_error, undo_error};
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::run_snapshots::{RunSnapshots, snapshot_error};
use crate::project::project_location::ProjectLocation;
use crate::report::{rewind as report, snapshot_list};

/// Rewinds, undoes a rewind, or lists snapshots.
pub(crate) fn execute(args: &RewindArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let finder = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let snapshots = RunSnapshots::find(args.run.as_deref(), &finder)?;
    match args.to {
        _ if args.list => list(&snapshots, args, screen)?,
        Some(address) => {
            let session = RewindSession::begin(snapshots, &project, screen)?;
            rewind(session, address, args, screen)?;
        }
        None => undo(RewindSession::begin(snapshots, &project, screen)?, args, screen)?,
    }
    Ok(exit_code::COMPLETE)
}

/// Prints the snapshots and rewinds of a run.
fn list(
    snapshots: &RunSnapshots,
    args: &RewindArgs,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    let kept = snapshots.run_dir.kept();
    let rewinds = RewindRecords::of(&kept).list();
    let rewinds = rewinds.map_err(|error| rewind_error(&error, snapshots.run_dir.run()))?;
    let rows = snapshot_list::rows(snapshots).map_err(|error| snapshot_error(&error))?;
    match args.json {
        true => screen.print_data(&snapshot_list::json(snapshots, &rows, &rewinds))?,
        false => screen.print(&snapshot_list::text(snapshots, &rows, &rewinds))?,
    }
    Ok(())
}

/// Rewinds the work tree to a snapshot, and reports it.
fn rewind(
    mut session: RewindSession,
    address: SnapshotAddress,
    args: &RewindArgs,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    let options =
        RewindOptions { files_only: args.files_only, force: args.force, dry_run: args.dry_run };
    // A signal must not interrupt it; it takes a moment.
    let _signals = BlockedSignals::begin()?;
    let point = session.snapshots.point(address)?.clone();
    let outcome = go_back(&mut session, &point, options, screen)?;
    Ok(screen.print(&outcome.text)?)
}

/// Options of a rewind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RewindOptions {
    pub(crate) files_only: bool,
    pub(crate) force: bool,
    pub(crate) dry_run: bool,
}

/// What became of the work tree.
#[derive(Debug)]
pub(crate) struct RewindOutcome {
    /// The report.
    pub(crate) text: String,
    pub(crate) has_changed: bool,
}

/// Rewinds the work tree to a snapshot. The caller blocks signals.
pub(crate) fn go_back(
    session: &mut RewindSession,
    point: &SnapshotPoint,
    options: RewindOptions,
    screen: &mut ConsoleOutput,
) -> Result<RewindOutcome, CommandError> {
    session.refuse_pending()?;
    let (head, branch) = (point.head.clone(), point.branch.clone());
    let target = RewindTarget { tree: session.tree(point)?, head, branch };
    let expected = session.expected()?;
    let scope = match options.files_only {
        true => RewindScope::FilesOnly,
        false => RewindScope::Everything,
    };
    let survey = session.rewinder.survey(target.clone(), &expected, scope);
    let survey = survey.map_err(|error| rewind_error(&error, session.run()))?;
    let address = session.snapshots.address(point);
    screen.report(&report::unchanged_paths(&survey.unchanged));
    let refusals = refusals(session, &survey, address, options.force);
    let run = session.run().clone();
    if options.dry_run {
        screen.print(&report::dry_run(&run, address, &survey, &target))?;
    }
    if !refusals.is_empty() {
        return Err(refusals.into());
    }
    if options.dry_run {
        return Ok(RewindOutcome { text: String::new(), has_changed: false });
    }
    if survey.is_nothing() {
        let text = report::nothing_to_do(&run, address);
        return Ok(RewindOutcome { text, has_changed: false });
    }
    let snapshot = point.snapshot.number;
    let label = RewindLabel { address: address.to_string(), snapshot, at: now().wall };
    let record = session.rewinder.rewind(&survey, label);
    let record = record.map_err(|error| rewind_error(&error, &run))?;
    Ok(RewindOutcome { text: report::done(&run, &survey, &record), has_changed: true })
}

/// Why a rewind is refused.
fn refusals(
    session: &RewindSession,
    survey: &RewindSurvey,
    address: SnapshotAddress,
    force: bool,
) -> Vec<Diagnostic> {
    let run = session.run();
    let mut refusals: Vec<Diagnostic> =
        survey.operation.iter().map(|operation| report::busy_repository(operation)).collect();
    // Commits after an interrupted iteration may be of the run.
    let may_drop_commits = force && session.was_interrupted();
    match &survey.head_relation {
        HeadRelation::Same => {}
        HeadRelation::Ahead { .. } if may_drop_commits => {}
        HeadRelation::Ahead { commits, more } => {
            let can_force = session.was_interrupted();
            let commits = report::LaterCommits { commits, more: *more, can_force };
            refusals.push(report::later_commits(run, address, &survey.head, &commits));
        }
        other => refusals.push(report::other_head(run, address, &survey.head, other)),
    }
    if !survey.changed_since.is_empty() && !force {
        refusals.push(report::changed_files(&survey.changed_since));
    }
    if !survey.obstacles.is_empty() {
        refusals.push(report::obstacles(&survey.obstacles));
    }
    refusals
}

/// Restores the state before the last rewind.
fn undo(
    mut session: RewindSession,
    args: &RewindArgs,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    let run = session.run().clone();
    let last = session.rewinder.records().last_in_effect();
    let last = last.map_err(|error| rewind_error(&error, &run))?;
    let is_interrupted =
        last.as_ref().is_some_and(|record| record.progress == RewindProgress::Started);
    if !is_interrupted {
        session.refuse_pending()?;
    }
    let Some(record) = last else {
        let message = format!("run {run} has no rewind that could be undone");
        let hint = format!("`forkhestra rewind {run} --list` lists its rewinds");
        return Err(Diagnostic::error(message).hint(hint).into());
    };
    let survey = session.rewinder.survey_undo(record).map_err(|error| undo_error(&error))?;
    let refusals = undo_refusals(&survey, args.force);
    if args.dry_run {
        screen.print(&report::undo_dry_run(&run, &survey))?;
        return if refusals.is_empty() { Ok(()) } else { Err(refusals.into()) };
    }
    if !refusals.is_empty() {
        return Err(refusals.into());
    }
    let _signals = BlockedSignals::begin()?;
    let record = survey.record().clone();
    let files = survey.file_count();
    let saved = session.rewinder.undo(survey, now().wall).map_err(|error| undo_error(&error))?;
    screen.print(&report::undone(&run, &record, files, saved.as_deref()))?;
    Ok(())
}

/// Why an undo is refused.
fn undo_refusals(survey: &UndoSurvey, force: bool) -> Vec<Diagnostic> {
    let mut refusals: Vec<Diagnostic> =
        survey.operation.iter().map(|operation| report::busy_repository(operation)).collect();
    if survey.head_relation != HeadRelation::Same {
        refusals.push(report::moved_since_rewind(survey));
    }
    if !survey.changed_since.is_empty() && !force {
        refusals.push(report::changed_since_rewind(&survey.changed_since));
    }
    if survey.is_staged && !force {
        refusals.push(report::staged_since_rewind());
    }
    if !survey.obstacles.is_empty() {
        refusals.push(report::obstacles(&survey.obstacles));
    }
    refusals
}
