//! `forkhestra CHAIN`: makes the plan of a run, and shows it where only that is asked for.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{self, Planned};

use crate::args::{Format, RunArgs};
use crate::error::CliError;
use crate::project::Project;
use crate::report::dry_run::{self, Detail};
use crate::request::{self, Form};
use crate::screen::Screen;
use crate::surroundings::RealSurroundings;
use crate::{config_files, exit_code};

/// Plans, and shows the plan.
pub(crate) fn execute(args: &RunArgs, form: Form, screen: &mut Screen) -> Result<u8, CliError> {
    let project = Project::find(&args.project)?;
    let request = request::understand(args, form, &project)?;
    let loaded = config_files::load(&project)?;
    screen.tell(&loaded.warnings);
    let surroundings = RealSurroundings { project: &project };
    let Planned { plan, warnings } = plan::build(&request, &loaded.layers, &surroundings)?;
    screen.tell(&warnings);
    if !args.dry_run {
        return Err(CliError::wrong(cannot_run()));
    }
    match args.output.output {
        Format::Human => {
            screen.print(&dry_run::render(&plan, &project, Detail::of(&args.output)))?;
        }
        Format::Json => screen.print_data(&dry_run::json(&plan))?,
    }
    Ok(exit_code::COMPLETE)
}

/// Nothing is ever half done: a run that cannot be executed whole is refused.
fn cannot_run() -> Diagnostic {
    Diagnostic::error("this version plans runs but does not execute them; nothing was started")
        .hint("add `--dry-run` to see what would run")
}
