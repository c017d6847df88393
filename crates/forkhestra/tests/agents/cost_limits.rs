//! The cost of agents is counted once, also when they are killed, and kept within limits.

use serde_json::{Value, json};

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

/// An iteration whose stream reports a cost of half a dollar.
fn half_a_dollar() -> ScriptedStream {
    ScriptedStream::new().runs("make", "ok").model_message("Not yet.").succeeds(0.5)
}

fn nanodollars(event: &Value) -> u64 {
    event["spend"]["nanodollars"].as_u64().expect("it is known")
}

#[test]
fn a_run_ends_at_its_cost_limit() {
    let project = AgentProject::new(&[half_a_dollar()]);
    let output = project.run(&["worker:10", "--max-cost", "1.20"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.started(), ["1", "2", "3"]);
    assert_eq!(project.all("step_finished")[0]["reason"], "run_cost");
    assert!(output.stderr.contains("80 %"), "{output}");
    assert!(output.stdout.contains("$1.50"), "{output}");
    assert!(output.stdout.contains("--max-cost"), "{output}");
}

#[test]
fn a_resumed_run_continues_its_cost_count() {
    let project = AgentProject::new(&[half_a_dollar()]);
    let output = project.run(&["worker:10", "--max-cost", "0.90"]);
    assert_eq!(output.code, Some(1), "{output}");
    let output = project.run(&["resume", "--max-cost", "1.90"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.started(), ["1", "2", "3", "4"]);
    assert!(output.stdout.contains("$2.00"), "{output}");
}

#[test]
fn the_remaining_budget_is_passed_to_the_agent() {
    let project = AgentProject::new(&[half_a_dollar()]);
    let output = project.run(&["worker:2", "--max-cost", "1.20"]);
    assert_eq!(output.code, Some(1), "{output}");
    for (iteration, budget) in [(1, "1.2"), (2, "0.7")] {
        let args = project.got(&format!("args.{iteration}"));
        let given = args.lines().skip_while(|arg| !arg.starts_with("--max-budget-usd"));
        let given: Vec<&str> = given.take(2).collect();
        let joined = given.join("=");
        assert!(joined.contains(budget), "iteration {iteration}: {joined}");
    }
}

#[test]
fn the_known_cost_of_a_killed_iteration_counts() {
    let at_work = ScriptedStream::new().runs("make", "ok").model_message("Still at it.");
    let project = AgentProject::new(&[at_work]).hangs(1);
    let mut run = project.start(&["worker:5"]);
    testkit::eventually("something is spent", || {
        let spent = std::panic::catch_unwind(|| project.all("spent")).unwrap_or_default();
        (spent.len() == 2).then_some(())
    });
    let spent = nanodollars(project.all("spent").last().expect("there is one"));
    assert!(spent > 0, "the price of the model is known");
    run.kill();
    drop(run);

    project.put("stream.1", &half_a_dollar().text());
    std::fs::remove_file(project.place("hangs.1")).expect("it was there");
    let output = project.run(&["resume", "--max-cost", "0.4"]);
    assert_eq!(output.code, Some(1), "{output}");
    let shown = project.run(&["show", "-v", "--json"]).success();
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert!(shown.to_string().contains("cost"), "{shown}");
    let finished = project.all("iteration_finished");
    let total: u64 = finished.iter().map(nanodollars).sum();
    assert_eq!(total, spent + 500_000_000, "{finished:?}");
}

#[test]
fn summary_and_run_list_report_the_same_cost_for_a_resumed_run() {
    // The agent is killed before it reports its cost.
    let project = AgentProject::new(&[ScriptedStream::new()]).hangs(1);
    let mut run = project.start(&["worker:5"]);
    run.wait_for("Iteration 1");
    testkit::eventually("the agent is at work", || (!project.started().is_empty()).then_some(()));
    run.kill();
    drop(run);

    let done = ScriptedStream::new()
        .runs("make", "ok")
        .model_message("FORKHESTRA_COMPLETE")
        .succeeds(0.25);
    project.put("stream.1", &done.text());
    std::fs::remove_file(project.place("hangs.1")).expect("it was there");
    let output = project.run(&["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
    let listed = project.run(&["runs"]).success();
    assert!(listed.contains("≥$0.2500"), "{listed}");
    let spent = output.stdout.lines().find(|line| line.contains("Spent: "));
    assert!(spent.is_some_and(|line| line.ends_with("at least $0.2500")), "{output}");
}

/// A project whose stand-in reports a model without a known price.
fn with_unpriced_claude_model(config: &str) -> AgentProject {
    let at_work = ScriptedStream::new().runs("make", "ok").model_message("Still at it.").text();
    let project = AgentProject::with_config(config, &[]);
    project.put("stream.last", &at_work.replace("claude-sonnet-5-5", "some-model-of-tomorrow"));
    project
}

#[test]
fn a_model_without_a_price_has_an_unknown_cost() {
    let config = r#"{ "agents": { "worker": { "systemPromptText": "" } }, "chains": {} }"#;
    let project = with_unpriced_claude_model(config);
    let output = project.run(&["worker:1"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(project.run(&["runs"]).success().contains("unknown"), "{output}");
    assert!(output.stdout.contains("unknown"), "{output}");
    assert!(!output.stdout.contains("$0.00"), "{output}");

    let project = with_unpriced_claude_model(config);
    let output = project.run(&["worker:1", "--max-cost", "5"]);
    assert_eq!(project.all("step_finished")[0]["reason"], "cost_unknown", "{output}");
}

#[test]
fn a_price_can_be_configured() {
    let project = with_unpriced_claude_model(
        r#"{
            "agents": { "worker": { "systemPromptText": "" } },
            "prices": { "some-model-of-tomorrow": { "input": 10, "output": 100 } },
            "chains": {}
        }"#,
    );
    let output = project.run(&["worker:1", "--max-cost", "5"]);
    assert_eq!(project.all("step_finished")[0]["reason"], "max_iterations", "{output}");
    let spent = nanodollars(project.all("spent").last().expect("there is one"));
    assert_eq!(spent, 2 * (1000 * 10_000 + 50 * 100_000), "in billionths");
}

#[test]
fn a_price_added_later_applies_to_a_resumed_run() {
    let without = r#"{ "agents": { "worker": { "systemPromptText": "" } }, "chains": {} }"#;
    let project = with_unpriced_claude_model(without);
    let output = project.run(&["worker:1"]);
    assert_eq!(
        project.all("spent").last().expect("there is one")["spend"]["unpriced"],
        true,
        "{output}"
    );
    let with = r#"{
        "agents": { "worker": { "systemPromptText": "" } },
        "prices": { "some-model-of-tomorrow": { "input": 10, "output": 100 } },
        "chains": {}
    }"#;
    project.env.write("forge/orch/chains.json", with);
    let output = project.run(&["resume", "--max-iterations", "2"]);
    let spent = nanodollars(project.all("spent").last().expect("there is one"));
    assert_eq!(spent, 2 * (1000 * 10_000 + 50 * 100_000), "{output}");

    // Without a readable config, the prices of the plan still apply.
    project.env.write("forge/orch/chains.json", "{");
    let output = project.run(&["resume", "--max-iterations", "3"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.started(), ["1", "2", "3"], "{output}");
}

/// A project whose Gemini CLI reports, only in its stream, a model without a price.
fn with_unpriced_gemini_model() -> AgentProject {
    let project = AgentProject::with_config(&gemini_config(""), &[]);
    let used =
        r#"{"total_tokens":1100,"input_tokens":1000,"output_tokens":100,"cached":0,"input":1000}"#;
    let stream = [
        r#"{"type":"init","session_id":"s","model":"x-1"}"#.to_owned(),
        r#"{"type":"message","role":"assistant","content":"Not yet.","delta":true}"#.to_owned(),
        format!(r#"{{"type":"result","status":"success","stats":{{"models":{{"x-1":{used}}}}}}}"#),
    ];
    project.put("gemini", &stream.map(|line| line + "\n").concat());
    project.env.agent("gemini", r#"cat "$PLACE/gemini""#);
    project
}

fn gemini_config(more: &str) -> String {
    let agent = r#""agents": { "worker": { "systemPromptText": "", "backend": "gemini" } }"#;
    format!(r#"{{ {agent}, {more} "chains": {{}} }}"#)
}

#[test]
fn a_run_with_unknown_cost_resumes_by_its_remedy() {
    let project = with_unpriced_gemini_model();
    let output = project.run(&["worker:3", "--max-cost", "5"]);
    assert_eq!(project.all("step_finished")[0]["reason"], "cost_unknown", "{output}");
    assert!(output.stdout.contains("to `prices` in the config, then resume"), "{output}");
    let prices = r#""prices": { "x-1": { "input": 10, "output": 100 } },"#;
    project.env.write("forge/orch/chains.json", gemini_config(prices));
    let output = project.run(&["resume"]);
    assert_eq!(project.all("step_finished")[1]["reason"], "max_iterations", "{output}");
    let spent = nanodollars(project.all("spent").last().expect("there is one"));
    assert_eq!(spent, 1000 * 10_000 + 100 * 100_000, "{output}");
}

#[test]
fn the_command_suggested_after_an_unknown_cost_works() {
    let project = with_unpriced_gemini_model();
    let output = project.run(&["worker:3", "--max-cost", "5"]);
    assert_eq!(project.all("step_finished")[0]["reason"], "cost_unknown", "{output}");
    let suggested =
        output.stdout.lines().find_map(|line| line.split_once("To resume: forkhestra "));
    let (_, suggested) = suggested.expect("there is a command");
    assert!(suggested.ends_with(" --max-cost off"), "{output}");
    let output = project.run(&suggested.split(' ').collect::<Vec<_>>());
    assert_eq!(project.all("step_finished")[1]["reason"], "max_iterations", "{output}");
    assert_eq!(project.all("iteration_finished").len(), 3, "{output}");
}

#[test]
fn show_dates_the_built_in_prices() {
    let project = AgentProject::with_config(
        r#"{
            "agents": { "worker": { "systemPromptText": "", "backend": "codex", "model": "gpt-5" } },
            "chains": {}
        }"#,
        &[],
    );
    let used = r#"{"type":"turn.completed","usage":{"input_tokens":1000,"output_tokens":100}}"#;
    project.env.agent("codex", &format!("echo '{used}'"));
    let output = project.run(&["worker:1"]);
    let shown = project.run(&["show", "-v"]).success();
    assert!(shown.contains(" (list prices of 20"), "{shown}\n{output}");
    assert!(project.run(&["runs"]).success().contains('$'), "{output}");
}

#[test]
fn every_report_contains_the_cost_figures() {
    let project = AgentProject::new(&[
        half_a_dollar(),
        ScriptedStream::new()
            .runs("make", "ok")
            .model_message("FORKHESTRA_COMPLETE")
            .succeeds(0.25),
    ]);
    let output = project.run(&["worker:5"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("$0.7500"), "{output}");
    let log = project.env.read(".agent-state/iterations.jsonl");
    let first: Value = serde_json::from_str(log.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["cost"], json!(0.5), "{first}");
    assert!(first["tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{first}");
    assert!(project.run(&["runs"]).success().contains("$0.7500"));
    let shown = project.run(&["show", "-v"]).success();
    assert!(shown.contains("$0.5000") && shown.contains("$0.2500"), "{shown}");
}

/// Implausible values of a usage field, and how each is quoted in the warning.
const UNUSABLE: [(&str, &str, &str); 9] = [
    ("total_cost_usd", "-5", "total_cost_usd: -5"),
    ("total_cost_usd", "1e308", "total_cost_usd: 1e308"),
    ("total_cost_usd", "1e999", "total_cost_usd: 1e999"),
    ("total_cost_usd", "NaN", "total_cost_usd: \"NaN\""),
    ("total_cost_usd", "\"0.25\"", "total_cost_usd: \"0.25\""),
    ("total_cost_usd", "{\"usd\":1}", "total_cost_usd: {\"usd\":1}"),
    ("input_tokens", "-1000", "input_tokens: -1000"),
    ("input_tokens", "18446744073709551615", "input_tokens: 18446744073709551615"),
    ("output_tokens", "1e30", "output_tokens: 1e30"),
];

/// A result line of Claude Code with one field replaced.
fn result_with(field: &str, value: &str) -> String {
    let [cost, input, output] =
        [("total_cost_usd", "0.25"), ("input_tokens", "1000"), ("output_tokens", "50")].map(
            |(name, usual)| format!("\"{name}\":{}", if name == field { value } else { usual }),
        );
    format!(
        "{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":4,\
         \"session_id\":\"s\",\"terminal_reason\":\"completed\",\"result\":\"Not yet.\",\
         {cost},\"usage\":{{{input},{output}}}}}\n"
    )
}

#[test]
fn an_implausible_figure_is_a_warning_and_reaches_no_limit() {
    let says = ScriptedStream::new().model_message("Not yet.").text();
    let kinds = ["worker", "reporter"];
    for (field, value, shown) in UNUSABLE {
        for (name, limit) in kinds.iter().flat_map(|name| [(name, None), (name, Some("1000000"))]) {
            let project = AgentProject::new(&[]);
            let result = result_with(field, value);
            project.put("stream.last", &format!("{says}{result}")).put("result", &result);
            project.env.agent("reporter", r#"cat "$PLACE/result""#);
            let chain = format!("{name}:2");
            let mut args = vec![chain.as_str()];
            args.extend(limit.iter().flat_map(|limit| ["--max-cost", limit]));
            let output = project.run(&args);
            assert_eq!(output.code, Some(1), "{output}");
            let warning = format!(
                "agent {name} reported `{shown}`, which cannot be right; the cost of this iteration \
                 counts as unknown"
            );
            let iterations = if limit.is_some() { 1 } else { 2 };
            assert_eq!(project.all("iteration_finished").len(), iterations, "{output}");
            assert_eq!(output.stderr.matches(&warning).count(), iterations, "{output}");
            let warned = project.all("warning");
            let warned = warned.iter().filter(|event| event["message"] == warning);
            assert_eq!(warned.count(), iterations, "{output}");
            for finished in project.all("iteration_finished") {
                assert_eq!(finished["spend"]["unpriced"], true, "{finished}");
            }
            let reason = if limit.is_some() { "cost_unknown" } else { "max_iterations" };
            assert_eq!(project.all("step_finished")[0]["reason"], reason, "{output}");
            if limit.is_some() {
                let advice = "resume accepts that part as unknown, and keeps the limit";
                for text in [&output.stdout, &project.run(&["show"]).stdout] {
                    assert!(text.contains(advice) && !text.contains("max-cost off"), "{text}");
                }
            }
            let shown = project.run(&["runs"]).success();
            assert!(!shown.contains("184467"), "{shown}");
        }
    }
}
