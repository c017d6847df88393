//! `forkhestra list`: the chains and agents that can be run here.

use forkhestra_core::plan;

use crate::cli::args::forkhestra_cli::ListChainsArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::project::config_files;
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;
use crate::report::plan::list;

/// Prints the chains and agents.
pub(crate) fn execute(
    args: &ListChainsArgs,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let project = ProjectLocation::find_with_config(&args.project)?;
    let loaded = config_files::load(&project)?;
    if let Some(remark) = config_files::found_above(&project, &loaded.layers) {
        screen.remark(&remark);
    }
    screen.report(&loaded.warnings);
    let surroundings = LocalHost { project: &project };
    let inventory = plan::inventory(&loaded.layers, &surroundings)?;
    if args.json {
        screen.print_data(&list::json(&inventory))?;
    } else {
        screen.print(&list::render(&inventory, &loaded.layers))?;
    }
    Ok(exit_code::COMPLETE)
}
