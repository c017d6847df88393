//! All processes of an agent end with it.

use std::fs::File;

use rustix::process::Signal;

use crate::support::{ProcessProject, eventually};

#[test]
fn background_children_do_not_outlive_their_agent() {
    let project =
        ProcessProject::with_agent("sleep 1000 & echo \"background $!\"; echo FORKHESTRA_COMPLETE");
    let run = project.start(&["./agent:3"]);
    let background = run.process("background");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert!(background.is_gone());
    assert_eq!(project.outcome(), ["1.1 \"complete\"", "step 1 \"marker\"", "run \"complete\""]);
}

#[test]
fn a_daemon_that_forked_twice_and_opened_a_session_is_ended() {
    let project = ProcessProject::with_agent(
        r#"
        (setsid sh -c 'echo "daemon $$"; : > "$PLACE/up"; exec sleep 1000' &)
        until [ -e "$PLACE/up" ]; do sleep 0.01; done
        "#,
    );
    let run = project.start(&["./agent"]);
    let daemon = run.process("daemon");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert!(daemon.is_gone());
}

#[test]
fn a_daemon_without_our_environment_is_ended() {
    let project = ProcessProject::with_agent(
        r#"
        (cd / && env -i setsid sh -c 'echo "daemon $$"; : > "$0"; exec tail -f "$0"' "$PLACE/up" &)
        until [ -e "$PLACE/up" ]; do sleep 0.01; done
        "#,
    );
    let run = project.start(&["./agent"]);
    let daemon = run.process("daemon");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert!(daemon.is_gone());
}

#[test]
fn a_daemon_that_keeps_writing_and_ignores_signals_cannot_hold_the_run() {
    let project = ProcessProject::with_agent(
        r#"
        (setsid sh -c '
            trap "" TERM INT HUP
            echo "daemon $$"
            : > "$PLACE/up"
            while :; do echo noise; echo noise >&2; sleep 0.02; done
        ' &)
        until [ -e "$PLACE/up" ]; do sleep 0.01; done
        echo FORKHESTRA_COMPLETE
        "#,
    );
    let run = project.start(&["./agent:3"]);
    let daemon = run.process("daemon");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert!(daemon.is_gone());
    assert_eq!(project.started(), ["1.1"]);
}

#[test]
fn an_agent_that_ignores_every_request_is_killed_after_its_grace() {
    let project = ProcessProject::with_agent(
        r#"trap '' TERM INT HUP; echo "agent $$"; while :; do sleep 1000; done"#,
    );
    let run = project.start(&["./agent:3"]);
    let agent = run.agent();
    run.signal(Signal::TERM);
    let output = run.ended();
    assert_eq!(output.code, Some(143), "{output}");
    assert!(agent.is_gone());
    project.agent("agent", "echo FORKHESTRA_COMPLETE");
    assert_eq!(project.resume_as_printed(&output).code, Some(0));
}

#[test]
fn an_unrelated_process_with_the_pipe_of_an_agent_cannot_hold_the_run() {
    let project = ProcessProject::with_agent(
        r#"echo "agent $$"; read go < "$PLACE/gate"; echo last; echo FORKHESTRA_COMPLETE"#,
    );
    project.gate("gate");
    let run = project.start(&["./agent:3"]);
    let agent = run.agent();
    // This test is not a descendant of the run, so the run cannot close this file.
    let open = |fd: u8| File::options().write(true).open(format!("/proc/{}/fd/{fd}", agent.0));
    let pipes = [1, 2].map(|fd| open(fd).expect("the agent has its pipes"));
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("\nlast\nFORKHESTRA_COMPLETE\n"), "{output}");
    drop(pipes);
}

#[test]
fn processes_that_keep_forking_while_they_are_ended_are_ended() {
    let project = ProcessProject::with_agent(
        r#"
        storm() {
            trap '' TERM INT
            i=0
            while [ $i -lt 100 ]; do i=$((i + 1)); (sleep 1000 &); done
            sleep 1000
        }
        storm & storm & storm &
        echo "agent $$"
        while :; do sleep 1000; done
        "#,
    );
    let run = project.start(&["./agent:3"]);
    run.agent();
    eventually("there are many", || (project.processes().len() > 30).then_some(()));
    run.signal(Signal::INT);
    run.output().wait_for("Interrupted");
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
}

#[test]
fn orphans_of_an_agent_are_reaped_while_it_works() {
    let project = ProcessProject::with_agent(
        r#"
        (sh -c 'echo "stranger $$"; exit 7' &)
        echo "agent $$"
        read go < "$PLACE/gate"
        exit 3
        "#,
    );
    project.gate("gate");
    let run = project.start(&["./agent"]);
    let stranger = run.process("stranger");
    eventually("the orphan is reaped", || stranger.state().is_none().then_some(()));
    assert_eq!(run.runner().children(), [run.agent()]);
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("exit 3"), "{output}");
}
