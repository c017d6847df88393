//! `ralph-runner`: runs a loop or a chain, or resumes a run.

use forkhestra_core::plan::{PlanRequest, RunTarget};

use super::resume;
use super::run::{self, PlanFileAction};
use crate::cli::args::ralph::RalphCli;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::ralph_request::{self, RalphRequest};
use crate::cli::run_request;
use crate::cli::started_program::StartedProgram;
use crate::project::project_location::ProjectLocation;

/// Interprets the command line, and runs or shows the plan.
pub(crate) fn execute(cli: RalphCli, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    match ralph_request::parse_ralph_request(cli)? {
        RalphRequest::Resume(args) => resume::execute(&args, StartedProgram::RalphRunner, screen),
        RalphRequest::Start { chain, skip_permissions, work } => {
            let project = ProjectLocation::find_with_config(&work.project)?
                .for_program(StartedProgram::RalphRunner);
            let request = run_request::requested(RunTarget::Dsl(chain), &work, &project);
            let request = PlanRequest { skip_permissions, ..request };
            run::carry_out(&request, &work, &project, PlanFileAction::AsItIs, screen)
        }
    }
}
