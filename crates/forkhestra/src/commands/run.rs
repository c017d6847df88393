//! `forkhestra CHAIN`: makes the plan of a run, and runs it or shows it.

use forkhestra_core::plan::{self, Plan, Planned};

use crate::args::{Format, RunArgs};
use crate::error::CliError;
use crate::project::Project;
use crate::report::dry_run::{self, Detail};
use crate::request::{self, Form};
use crate::screen::Screen;
use crate::surroundings::RealSurroundings;
use crate::{config_files, execution, exit_code, preflight};

/// Plans, and runs or shows the plan.
pub(crate) fn execute(args: &RunArgs, form: Form, screen: &mut Screen) -> Result<u8, CliError> {
    let project = Project::find(&args.project)?;
    let request = request::understand(args, form, &project)?;
    let loaded = config_files::load(&project)?;
    screen.tell(&loaded.warnings);
    let surroundings = RealSurroundings { project: &project };
    let Planned { plan, warnings } = plan::build(&request, &loaded.layers, &surroundings)?;
    screen.tell(&warnings);
    if args.dry_run {
        show(&plan, args, &project, screen)?;
        return Ok(exit_code::COMPLETE);
    }
    let problems = preflight::problems(&plan, &project, &loaded.layers.agent_names());
    if !problems.is_empty() {
        return Err(problems.into());
    }
    execution::start(plan, &args.state, &args.output, &project, screen)
}

fn show(
    plan: &Plan,
    args: &RunArgs,
    project: &Project,
    screen: &mut Screen,
) -> Result<(), CliError> {
    match args.output.output {
        Format::Human => {
            screen.print(&dry_run::render(plan, project, Detail::of(&args.output)))?;
        }
        Format::Json => screen.print_data(&dry_run::json(plan))?,
    }
    Ok(())
}
