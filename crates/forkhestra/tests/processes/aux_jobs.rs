//! Signals and kills while a check or a hook runs: no process is left, and an agent whose work is
//! being checked is not started again.

use rustix::process::Signal;

use crate::support::{ProcessProject, eventually, kill};

/// Completes at once.
const DONE: &str = "echo FORKHESTRA_COMPLETE; exit 0";

/// Hangs the first time, with a child and a daemon that ignore signals, and passes afterwards.
const BLOCKED_AGENT: &str = r#"
    if [ -e "$PLACE/stuck" ]; then echo again >> "$PLACE/checked"; exit 0; fi
    (setsid sh -c 'trap "" TERM INT HUP; : > "$PLACE/deaf"; while :; do sleep 1000; done' &)
    until [ -e "$PLACE/deaf" ]; do sleep 0.01; done
    trap 'echo INT >> "$PLACE/got"; exit 1' INT
    : > "$PLACE/stuck"
    while :; do sleep 0.01; done
"#;

fn project_with_slow_job() -> ProcessProject {
    let project = ProcessProject::with_agent(DONE);
    project.agent("errand", BLOCKED_AGENT);
    project
}

/// Asserts that the agent ran once and that the step is complete.
#[track_caller]
fn assert_resumes(project: &ProcessProject, output: &testkit::CommandOutput) {
    let resumed = project.resume_as_printed(output);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    let agents = project.started().iter().filter(|entry| *entry == "1.1").count();
    // The aux job records its start like agents do: it was started twice, and the agent once.
    assert_eq!(agents, 3, "{:?}", project.started());
    let spawned = project.events().iter().filter(|event| event["event"] == "agent_started").count();
    assert_eq!(spawned, 1, "the agent was started again");
}

#[test]
fn after_an_interrupt_in_a_check_only_the_check_runs_again() {
    let project = project_with_slow_job();
    let run = project.start(&["./agent:3", "--check", "./errand"]);
    project.wait_for("stuck");
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    assert!(project.processes().is_empty(), "{:?}", project.processes());
    assert_resumes(&project, &output);
}

#[test]
fn after_a_kill_in_a_check_nothing_is_left_and_only_the_check_runs_again() {
    let project = project_with_slow_job();
    let run = project.start(&["./agent:3", "--check", "./errand"]);
    project.wait_for("stuck");
    kill(run.runner(), Signal::KILL);
    let output = run.ended();
    assert_eq!(output.code, Some(137), "{output}");
    assert!(project.processes().is_empty(), "{:?}", project.processes());
    assert_resumes(&project, &output);
}

#[test]
fn an_interrupt_in_a_hook_ends_it_and_the_run_can_be_resumed() {
    let project = project_with_slow_job();
    let run = project.start(&["./agent:3", "--hook", "pre-iteration:./errand"]);
    project.wait_for("stuck");
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    assert!(project.processes().is_empty(), "{:?}", project.processes());
    let resumed = project.resume_as_printed(&output);
    assert_eq!(resumed.code, Some(0), "{resumed}");
}

#[test]
fn a_second_signal_kills_a_check_that_ignores_signals() {
    let project = ProcessProject::with_agent(DONE);
    project.agent(
        "errand",
        r#"trap "" INT TERM HUP; : > "$PLACE/stuck"; while :; do sleep 0.01; done"#,
    );
    let run = project.start(&["./agent:3", "--check", "./errand"]);
    project.wait_for("stuck");
    run.signal(Signal::INT);
    eventually("the first signal was received", || {
        project.events().iter().any(|event| event["event"] == "cancelled").then_some(())
    });
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    assert!(project.processes().is_empty(), "{:?}", project.processes());
}

#[test]
fn a_hook_runs_when_a_run_is_interrupted() {
    let project = ProcessProject::with_agent(r#"echo "agent $$"; while :; do sleep 0.01; done"#);
    let hook = r#"on-interrupt:echo $RALPH_STATUS > "$PLACE/told""#;
    let run = project.start(&["./agent:3", "--hook", hook]);
    run.agent();
    run.signal(Signal::TERM);
    let output = run.ended();
    assert_eq!(output.code, Some(143), "{output}");
    assert_eq!(
        std::fs::read_to_string(project.place("told")).ok().as_deref(),
        Some("interrupted\n")
    );
}
