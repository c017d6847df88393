//! Starts a new run.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use forkhestra_core::id::RunId;
use forkhestra_core::machine::{Machine, RunState};
use forkhestra_core::plan::Plan;
use forkhestra_core::policy::GracePeriods;
use forkhestra_engine::process::BackgroundProcess;
use forkhestra_engine::{now, program_baseline, prompt_fingerprints};
use forkhestra_store::{Journal, RunOrigin};

use super::lock::{LockRequest, acquire_work_tree_lock, journal_lock_error};
use super::run_recorder::begin_recording;
use super::two_processes::{Execution, execute};
use crate::cli::args::work::WorkArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::version;
use crate::notify::NotifyReceiver;
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::{rewind_session, state_home};
use crate::project::project_location::ProjectLocation;

/// Executes a plan from start to end and returns the exit code. `background` is set for a detached
/// run; it is notified when the run is recorded.
pub(crate) fn start(
    plan: Plan,
    background: Option<BackgroundProcess>,
    notify: Vec<NotifyReceiver>,
    args: &WorkArgs,
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let WorkArgs { state, output, .. } = args;
    let state_dir = state.state_dir.as_deref();
    rewind_session::refuse_pending_rewind(&RunFinder { project, state_dir })?;
    let home = state_home::for_new_runs(project, state.state_dir.as_deref())?;
    screen.report(home.warning.as_slice());
    let tree = home.root.work_tree(&project.work_tree());
    let (run, moment) = (new_id(), now());
    let claim =
        LockRequest { tree: &tree, run: &run, since: moment.wall, without_lock: state.no_lock };
    let work_tree_lock = acquire_work_tree_lock(&claim, screen)?;
    let recording = begin_recording(&run, &plan, moment.wall, project)?;
    let run_dir = tree.create_run(&work_tree_lock, &run, moment.wall)?;
    RunOrigin::record(&run_dir, &project.work_tree())?;
    let journal =
        Journal::create(&run_dir, &work_tree_lock, &claim.owner(), state.durability.into())
            .map_err(|error| journal_lock_error(&error))?;
    let programs = program_baseline(&plan, &project.environment.inherited);
    let programs = plan.runs_aux_jobs().then_some(programs);
    let prompts = Some(prompt_fingerprints(&plan)).filter(|prompts| !prompts.is_empty());
    let plan = Plan { programs, prompts, ..plan };
    let machine =
        Machine::new(RunState::new(run, plan), version::CURRENT, GracePeriods::default(), moment);
    let has_view = !state.no_view;
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
fn new_id() -> RunId {
    RunId::from_random(RandomState::new().build_hasher().finish())
}
