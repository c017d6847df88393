//! Limits of turns, accounts and cost.

use std::time::{SystemTime, UNIX_EPOCH};

use forkhestra_core::time::Timestamp;
use rustix::process::Signal;
use serde_json::json;
use testkit::{AgentClient, ModelTurn, TokenUsage};

use super::for_each_agent;
use super::real_agent_project::RealAgentProject;

for_each_agent!(a_turn_limit_ends_an_iteration);

fn a_turn_limit_ends_an_iteration(agent: AgentClient) {
    let turns: Vec<ModelTurn> = (0..20)
        .map(|turn| ModelTurn::text("Again.").shell(agent, &format!("echo {turn} >> made.txt")))
        .collect();
    let Some(stage) = RealAgentProject::with(agent, &json!({ "maxTurns": 3 }), turns) else {
        return;
    };
    let output = stage.run(&["worker:1"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(stage.outcomes(), ["turn_limit"], "{output}");
    let asked = stage.server.main_requests().len();
    assert!((3..=5).contains(&asked), "{asked} requests: {output}");
}

/// A time some hours from now, in seconds since 1970, on a full minute.
fn later() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_secs();
    (now + 2 * 60 * 60) / 60 * 60
}

fn assert_waits_until(stage: &RealAgentProject, resets: u64) {
    let run = stage.start(&["worker:5"]);
    run.wait_for("waiting until");
    run.signal(Signal::INT);
    let (output, code) = run.ended();
    assert_eq!(code, Some(130), "{output}");
    assert_eq!(stage.outcomes(), ["usage_limit"], "{output}");
    let report = &stage.world.all("iteration_finished")[0];
    let reset = report["heard"]["outcome"]["resets"].as_str().unwrap_or_default();
    let reset = Timestamp::parse(reset).unwrap_or_else(|_| panic!("no reset: {report}"));
    let reset = reset.milliseconds();
    assert_eq!(u64::try_from(reset / 1000), Ok(resets), "{report}");
}

#[test]
fn claude_on_a_subscription_waits_for_its_reset() {
    let resets = later();
    let turn = ModelTurn::new()
        .status(429)
        .header("anthropic-ratelimit-unified-status", "rejected")
        .header("anthropic-ratelimit-unified-reset", resets.to_string())
        .header("anthropic-ratelimit-unified-representative-claim", "five_hour")
        .error(
            json!({ "type": "error", "error": { "type": "rate_limit_error", "message": "no" } }),
        );
    let Some(stage) = RealAgentProject::new(AgentClient::Claude, vec![turn]) else { return };
    let stage = stage.set("ANTHROPIC_API_KEY", "").set("CLAUDE_CODE_OAUTH_TOKEN", "dummy-token");
    assert_waits_until(&stage, resets);
}

#[test]
fn claude_on_a_subscription_tells_its_quota_and_waits_for_it() {
    let (resets, much_later) = (later(), later() + 90 * 60 * 60);
    let name = |suffix: &str| format!("anthropic-ratelimit-unified-{suffix}");
    let turn = ModelTurn::text("More is to be done.")
        .header(&name("status"), "allowed")
        .header(&name("representative-claim"), "five_hour")
        .header(&name("reset"), resets.to_string())
        .header(&name("5h-status"), "allowed")
        .header(&name("5h-utilization"), "0.62")
        .header(&name("5h-reset"), resets.to_string())
        .header(&name("7d-status"), "allowed")
        .header(&name("7d-utilization"), "0.41")
        .header(&name("7d-reset"), much_later.to_string());
    let Some(stage) = RealAgentProject::new(AgentClient::Claude, vec![turn]) else { return };
    let stage = stage.set("ANTHROPIC_API_KEY", "").set("CLAUDE_CODE_OAUTH_TOKEN", "dummy-token");
    let run = stage.start(&["worker:5", "--quota", "5h=50%,7d=even"]);
    run.wait_for("waiting until");
    run.signal(Signal::INT);
    let (output, code) = run.ended();
    assert_eq!(code, Some(130), "{output}");
    assert_eq!(stage.world.all("iteration_started").len(), 1, "{output}");
    let told: Vec<_> = stage.world.all("quota").into_iter().collect();
    let told: Vec<_> = told.iter().map(|quota| (&quota["window"], &quota["used"])).collect();
    assert_eq!(told, [(&json!("5h"), &json!(62)), (&json!("7d"), &json!(41))], "{output}");
    let waiting = &stage.world.all("waiting")[0];
    assert_eq!(waiting["why"], "quota", "{output}");
    let until = waiting["until"].as_str().and_then(|until| Timestamp::parse(until).ok());
    let until = until.map(|until| until.milliseconds() / 1000);
    assert_eq!(until.and_then(|until| u64::try_from(until).ok()), Some(resets), "{output}");
}

#[test]
fn codex_waits_for_its_reset_in_any_time_zone() {
    let resets = later();
    for zone in ["UTC", "America/New_York", "Asia/Kolkata"] {
        let error = json!({ "error": {
            "type": "usage_limit_reached", "message": "limit", "resets_at": resets,
        } });
        let turn = ModelTurn::new().status(429).error(error);
        let Some(stage) = RealAgentProject::new(AgentClient::Codex, vec![turn]) else { return };
        assert_waits_until(&stage.set("TZ", zone), resets);
    }
}

#[test]
fn claude_runs_only_with_the_chosen_billing() {
    let fields = json!({ "billing": "subscription" });
    let turn = ModelTurn::text("FORKHESTRA_COMPLETE");
    let Some(stage) = RealAgentProject::with(AgentClient::Claude, &fields, vec![turn]) else {
        return;
    };
    let output = stage.run(&["worker:5"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(stage.reason(), "billing", "{output}");
}

#[test]
fn the_cost_limit_holds_and_the_recorded_cost_is_exact() {
    let usage = TokenUsage { input: 1000, output: 50, cache_read: 4000, cache_write: 700 };
    let turns: Vec<ModelTurn> = (0..30)
        .map(|turn| {
            ModelTurn::text("Again.")
                .shell(AgentClient::Claude, &format!("echo {turn}"))
                .usage(usage)
        })
        .collect();
    let Some(stage) = RealAgentProject::new(AgentClient::Claude, turns) else { return };
    let output = stage.run(&["worker:5", "--max-cost", "0.02"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(stage.reason(), "run_cost", "{output}");
    assert_eq!(stage.world.all("iteration_started").len(), 1, "{output}");
    // Each request costs about half a cent, and one may be in flight.
    let asked = stage.server.main_requests().len();
    assert!((3..=7).contains(&asked), "{asked} requests: {output}");
}
