//! `forkhestra resume`: goes on with a run that was cut off, interrupted or ended by a limit.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::{LimitChanges, RunEnd};
use forkhestra_core::machine::Machine;
use forkhestra_core::policy::Patience;
use forkhestra_engine::now;
use forkhestra_store::Journal;

use crate::args::{Format, ResumeArgs};
use crate::error::{CliError, in_full};
use crate::execution::{
    self, Claim, Execution, rebuild, release, sweep, take_hold, take_journal, tidy_up,
};
use crate::find_run::Places;
use crate::preflight;
use crate::project::Project;
use crate::recorded::{self, PastRun};
use crate::screen::Screen;
use crate::version;

/// Goes on.
pub(crate) fn execute(args: &ResumeArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let here = Project::find(&args.project)?;
    let places = Places { project: &here, state_dir: args.state.state_dir.as_deref() };
    let past = match &args.run {
        Some(name) => recorded::read(&places.named(name)?)?,
        None => recorded::last_unfinished(&places)?,
    };
    let run_dir = past.run_dir.clone();
    let claim = Claim {
        tree: &run_dir.work_tree(),
        run: run_dir.run(),
        since: now().wall,
        without_lock: args.state.no_lock,
    };
    if past.history.state.end == Some(RunEnd::Complete) {
        if tidy_up(&run_dir, &claim, screen) && !args.state.no_view {
            // Who was killed at the end of a run may not have come to this either.
            let _ = rebuild(&run_dir, &here);
        }
        return complete(&past, args, screen);
    }
    let lock = take_journal(&run_dir, &claim)?;
    let hold = take_hold(&claim, screen)?;
    // Whoever had the journal may have written since we looked.
    let past = recorded::read(&run_dir)?;
    if past.history.state.end == Some(RunEnd::Complete) {
        release(hold);
        return complete(&past, args, screen);
    }
    screen.tell(&recorded::doubts(&past.recorded));
    // Whatever can fail comes before anything is ended or changed.
    let (project, past) = prepare(past, &here, screen)?;
    sweep(run_dir.run(), screen);
    let journal =
        Journal::open_for_append(lock, &hold, &past.recorded, args.state.durability.into())
            .map_err(|error| CliError::wrong(Diagnostic::error(in_full(&error))))?;
    let changes = changes(args);
    let PastRun { recorded, history, .. } = past;
    let state = history.state.clone();
    let machine = Machine::resume(state, changes, version::CURRENT, Patience::default(), now());
    execution::execute(Execution {
        machine,
        earlier: recorded.events,
        history: Some(history),
        run_dir,
        hold,
        journal,
        output: &args.output,
        project: &project,
        has_view: !args.state.no_view,
    })
}

/// Gives the plan what a journal does not hold, and makes sure that it can still be run.
fn prepare(
    mut past: PastRun,
    here: &Project,
    screen: &mut Screen,
) -> Result<(Project, PastRun), CliError> {
    let project = here.moved_to(&past.history.state.plan.working_directory)?;
    recorded::revive(&mut past.history.state.plan, &project, screen)?;
    // Nobody has typed a name.
    let problems = preflight::problems(&past.history.state.plan, &project, &[]);
    if !problems.is_empty() {
        return Err(problems.into());
    }
    Ok((project, past))
}

/// A program gets the result once more, as it was recorded.
fn complete(past: &PastRun, args: &ResumeArgs, screen: &mut Screen) -> Result<u8, CliError> {
    match args.output.output {
        Format::Human => {
            let run = past.run_dir.run();
            screen
                .print(&format!("[forkhestra] Run {run} is complete; nothing is left to do\n"))?;
        }
        Format::Json => screen.print_data(&past.result()?)?,
    }
    Ok(RunEnd::Complete.exit_code())
}

fn changes(args: &ResumeArgs) -> LimitChanges {
    let limits = &args.limits;
    LimitChanges {
        iterations: limits.max_iterations,
        timeout: limits.timeout,
        idle_timeout: limits.idle_timeout,
        stagnation: limits.stagnation,
        run_time: limits.max_time,
        step_time: limits.step_time,
    }
}
