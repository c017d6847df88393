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
    let project = AgentProject::new(streams);
    let script = "echo Starting; n=$FORKHESTRA_ITERATION; \
                  if [ -e \"$PLACE/stream.$n\" ]; then cat \"$PLACE/stream.$n\"; fi";
    project.env.agent("reporter", script);
    project
}

#[test]
fn the_cost_and_the_marker_of_a_json_result_count_and_its_bytes_pass_untouched() {
    let streams = [result("Not yet.", false), result("All done.\nFORKHESTRA_COMPLETE", false)];
    let project = with_json_program(&streams);
    let output = project.run(&["reporter:5"]);
    assert_eq!(output.code, Some(0), "{output}");
    let finished = project.all("iteration_finished");
    assert_eq!(finished.len(), 2, "{output}");
    assert_eq!(finished[0]["spend"]["nanodollars"], 250_000_000, "{}", finished[0]);
    assert_eq!(finished[0]["spend"]["input"], 1000, "{}", finished[0]);
    assert_eq!(finished[0]["heard"]["outcome"]["class"], "finished", "{}", finished[0]);
    assert_eq!(finished[1]["verdict"]["kind"], "complete", "{}", finished[1]);
    assert!(output.stdout.contains("$0.50"), "{output}");
    for stream in streams {
        assert!(output.stdout.contains(&format!("Starting\n{}", stream.text())), "{output}");
    }
}

#[test]
fn a_pretty_printed_result_counts_as_well() {
    let project = with_json_program(&[]);
    let value: serde_json::Value =
        serde_json::from_str(&result("All done.\nFORKHESTRA_COMPLETE", false).text())
            .expect("JSON");
    let pretty = serde_json::to_string_pretty(&value).expect("JSON");
    project.put("stream.1", &pretty);
    let output = project.run(&["reporter:5"]);
    assert_eq!(output.code, Some(0), "{output}");
    let finished = project.all("iteration_finished");
    assert_eq!(finished[0]["spend"]["nanodollars"], 250_000_000, "{}", finished[0]);
    assert_eq!(finished[0]["verdict"]["kind"], "complete", "{}", finished[0]);
    assert!(output.stdout.contains(&format!("Starting\n{pretty}")), "{output}");
}

#[test]
fn a_marker_in_a_result_that_failed_does_not_count() {
    let project = with_json_program(&[result("FORKHESTRA_COMPLETE", true)]);
    let output = project.run(&["reporter:1"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.all("step_finished")[0]["reason"], "max_iterations", "{output}");
}

#[test]
fn the_cost_in_a_json_result_counts_towards_the_limit() {
    let project =
        with_json_program(&[result("One.", false), result("Two.", false), result("Three.", false)]);
    let output = project.run(&["reporter:5", "--max-cost", "0.40"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(project.all("step_finished")[0]["reason"], "run_cost", "{output}");
    assert_eq!(project.all("iteration_finished").len(), 2, "{output}");
}
