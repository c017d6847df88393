//! What completes a loop, and what does not.

use testkit::TestEnv;

use crate::project;
use crate::support::agents_at_work::{DONE, events, reason, run};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};

/// Whether a loop completes by the marker if its agent prints `output`. The agent exits with 0 in
/// both cases.
#[track_caller]
fn completes(output: &[u8], options: &[&str]) -> bool {
    let env = TestEnv::new();
    env.write("output", output).agent("a", "cat output");
    let ended = run(&env, &[&["a:1"], options].concat());
    match (ended.code, reason(&env).as_str()) {
        (Some(0), "marker") => true,
        (Some(1), "max_iterations") => false,
        _ => panic!("{ended}"),
    }
}

#[test]
fn each_of_the_usual_markers_counts() {
    for marker in [
        "FORKHESTRA_COMPLETE",
        "ORCHESTRA_COMPLETE",
        "<promise>COMPLETE</promise>",
        "RALPH_STATUS: COMPLETE",
    ] {
        assert!(completes(format!("working\n{marker}\n").as_bytes(), &[]), "{marker}");
    }
}

#[test]
fn a_marker_counts_with_markup_around_it() {
    let table: [&[u8]; 9] = [
        b"FORKHESTRA_COMPLETE",
        b"FORKHESTRA_COMPLETE\r\n",
        b"  **FORKHESTRA_COMPLETE**  \n",
        b"`FORKHESTRA_COMPLETE`\n",
        b"\x1b[1;32mFORKHESTRA_COMPLETE\x1b[0m\r\n",
        b"\0\0\nFORKHESTRA_COMPLETE\n\0",
        b"\xff\xfe\x80\nFORKHESTRA_COMPLETE\n\xc3\x28\n",
        b"done:\n```\nFORKHESTRA_COMPLETE\n```\n",
        b"FORKHESTRA_COMPLETE\nand a last word\n",
    ];
    for output in table {
        assert!(completes(output, &[]), "{}", output.escape_ascii());
    }
}

#[test]
fn a_marker_that_is_only_mentioned_does_not_count() {
    let table: [&[u8]; 7] = [
        b"I will print FORKHESTRA_COMPLETE when I am done.\n",
        b"FORKHESTRA_COMPLETE is what I print\n",
        b"\"FORKHESTRA_COMPLETE\"\n",
        b"```\nFORKHESTRA_COMPLETE\n```\nThat was an example.\n",
        b"```\necho hi\nFORKHESTRA_COMPLETE\n```\n",
        b"FORKHESTRA_COMPLETE\0\n",
        b"FORKHESTRA_COMPLETE\xff\n",
    ];
    for output in table {
        assert!(!completes(output, &[]), "{}", output.escape_ascii());
    }
}

#[test]
fn a_marker_behind_a_very_long_line_counts() {
    let long = [&vec![b'x'; 3_000_000][..], b"\nFORKHESTRA_COMPLETE\n"].concat();
    assert!(completes(&long, &["--quiet"]));
    let one_line = [&vec![b'x'; 3_000_000][..], b"FORKHESTRA_COMPLETE\n"].concat();
    assert!(!completes(&one_line, &["--quiet"]));
}

#[test]
fn a_marker_on_standard_error_does_not_count() {
    let env = TestEnv::new();
    env.agent("a", &format!("{DONE} >&2"));
    let output = run(&env, &["a:1"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), "FORKHESTRA_COMPLETE\n"));
    assert_eq!(reason(&env), "max_iterations");
}

/// The second half is written only after the first has been forwarded.
#[test]
fn a_marker_that_comes_in_two_writes_counts() {
    let env = TestEnv::new();
    env.agent("a", &format!("printf FORKHESTRA_\n{WAIT_FOR_GO}\necho COMPLETE"));
    let (shown, code) = RunInProgress::start(&env, &["a:1"], "FORKHESTRA_").release();
    assert_eq!((code, reason(&env).as_str()), (Some(0), "marker"), "{shown}");
}

#[test]
fn a_marker_counts_although_the_agent_fails_afterwards() {
    let env = TestEnv::new();
    env.agent("a", &format!("{DONE}; exit 3"));
    let output = run(&env, &["a:3"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(reason(&env), "marker");
    assert_eq!(events(&env, "iteration_finished")[0]["end"]["code"], 3);
}

#[test]
fn the_position_of_the_marker_is_recorded() {
    let env = TestEnv::new();
    env.agent("a", &format!("echo one; echo two; {DONE}"));
    assert_eq!(run(&env, &["a:3"]).code, Some(0));
    let by = &events(&env, "completion_requested")[0]["by"];
    assert_eq!(by["marker"], "FORKHESTRA_COMPLETE");
    assert_eq!((&by["line"], &by["offset"]), (&3.into(), &8.into()));
}

#[test]
fn a_marker_of_the_command_line_replaces_the_usual_ones() {
    assert!(completes(b"ALL DONE\n", &["--marker", "ALL DONE"]));
    assert!(!completes(b"FORKHESTRA_COMPLETE\n", &["--marker", "ALL DONE"]));
    assert!(!completes(b"It is ALL DONE\n", &["--marker", "ALL DONE"]));
    let both = ["--marker", "ALL DONE", "--marker", "FORKHESTRA_COMPLETE"];
    assert!(completes(b"FORKHESTRA_COMPLETE\n", &both));
}

#[test]
fn a_marker_may_be_a_regular_expression() {
    let marker = ["--marker", "/DONE after [0-9]+ tasks/"];
    assert!(completes(b"working\nDONE after 12 tasks\n", &marker));
    assert!(!completes(b"DONE after all tasks\n", &marker));
}

#[test]
fn the_markers_of_a_config_replace_the_usual_ones() {
    let env = project(
        r#"{ "chains": { "c": { "markers": ["SHIPPED"], "steps": [
          { "agent": "chain-says-so", "iterations": 2 },
          { "agent": "step-says-so", "iterations": 2, "markers": ["/v[0-9]+ is out/"] },
          { "agent": "usual", "iterations": 2 },
        ] } } }"#,
    );
    env.agent("chain-says-so", "echo SHIPPED").agent("step-says-so", "echo v2 is out");
    env.agent("usual", DONE);
    let output = run(&env, &["--chain", "c"]);
    assert_eq!(output.code, Some(1), "{output}");
    let reasons: Vec<_> =
        events(&env, "step_finished").iter().map(|e| e["reason"].clone()).collect();
    assert_eq!(reasons, ["marker", "marker", "max_iterations"]);
}

/// Whether a loop completes by its done file.
#[track_caller]
fn completes_by_file(env: &TestEnv, options: &[&str]) -> bool {
    let ended = run(env, &[&["a:3", "--done-file", "finished"], options].concat());
    match (ended.code, reason(env).as_str()) {
        (Some(0), "file") => true,
        (Some(1), "max_iterations") => false,
        _ => panic!("{ended}"),
    }
}

#[test]
fn a_done_file_that_appears_completes() {
    let env = TestEnv::new();
    env.agent("a", "[ $FORKHESTRA_ITERATION -lt 2 ] || touch finished");
    assert!(completes_by_file(&env, &[]));
    assert_eq!(events(&env, "iteration_started").len(), 2);
}

#[test]
fn a_done_file_that_was_there_before_does_not_complete() {
    let env = TestEnv::new();
    env.agent("a", "cat finished").write("finished", "an old one\n");
    assert!(!completes_by_file(&env, &[]));
}

#[test]
fn a_done_file_that_was_there_before_completes_when_it_changes() {
    let env = TestEnv::new();
    env.agent("a", "echo a new line >> finished").write("finished", "an old one\n");
    assert!(completes_by_file(&env, &[]));
}

#[test]
fn a_done_file_that_is_removed_does_not_complete_until_it_is_there_again() {
    let env = TestEnv::new();
    env.agent("a", "if [ -e finished ]; then rm finished; else echo again > finished; fi");
    env.write("finished", "an old one\n");
    assert!(completes_by_file(&env, &[]));
    assert_eq!(events(&env, "iteration_started").len(), 2);
}

#[test]
fn a_done_file_is_relative_to_the_working_directory_and_counts_whatever_the_exit_code() {
    let env = TestEnv::new();
    env.agent("a", "touch finished; exit 1").write("sub/keep", "");
    assert!(completes_by_file(&env, &["--cwd", "sub"]));
    assert!(env.has("sub/finished"));
}

/// The file of the first step does not complete the second.
#[test]
fn a_done_file_completes_only_the_step_in_which_it_appeared() {
    let env = TestEnv::new();
    env.agent("a", "touch finished").agent("b", "");
    let output = run(&env, &["a:3 -> b:2", "--done-file", "finished"]);
    assert_eq!(output.code, Some(1), "{output}");
    let reasons: Vec<_> =
        events(&env, "step_finished").iter().map(|e| e["reason"].clone()).collect();
    assert_eq!(reasons, ["file", "max_iterations"]);
}

/// The agent completed before it was ended, so the completion counts.
#[test]
fn an_agent_that_completed_but_did_not_exit_stays_complete_when_it_is_ended() {
    let env = TestEnv::new();
    env.agent("a", &format!("{DONE}; exec sleep 60"));
    let output = run(&env, &["a:1", "--timeout", "3s"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(events(&env, "agent_ending")[0]["why"], "timeout");
    assert_eq!(reason(&env), "marker");
}

/// An agent that repeats its input has not completed.
#[test]
fn an_agent_that_echoes_its_prompt_and_environment_is_not_done() {
    let env = TestEnv::new();
    env.agent("a", r#"printf '%s\n' "$@"; env"#);
    let prompt = "When all is done, print FORKHESTRA_COMPLETE on a line of its own.";
    let output = run(&env, &["a:2", "-p", prompt]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(reason(&env), "max_iterations");
}
