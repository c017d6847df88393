//! The report as JSON.

use std::time::Duration;

use forkhestra_core::cost::Dollars;
use forkhestra_core::what_if::{EarlierEnd, EndPosition, LimitSavings};
use serde_json::{Value, json};
use typeset::text::escaped_json;

use super::suggestions::{self, SuggestionReport};
use super::what_if_report::{LeftOutRuns, LimitResult, SimulatedRun, WhatIfReport, effect_word};

/// Version of the JSON format.
const FORMAT: u32 = 1;

/// The report for programs.
pub(crate) fn json(report: &WhatIfReport) -> String {
    let rules: Vec<Value> = report.rules.iter().map(|rule| rule_json(rule, &report.runs)).collect();
    printed(&json!({
        "version": FORMAT,
        "runs": report.runs.len(),
        "done": report.done(),
        "leftOut": left_out(&report.left_out),
        "rules": rules,
    }))
}

/// The suggestions for programs.
pub(crate) fn suggestions_json(report: &SuggestionReport) -> String {
    let suggestions = report.suggestions.iter().map(|suggestion| {
        json!({
            "limit": format!("--{}", suggestion.option),
            "option": suggestions::option(suggestion),
            "limits": suggestion.value,
            "runs": suggestion.runs,
            "incompatible": suggestion.incompatible,
        })
    });
    let suggestions: Vec<Value> = suggestions.collect();
    printed(&json!({
        "version": FORMAT,
        "runs": report.judged,
        "done": report.done,
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

fn rule_json(rule: &LimitResult, runs: &[SimulatedRun]) -> Value {
    let summary = &rule.summary;
    let earlier = rule.earlier.iter().map(|(index, end)| earlier_json(&runs[*index], end));
    json!({
        "options": rule.limits.command_options(),
        "limits": rule.limits,
        "allTogether": rule.is_all,
        "endedEarlier": summary.ended,
        "cutOff": summary.cut_off,
        "harmed": summary.harmed,
        "goneOn": summary.beyond,
        "unknown": summary.unknown,
        "saved": saved_json(&summary.saved, runs.iter().any(|run| run.has_cost)),
        "earlier": earlier.collect::<Vec<Value>>(),
    })
}

fn earlier_json(run: &SimulatedRun, end: &EarlierEnd) -> Value {
    let is_during = matches!(end.position, EndPosition::During(_));
    json!({
        "run": run.id,
        "chain": run.chain,
        "ends": effect_word(&end.effect),
        "reason": end.effect.as_str(),
        "step": end.step,
        "agent": run.agents.get(end.step - 1),
        "iteration": end.position.iteration(),
        "duringIteration": is_during,
        "elapsedMs": milliseconds(end.elapsed),
        "cost": run.has_cost.then(|| dollars(end.spend.dollars)),
        "saved": saved_json(&end.saved, run.has_cost),
        "laterIterations": end.later_iterations,
        "gotDone": end.got_done,
    })
}

fn saved_json(saved: &LimitSavings, has_cost: bool) -> Value {
    json!({
        "cost": has_cost.then(|| dollars(saved.money)),
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
