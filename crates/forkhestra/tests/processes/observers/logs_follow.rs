//! `forkhestra logs -f` during a run, with either process interrupted or killed.

use std::process::Stdio;

use rustix::process::Signal;

use crate::killing::kill_both;
use crate::support::{GuardedRun, ProcessProject, PseudoTerminal, eventually, kill};

/// Prints its iteration on both streams, waits at the gate, and completes in the third iteration.
const WAITING_AGENT: &str = r#"
    echo "begun $n"
    echo "complaint $n" >&2
    read go < "$PLACE/gate"
    echo "ended $n"
    [ "$FORKHESTRA_ITERATION" -lt 3 ] || echo FORKHESTRA_COMPLETE
"#;

/// A run whose agent has printed its first lines.
fn start_waiting_agent(project: &ProcessProject) -> GuardedRun<'_> {
    project.gate("gate");
    let run = project.start(&["./agent:9"]);
    run.output().wait_for("begun 1.1\n");
    run.stderr.as_ref().expect("it is read").wait_for("complaint 1.1\n");
    run
}

/// Releases the agents of the next iterations.
fn release_agents(
    project: &ProcessProject,
    run: &GuardedRun<'_>,
    iterations: std::ops::RangeInclusive<u32>,
) {
    for iteration in iterations {
        run.output().wait_for(&format!("begun 1.{iteration}\n"));
        project.open_gate("gate");
    }
}

#[test]
fn output_is_shown_as_it_arrives_until_the_run_ends() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let follower = project.start(&["logs", "-f"]);
    follower.output().wait_for("[forkhestra] ./agent, iteration 1/9\nbegun 1.1\n");
    follower.stderr.as_ref().expect("it is read").wait_for("complaint 1.1\n");
    project.open_gate("gate");
    follower.output().wait_for("ended 1.1\n[forkhestra] ./agent, iteration 2/9\nbegun 1.2\n");
    release_agents(&project, &run, 2..=3);
    let shown = follower.ended();
    assert_eq!(run.ended().code, Some(0));
    assert_eq!(shown.code, Some(0), "{shown}");
    assert_eq!(
        shown.stdout,
        "[forkhestra] ./agent, iteration 1/9\nbegun 1.1\nended 1.1\n\
         [forkhestra] ./agent, iteration 2/9\nbegun 1.2\nended 1.2\n\
         [forkhestra] ./agent, iteration 3/9\nbegun 1.3\nended 1.3\nFORKHESTRA_COMPLETE\n"
    );
    assert_eq!(shown.stderr, "complaint 1.1\ncomplaint 1.2\ncomplaint 1.3\n");
}

#[test]
fn several_followers_do_not_affect_the_run() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let followers = [&["logs", "-f", "--raw"][..], &["logs", "-f", "-n", "0"]];
    let mut followers = followers.map(|args| project.start(args));
    followers[0].output().wait_for("begun 1.1\n");
    followers[1].output().wait_for("[forkhestra] ./agent, iteration 1/9\n");
    release_agents(&project, &run, 1..=1);
    followers.iter().for_each(|follower| follower.output().wait_for("begun 1.2\n"));
    // One follower is interrupted and one is killed.
    followers[0].signal(Signal::INT);
    assert_eq!(followers[0].wait(), None);
    kill(followers[1].guard(), Signal::KILL);
    assert_eq!(followers[1].wait(), None);
    release_agents(&project, &run, 2..=3);
    assert_eq!(run.ended().code, Some(0));
    assert_eq!(project.started(), ["1.1", "1.2", "1.3"]);
    let text = followers[1].output().text();
    assert!(!text.contains("begun 1.1"), "{text}");
}

#[test]
fn following_ends_with_the_selected_iteration() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    // The second iteration has not started yet.
    let follower = project.start(&["logs", "-f", "--iteration", "2", "--raw"]);
    release_agents(&project, &run, 1..=2);
    // The run continues meanwhile.
    let shown = follower.ended();
    assert_eq!((shown.code, shown.stdout.as_str()), (Some(0), "begun 1.2\nended 1.2\n"), "{shown}");
    release_agents(&project, &run, 3..=3);
    assert_eq!(run.ended().code, Some(0));
}

#[test]
fn an_iteration_that_never_started_is_reported_at_the_end() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let follower = project.start(&["logs", "-f", "--iteration", "5"]);
    release_agents(&project, &run, 1..=3);
    let shown = follower.ended();
    assert_eq!(run.ended().code, Some(0));
    let expected = "error: there is no iteration 5\nhint: step 1 (./agent) has iterations 1 to 3\n";
    assert_eq!((shown.code, shown.stdout.as_str()), (Some(2), ""), "{shown}");
    assert_eq!(shown.stderr, expected);
}

#[test]
fn a_killed_run_is_reported_as_interrupted() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let follower = project.start(&["logs", "--follow"]);
    follower.output().wait_for("begun 1.1\n");
    kill_both(&run);
    let shown = follower.ended();
    assert_eq!(shown.code, Some(0), "{shown}");
    assert_eq!(shown.stdout, "[forkhestra] ./agent, iteration 1/9\nbegun 1.1\n");
    let id = project.run_id();
    assert_eq!(
        shown.stderr,
        format!(
            "complaint 1.1\nwarning: run {id} was cut off: no process works on it any more\n\
             hint: to resume: forkhestra resume {id}\n"
        )
    );
    drop(run);
    project.agent("agent", "echo once more; echo FORKHESTRA_COMPLETE");
    assert_eq!(project.resume_as_printed(&shown).code, Some(0));
    let both = project.run(&["logs", "--iteration", "1"]);
    assert_eq!(
        both.stdout,
        "[forkhestra] ./agent, iteration 1/9\nbegun 1.1\n\
         [forkhestra] ./agent, iteration 1/9 (attempt 2)\nonce more\nFORKHESTRA_COMPLETE\n"
    );
}

#[test]
fn following_a_killed_runner_ends_after_its_guard_cleaned_up() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let follower = project.start(&["logs", "-f"]);
    follower.output().wait_for("begun 1.1\n");
    kill(run.runner(), Signal::KILL);
    let shown = follower.ended();
    assert_eq!(shown.code, Some(0), "{shown}");
    assert!(shown.stderr.contains("was cut off"), "{shown}");
    assert_eq!(run.ended().code, Some(137));
    project.agent("agent", "echo FORKHESTRA_COMPLETE");
    assert_eq!(project.resume_as_printed(&shown).code, Some(0));
}

#[test]
fn following_ends_with_an_interrupted_run() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let follower = project.start(&["logs", "-f"]);
    follower.output().wait_for("begun 1.1\n");
    run.signal(Signal::INT);
    assert_eq!(run.ended().code, Some(130));
    let shown = follower.ended();
    assert_eq!(shown.code, Some(0), "{shown}");
    assert!(!shown.stderr.contains("warning"), "{shown}");
}

#[test]
fn a_closed_pipe_ends_following_without_new_output() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    let mut command = project.command(&["logs", "-f", "-n", "0", "--raw"]);
    command.stdout(Stdio::from(writer)).stderr(Stdio::piped());
    let follower = GuardedRun::start(&project, command);
    drop(reader);
    let shown = follower.ended();
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(141), ""), "{shown}");
    release_agents(&project, &run, 1..=3);
    assert_eq!(run.ended().code, Some(0));
}

#[test]
fn control_c_ends_following_quietly_and_nothing_else() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let mut terminal = PseudoTerminal::open();
    let mut command = project.command_in_environment("/usr/bin/env");
    command.args(["--default-signal", "setsid", "--ctty", crate::FORKHESTRA, "logs", "-f"]);
    command.env("TERM", "xterm").env("NO_COLOR", "1");
    command.stdin(terminal.stdio()).stdout(terminal.stdio()).stderr(terminal.stdio());
    let mut follower = GuardedRun::start_watched(&project, command, terminal.screen());
    terminal.hand_over();
    follower.output().wait_for("complaint 1.1\n");
    terminal.press(PseudoTerminal::CONTROL_C);
    assert_eq!(follower.wait(), None);
    let text = follower.output().text();
    assert_eq!(text, "[forkhestra] ./agent, iteration 1/9\nbegun 1.1\ncomplaint 1.1\n");
    release_agents(&project, &run, 1..=3);
    assert_eq!(run.ended().code, Some(0));
}

/// Without `-f`, `logs` does not wait for an agent that prints faster than it is read.
#[test]
fn an_agent_that_prints_without_end_is_shown_up_to_now() {
    let project = ProcessProject::with_agent("echo up; exec yes line");
    let run = project.start(&["./agent", "--quiet"]);
    eventually("the agent is there", || (!project.started().is_empty()).then_some(()));
    eventually("something is kept", || {
        let log = project.run_directory().join("output/1-1-1/stdout");
        std::fs::metadata(log).is_ok_and(|data| data.len() > 100_000).then_some(())
    });
    let shown = project.run(&["logs"]);
    assert_eq!(shown.code, Some(0));
    assert!(shown.stdout.starts_with("[forkhestra] ./agent\nup\nline\n"));
    run.signal(Signal::INT);
    assert_eq!(run.ended().code, Some(130));
}
