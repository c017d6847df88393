//! `forkhestra show --why --json`: why a run stopped, as JSON.

use forkhestra_core::cost::{Cost, Spend};
use forkhestra_core::event::CheckReport;
use forkhestra_core::explain::{CrossedLimit, Evidence, IterationTreeChange, StagnationEvidence};
use forkhestra_core::history::{IterationRecord, Liveness};
use serde_json::{Value, json};

use super::{ShownRunFacts, head, iterations, why};
use crate::report::run::reason;

/// The object `why`.
pub(super) fn json(subject: &ShownRunFacts<'_>) -> Value {
    let history = subject.history();
    let unfinished = match subject.liveness {
        Liveness::Alive => "running",
        Liveness::Gone => "cut_off",
    };
    let evidence = Evidence::of(history);
    let evidence = evidence.as_ref();
    let last = evidence.into_iter().flat_map(|evidence| &evidence.iterations);
    let checks = evidence.into_iter().flat_map(|evidence| &evidence.failed_checks);
    let hook = evidence.and_then(|evidence| evidence.failed_hook);
    let tasks = history.open_tasks.iter().map(|task| &task.id);
    json!({
        "code": history.reason().unwrap_or(unfinished),
        "sentence": head::sentence(subject),
        "waitsFor": why::live_run_state(subject),
        "step": evidence.map(|evidence| evidence.step),
        "limit": evidence.and_then(|evidence| evidence.limit.as_ref()).map(limit),
        "lastIterations": last.map(|(record, change)| verdict(record, *change)).collect::<Vec<_>>(),
        "nothingNew": evidence.and_then(|evidence| evidence.nothing_new).map(stagnation_json),
        "message": evidence.and_then(|evidence| evidence.message),
        "failedChecks": checks.map(|check| failed_check(check)).collect::<Vec<_>>(),
        "failedHook": hook.and_then(|hook| hook.failure.as_ref()),
        "stepsComplete": history.state.complete_steps(),
        "steps": history.state.steps_on_path().len(),
        "openTasks": tasks.collect::<Vec<_>>(),
        "remedy": reason::remedy(&history.state).map(|remedy| remedy.what),
    })
}

fn limit(limit: &CrossedLimit) -> Value {
    let CrossedLimit { option, value, .. } = limit;
    json!({ "option": option, "value": value, "sentence": why::crossed(limit) })
}

fn verdict(record: &IterationRecord, change: IterationTreeChange) -> Value {
    let (change, same_as) = match change {
        IterationTreeChange::Unknown => (None, None),
        IterationTreeChange::New => (Some("new"), None),
        IterationTreeChange::None => (Some("none"), None),
        IterationTreeChange::BackTo(iteration) => (Some("back"), Some(iteration)),
    };
    json!({
        "iteration": record.unit.iteration,
        "attempt": record.unit.attempt,
        "verdict": record.verdict(),
        "reason": iterations::reason_of(record),
        "tree": record.report.observation.tree.as_ref().map(|tree| &tree.0),
        "change": change,
        "sameAs": same_as,
    })
}

fn stagnation_json(last: StagnationEvidence) -> Value {
    let milliseconds = u64::try_from(last.duration.as_millis()).unwrap_or(u64::MAX);
    json!({
        "iterations": last.iterations,
        "durationMs": milliseconds,
        "cost": dollars(last.spend),
    })
}

fn failed_check(check: &CheckReport) -> Value {
    json!({
        "name": check.name,
        "outcome": check.outcome.as_str(),
        "message": check.message,
        "tail": check.tail,
    })
}

#[expect(clippy::cast_precision_loss, reason = "no run costs so much that it matters")]
fn dollars(spend: Spend) -> Option<f64> {
    let is_known = !spend.is_zero() && spend.cost() != Cost::Unknown;
    is_known.then(|| spend.dollars.nanos() as f64 / 1e9)
}
