//! `forkhestra logs`: prints the output of a run's agents, recorded and live.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::Liveness;
use forkhestra_core::text::count::Count;
use forkhestra_store::journal::recorded_run::{self, HistoryError};
use forkhestra_store::{RunDir, RunOverview};

use crate::cli::args::logs::LogsArgs;
use crate::cli::command_error::CommandError;
use crate::cli::exit_code;
use crate::logs::{
    self, AgentAttempt, JournalTail, LogPlayer, LogSelection, LogSelectionArgs, LogSource,
    LogStart, LogWriter,
};
use crate::past_runs::run_finder::{self, RunFinder};
use crate::past_runs::{repair, resume_command};
use crate::project::project_location::ProjectLocation;
use crate::report::plan::dry_run::Verbosity;

/// Prints the selected output.
pub(crate) fn execute(args: &LogsArgs) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let finder = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let run = match &args.run {
        Some(name) => finder.find_named(name)?,
        None => newest(&finder)?,
    };
    let journal = run.journal();
    let refused = |unusable| repair::refused(&unusable, &run, &project);
    let mut tail = JournalTail::begin(&journal).map_err(refused)?;
    let requested = selection_args(args);
    let selection = requested.resolve(&tail.attempts)?;
    let detail = if args.verbose { Verbosity::Verbose } else { Verbosity::Normal };
    let writer = LogWriter::of_process(args.place.color.color, args.raw, detail)?;
    let log_start = match args.lines {
        None => LogStart::default(),
        Some(lines) => {
            let source = LogSource { run: &run, attempts: &tail.attempts, writer: &writer };
            beginning(lines, selection, &source)?
        }
    };
    let mut player = LogPlayer::new(&run, selection, log_start, writer);
    let found = if args.follow {
        follow(&run, selection, &mut tail, &mut player, refused)?
    } else {
        player.play(&tail.attempts)?;
        FollowedRun::Everything
    };
    player.close(&tail.attempts)?;
    if let FollowedRun::CutOff = found {
        player.writer.warn(&cut_off(&run, &project))?;
    }
    // The selection may name output that never appeared while the run was followed.
    LogSelectionArgs { may_wait: false, ..requested }.resolve(&tail.attempts)?;
    Ok(exit_code::COMPLETE)
}

/// How following a run ended.
enum FollowedRun {
    /// All selected output was printed.
    Everything,
    /// The run's process was killed before the run was over.
    CutOff,
}

/// Prints available and new output until no more can appear.
fn follow(
    run: &RunDir,
    selection: LogSelection,
    tail: &mut JournalTail<'_>,
    player: &mut LogPlayer<'_>,
    refused: impl Fn(HistoryError) -> CommandError,
) -> Result<FollowedRun, CommandError> {
    loop {
        // Liveness is read before the journal: a process that is gone has written everything.
        let liveness = recorded_run::liveness(run);
        tail.poll().map_err(&refused)?;
        let has_played = player.play(&tail.attempts)?;
        if selection.is_exhausted(&tail.attempts) {
            return Ok(FollowedRun::Everything);
        }
        if liveness == Liveness::Gone {
            return Ok(FollowedRun::CutOff);
        }
        if !has_played {
            logs::wait_for_poll_interval()?;
        }
    }
}

/// The newest run of this work tree that has recorded anything.
pub(super) fn newest(finder: &RunFinder<'_>) -> Result<RunDir, CommandError> {
    let was_begun =
        |run: &RunDir| !RunOverview::read(run).is_err_and(|nothing| nothing.is_empty_run());
    finder
        .work_tree_runs_by_start()?
        .into_iter()
        .find(was_begun)
        .ok_or_else(run_finder::no_runs_here)
}

fn selection_args(args: &LogsArgs) -> LogSelectionArgs {
    LogSelectionArgs {
        step: args.step.map(|step| usize::try_from(step.get()).unwrap_or(usize::MAX)),
        iteration: args.iteration.map(Count::get),
        lane: args.lane,
        may_wait: args.follow,
    }
}

fn beginning(
    lines: u32,
    selection: LogSelection,
    source: &LogSource<'_>,
) -> Result<LogStart, CommandError> {
    let tries = source.attempts.tries.iter().enumerate();
    let wanted: Vec<(usize, &AgentAttempt)> =
        tries.filter(|(_, attempt)| selection.includes(attempt)).collect();
    LogStart::before_end(lines.into(), &wanted, source)
}

/// Warning that the run's process was killed.
pub(super) fn cut_off(run: &RunDir, project: &ProjectLocation) -> Diagnostic {
    let (id, command) = (run.run(), resume_command::without_plan(run, project));
    Diagnostic::warning(format!("run {id} was cut off: no process works on it any more"))
        .hint(format!("to resume: {command}"))
}
