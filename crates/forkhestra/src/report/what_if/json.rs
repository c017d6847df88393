//! The report as JSON.

use std::time::Duration;

use forkhestra_core::cost::{Cost, Dollars};
use forkhestra_core::what_if::{EarlierEnd, EndPosition, LimitSavings};
use serde_json::{Value, json};
use typeset::text::escaped_json;

use super::suggestions::{self, SuggestionReport};
use super::what_if_report::{LeftOutRuns, LimitResult, SimulatedRun, WhatIfReport, ended_part};

/// Version of the JSON format.
const FORMAT: u32 = 1;

/// The report for programs.
pub(crate) fn json(report: &WhatIfReport) -> String {
    let results = report.results.iter().map(|result| result_json(result, &report.runs));
    let results: Vec<Value> = results.collect();
    printed(&json!({
        "version": FORMAT,
        "runs": report.runs.len(),
        "completed": report.completed(),
        "leftOut": left_out(&report.left_out),
        "results": results,
    }))
}

/// The suggestions for programs.
pub(crate) fn suggestions_json(report: &SuggestionReport) -> String {
    let suggestions = report.suggestions.iter().map(|suggestion| {
        json!({
            "option": format!("--{}", suggestion.option),
            "argument": suggestions::argument(suggestion),
            "limits": suggestion.value,
            "runs": suggestion.runs,
            "endedByAnyValue": suggestion.ended_by_any_value,
        })
    });
    let suggestions: Vec<Value> = suggestions.collect();
    printed(&json!({
        "version": FORMAT,
        "runs": report.ended,
        "completed": report.completed,
        "leftOut": left_out(&report.left_out),
        "suggestions": suggestions,
    }))
}

fn printed(object: &Value) -> String {
    escaped_json(&format!("{object:#}\n")).into_owned()
}

fn left_out(runs: &LeftOutRuns) -> Value {
    json!({ "active": runs.active, "replays": runs.replays, "unreadable": runs.unreadable })
}

fn result_json(result: &LimitResult, runs: &[SimulatedRun]) -> Value {
    let summary = &result.summary;
    let earlier = result.earlier.iter().map(|(index, end)| earlier_json(&runs[*index], end));
    json!({
        "options": result.limits.command_options(),
        "limits": result.limits,
        "allTogether": result.is_all,
        "endedEarlier": summary.ended,
        "stepEnded": summary.step_ended,
        "iterationEnded": summary.iteration_ended,
        "harmed": summary.harmed,
        "continued": summary.continued,
        "notSimulated": summary.not_simulated,
        "saved": saved_json(&summary.saved, runs.iter().any(|run| run.has_cost)),
        "earlier": earlier.collect::<Vec<Value>>(),
    })
}

fn earlier_json(run: &SimulatedRun, end: &EarlierEnd) -> Value {
    let is_during = matches!(end.position, EndPosition::During(_));
    json!({
        "run": run.id,
        "chain": run.chain,
        "endedPart": ended_part(&end.effect),
        "reason": end.effect.as_str(),
        "step": end.step,
        "agent": run.agents.get(end.step - 1),
        "iteration": end.position.iteration(),
        "duringIteration": is_during,
        "elapsedMs": milliseconds(end.elapsed),
        "cost": Some(end.spend).filter(|spend| run.has_cost && spend.cost() != Cost::Unknown).map(|spend| dollars(spend.dollars)),
        "saved": saved_json(&end.saved, run.has_cost),
        "laterIterations": end.later_iterations,
        "completed": end.completed,
    })
}

fn saved_json(saved: &LimitSavings, has_cost: bool) -> Value {
    json!({
        "cost": (has_cost && saved.is_money_known()).then(|| dollars(saved.money)),
        "atLeast": saved.at_least,
        "durationMs": milliseconds(saved.time),
    })
}

#[expect(clippy::cast_precision_loss, reason = "an amount is far below 2^52 billionths")]
fn dollars(amount: Dollars) -> f64 {
    amount.nanos() as f64 / 1e9
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
