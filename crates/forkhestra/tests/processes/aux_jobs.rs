//! Signals and kills while a check or a hook runs: no process is left, and an agent whose work is
//! being checked is not started again.

use rustix::process::Signal;

use crate::support::{ProcessProject, eventually, kill};

/// Completes at once.
const DONE: &str = "echo FORKHESTRA_COMPLETE; exit 0";

/// Hangs the first time, with a child and a daemon that ignore signals, and passes afterwards.
const STUCK: &str = r#"
    if [ -e "$PLACE/stuck" ]; then echo again >> "$PLACE/checked"; exit 0; fi
    (setsid sh -c 'trap "" TERM INT HUP; : > "$PLACE/deaf"; while :; do sleep 1000; done' &)
    until [ -e "$PLACE/deaf" ]; do sleep 0.01; done
    trap 'echo INT >> "$PLACE/got"; exit 1' INT
    : > "$PLACE/stuck"
    while :; do sleep 0.01; done
"#;

fn project_with_slow_job() -> ProcessProject {
    let world = ProcessProject::with_agent(DONE);
    world.agent("errand", STUCK);
    world
}

/// Asserts that the agent ran once and that the step is complete.
#[track_caller]
fn assert_resumes(world: &ProcessProject, said: &testkit::CommandOutput) {
    let resumed = world.resume_as_printed(said);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    let agents = world.started().iter().filter(|entry| *entry == "1.1").count();
    // The aux job records its start like agents do: it was started twice, and the agent once.
    assert_eq!(agents, 3, "{:?}", world.started());
    let spawned = world.events().iter().filter(|event| event["event"] == "agent_started").count();
    assert_eq!(spawned, 1, "the agent was started again");
}

#[test]
fn after_an_interrupt_in_a_check_only_the_check_runs_again() {
    let world = project_with_slow_job();
    let run = world.start(&["./agent:3", "--check", "./errand"]);
    world.wait_for("stuck");
    run.signal(Signal::INT);
    let said = run.ended();
    assert_eq!(said.code, Some(130), "{said}");
    assert!(world.processes().is_empty(), "{:?}", world.processes());
    assert_resumes(&world, &said);
}

#[test]
fn after_a_kill_in_a_check_nothing_is_left_and_only_the_check_runs_again() {
    let world = project_with_slow_job();
    let run = world.start(&["./agent:3", "--check", "./errand"]);
    world.wait_for("stuck");
    kill(run.runner(), Signal::KILL);
    let said = run.ended();
    assert_eq!(said.code, Some(137), "{said}");
    assert!(world.processes().is_empty(), "{:?}", world.processes());
    assert_resumes(&world, &said);
}

#[test]
fn an_interrupt_in_a_hook_ends_it_and_the_run_can_be_resumed() {
    let world = project_with_slow_job();
    let run = world.start(&["./agent:3", "--hook", "pre-iteration:./errand"]);
    world.wait_for("stuck");
    run.signal(Signal::INT);
    let said = run.ended();
    assert_eq!(said.code, Some(130), "{said}");
    assert!(world.processes().is_empty(), "{:?}", world.processes());
    let resumed = world.resume_as_printed(&said);
    assert_eq!(resumed.code, Some(0), "{resumed}");
}

#[test]
fn a_second_signal_kills_a_check_that_ignores_signals() {
    let world = ProcessProject::with_agent(DONE);
    world.agent(
        "errand",
        r#"trap "" INT TERM HUP; : > "$PLACE/stuck"; while :; do sleep 0.01; done"#,
    );
    let run = world.start(&["./agent:3", "--check", "./errand"]);
    world.wait_for("stuck");
    run.signal(Signal::INT);
    eventually("the first signal was received", || {
        world.events().iter().any(|event| event["event"] == "cancelled").then_some(())
    });
    run.signal(Signal::INT);
    let said = run.ended();
    assert_eq!(said.code, Some(130), "{said}");
    assert!(world.processes().is_empty(), "{:?}", world.processes());
}

#[test]
fn a_hook_runs_when_a_run_is_interrupted() {
    let world = ProcessProject::with_agent(r#"echo "agent $$"; while :; do sleep 0.01; done"#);
    let hook = r#"on-interrupt:echo $RALPH_STATUS > "$PLACE/told""#;
    let run = world.start(&["./agent:3", "--hook", hook]);
    run.agent();
    run.signal(Signal::TERM);
    let said = run.ended();
    assert_eq!(said.code, Some(143), "{said}");
    assert_eq!(std::fs::read_to_string(world.place("told")).ok().as_deref(), Some("interrupted\n"));
}
