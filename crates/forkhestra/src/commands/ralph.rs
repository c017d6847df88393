//! `ralph-runner`: a loop or a chain by its own command line, or a run that goes on.

use forkhestra_core::plan::{Request, What};

use super::resume;
use super::run::{self, PlanFile};
use crate::args_ralph::RalphCli;
use crate::error::CliError;
use crate::program::Program;
use crate::project::Project;
use crate::request;
use crate::request_ralph::{self, Wish};
use crate::screen::Screen;

/// Understands what was typed, and runs or shows it.
pub(crate) fn execute(cli: RalphCli, screen: &mut Screen) -> Result<u8, CliError> {
    match request_ralph::understand(cli)? {
        Wish::GoOn(args) => resume::execute(&args, Program::RalphRunner, screen),
        Wish::Begin { chain, skip_permissions, work } => {
            let project = Project::find_with_config(&work.project)?.seen_by(Program::RalphRunner);
            let request = request::requested(What::Dsl(chain), &work, &project);
            let request = Request { skip_permissions, ..request };
            run::carry_out(&request, &work, &project, PlanFile::AsItIs, screen)
        }
    }
}
