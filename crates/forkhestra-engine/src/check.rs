//! Checks of completion: known results, built-in queries and the user's programs.

mod agent_text;
mod agent_text_tail;
mod built_in;
mod context;
mod marker;
mod program_result;
mod script;
#[cfg(test)]
mod tests;

use forkhestra_core::check::CheckSpec;
use forkhestra_core::event::AuxJob;
use forkhestra_core::id::UnitId;

use crate::aux_job::aux_job_command::{AuxJobContext, AuxJobFacts, CommandLine, PreparedAuxJob};

pub(crate) use agent_text_tail::read_closing_text;
pub(crate) use context::context;
pub(crate) use program_result::parse_program_result;

/// Prepares a check, given by its position in the step, counted from one.
pub(crate) fn prepare(
    unit: UnitId,
    number: usize,
    job_context: &AuxJobContext<'_>,
) -> Result<PreparedAuxJob, String> {
    let aux_job = AuxJob::Check { unit, number };
    let check = &job_context.step(unit.step).check(number).ok_or("there is no such check")?.value;
    let facts = AuxJobFacts::of(aux_job, job_context);
    let line = match &check.check {
        CheckSpec::File(path) => {
            return Ok(PreparedAuxJob::Known(built_in::file(path, job_context)));
        }
        CheckSpec::ExitCode => return Ok(PreparedAuxJob::Known(built_in::exit_code(&facts))),
        CheckSpec::Tasks | CheckSpec::Task(_) | CheckSpec::Planned => {
            return Ok(built_in::tasks(unit, number, job_context));
        }
        CheckSpec::Marker(pattern) => return marker::prepare(pattern, unit, &facts, job_context),
        CheckSpec::Command(command) => CommandLine::shell(command),
        CheckSpec::Script(path) => script::command_line(
            path,
            check.runner.as_ref(),
            &job_context.files_of(aux_job),
            job_context,
        )?,
    };
    let context = context(&facts, job_context)?;
    job_context.process(aux_job, &facts, line, &context)
}
