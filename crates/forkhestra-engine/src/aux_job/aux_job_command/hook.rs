//! Commands that the user configured as hooks.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use forkhestra_core::event::{AuxJob, CheckReport, HookMoment, IterationReport};
use forkhestra_core::hook::HookPoint;
use serde_json::{Value, json};

use super::PreparedAuxJob;
use super::context::AuxJobContext;
use super::facts::AuxJobFacts;
use super::program::{CommandLine, is_executable};

/// Prepares a hook, given by its position in the plan, counted from one.
pub(super) fn prepare(
    moment: HookMoment,
    number: usize,
    job_context: &AuxJobContext<'_>,
) -> Result<PreparedAuxJob, String> {
    let aux_job = AuxJob::Hook { moment, number };
    let hook = &job_context.state.plan.hooks[number - 1].value;
    let facts = AuxJobFacts::of(aux_job, job_context);
    job_context.process(
        aux_job,
        &facts,
        command_line(&hook.run, job_context),
        &context(&facts, job_context),
    )
}

/// A command that names a file is executed, whatever its name contains. Anything else is passed to
/// the shell.
fn command_line(command: &str, context: &AuxJobContext<'_>) -> CommandLine {
    let path = context.user_directory().join(command);
    let is_script = path.is_file() && path.extension().is_some_and(|extension| extension == "sh");
    // The system cannot execute a script without a `#!` line.
    if is_script && !(is_executable(&path) && names_its_interpreter(&path)) {
        return CommandLine::new(context.bash(), [path]);
    }
    if is_executable(&path) {
        return CommandLine::executable(path);
    }
    CommandLine::shell(command)
}

fn names_its_interpreter(script: &Path) -> bool {
    let mut first_bytes = [0; 2];
    File::open(script).and_then(|mut file| file.read_exact(&mut first_bytes)).is_ok()
        && first_bytes == *b"#!"
}

/// The JSON that a hook reads.
fn context(facts: &AuxJobFacts<'_>, job_context: &AuxJobContext<'_>) -> Value {
    let state = job_context.state;
    let feedback = facts.step.filter(|_| state.plan.feedback);
    let feedback = feedback.and_then(|step| state.steps[step - 1].feedback.text());
    let checks = facts.report.map_or(&[][..], |report| &report.checks);
    let verdict = facts.report.filter(|_| facts.is_checked).map(verdict);
    json!({
        "hook": facts.hook.map(HookPoint::name),
        "runId": state.run.as_str(),
        "agent": facts.agent,
        "step": facts.step,
        "iteration": facts.unit.map(|unit| unit.iteration),
        "attempt": facts.unit.map(|unit| unit.attempt),
        "maxIterations": facts.max_iterations,
        "exitCode": facts.exit_code(),
        "status": facts.status.as_str(),
        "reason": facts.reason,
        "question": facts.question,
        "questionNumber": facts.question_number,
        "waitingUntil": facts.waiting_until.map(|until| until.to_string()),
        "workDir": job_context.directory().to_string_lossy(),
        "checks": checks.iter().map(check_json).collect::<Vec<Value>>(),
        "verdict": verdict,
        "feedback": feedback,
        "log": facts.log.as_ref().map(|log| log.to_string_lossy()),
    })
}

const fn verdict(report: &IterationReport) -> &'static str {
    report.verdict.as_str()
}

fn check_json(check: &CheckReport) -> Value {
    json!({ "name": check.name, "outcome": check.outcome.as_str(), "message": check.message })
}
