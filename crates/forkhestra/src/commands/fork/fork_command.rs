//! Finds the snapshot, makes the work tree of the new run, and starts it.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::{ForkPoint, SnapshotPoint};
use forkhestra_core::id::RunId;
use forkhestra_core::plan::Plan;
use forkhestra_engine::signal::BlockedSignals;
use forkhestra_engine::{SnapshotClone, SnapshotCloneError, SnapshotCloneRequest};
use forkhestra_store::journal::recorded_run;

use super::fork_place::ForkPlace;
use super::fork_plan::{ForkPlanner, absolute_state_directory};
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
    let fork = Fork { args, here: &here, source: &source, point: &point, place: &place, run: &run };
    if args.work.dry_run {
        return fork.show_plan(screen);
    }
    fork.start(screen)
}

/// Opens the snapshots of the run. What its journal says is executed, so the journal must be as
/// forkhestra wrote it.
fn open_source(args: &ForkArgs, here: &ProjectLocation) -> Result<RunSnapshots, CommandError> {
    let finder = RunFinder { project: here, state_dir: args.work.state.state_dir.as_deref() };
    let run_dir = finder.find_named(&args.run)?;
    run_dir.require_trusted()?;
    let past = recorded_run::read_unbroken(&run_dir);
    let past = past.map_err(|error| repair::refused(&error, &run_dir, here))?;
    RunSnapshots::open(run_dir, past, here)
}

/// A fork that is about to be made.
struct Fork<'a> {
    args: &'a ForkArgs,
    here: &'a ProjectLocation,
    source: &'a RunSnapshots,
    point: &'a SnapshotPoint,
    place: &'a ForkPlace,
    /// The id of the new run.
    run: &'a RunId,
}

impl Fork<'_> {
    fn fork_point(&self) -> ForkPoint {
        ForkPoint::of(&self.source.past.history, self.point)
    }

    /// The plan of the source, moved to the new work tree.
    fn moved_plan(&self) -> Plan {
        let mut plan = self.source.past.history.state.plan.clone();
        let top = self.source.reader.top().to_string_lossy();
        plan.relocate_tree(&top, self.place.text());
        plan
    }

    fn planner<'a>(&'a self, project: &'a ProjectLocation) -> ForkPlanner<'a> {
        ForkPlanner { args: self.args, here: self.here, project }
    }

    /// Shows the plan. Files are those of the source, since the work tree of the fork is not made.
    fn show_plan(&self, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
        let plan = self.source.past.history.state.plan.clone();
        let project = self.here.moved_to(&plan.working_directory)?;
        let point = self.fork_point();
        let mut plan = self.planner(&project).prepare(plan, point.next_step(), screen)?.plan;
        let top = self.source.reader.top().to_string_lossy();
        plan.relocate_tree(&top, self.place.text());
        fork_report::print_plan(&plan, &point, &self.args.work.output, &project, screen)?;
        Ok(exit_code::COMPLETE)
    }

    /// Makes the work tree and starts the run. If the run cannot be started, the work tree is removed.
    fn start(&self, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
        let clone = self.make_work_tree(screen)?;
        let started = self.run_in(&clone, screen);
        started.map_err(|error| without_work_tree(error, clone.remove(), self.place))
    }

    fn make_work_tree(&self, screen: &mut ConsoleOutput) -> Result<SnapshotClone, CommandError> {
        // Ctrl-C waits until what was made is removed again.
        let signals = BlockedSignals::begin();
        let is_cancelled = || signals.as_ref().is_ok_and(BlockedSignals::is_ending_pending);
        let branch = branch_of(self.run);
        let clone = self.source.reader.clone_into(SnapshotCloneRequest {
            snapshot: &self.point.snapshot,
            head: self.point.head.as_deref(),
            directory: self.place.path(),
            branch: &branch,
            is_cancelled: &is_cancelled,
        });
        clone.map_err(|error| {
            let error_of_command = clone_error(&error, self.place);
            if matches!(error, SnapshotCloneError::Cancelled) {
                // The signal ends this process as soon as it is not blocked any more.
                screen.report(&error_of_command.diagnostics());
            }
            error_of_command
        })
    }

    fn run_in(
        &self,
        clone: &SnapshotClone,
        screen: &mut ConsoleOutput,
    ) -> Result<u8, CommandError> {
        let plan = self.moved_plan();
        self.place.make_working_directory(&plan.working_directory)?;
        let project = self.here.moved_to(&plan.working_directory)?;
        let point = self.fork_point();
        let planned = self.planner(&project).prepare(plan, point.next_step(), screen)?;
        let WorkArgs { state, output, .. } = &self.args.work;
        if !output.quiet {
            let from = forked_from(&point.origin, planned.plan.steps.len());
            let directory = self.here.environment.shortened(self.place.text());
            let (prefix, branch) = (project.program.prefix(), branch_of(self.run));
            screen.remark(&format!("{prefix} {from}: {directory}, branch {branch}\n"));
        }
        screen.report(&fork_report::lacking_files(clone, self.place));
        let run = NewRun {
            id: self.run.clone(),
            plan: planned.plan,
            fork: Some(point),
            notify: planned.notify,
            state_directory: absolute_state_directory(self.args, self.here),
        };
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

/// The branch of a forked run.
fn branch_of(run: &RunId) -> String {
    format!("forkhestra/{run}")
}

/// Refuses what belongs to a new run but has no meaning for a fork.
fn refuse_options_without_effect(args: &ForkArgs) -> Result<(), CommandError> {
    let mut problems = Vec::new();
    if let Some(word) = args.words.first() {
        let message = format!("`{word}` cannot be given: a fork keeps the chain of its run");
        problems.push(
            Diagnostic::error(message)
                .hint("options change its plan, such as --prompt, --model or --max-iterations")
                .hint("to run another chain: forkhestra CHAIN"),
        );
    }
    if !args.work.agent_args.is_empty() {
        let message = "a fork keeps the arguments of its agents; `--` cannot be given";
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
        SnapshotCloneError::LocationOverride => "unset it",
        SnapshotCloneError::Partial => "`git fetch --refetch --no-filter` makes it complete",
        _ => "nothing is left of it, and the first run was not touched",
    };
    CommandError::wrong(
        Diagnostic::error(format!("the work tree {directory} cannot be made: {error}")).hint(hint),
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
        Ok(()) => {
            "the work tree of the fork was removed again; the first run was not touched".to_owned()
        }
        Err(left) => format!("the work tree {} cannot be removed: {left}", place.text()),
    };
    if let Some(last) = diagnostics.last_mut() {
        last.hints.push(removal);
    }
    CommandError::Wrong(diagnostics)
}
