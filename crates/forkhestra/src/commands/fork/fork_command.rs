//! Finds the snapshot, creates the work tree of the new run, and starts it.

use std::path::{Path, PathBuf};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::{ForkPoint, SnapshotPoint};
use forkhestra_core::id::RunId;
use forkhestra_core::plan::Plan;
use forkhestra_engine::signal::BlockedSignals;
use forkhestra_engine::{OriginBaseline, SnapshotClone, SnapshotCloneError, SnapshotCloneRequest};
use forkhestra_store::RunOverview;
use forkhestra_store::journal::recorded_run;
use typeset::text::visible;

use super::fork_place::ForkPlace;
use super::fork_plan::{ForkPlanner, absolute_state_directory};
use super::fork_protection::origin_baseline;
use super::{fork_here, fork_report};
use crate::cli::args::fork::ForkArgs;
use crate::cli::args::work::WorkArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::repair;
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::run_snapshots::{RunSnapshots, snapshot_error};
use crate::project::project_location::ProjectLocation;
use crate::report::text::forked_run::forked_from;
use crate::supervise::{self, NewRun};

/// Forks the selected run, or shows the plan of the fork.
pub(crate) fn execute(args: &ForkArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    refuse_options_without_effect(args)?;
    let here = ProjectLocation::find(&args.work.project)?;
    let source = open_source(args, &here)?;
    let point = source.point(args.at)?.clone();
    let plan = &source.past.history.state.plan;
    if plan.is_masked {
        return Err(masked_plan_error(source.run_dir.run()).into());
    }
    if args.here {
        return fork_here::execute(args, &here, source, &point, screen);
    }
    let run = supervise::new_id();
    let place = ForkPlace::choose(args, &here, source.reader.top(), &run)?;
    let clonable = source.reader.require_clonable(&point.snapshot, point.head.as_deref());
    clonable.map_err(|error| clone_error(&error, &place))?;
    let origin_baseline = origin_baseline(&source, &point, true)?;
    let fork = Fork {
        args,
        here: &here,
        source: &source,
        point: &point,
        place: &place,
        run: &run,
        origin_baseline,
    };
    if args.work.dry_run {
        return fork.show_plan(screen);
    }
    fork.start(screen)
}

/// Opens the snapshots of the run. The plan in its journal is executed, so a journal that another
/// program changed is refused.
fn open_source(args: &ForkArgs, here: &ProjectLocation) -> Result<RunSnapshots, CommandError> {
    let finder = RunFinder { project: here, state_dir: args.work.state.state_dir.as_deref() };
    let run_dir = finder.find_named(&args.run)?;
    run_dir.require_trusted()?;
    let past = recorded_run::read_unbroken(&run_dir);
    let past = past.map_err(|error| repair::refused(&error, &run_dir, here))?;
    RunSnapshots::open(run_dir, past, here)
}

/// A fork that is about to be started.
struct Fork<'a> {
    args: &'a ForkArgs,
    here: &'a ProjectLocation,
    source: &'a RunSnapshots,
    point: &'a SnapshotPoint,
    place: &'a ForkPlace,
    /// The id of the new run.
    run: &'a RunId,
    origin_baseline: Option<OriginBaseline>,
}

/// A run that can be started in its work tree.
struct PreparedFork {
    run: NewRun,
    project: ProjectLocation,
    warnings: Vec<Diagnostic>,
}

impl Fork<'_> {
    fn fork_point(&self) -> ForkPoint {
        ForkPoint::of(&self.source.past.history, self.point)
    }

    /// Moves a plan of the source to the new work tree. It may name the old one by a link.
    fn relocate(&self, plan: &mut Plan) -> Result<(), CommandError> {
        let top = self.source.reader.top();
        let (recorded, real) = recorded_top(&plan.working_directory, top);
        plan.relocate_tree(&recorded.to_string_lossy(), &real.to_string_lossy());
        plan.relocate_tree(&top.to_string_lossy(), self.place.text());
        if Path::new(&plan.working_directory).starts_with(self.place.path()) {
            return Ok(());
        }
        let (directory, top) = (&plan.working_directory, top.display());
        let message =
            format!("the run cannot be forked: it worked in {directory}, and not in {top}");
        Err(CommandError::wrong(Diagnostic::error(message)))
    }

    /// Warnings about commands that lead out of the new work tree.
    fn foreign_commands(&self, plan: &Plan, first_step: usize) -> Vec<Diagnostic> {
        let top = self.source.reader.top();
        let (recorded, _) =
            recorded_top(&self.source.past.history.state.plan.working_directory, top);
        let named = |top: &Path| plan.commands_naming(&top.to_string_lossy(), first_step);
        let mut commands = named(top);
        commands.extend(named(&recorded).into_iter().filter(|_| recorded != top));
        let warning = |command: &str| {
            let command = visible(command);
            let message =
                format!("a command of the fork names the work tree of the original run: {command}");
            Diagnostic::warning(message)
        };
        commands.into_iter().map(warning).collect()
    }

    fn planner<'a>(&'a self, project: &'a ProjectLocation) -> ForkPlanner<'a> {
        ForkPlanner { args: self.args, here: self.here, project }
    }

    /// Shows the plan. Files are those of the source, since the work tree of the fork does not exist.
    fn show_plan(&self, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
        let plan = self.source.past.history.state.plan.clone();
        let project = self.here.moved_to(&plan.working_directory)?;
        let point = self.fork_point();
        let mut plan = self.planner(&project).prepare(plan, point.next_step(), screen)?.plan;
        screen.report(&self.foreign_commands(&plan, point.next_step()));
        screen.report(fork_report::restarted_stage(&plan, &point).as_slice());
        self.relocate(&mut plan)?;
        fork_report::print_plan(&plan, &point, &self.args.work.output, &project, screen)?;
        Ok(exit_code::COMPLETE)
    }

    /// Creates the work tree and starts the run. If no run was recorded, the work tree is removed.
    fn start(&self, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
        // Ctrl-C waits until the run can be started, or until what was created is removed again.
        let signals = BlockedSignals::begin();
        let is_cancelled = || signals.as_ref().is_ok_and(BlockedSignals::is_ending_pending);
        let made = self.make(&is_cancelled, screen);
        if let Err(error) = &made
            && is_cancelled()
        {
            // The signal ends this process as soon as it is not blocked any more.
            screen.report(&error.diagnostics());
        }
        drop(signals);
        let (clone, prepared) = made?;
        self.run_in(&clone, prepared, screen).map_err(|error| match self.has_run() {
            true => error,
            false => without_work_tree(error, clone.remove(), self.place),
        })
    }

    /// Creates the work tree and the plan, or neither.
    fn make(
        &self,
        is_cancelled: &dyn Fn() -> bool,
        screen: &mut ConsoleOutput,
    ) -> Result<(SnapshotClone, PreparedFork), CommandError> {
        let clone_error = |error| clone_error(&error, self.place);
        let clone = self.source.reader.clone_into(SnapshotCloneRequest {
            snapshot: &self.point.snapshot,
            head: self.point.head.as_deref(),
            directory: self.place.path(),
            branch: &format!("forkhestra/{}", self.run),
            is_cancelled,
        });
        let clone = clone.map_err(clone_error)?;
        match self.prepare(&clone, screen) {
            Ok(_) if is_cancelled() => {
                clone.remove().map_err(clone_error)?;
                Err(clone_error(SnapshotCloneError::Cancelled))
            }
            Ok(prepared) => Ok((clone, prepared)),
            Err(error) => Err(without_work_tree(error, clone.remove(), self.place)),
        }
    }

    /// Whether the work tree belongs to a run. If runs cannot be listed, it may.
    fn has_run(&self) -> bool {
        let state_dir = absolute_state_directory(self.args, self.here);
        let finder = RunFinder { project: self.here, state_dir: state_dir.as_deref() };
        let Ok(runs) = finder.all_runs() else { return true };
        let Some(run) = runs.iter().find(|run| run.run() == self.run) else { return false };
        // A run in the background may be about to record its first event.
        let is_over = !self.args.work.attend.detach;
        !(is_over && RunOverview::read(run).is_err_and(|error| error.is_empty_run()))
    }

    fn prepare(
        &self,
        clone: &SnapshotClone,
        screen: &mut ConsoleOutput,
    ) -> Result<PreparedFork, CommandError> {
        let mut plan = self.source.past.history.state.plan.clone();
        self.relocate(&mut plan)?;
        self.place.create_working_directory(&plan.working_directory)?;
        let project = self.here.moved_to(&plan.working_directory)?;
        let point = self.fork_point();
        let planned = self.planner(&project).prepare(plan, point.next_step(), screen)?;
        let mut warnings = fork_report::lacking_files(clone, self.place);
        warnings.extend(self.foreign_commands(&planned.plan, point.next_step()));
        warnings.extend(fork_report::restarted_stage(&planned.plan, &point));
        let run = NewRun {
            id: self.run.clone(),
            plan: planned.plan,
            fork: Some(point),
            origin_baseline: self.origin_baseline.clone(),
            notify: planned.notify,
            state_directory: absolute_state_directory(self.args, self.here),
        };
        Ok(PreparedFork { run, project, warnings })
    }

    fn run_in(
        &self,
        clone: &SnapshotClone,
        prepared: PreparedFork,
        screen: &mut ConsoleOutput,
    ) -> Result<u8, CommandError> {
        let PreparedFork { run, project, warnings } = prepared;
        let WorkArgs { state, output, .. } = &self.args.work;
        if !output.quiet {
            let from = forked_from(&self.fork_point().origin, run.plan.steps.len());
            let directory = self.here.environment.shortened(self.place.text());
            let (prefix, branch) = (project.program.prefix(), &clone.branch);
            screen.remark(&format!("{prefix} {from}: {directory}, branch {branch}\n"));
        }
        screen.report(&warnings);
        supervise::run_here_or_detached(
            &self.args.work.attend,
            output,
            &project,
            screen,
            |background, screen| {
                supervise::start(run, background, (state, output), &project, screen)
            },
        )
    }
}

/// The top directory of a work tree as a plan names it, which may be by a link, and its real path. If only
/// the working directory can be found in the plan, these are its paths.
fn recorded_top(working_directory: &str, top: &Path) -> (PathBuf, PathBuf) {
    let recorded = Path::new(working_directory);
    let real = recorded.canonicalize().unwrap_or_else(|_| recorded.to_owned());
    let below = real.strip_prefix(top).unwrap_or(Path::new(""));
    let outer = recorded.ancestors().nth(below.components().count());
    match outer.filter(|outer| real.starts_with(top) && outer.join(below) == recorded) {
        Some(outer) => (outer.to_owned(), top.to_owned()),
        None => (recorded.to_owned(), real),
    }
}

/// Refuses what belongs to a new run but has no meaning for a fork.
fn refuse_options_without_effect(args: &ForkArgs) -> Result<(), CommandError> {
    let mut problems = Vec::new();
    if let Some(word) = args.words.first() {
        let message =
            format!("`{word}` is not accepted: a fork uses the chain of the original run");
        problems.push(
            Diagnostic::error(message)
                .hint("options change its plan, such as --prompt, --model or --max-iterations")
                .hint("to run another chain: forkhestra CHAIN"),
        );
    }
    if !args.work.agent_args.is_empty() {
        let message = "a fork uses the recorded arguments of its agents; `--` is not accepted";
        problems
            .push(Diagnostic::error(message).hint("to run with others: forkhestra CHAIN -- ARGS"));
    }
    let refused = [
        ("--replay", args.work.recording.replay.is_some()),
        ("--no-protect-scripts", args.work.work_tree.no_protect_scripts),
    ];
    for (option, _) in refused.iter().filter(|(_, is_given)| *is_given) {
        let message = format!("`{option}` has no effect on a fork");
        problems.push(Diagnostic::error(message).hint("start a new run with it instead"));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.into()) }
}

/// The error for a plan with masks in place of secrets. A mask is a pattern of the shell, which must
/// not be executed.
fn masked_plan_error(run: &RunId) -> Diagnostic {
    let message = format!(
        "run {run} cannot be forked: a prompt, an argument or a command of it contained a secret, \
         and its journal has `*` in that place"
    );
    Diagnostic::error(message)
        .hint("name the variable (`$NAME`) instead of its value, and start a new run")
}

fn clone_error(error: &SnapshotCloneError, place: &ForkPlace) -> CommandError {
    let directory = place.text();
    if let SnapshotCloneError::Snapshot(error) = error {
        return snapshot_error(error);
    }
    let hint = match error {
        SnapshotCloneError::LocationOverride(_) => "unset it",
        SnapshotCloneError::Occupied => "another process has just put something there",
        SnapshotCloneError::Partial => "`git fetch --refetch --no-filter` makes it complete",
        _ => "remove the cause, then run the command again; the original run was not changed",
    };
    CommandError::wrong(
        Diagnostic::error(format!("the work tree {directory} cannot be created: {error}"))
            .hint(hint),
    )
}

/// The error of a run that could not be started, after its work tree was removed.
fn without_work_tree(
    error: CommandError,
    removed: Result<(), SnapshotCloneError>,
    place: &ForkPlace,
) -> CommandError {
    let CommandError::Wrong(mut diagnostics) = error else { return error };
    let removal = match removed {
        Ok(()) => "the work tree of the fork was removed again; the original run was not changed"
            .to_owned(),
        Err(left) => format!("the work tree {} cannot be removed: {left}", place.text()),
    };
    if let Some(last) = diagnostics.last_mut() {
        last.hints.push(removal);
    }
    CommandError::Wrong(diagnostics)
}
