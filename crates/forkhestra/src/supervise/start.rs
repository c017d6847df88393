//! Starts a new run.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::ForkPoint;
use forkhestra_core::id::RunId;
use forkhestra_core::machine::{Machine, RunState};
use forkhestra_core::plan::Plan;
use forkhestra_core::policy::GracePeriods;
use forkhestra_engine::process::BackgroundProcess;
use forkhestra_engine::{OriginBaseline, now, program_baseline, prompt_fingerprints};
use forkhestra_store::{Journal, RunOrigin};

use super::lock::{LockRequest, acquire_work_tree_lock, journal_lock_error};
use super::run_recorder::begin_recording;
use super::two_processes::{Execution, execute};
use crate::cli::args::forkhestra_cli::{OutputArgs, StateArgs};
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::version;
use crate::notify::NotifyReceiver;
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::{rewind_session, state_home};
use crate::project::project_location::ProjectLocation;

/// A run that is about to be started.
pub(crate) struct NewRun {
    pub(crate) id: RunId,
    pub(crate) plan: Plan,
    /// The snapshot of another run from which it goes on, if it is a fork.
    pub(crate) fork: Option<ForkPoint>,
    /// The protected files of that run, if the fork goes on within one of its steps.
    pub(crate) origin_baseline: Option<OriginBaseline>,
    /// Receivers of notifications.
    pub(crate) notify: Vec<NotifyReceiver>,
    /// The state directory, if it is not the usual one.
    pub(crate) state_directory: Option<String>,
}

impl NewRun {
    fn state(self) -> Result<RunState, CommandError> {
        let Some(ForkPoint { origin, inherited }) = self.fork else {
            return Ok(RunState::new(self.id, self.plan));
        };
        RunState::forked(self.id, self.plan, origin, &inherited)
            .map_err(|error| CommandError::wrong(Diagnostic::error(error.to_string())))
    }
}

/// Executes a plan from start to end and returns the exit code. `background` is set for a detached
/// run; it is notified when the run is recorded.
pub(crate) fn start(
    new: NewRun,
    background: Option<BackgroundProcess>,
    (state, output): (&StateArgs, &OutputArgs),
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let state_dir = new.state_directory.as_deref();
    rewind_session::refuse_pending_rewind(&RunFinder { project, state_dir })?;
    let home = state_home::for_new_runs(project, state_dir)?;
    screen.report(home.warning.as_slice());
    let tree = home.root.work_tree(&project.work_tree());
    let (run, moment) = (&new.id, now());
    let claim = LockRequest { tree: &tree, run, since: moment.wall, without_lock: state.no_lock };
    let work_tree_lock = acquire_work_tree_lock(&claim, screen)?;
    let recording = begin_recording(run, &new.plan, moment.wall, project)?;
    let run_dir = tree.create_run(&work_tree_lock, run, moment.wall)?;
    RunOrigin::record(&run_dir, &project.work_tree())?;
    if let Some(baseline) = &new.origin_baseline {
        baseline.write(&run_dir.kept()).map_err(|error| {
            let place = run_dir.kept().display().to_string();
            CommandError::wrong(Diagnostic::error(format!("cannot write to {place}: {error}")))
        })?;
    }
    let journal =
        Journal::create(&run_dir, &work_tree_lock, &claim.owner(), state.durability.into())
            .map_err(|error| journal_lock_error(&error))?;
    let programs = program_baseline(&new.plan, &project.environment.inherited);
    let programs = new.plan.runs_aux_jobs().then_some(programs);
    let prompts = Some(prompt_fingerprints(&new.plan)).filter(|prompts| !prompts.is_empty());
    let plan = Plan { programs, prompts, ..new.plan.clone() };
    let (notify, has_view) = (new.notify.clone(), !state.no_view);
    let begun = NewRun { plan, ..new }.state()?;
    let machine = Machine::new(begun, version::CURRENT, GracePeriods::default(), moment);
    execute(Execution {
        machine,
        history: None,
        run_dir,
        lock: work_tree_lock,
        journal,
        output,
        project,
        has_view,
        recording,
        background,
        notify,
    })
}

/// A random id. The standard library seeds its hashers from the system, which is random enough
/// here.
pub(crate) fn new_id() -> RunId {
    RunId::from_random(RandomState::new().build_hasher().finish())
}
