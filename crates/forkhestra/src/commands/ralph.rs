//! `ralph-runner`: a loop or a chain by its own command line, or a run that goes on.

use forkhestra_core::plan::{PlanRequest, RunTarget};

use super::resume;
use super::run::{self, PlanFileAction};
use crate::args_ralph::RalphCli;
use crate::error::CommandError;
use crate::program::StartedProgram;
use crate::project::ProjectLocation;
use crate::request;
use crate::request_ralph::{self, RalphRequest};
use crate::screen::ConsoleOutput;

/// Understands what was typed, and runs or shows it.
pub(crate) fn execute(cli: RalphCli, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    match request_ralph::parse_ralph_request(cli)? {
        RalphRequest::Resume(args) => resume::execute(&args, StartedProgram::RalphRunner, screen),
        RalphRequest::Start { chain, skip_permissions, work } => {
            let project = ProjectLocation::find_with_config(&work.project)?
                .seen_by(StartedProgram::RalphRunner);
            let request = request::requested(RunTarget::Dsl(chain), &work, &project);
            let request = PlanRequest { skip_permissions, ..request };
            run::carry_out(&request, &work, &project, PlanFileAction::AsItIs, screen)
        }
    }
}
