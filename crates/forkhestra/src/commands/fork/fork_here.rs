//! `fork --here`: the work tree of the run is rewound to the snapshot, and the new run works there.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::{ForkPoint, SnapshotPoint};
use forkhestra_core::id::RunId;
use forkhestra_engine::signal::BlockedSignals;

use super::fork_plan::{ForkPlanner, PlannedFork, absolute_state_directory};
use super::fork_protection::origin_baseline;
use super::fork_report;
use crate::cli::args::fork::ForkArgs;
use crate::cli::args::work::WorkArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::commands::time_travel::rewind::{RewindOptions, go_back};
use crate::past_runs::rewind_session::RewindSession;
use crate::past_runs::run_snapshots::RunSnapshots;
use crate::project::project_location::ProjectLocation;
use crate::report::text::forked_run::forked_from;
use crate::supervise::{self, NewRun};

/// Makes the plan, rewinds the work tree, and starts the run.
pub(super) fn execute(
    args: &ForkArgs,
    here: &ProjectLocation,
    source: RunSnapshots,
    point: &SnapshotPoint,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let history = &source.past.history;
    let plan = history.state.plan.clone();
    let fork = ForkPoint::of(history, point);
    let project = here.moved_to(&plan.working_directory)?;
    let planner = ForkPlanner { args, here, project: &project };
    let origin_baseline = origin_baseline(&source, point, false)?;
    // A mistake is reported before the work tree is changed.
    let planned = planner.prepare(plan, fork.next_step(), screen)?;
    let original_run = source.run_dir.run().clone();
    let options =
        RewindOptions { files_only: false, force: args.force, dry_run: args.work.dry_run };
    let has_rewound = rewind(source, point, options, here, screen)?;
    let WorkArgs { attend, output, state, dry_run, .. } = &args.work;
    screen.report(fork_report::restarted_stage(&planned.plan, &fork).as_slice());
    if *dry_run {
        fork_report::print_plan(&planned.plan, &fork, output, &project, screen)?;
        return Ok(exit_code::COMPLETE);
    }
    if !output.quiet {
        let from = forked_from(&fork.origin, planned.plan.steps.len());
        screen.remark(&format!("{} {from}\n", project.program.prefix()));
    }
    let PlannedFork { plan, notify } = planned;
    let state_directory = absolute_state_directory(args, here);
    let run = NewRun {
        id: supervise::new_id(),
        plan,
        fork: Some(fork),
        origin_baseline,
        notify,
        state_directory,
    };
    let started =
        supervise::run_here_or_detached(attend, output, &project, screen, |background, screen| {
            supervise::start(run, background, (state, output), &project, screen)
        });
    started.map_err(|error| if has_rewound { with_undo(error, &original_run) } else { error })
}

/// Rewinds the work tree by the rules of `rewind`, and returns whether it was changed. The locks are
/// released again, for the run.
fn rewind(
    source: RunSnapshots,
    point: &SnapshotPoint,
    options: RewindOptions,
    here: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<bool, CommandError> {
    let mut session = RewindSession::begin(source, here, screen)?;
    let _signals = BlockedSignals::begin()?;
    let outcome = go_back(&mut session, point, options, screen)?;
    screen.remark(&outcome.text);
    Ok(outcome.has_changed)
}

/// The error of a run that could not be started after the work tree was rewound.
fn with_undo(error: CommandError, run: &RunId) -> CommandError {
    let CommandError::Wrong(mut diagnostics) = error else { return error };
    diagnostics.push(
        Diagnostic::warning("the work tree was rewound, but no run was started")
            .hint(format!("to undo it: forkhestra rewind {run} --undo")),
    );
    CommandError::Wrong(diagnostics)
}
