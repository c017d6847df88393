//! Lines that only verbose mode shows.

use forkhestra_core::config::Backend;
use forkhestra_core::cost::Spend;
use forkhestra_core::event::{
    AgentActivity, CompletionSignal, HookReport, IterationReport, TaskChanges, Verdict,
};
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::{Plan, PlanStep, Prompt};
use forkhestra_core::quota::QuotaReading;
use typeset::text::visible;

use super::duration::short_duration;
use super::reason;
use crate::report::plan::step::{kind, missing_program};
use crate::report::text::checks;
use crate::report::text::local_time::minute_in_zone;
use crate::report::text::shell_word::shell_word;
use crate::report::text::spend;

/// Identity and location of a run, before its first step.
pub(super) fn run(run: &str, plan: &Plan, state_directory: Option<&str>) -> Vec<String> {
    let mut lines = vec![format!("run: {run}"), format!("chain: {}", visible(&plan.definition))];
    lines.push(format!("working directory: {}", visible(&plan.working_directory)));
    lines.extend(state_directory.map(|path| format!("state directory: {}", visible(path))));
    lines
}

/// How a step was resolved.
pub(super) fn step(step: &PlanStep) -> Vec<String> {
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
    let names = step.checks.iter().map(|check| checks::planned_name(&check.value));
    lines.extend(names.map(|name| format!("check: {name}")));
    lines
}

/// How an agent signalled completion.
pub(super) fn completion(by: &CompletionSignal) -> String {
    let how = match by {
        CompletionSignal::Marker(marker_match) => reason::match_position(marker_match),
        CompletionSignal::File => "the done file appeared or changed".to_owned(),
        CompletionSignal::ExitCode => "the agent exited with 0".to_owned(),
        CompletionSignal::Approved => "a person approved it".to_owned(),
        CompletionSignal::Tasks => "every task is done".to_owned(),
    };
    format!("completion requested: {how}")
}

/// How much of a window of an agent's account is used.
pub(super) fn quota(backend: Backend, reading: QuotaReading) -> String {
    let resets = minute_in_zone(reading.resets);
    format!("account of {}: {reading}, reset at {resets}", backend.title())
}

/// Duration, output, activity and spend of an iteration.
pub(super) fn iteration(unit: UnitId, report: &IterationReport) -> Vec<String> {
    let time = short_duration(report.duration);
    let first = if report.verdict == Verdict::Interrupted && report.end.is_none() {
        format!("iteration {} was cut off with the run after {time}", unit.iteration)
    } else {
        let end = report.end.as_ref().map_or_else(|| "ended unseen".to_owned(), reason::agent_end);
        let (stdout, stderr) = (report.output.stdout, report.output.stderr);
        format!("{end} after {time}, {stdout} bytes on stdout, {stderr} on stderr")
    };
    let mut lines = vec![first];
    lines.extend(
        report
            .stream_summary
            .as_ref()
            .map(|stream_summary| activity_counts(stream_summary.activity)),
    );
    lines.extend(reason::missing_marker(report));
    lines.extend(report.spend.map(spend_by_kind));
    lines
}

/// Changes of an agent to the task database.
pub(super) fn tasks(changes: &TaskChanges) -> Vec<String> {
    let changed = changes.changes.iter().map(|change| {
        let reason = change.reason.as_ref().map(|reason| format!(": {}", visible(reason)));
        let (id, word) = (visible(&change.id), change.kind.label());
        format!("task {id} {word}{}", reason.unwrap_or_default())
    });
    changed.collect()
}

/// Line for a hook that succeeded.
pub(super) fn hook(report: &HookReport, command: &str) -> String {
    format!("hook {}: {command} ({})", report.moment.point, short_duration(report.duration))
}

/// Turns, tool calls, denials and repeated requests of an agent.
fn activity_counts(activity: AgentActivity) -> String {
    let AgentActivity { turns, tool_calls, denials, retries } = activity;
    let always = [reason::count(turns, "turn"), reason::count(tool_calls, "tool call")];
    let sometimes =
        [(denials, "denial"), (retries, "repeated request")].into_iter().filter(|some| some.0 > 0);
    let sometimes = sometimes.map(|(number, what)| reason::count(number, what));
    always.into_iter().chain(sometimes).collect::<Vec<_>>().join(", ")
}

fn spend_by_kind(spend: Spend) -> String {
    match spend::tokens_by_kind(spend.tokens) {
        kinds if kinds.is_empty() => spend::tokens_and_cost(spend),
        kinds => format!("{} ({kinds}), {}", spend::tokens(spend), spend::cost(spend)),
    }
}
