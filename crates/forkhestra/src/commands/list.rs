//! `forkhestra list`: the chains and agents that can be run here.

use forkhestra_core::plan;

use crate::args::ListArgs;
use crate::error::CliError;
use crate::project::Project;
use crate::report::list;
use crate::screen::Screen;
use crate::surroundings::RealSurroundings;
use crate::{config_files, exit_code};

/// Lists them.
pub(crate) fn execute(args: &ListArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let project = Project::find_with_config(&args.project)?;
    let loaded = config_files::load(&project)?;
    if let Some(remark) = config_files::found_above(&project, &loaded.layers) {
        screen.remark(&remark);
    }
    screen.tell(&loaded.warnings);
    let surroundings = RealSurroundings { project: &project };
    let inventory = plan::inventory(&loaded.layers, &surroundings)?;
    if args.json {
        screen.print_data(&list::json(&inventory))?;
    } else {
        screen.print(&list::render(&inventory, &loaded.layers))?;
    }
    Ok(exit_code::COMPLETE)
}
