//! `forkhestra CHAIN`: makes the plan of a run, and runs or shows it.

use forkhestra_core::built_in;
use forkhestra_core::diagnostic::{Diagnostic, Severity};
use forkhestra_core::plan::{self, Plan, PlanRequest};

use crate::cli::args::forkhestra_cli::{OutputFormat, RunArgs};
use crate::cli::args::work::WorkArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::cli::run_request::{self, RunForm};
use crate::notify::NotifyReceiver;
use crate::project::config_files;
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;
use crate::report::plan::dry_run::{self, Verbosity};
use crate::supervise::{self, NewRun};
use crate::{notify, preflight};

/// Interprets the command line, and runs or shows the plan.
pub(crate) fn execute(
    args: &RunArgs,
    form: RunForm,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let project = ProjectLocation::find_with_config(&args.work.project)?;
    execute_in(args, form, &project, screen)
}

/// The same for a known project location.
pub(super) fn execute_in(
    args: &RunArgs,
    form: RunForm,
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let request = run_request::parse_request(args, form, project)?;
    carry_out(&request, &args.work, project, PlanFileAction::AsItIs, screen)
}

/// The state of `PLAN.md` when the run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanFileAction {
    /// The agents use the existing file.
    AsItIs,
    /// The file is written before the agents start.
    WillBeWritten,
    /// The file was written by this command.
    Written,
}

/// A run that passed all checks.
struct PreparedRun {
    plan: Plan,
    notify: Vec<NotifyReceiver>,
}

/// Makes the plan, and runs or shows it.
pub(super) fn carry_out(
    request: &PlanRequest,
    args: &WorkArgs,
    project: &ProjectLocation,
    plan_file: PlanFileAction,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let (mut remark, mut warnings) = (None, Vec::new());
    let prepared = prepare(request, args, project, plan_file, &mut remark, &mut warnings);
    // `plan` prints this remark earlier, before its questions.
    if plan_file == PlanFileAction::AsItIs {
        screen.remark(&remark.unwrap_or_default());
    }
    screen.report(&warnings);
    let PreparedRun { plan, notify } = prepared?;
    if args.dry_run {
        show(&plan, args, project, screen)?;
        return Ok(exit_code::COMPLETE);
    }
    let WorkArgs { attend, output, state, .. } = args;
    let state_directory = state.state_dir.clone();
    let run = NewRun {
        id: supervise::new_id(),
        plan,
        fork: None,
        origin_baseline: None,
        notify,
        state_directory,
    };
    supervise::run_here_or_detached(attend, output, project, screen, |background, screen| {
        supervise::start(run, background, (state, output), project, screen)
    })
}

/// Reports every problem of a run whose `PLAN.md` is not written yet.
pub(super) fn check(
    request: &PlanRequest,
    args: &WorkArgs,
    project: &ProjectLocation,
) -> Result<(), Vec<Diagnostic>> {
    let plan_file = PlanFileAction::WillBeWritten;
    prepare(request, args, project, plan_file, &mut None, &mut Vec::new()).map(drop)
}

/// Makes the plan and reports every problem that prevents the run.
fn prepare(
    request: &PlanRequest,
    args: &WorkArgs,
    project: &ProjectLocation,
    plan_file: PlanFileAction,
    remark: &mut Option<String>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<PreparedRun, Vec<Diagnostic>> {
    let loaded = config_files::load(project)?;
    *remark = config_files::found_above(project, &loaded.layers);
    warnings.extend(loaded.warnings);
    let surroundings = LocalHost { project };
    let planned = plan::build(request, &loaded.layers, &surroundings)?;
    let mut plan = planned.plan;
    warnings.extend(planned.warnings);
    let (mut problems, sandbox_warnings) =
        preflight::resolve_sandboxes(&mut plan, project, &preflight::SandboxChanges::default());
    warnings.extend(sandbox_warnings);
    problems.extend(preflight::check_plan(&plan, project));
    let base = match request.begins_at_head {
        true => preflight::LaneBase::Head,
        false => preflight::LaneBase::CompleteHead,
    };
    let of_lanes = preflight::check_lanes(&plan, project, base, args.dry_run);
    let (of_lanes, lane_warnings): (Vec<_>, Vec<_>) =
        of_lanes.into_iter().partition(Diagnostic::is_error);
    problems.extend(of_lanes);
    warnings.extend(lane_warnings);
    problems.extend(preflight::check_bare_word(request, &plan, &loaded.layers));
    let resolved = notify::resolve(&args.attend, &loaded.layers, project);
    let resolved = resolved.map_err(|mistakes| problems.extend(mistakes)).unwrap_or_default();
    warnings.extend(resolved.warnings);
    problems.extend(preflight::check_recording(&plan));
    if plan_file == PlanFileAction::AsItIs {
        let nothing_to_plan = preflight::check_specs(&plan, project);
        if args.dry_run {
            // A dry run still shows the rest of the plan, as it does when an agent is not
            // installed.
            let warning = |problem| Diagnostic { severity: Severity::Warning, ..problem };
            warnings.extend(nothing_to_plan.map(warning));
        } else {
            problems.extend(nothing_to_plan);
        }
    }
    if !args.dry_run {
        let in_bin = request.defaults.bin_first;
        let configured = loaded.layers.agent_names();
        let configured = configured.into_iter().chain(built_in::agent_names()).collect();
        let names = preflight::AgentNames {
            configured,
            in_bin,
            verbs: request.bare_word().is_some(),
            typed: request.typed_agents(),
        };
        problems.extend(preflight::check_agents(&plan, project, names));
        if problems.is_empty() {
            warnings.extend(preflight::check_git_identity(&plan, project));
            warnings.extend(preflight::check_git_signing(&plan, project));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(PreparedRun { plan, notify: resolved.targets })
}

fn show(
    plan: &Plan,
    args: &WorkArgs,
    project: &ProjectLocation,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    match args.output.output {
        OutputFormat::Human => {
            let detail = Verbosity::of(&args.output);
            screen.print(&dry_run::render(plan, project, project.program, detail))?;
        }
        OutputFormat::Json => screen.print_data(&dry_run::json(plan))?,
    }
    Ok(())
}
