//! `forkhestra CHAIN`: makes the plan of a run, and runs it or shows it.

use forkhestra_core::built_in;
use forkhestra_core::diagnostic::{Diagnostic, Severity};
use forkhestra_core::plan::{self, Plan, Request};

use crate::args::{Format, RunArgs};
use crate::args_work::WorkArgs;
use crate::error::CliError;
use crate::execution::Attendance;
use crate::notify::Target;
use crate::project::Project;
use crate::report::dry_run::{self, Detail};
use crate::request::{self, Form};
use crate::screen::Screen;
use crate::surroundings::RealSurroundings;
use crate::{config_files, execution, exit_code, notify, preflight};

/// Understands what was typed, and runs or shows it.
pub(crate) fn execute(args: &RunArgs, form: Form, screen: &mut Screen) -> Result<u8, CliError> {
    let project = Project::find_with_config(&args.work.project)?;
    execute_in(args, form, &project, screen)
}

/// The same, in a place that is known.
pub(super) fn execute_in(
    args: &RunArgs,
    form: Form,
    project: &Project,
    screen: &mut Screen,
) -> Result<u8, CliError> {
    let request = request::understand(args, form, project)?;
    carry_out(&request, &args.work, project, PlanFile::AsItIs, screen)
}

/// What becomes of `PLAN.md` before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanFile {
    /// The agents find it as it is now.
    AsItIs,
    /// It is written before they start.
    WillBeWritten,
    /// It was written by this command.
    Written,
}

/// A run that nothing stands against.
struct PreparedRun {
    plan: Plan,
    notify: Vec<Target>,
}

/// Plans, and runs or shows the plan.
pub(super) fn carry_out(
    request: &Request,
    args: &WorkArgs,
    project: &Project,
    plan_file: PlanFile,
    screen: &mut Screen,
) -> Result<u8, CliError> {
    let (mut remark, mut warnings) = (None, Vec::new());
    let prepared = prepare(request, args, project, plan_file, &mut remark, &mut warnings);
    // `plan` says it before it asks and writes.
    if plan_file == PlanFile::AsItIs {
        screen.remark(&remark.unwrap_or_default());
    }
    screen.tell(&warnings);
    let PreparedRun { plan, notify } = prepared?;
    if args.dry_run {
        show(&plan, args, project, screen)?;
        return Ok(exit_code::COMPLETE);
    }
    let WorkArgs { attend, output, .. } = args;
    execution::attended(attend, output, project, screen, |background, screen| {
        let attendance = Attendance { background, notify };
        execution::start(plan, attendance, args, project, screen)
    })
}

/// Says everything that is wrong with a run whose `PLAN.md` is yet to be written.
pub(super) fn check(
    request: &Request,
    args: &WorkArgs,
    project: &Project,
) -> Result<(), Vec<Diagnostic>> {
    let plan_file = PlanFile::WillBeWritten;
    prepare(request, args, project, plan_file, &mut None, &mut Vec::new()).map(drop)
}

/// Makes the plan, and says everything that stands against it.
fn prepare(
    request: &Request,
    args: &WorkArgs,
    project: &Project,
    plan_file: PlanFile,
    remark: &mut Option<String>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<PreparedRun, Vec<Diagnostic>> {
    let loaded = config_files::load(project)?;
    *remark = config_files::found_above(project, &loaded.layers);
    warnings.extend(loaded.warnings);
    let surroundings = RealSurroundings { project };
    let planned = plan::build(request, &loaded.layers, &surroundings)?;
    let plan = planned.plan;
    warnings.extend(planned.warnings);
    let mut problems = preflight::of_plan(&plan, project);
    problems.extend(preflight::of_bare_word(request, &plan, &loaded.layers));
    let resolved = notify::resolve(&args.attend, &loaded.layers, project);
    let resolved = resolved.map_err(|mistakes| problems.extend(mistakes)).unwrap_or_default();
    warnings.extend(resolved.warnings);
    problems.extend(preflight::of_recording(&plan));
    if plan_file == PlanFile::AsItIs {
        let nothing_to_plan = preflight::of_specs(&plan, project);
        if args.dry_run {
            // The rest of the plan is worth seeing, as it is where an agent is not installed.
            let warning = |problem| Diagnostic { severity: Severity::Warning, ..problem };
            warnings.extend(nothing_to_plan.map(warning));
        } else {
            problems.extend(nothing_to_plan);
        }
    }
    if !args.dry_run {
        let in_bin = request.habits.bin_first;
        let configured = loaded.layers.agent_names();
        let configured = configured.into_iter().chain(built_in::agent_names()).collect();
        let names = preflight::Names { configured, in_bin, verbs: request.bare_word().is_some() };
        problems.extend(preflight::of_agents(&plan, project, names));
        if problems.is_empty() {
            warnings.extend(preflight::of_git_identity(&plan, project));
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
    project: &Project,
    screen: &mut Screen,
) -> Result<(), CliError> {
    match args.output.output {
        Format::Human => {
            let detail = Detail::of(&args.output);
            screen.print(&dry_run::render(plan, project, project.program, detail))?;
        }
        Format::Json => screen.print_data(&dry_run::json(plan))?,
    }
    Ok(())
}
