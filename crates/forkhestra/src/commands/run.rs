//! `forkhestra CHAIN`: makes the plan of a run, and runs it or shows it.

use forkhestra_core::built_in;
use forkhestra_core::plan::{self, Plan, Planned, Request};

use crate::args::{Format, RunArgs};
use crate::args_work::WorkArgs;
use crate::error::CliError;
use crate::execution::Attendance;
use crate::project::Project;
use crate::report::dry_run::{self, Detail};
use crate::request::{self, Form};
use crate::screen::Screen;
use crate::surroundings::RealSurroundings;
use crate::{config_files, execution, exit_code, notify, preflight};

/// Understands what was typed, and runs or shows it.
pub(crate) fn execute(args: &RunArgs, form: Form, screen: &mut Screen) -> Result<u8, CliError> {
    let project = Project::find(&args.work.project)?;
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
    carry_out(&request, &args.work, project, screen)
}

/// Plans, and runs or shows the plan.
pub(super) fn carry_out(
    request: &Request,
    args: &WorkArgs,
    project: &Project,
    screen: &mut Screen,
) -> Result<u8, CliError> {
    let loaded = config_files::load(project)?;
    screen.tell(&loaded.warnings);
    let surroundings = RealSurroundings { project };
    let Planned { plan, warnings } = plan::build(request, &loaded.layers, &surroundings)?;
    screen.tell(&warnings);
    let mut problems = preflight::of_plan(&plan, project);
    let told = notify::resolve(&args.attend, &loaded.layers, project);
    let told = told.map_err(|mistakes| problems.extend(mistakes)).unwrap_or_default();
    screen.tell(&told.warnings);
    problems.extend(preflight::of_recording(&plan));
    if !args.dry_run {
        let in_bin = request.habits.bin_first;
        let configured = loaded.layers.agent_names();
        let configured = configured.into_iter().chain(built_in::agent_names()).collect();
        let names = preflight::Names { configured, in_bin };
        problems.extend(preflight::of_agents(&plan, project, names));
    }
    if !problems.is_empty() {
        return Err(problems.into());
    }
    if args.dry_run {
        show(&plan, args, project, screen)?;
        return Ok(exit_code::COMPLETE);
    }
    let WorkArgs { attend, output, .. } = args;
    execution::attended(attend, output, project, screen, |background, screen| {
        let attendance = Attendance { background, notify: told.targets };
        execution::start(plan, attendance, args, project, screen)
    })
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
