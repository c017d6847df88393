//! `forkhestra events -f` during a run, with either process interrupted or killed.

use std::fs;
use std::process::Stdio;

use rustix::process::Signal;

use crate::killing::kill_both;
use crate::support::{GuardedRun, ProcessProject, kill};

/// Prints its iteration, waits at the gate, and completes in the third iteration.
const WAITING_AGENT: &str = r#"
    echo "begun $n"
    read go < "$PLACE/gate"
    [ "$FORKHESTRA_ITERATION" -lt 3 ] || echo FORKHESTRA_COMPLETE
"#;

/// A run whose agent has started.
fn start_waiting_agent(project: &ProcessProject) -> GuardedRun<'_> {
    project.gate("gate");
    let run = project.start(&["./agent:9"]);
    run.output().wait_for("begun 1.1\n");
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

fn journal(project: &ProcessProject) -> String {
    let journal = project.run_directory().join("journal.jsonl");
    fs::read_to_string(journal).expect("there is a journal")
}

#[test]
fn events_come_as_they_happen_until_the_run_is_over() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let follower = project.start(&["events", "-f"]);
    let later = project.start(&["events", "-f", "--since", "6"]);
    follower.output().wait_for("\"event\":\"agent_started\"");
    assert!(!follower.output().text().contains("iteration_finished"));
    release_agents(&project, &run, 1..=1);
    follower.output().wait_for("\"event\":\"iteration_finished\"");
    release_agents(&project, &run, 2..=3);
    let (shown, rest) = (follower.ended(), later.ended());
    assert_eq!(run.ended().code, Some(0));
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""), "{shown}");
    let journal = journal(&project);
    assert_eq!(shown.stdout, journal);
    let last = shown.stdout.lines().last().unwrap_or_default();
    assert!(last.contains("\"end\":{\"kind\":\"complete\"}"), "{shown}");
    assert_eq!(rest.stdout, journal.split_inclusive('\n').skip(6).collect::<String>());
}

#[test]
fn a_stopped_follower_does_not_slow_the_run_and_misses_nothing() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let follower = project.start(&["events", "-f"]);
    follower.output().wait_for("\"event\":\"agent_started\"");
    follower.signal(Signal::STOP);
    release_agents(&project, &run, 1..=3);
    assert_eq!(run.ended().code, Some(0));
    follower.signal(Signal::CONT);
    let shown = follower.ended();
    assert_eq!((shown.code, shown.stdout), (Some(0), journal(&project)));
}

#[test]
fn a_killed_run_is_reported_as_interrupted() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let follower = project.start(&["events", "-f"]);
    follower.output().wait_for("\"event\":\"agent_started\"");
    kill_both(&run);
    let shown = follower.ended();
    let id = project.run_id();
    assert_eq!(shown.code, Some(0), "{shown}");
    assert_eq!(
        shown.stderr,
        format!(
            "warning: run {id} was cut off: no process works on it any more\n\
             hint: to resume: forkhestra resume {id}\n"
        )
    );
    drop(run);
    // A follower that starts at the last number gets only new events.
    let seen = shown.stdout.lines().count().to_string();
    project.agent("agent", "echo FORKHESTRA_COMPLETE");
    assert_eq!(project.resume_as_printed(&shown).code, Some(0));
    let rest = project.run(&["events", "-f", "--since", &seen]);
    assert_eq!(format!("{}{}", shown.stdout, rest.stdout), journal(&project));
}

#[test]
fn a_closed_pipe_ends_following_without_new_events() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    let mut command = project.command(&["events", "-f", "--since", "1000"]);
    command.stdout(Stdio::from(writer)).stderr(Stdio::piped());
    let follower = GuardedRun::start(&project, command);
    drop(reader);
    let shown = follower.ended();
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(141), ""), "{shown}");
    // A killed follower does not affect the run, either.
    let mut killed = project.start(&["events", "-f"]);
    killed.output().wait_for("\"event\":\"agent_started\"");
    kill(killed.guard(), Signal::KILL);
    assert_eq!(killed.wait(), None);
    release_agents(&project, &run, 1..=3);
    assert_eq!(run.ended().code, Some(0));
}
