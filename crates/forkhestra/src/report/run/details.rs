//! What only those want to see who asked for everything.

use forkhestra_core::event::{Completion, IterationReport, Verdict};
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::{Plan, Prompt, Step};
use typeset::text::visible;

use super::duration::spoken;
use super::reason;
use crate::report::shell_word::shell_word;
use crate::report::step::{kind, missing_program};

/// What is known of a run before its first step.
pub(super) fn run(run: &str, plan: &Plan, state_directory: Option<&str>) -> Vec<String> {
    let mut lines = vec![format!("run: {run}"), format!("chain: {}", visible(&plan.definition))];
    lines.push(format!("working directory: {}", visible(&plan.working_directory)));
    lines.extend(state_directory.map(|path| format!("state directory: {}", visible(path))));
    lines
}

/// How a step was resolved.
pub(super) fn step(step: &Step) -> Vec<String> {
    let source = visible(&step.agent.source.to_string());
    let mut lines = vec![format!("agent: {} ({source})", kind(&step.agent))];
    lines.extend(missing_program(&step.agent.kind));
    if !step.args.is_empty() {
        let args: Vec<String> = step.args.iter().map(|arg| shell_word(&arg.value)).collect();
        lines.push(format!("args: {}", args.join(" ")));
    }
    let source = visible(&step.prompt.source.to_string());
    lines.push(match &step.prompt.value {
        Prompt::None => "prompt: none".to_owned(),
        Prompt::Text(text) => {
            format!("prompt: a text of {} characters ({source})", text.chars().count())
        }
        Prompt::File(path) => format!("prompt: file {} ({source})", visible(path)),
    });
    lines
}

/// How an agent said that its work is done.
pub(super) fn completion(by: &Completion) -> String {
    match by {
        Completion::Marker(sighting) => format!(
            "completion requested: marker `{}` in line {}",
            visible(&sighting.marker),
            sighting.line
        ),
        Completion::File => "completion requested: the done file appeared or changed".to_owned(),
        Completion::ExitCode => "completion requested: the agent exited with 0".to_owned(),
    }
}

/// What an iteration took and printed.
pub(super) fn iteration(unit: UnitId, report: &IterationReport) -> String {
    let time = spoken(report.duration);
    if report.verdict == Verdict::Interrupted && report.end.is_none() {
        return format!("iteration {} was cut off with the run after {time}", unit.iteration);
    }
    let end = report.end.as_ref().map_or_else(|| "ended unseen".to_owned(), reason::agent_end);
    let (stdout, stderr) = (report.output.stdout, report.output.stderr);
    format!("{end} after {time}, {stdout} bytes on stdout, {stderr} on stderr")
}
