//! Plain programs that print the JSON result of Claude Code.

use serde_json::json;

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

/// A JSON result of Claude Code without any line before it.
fn result(text: &str, is_error: bool) -> ScriptedStream {
    ScriptedStream::default().ends(&json!({
        "subtype": "success", "is_error": is_error, "num_turns": 4, "result": text,
        "total_cost_usd": 0.25,
    }))
}

/// A project with a program that prints a line, then the stream of its iteration.
fn with_json_program(streams: &[ScriptedStream]) -> AgentProject {
    let world = AgentProject::new(streams);
    let script = "echo Starting; n=$FORKHESTRA_ITERATION; \
                  if [ -e \"$PLACE/stream.$n\" ]; then cat \"$PLACE/stream.$n\"; fi";
    world.env.agent("reporter", script);
    world
}

#[test]
fn the_cost_and_the_marker_of_a_json_result_count_and_its_bytes_pass_untouched() {
    let streams = [result("Not yet.", false), result("All done.\nFORKHESTRA_COMPLETE", false)];
    let world = with_json_program(&streams);
    let said = world.run(&["reporter:5"]);
    assert_eq!(said.code, Some(0), "{said}");
    let finished = world.all("iteration_finished");
    assert_eq!(finished.len(), 2, "{said}");
    assert_eq!(finished[0]["spend"]["nanodollars"], 250_000_000, "{}", finished[0]);
    assert_eq!(finished[0]["spend"]["input"], 1000, "{}", finished[0]);
    assert_eq!(finished[0]["heard"]["outcome"]["class"], "finished", "{}", finished[0]);
    assert_eq!(finished[1]["verdict"]["kind"], "complete", "{}", finished[1]);
    assert!(said.stdout.contains("$0.50"), "{said}");
    for stream in streams {
        assert!(said.stdout.contains(&format!("Starting\n{}", stream.text())), "{said}");
    }
}

#[test]
fn a_pretty_printed_result_counts_as_well() {
    let world = with_json_program(&[]);
    let value: serde_json::Value =
        serde_json::from_str(&result("All done.\nFORKHESTRA_COMPLETE", false).text())
            .expect("JSON");
    let pretty = serde_json::to_string_pretty(&value).expect("JSON");
    world.put("stream.1", &pretty);
    let said = world.run(&["reporter:5"]);
    assert_eq!(said.code, Some(0), "{said}");
    let finished = world.all("iteration_finished");
    assert_eq!(finished[0]["spend"]["nanodollars"], 250_000_000, "{}", finished[0]);
    assert_eq!(finished[0]["verdict"]["kind"], "complete", "{}", finished[0]);
    assert!(said.stdout.contains(&format!("Starting\n{pretty}")), "{said}");
}

#[test]
fn a_marker_in_a_result_that_failed_does_not_count() {
    let world = with_json_program(&[result("FORKHESTRA_COMPLETE", true)]);
    let said = world.run(&["reporter:1"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert_eq!(world.all("step_finished")[0]["reason"], "max_iterations", "{said}");
}

#[test]
fn the_cost_in_a_json_result_counts_towards_the_limit() {
    let world =
        with_json_program(&[result("One.", false), result("Two.", false), result("Three.", false)]);
    let said = world.run(&["reporter:5", "--max-cost", "0.40"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert_eq!(world.all("step_finished")[0]["reason"], "run_cost", "{said}");
    assert_eq!(world.all("iteration_finished").len(), 2, "{said}");
}
