//! `forkhestra resume`: resumes a run that was cut off, interrupted or ended by a limit.

use std::path::Path;

use forkhestra_core::control::RefusedRequest;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::RunEnd;
use forkhestra_core::id::RunId;
use forkhestra_core::machine::{Machine, ResumeAnswer};
use forkhestra_core::plan::{PinnedProgram, Plan, StepSandboxes};
use forkhestra_core::policy::GracePeriods;
use forkhestra_engine::process::BackgroundProcess;
use forkhestra_engine::{changed_programs, now, program_baseline};
use forkhestra_store::{
    Journal, JournalLock, JournalOpenError, LockProof, OriginMatch, RunDir, RunOrigin, StateRoot,
    WorkTreeDir, move_run, pending_messages,
};
use typeset::text::visible;

use crate::cli::args::forkhestra_cli::{OutputFormat, ResumeArgs};
use crate::cli::command_error::{CommandError, in_full};
use crate::cli::console_output::ConsoleOutput;
use crate::cli::started_program::StartedProgram;
use crate::cli::{exit_code, version};
use crate::notify::NotifyReceiver;
use crate::past_runs::past_run::{self, PastRun};
use crate::past_runs::resume_command::resume_command;
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::{
    control_client, pending_message, repair, resume_answer, rewind_session, run_binding,
};
use crate::project::moved_project;
use crate::project::project_location::ProjectLocation;
use crate::supervise::{
    self, Execution, LockRequest, acquire_journal_lock, acquire_work_tree_lock, clean_up, release,
    resume_recording, sweep,
};
use crate::{notify, preflight};

/// Resumes the selected run.
pub(crate) fn execute(
    args: &ResumeArgs,
    program: StartedProgram,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let here = ProjectLocation::find(&args.project)?.for_program(program);
    let finder = RunFinder { project: &here, state_dir: args.state.state_dir.as_deref() };
    let run_dir = match &args.run {
        Some(name) => finder.find_named(name)?,
        None => past_run::last_unfinished(&finder)?,
    };
    control_client::refuse_within(run_dir.run())?;
    run_dir.require_trusted()?;
    resume_answer::refuse_id(args, &finder)?;
    match past_run::read(&run_dir) {
        Ok(past) if is_complete(&past) => {
            resume_answer::resume_answer(args, &past.run_dir, &past.history.state, &here)?;
            let tree = run_dir.work_tree();
            let view = (!args.state.no_view).then_some(&here);
            clean_up(&past, &claim(&tree, run_dir.run(), args), view, screen);
            return complete(&past, args, program, screen);
        }
        Err(unusable) if !(unusable.is_damage() && args.repair) => {
            return Err(repair::refused(&unusable, &run_dir, &here));
        }
        Ok(_) if args.repair => {
            screen
                .report(&[Diagnostic::warning("the journal is not damaged; nothing is repaired")]);
        }
        Ok(_) | Err(_) => {}
    }
    supervise::run_here_or_detached(
        &args.attend,
        &args.output,
        &here,
        screen,
        |background, screen| take_over(run_dir, &here, args, screen, background),
    )
}

/// Locks the run, and resumes it if it is not complete yet.
fn take_over(
    run_dir: RunDir,
    here: &ProjectLocation,
    args: &ResumeArgs,
    screen: &mut ConsoleOutput,
    background: Option<BackgroundProcess>,
) -> Result<u8, CommandError> {
    let mut taken = take(run_dir, args, screen)?;
    // The previous owner may have written to the journal between the first read and the lock.
    let past = match past_run::read(&taken.run_dir) {
        Ok(past) => past,
        Err(unusable) if unusable.is_damage() && args.repair => {
            let has_view = !args.state.no_view;
            repair::repair(
                &taken.run_dir,
                &mut taken.lock,
                &taken.work_tree_lock,
                has_view,
                here,
                screen,
            )?
        }
        Err(unusable) => return Err(repair::refused(&unusable, &taken.run_dir, here)),
    };
    let is_complete = is_complete(&past);
    if !is_complete {
        refuse_group_limits(args, &past)?;
    }
    let answer = resume_answer::resume_answer(args, &past.run_dir, &past.history.state, here)?;
    if is_complete {
        release(taken.work_tree_lock);
        return complete(&past, args, here.program, screen);
    }
    if past.history.state.plan.is_masked {
        return Err(CommandError::wrong(masked_plan_error(past.run_dir.run())));
    }
    screen.report(&resume_answer::masked_warnings(args, here));
    if let Some(text) = &args.tell {
        let text = pending_message::masked(text, here);
        pending_message::store_message(&taken.run_dir, &taken.lock, &past.history.state, &text)?;
    }
    let request = ResumeRequest { args, answer, background };
    resume_run(taken, past, here, request, screen)
}

/// Refuses new limits of groups for a run in which no such group is left.
fn refuse_group_limits(args: &ResumeArgs, past: &PastRun) -> Result<(), CommandError> {
    let changes = &args.limits.0;
    let Some(why) = past.history.state.refusal_of_group_limits(changes) else { return Ok(()) };
    let (group, option) = match why {
        RefusedRequest::NoRounds => ("repeated group", "--rounds"),
        _ if changes.group_time.is_some() => ("group", "--group-time"),
        _ => ("group", "--group-cost"),
    };
    let error = Diagnostic::error(format!("run {} has no {group} left", past.run_dir.run()));
    Err(CommandError::wrong(error.hint(format!("leave out `{option}`"))))
}

/// What the command line says about how to resume.
struct ResumeRequest<'a> {
    args: &'a ResumeArgs,
    answer: Option<ResumeAnswer>,
    background: Option<BackgroundProcess>,
}

/// A run directory with the locks that protect it.
struct LockedRun {
    run_dir: RunDir,
    lock: JournalLock,
    work_tree_lock: LockProof,
}

fn claim<'a>(tree: &'a WorkTreeDir, run: &'a RunId, args: &ResumeArgs) -> LockRequest<'a> {
    LockRequest { tree, run, since: now().wall, without_lock: args.state.no_lock }
}

fn take(
    run_dir: RunDir,
    args: &ResumeArgs,
    screen: &mut ConsoleOutput,
) -> Result<LockedRun, CommandError> {
    let tree = run_dir.work_tree();
    let lock_request = claim(&tree, run_dir.run(), args);
    let lock = acquire_journal_lock(&run_dir, &lock_request)?;
    let work_tree_lock = acquire_work_tree_lock(&lock_request, screen)?;
    Ok(LockedRun { run_dir, lock, work_tree_lock })
}

fn resume_run(
    taken: LockedRun,
    past: PastRun,
    here: &ProjectLocation,
    request: ResumeRequest<'_>,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let ResumeRequest { args, answer, background } = request;
    screen.report(&past_run::journal_warnings(&past.recorded));
    // All fallible preparation comes before anything is ended or changed.
    let PreparedResume { project, past, moved_to, sandboxes, notify } =
        prepare(past, here, args, screen)?;
    let taken = if moved_to.is_some() { follow(taken, &project, args, screen)? } else { taken };
    sweep(taken.run_dir.run(), screen);
    let LockedRun { run_dir, lock, work_tree_lock } = taken;
    if RunOrigin::compare(&run_dir, &project.work_tree()) != OriginMatch::Same {
        RunOrigin::record(&run_dir, &project.work_tree())?;
    }
    let not_opened = |error: JournalOpenError| {
        let command = resume_command(&run_dir, &past.history.state.plan, &project);
        let hint = matches!(error, JournalOpenError::File(_))
            .then(|| format!("nothing was started; to resume: {command}"));
        CommandError::wrong(Diagnostic::error(in_full(&error)).maybe_hint(hint))
    };
    let journal = Journal::open_for_append(
        lock,
        &work_tree_lock,
        &past.recorded,
        args.state.durability.into(),
    )
    .map_err(not_opened)?;
    let recording = resume_recording(run_dir.run(), &past.history.state.plan, &project, screen);
    let history = past.history;
    let (state, changes) = (history.state.clone(), args.limits.0.clone());
    let messages = pending_messages(&run_dir, state.last_message())?;
    let programs = accepted_programs(&state.plan, &project);
    let machine = Machine::resume(state, changes, version::CURRENT, GracePeriods::default(), now());
    let machine = machine.moved_to(moved_to).with_sandboxes(sandboxes).with_messages(messages);
    let machine = machine.with_resume_answer(answer);
    let machine = match programs {
        Some((programs, warning)) => machine.with_programs(programs, warning),
        None => machine,
    };
    supervise::execute(Execution {
        machine,
        history: Some(history),
        run_dir,
        lock: work_tree_lock,
        journal,
        output: &args.output,
        project: &project,
        has_view: !args.state.no_view,
        recording,
        background,
        notify,
    })
}

/// The programs of checks and hooks if they differ from those of the journal, with a warning that names the changed ones.
fn accepted_programs(
    plan: &Plan,
    project: &ProjectLocation,
) -> Option<(Vec<PinnedProgram>, Option<String>)> {
    if !plan.runs_aux_jobs() {
        return None;
    }
    let now = program_baseline(plan, &project.environment.inherited);
    let Some(before) = &plan.programs else { return Some((now, None)) };
    let changed = changed_programs(plan, before, &now);
    let warning = format!("checks and hooks use programs as they are now: {}", changed.join("; "));
    (!changed.is_empty()).then_some((now, Some(warning)))
}

/// A run that passed all checks before it is resumed.
struct PreparedResume {
    project: ProjectLocation,
    past: PastRun,
    /// The new directory of the project, if it was moved.
    moved_to: Option<String>,
    /// The sandboxes of the steps, if they are not as before.
    sandboxes: Option<StepSandboxes>,
    /// The receivers of notifications from now on.
    notify: Vec<NotifyReceiver>,
}

/// Completes the plan with what a journal does not hold, and checks that it can still run.
fn prepare(
    mut past: PastRun,
    here: &ProjectLocation,
    args: &ResumeArgs,
    screen: &mut ConsoleOutput,
) -> Result<PreparedResume, CommandError> {
    let plan = &mut past.history.state.plan;
    let is_gone = moved_project::is_gone(&plan.working_directory);
    let moved_to = (is_gone && args.project.cwd.is_some())
        .then(|| here.working_directory.to_string_lossy().into_owned());
    let began_in = plan.working_directory.clone();
    moved_to.iter().for_each(|directory| plan.relocate(directory));
    let project = here.moved_to(&plan.working_directory).map_err(|error| match is_gone {
        true => moved_project::missing_directory_hint(error, &past.run_dir, here),
        false => error,
    })?;
    let state_dir = args.state.state_dir.as_deref();
    rewind_session::refuse_pending_rewind(&RunFinder { project: &project, state_dir })?;
    let directory = Path::new(&plan.working_directory);
    if moved_to.is_none() && run_binding::is_foreign(&past.run_dir, directory, &project) {
        screen.report(&[run_binding::foreign_run_warning(&past.run_dir)]);
    }
    if requests_other_directory(&project, here, args) {
        screen.report(&[unmoved_project_error(&plan.working_directory)]);
    }
    past_run::restore_plan(plan, &project, screen)?;
    let sandboxes_before = plan.sandboxes();
    let changes = preflight::SandboxChanges {
        level: args.sandbox.level,
        writable: writable_paths(args, here),
    };
    // The agents come from the journal, not from a command line.
    let (mut problems, sandbox_warnings) = preflight::resolve_sandboxes(plan, &project, &changes);
    screen.report(&sandbox_warnings);
    let sandboxes = Some(plan.sandboxes()).filter(|now| *now != sandboxes_before);
    if !args.sandbox.writable.is_empty() && plan.sandbox_summary().is_none() {
        screen.report(&[Diagnostic::warning("`--writable` has no effect: the run has no sandbox")]);
    }
    problems.extend(preflight::check_plan(plan, &project));
    problems.extend(preflight::check_agents(plan, &project, preflight::AgentNames::default()));
    let receivers = notify::resolve_for_resume(&args.attend, &project);
    let receivers = receivers.map_err(|mistakes| problems.extend(mistakes)).unwrap_or_default();
    if !problems.is_empty() {
        return Err(problems.into());
    }
    screen.report(&receivers.warnings);
    screen.report(preflight::check_git_identity(plan, &project).as_slice());
    screen.report(preflight::check_git_signing(plan, &project).as_slice());
    screen.report(&past.history.state.quota_warnings(&args.limits.0));
    screen
        .report(&moved_to.iter().map(|to| moved_project_notice(&began_in, to)).collect::<Vec<_>>());
    Ok(PreparedResume { project, past, moved_to, sandboxes, notify: receivers.targets })
}

/// The paths of `--writable`. A relative one starts at the current directory, not at that of the run.
fn writable_paths(args: &ResumeArgs, here: &ProjectLocation) -> Vec<String> {
    let absolute = |path: &String| match path.starts_with(['/', '~']) {
        true => path.clone(),
        false => here.working_directory.join(path).to_string_lossy().into_owned(),
    };
    args.sandbox.writable.iter().map(absolute).collect()
}

/// The error for a plan with masks in place of secrets. A mask is a pattern of the shell, which must not be executed.
fn masked_plan_error(run: &RunId) -> Diagnostic {
    let message = format!(
        "run {run} cannot be resumed: a prompt, an argument or a command of it contained a secret, \
         and its journal has `*` in that place"
    );
    Diagnostic::error(message)
        .hint("name the variable (`$NAME`) instead of its value, and start a new run")
}

/// Whether the command line requests another directory although the run's directory still exists.
fn requests_other_directory(
    project: &ProjectLocation,
    here: &ProjectLocation,
    args: &ResumeArgs,
) -> bool {
    let is_asked = args.run.is_some() && args.project.cwd.is_some();
    is_asked && project.working_directory != here.working_directory
}

fn unmoved_project_error(directory: &str) -> Diagnostic {
    let directory = visible(directory);
    Diagnostic::warning(format!("the run continues in {directory}, where it began"))
        .hint("`--cwd` says where its project is only if that directory does not exist any more")
}

fn moved_project_notice(from: &str, to: &str) -> Diagnostic {
    let (from, to) = (visible(from), visible(to));
    Diagnostic::warning(format!(
        "the run was begun in {from}, which does not exist any more; it continues in {to}"
    ))
}

/// Moves the run to the project's new work tree and takes the lock there.
fn follow(
    mut taken: LockedRun,
    project: &ProjectLocation,
    args: &ResumeArgs,
    screen: &mut ConsoleOutput,
) -> Result<LockedRun, CommandError> {
    let old = taken.run_dir.work_tree();
    let Some(root) = old.path().parent() else { return Ok(taken) };
    let tree = StateRoot::new(root).work_tree(&project.work_tree());
    if tree == old {
        return Ok(taken);
    }
    let work_tree_lock = acquire_work_tree_lock(&claim(&tree, taken.run_dir.run(), args), screen)?;
    let run_dir = move_run(&mut taken.lock, &taken.work_tree_lock, &tree, &work_tree_lock)?;
    taken.work_tree_lock.release()?;
    Ok(LockedRun { run_dir, lock: taken.lock, work_tree_lock })
}

fn is_complete(past: &PastRun) -> bool {
    past.history.state.end == Some(RunEnd::Complete)
}

/// Reports a complete run again. With JSON output, the recorded result is printed once more.
fn complete(
    past: &PastRun,
    args: &ResumeArgs,
    program: StartedProgram,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    match args.output.output {
        OutputFormat::Human => {
            let (prefix, run) = (program.prefix(), past.run_dir.run());
            screen.print(&format!("{prefix} Run {run} is complete; nothing is left to do\n"))?;
        }
        OutputFormat::Json => screen.print_data(&past.result()?)?,
    }
    Ok(exit_code::of_end(program, &RunEnd::Complete))
}
