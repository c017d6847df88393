//! Signals that end a run, and its outcome.

use rustix::process::Signal;
use testkit::CommandOutput;

use crate::support::{GuardedRun, ProcessProject, eventually, kill};

/// Completes in its third iteration; in its second it waits for a signal and records it.
const WAITING_SECOND_AGENT: &str = r#"
    for signal in INT TERM HUP; do trap "echo $signal >> '$PLACE/got'; exit 0" $signal; done
    if [ "$n" = 1.2 ] && [ ! -e "$PLACE/waited" ]; then
        : > "$PLACE/waited"
        echo "agent $$"
        while :; do sleep 0.01; done
    fi
    [ "$n" = 1.3 ] && echo FORKHESTRA_COMPLETE
    exit 0
"#;

/// The outcome of every run of that agent.
const OUTCOME: [&str; 5] = [
    r#"1.1 "incomplete""#,
    r#"1.2 "incomplete""#,
    r#"1.3 "complete""#,
    r#"step 1 "marker""#,
    r#"run "complete""#,
];

/// Ends a run in its second iteration, and asserts that the resumed run has the usual outcome.
#[track_caller]
fn interrupted_and_resumed(signal: Signal, code: i32, name: &str) {
    let project = ProcessProject::with_agent(WAITING_SECOND_AGENT);
    let run = project.start(&["./agent:5"]);
    run.agent();
    run.signal(signal);
    let output = run.ended();
    assert_eq!(output.code, Some(code), "{output}");
    assert_eq!(std::fs::read_to_string(project.place("got")).ok(), Some(format!("{name}\n")));
    let last = format!("[forkhestra] Chain interrupted (0/1 steps): SIG{name}\n");
    assert!(output.stdout.ends_with(&last), "{output}");
    assert_resumes(&project, &output);
}

#[track_caller]
fn assert_resumes(project: &ProcessProject, output: &CommandOutput) {
    let exact = format!("[forkhestra] To resume: forkhestra resume {}\n", project.run_id());
    assert!(output.stdout.contains(&exact), "{output}");
    let resumed = project.resume_as_printed(output);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert_eq!(project.started(), ["1.1", "1.2", "1.2", "1.3"]);
    assert_eq!(project.outcome(), OUTCOME);
}

#[test]
fn interrupt_reaches_the_agent_and_the_run_can_be_resumed() {
    interrupted_and_resumed(Signal::INT, 130, "INT");
}

#[test]
fn terminate_reaches_the_agent_and_the_run_can_be_resumed() {
    interrupted_and_resumed(Signal::TERM, 143, "TERM");
}

#[test]
fn hangup_reaches_the_agent_and_the_run_can_be_resumed() {
    interrupted_and_resumed(Signal::HUP, 129, "HUP");
}

#[test]
fn a_signal_to_the_runner_works_like_one_to_the_guard() {
    let project = ProcessProject::with_agent(WAITING_SECOND_AGENT);
    let run = project.start(&["./agent:5"]);
    run.agent();
    kill(run.runner(), Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    assert_resumes(&project, &output);
}

/// Like `pkill`, or a service manager that stops a service.
#[test]
fn a_signal_to_both_processes_keeps_the_grace_period_of_the_agent() {
    let project = ProcessProject::with_agent(
        r#"
        trap 'echo asked; read go < "$PLACE/gate"; : > "$PLACE/ended well"; exit 0' TERM
        trap '' HUP
        echo "agent $$"
        while :; do sleep 0.01; done
        "#,
    );
    project.gate("gate");
    let run = project.start(&["./agent:5"]);
    run.agent();
    kill(run.runner(), Signal::TERM);
    run.signal(Signal::TERM);
    run.output().wait_for("asked");
    eventually("the guard has received the signal", || {
        (!run.guard().has_pending_signals()).then_some(())
    });
    // The runner gets this signal after all others, and it shortens no grace period.
    run.signal(Signal::HUP);
    let requests = || -> Vec<_> {
        let events = project.events().into_iter().filter(|event| event["event"] == "cancelled");
        events.map(|event| event["by"].clone()).collect()
    };
    eventually("the runner has received the hangup", || {
        requests().contains(&"hangup".into()).then_some(())
    });
    assert_eq!(requests(), ["terminate", "hangup"]);
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(143), "{output}");
    assert!(project.place("ended well").exists());
}

#[test]
fn a_second_interrupt_kills_an_agent_that_ignores_signals() {
    let project = ProcessProject::with_agent(
        r#"trap '' INT TERM HUP; echo "agent $$"; while :; do sleep 1000; done"#,
    );
    let run = project.start(&["./agent:5", "--timeout", "1h"]);
    let agent = run.agent();
    run.signal(Signal::INT);
    run.output().wait_for("Interrupted (SIGINT)");
    assert!(!agent.is_gone());
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    // The agent was not abandoned: its end is in the journal.
    let events = project.events();
    let finished = events.iter().find(|event| event["event"] == "iteration_finished");
    assert_eq!(finished.map(|event| &event["end"]["signal"]), Some(&9.into()), "{events:#?}");
}

#[test]
fn an_agent_that_exits_with_success_when_it_is_interrupted_has_not_succeeded() {
    for chain in ["./agent", "./agent:3"] {
        let project = ProcessProject::with_agent(
            r#"
            if [ ! -e "$PLACE/waited" ]; then
                trap 'echo FORKHESTRA_COMPLETE; exit 0' INT
                : > "$PLACE/waited"
                echo "agent $$"
                while :; do sleep 0.01; done
            fi
            echo FORKHESTRA_COMPLETE
            "#,
        );
        let run = project.start(&[chain]);
        run.agent();
        run.signal(Signal::INT);
        let output = run.ended();
        assert_eq!(output.code, Some(130), "{output}");
        let resumed = project.resume_as_printed(&output);
        assert_eq!(resumed.code, Some(0), "{resumed}");
        assert_eq!(project.started(), ["1.1", "1.1"]);
    }
}

/// An agent that waits at a gate.
const WAITING_AGENT: &str = r#"echo "agent $$"; read go < "$PLACE/gate"; echo FORKHESTRA_COMPLETE"#;

#[track_caller]
fn started_ignoring<'w>(project: &'w ProcessProject, signal: &str) -> GuardedRun<'w> {
    let ignored = format!("--ignore-signal={signal}");
    let mut command = project.command_with(&["--default-signal", &ignored], &["./agent:2"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    GuardedRun::start(project, command)
}

#[test]
fn a_hangup_that_was_ignored_at_the_start_stays_ignored() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    let run = started_ignoring(&project, "HUP");
    run.agent();
    kill(run.runner(), Signal::HUP);
    run.signal(Signal::HUP);
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!output.stdout.contains("Interrupted"), "{output}");
}

#[test]
fn an_interrupt_that_was_ignored_at_the_start_stays_ignored() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    let run = started_ignoring(&project, "INT");
    run.agent();
    run.signal(Signal::INT);
    // The effect of the first signal would be visible before this one.
    run.signal(Signal::TERM);
    let output = run.ended();
    assert_eq!(output.code, Some(143), "{output}");
    assert!(!output.stdout.contains("SIGINT"), "{output}");
    assert!(output.stdout.contains("SIGTERM"), "{output}");
}

#[test]
fn a_stopped_agent_is_ended_by_the_idle_timeout() {
    let project = ProcessProject::with_agent(
        r#"
        [ "$n" = 1.2 ] && echo FORKHESTRA_COMPLETE && exit 0
        echo "agent $$"
        while :; do sleep 1000; done
        "#,
    );
    let run = project.start(&["./agent:3", "--idle-timeout", "3s"]);
    kill(run.agent(), Signal::STOP);
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        output.stdout.contains("Iteration 1/3 stopped by forkhestra: no output for 3s"),
        "{output}"
    );
}

#[test]
fn a_stopped_agent_is_interrupted() {
    let project = ProcessProject::with_agent(WAITING_SECOND_AGENT);
    let run = project.start(&["./agent:5"]);
    let agent = run.agent();
    kill(agent, Signal::STOP);
    eventually("it is stopped", || agent.is_stopped().then_some(()));
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    assert_eq!(std::fs::read_to_string(project.place("got")).ok().as_deref(), Some("INT\n"));
    assert_resumes(&project, &output);
}

#[test]
fn a_signal_between_two_iterations_prevents_the_next_one() {
    let project = ProcessProject::with_agent("exit 1");
    let run = project.start(&["./agent:5"]);
    // The wait grows with every crash.
    run.output().wait_for("failed 2 times");
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    assert_eq!(project.started(), ["1.1", "1.2"]);
}
