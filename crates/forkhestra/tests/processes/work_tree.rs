//! Agents that change the work tree, and the lock of the work tree.

use std::fs;
use std::process::Stdio;

use rustix::process::Signal;

use crate::killing::kill_both;
use crate::support::{GuardedRun, ProcessProject, eventually, kill};

pub(crate) fn make_repository(project: &ProcessProject) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"];
    for args in [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "-m", "Begin"]]
    {
        let done = project.command_in_environment("git").args(identity).args(args).status();
        assert!(done.is_ok_and(|status| status.success()), "git {args:?}");
    }
}

#[test]
fn an_agent_that_cleans_the_work_tree_does_not_hurt_the_run() {
    let project = ProcessProject::with_agent(
        r#"
        rm -rf .agent-state
        git clean -fdxq || exit 1
        [ "$n" = 1.3 ] && echo FORKHESTRA_COMPLETE
        exit 0
        "#,
    );
    make_repository(&project);
    fs::create_dir(project.project().join(".agent-state")).expect("the name is free");
    let output = project.run(&["./agent:5", "--stagnation", "10"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    assert_eq!(project.started(), ["1.1", "1.2", "1.3"]);
}

#[test]
fn a_run_that_is_interrupted_after_its_agent_removed_everything_can_be_resumed() {
    let project = ProcessProject::new();
    let agent = r#"
        if [ -e "$PLACE/up" ]; then echo FORKHESTRA_COMPLETE; exit 0; fi
        find . -mindepth 1 -delete
        : > "$PLACE/up"
        echo "agent $$"
        while :; do sleep 1000; done
    "#;
    project.agent("agent", agent);
    let run = project.start(&["./agent:3"]);
    run.agent();
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    project.agent("agent", agent);
    let resumed = project.resume_as_printed(&output);
    assert_eq!(resumed.code, Some(0), "{resumed}");
}

#[test]
fn a_second_run_in_the_same_work_tree_is_refused_with_the_owner() {
    let project = ProcessProject::with_agent(
        r#"echo "agent $$"; read go < "$PLACE/gate"; echo FORKHESTRA_COMPLETE"#,
    );
    project.gate("gate");
    let run = project.start(&["./agent:2"]);
    run.agent();
    for args in [&["./agent:2"][..], &["resume"]] {
        let second = project.run(args);
        assert_eq!((second.code, second.stdout.as_str()), (Some(2), ""), "{second}");
        for expected in [&project.run_id(), &format!("forkhestra stop {}", project.run_id())] {
            assert!(second.stderr.contains(expected), "{second}");
        }
    }
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(project.started(), ["1.1"]);
}

/// A run in a repository, with a git that hangs once there is a file `hang`.
fn start_with_hanging_git<'w>(project: &'w ProcessProject, chain: &str) -> GuardedRun<'w> {
    make_repository(project);
    let git = project.place("git");
    let script = r#"#!/bin/sh
        [ -e "$PLACE/hang" ] || PATH=/usr/local/bin:/usr/bin:/bin exec git "$@"
        : > "$PLACE/looking"
        while :; do sleep 1000; done
    "#;
    testkit::write_executable(&git, script);
    let place = git.parent().expect("it is below").display();
    let mut command = project.command(&[chain, "--stagnation", "2"]);
    command.env("PATH", format!("{place}:/usr/local/bin:/usr/bin:/bin"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    GuardedRun::start(project, command)
}

#[test]
fn a_run_interrupted_during_an_observation_ends_at_once() {
    for (already_hangs, outcome) in [(false, &[r#"1.1 "incomplete""#][..]), (true, &[])] {
        let project = ProcessProject::with_agent(r#": > "$PLACE/hang""#);
        if already_hangs {
            fs::write(project.place("hang"), "").expect("the file is ours");
        }
        let run = start_with_hanging_git(&project, "./agent:3");
        project.wait_for("looking");
        run.signal(Signal::INT);
        let output = run.ended();
        assert_eq!((output.code, output.stderr.as_str()), (Some(130), ""), "{output}");
        assert_eq!(project.outcome(), outcome, "{output}");
        assert!(!project.run_directory().join("scratch").exists());
    }
}

/// The outcome of an agent is on disk before the work tree is observed.
#[test]
fn a_run_killed_during_an_observation_starts_no_agent_again() {
    let looping = [r#"1.1 "incomplete""#, r#"1.2 "complete""#, r#"step 1 "marker""#];
    let once = [r#"1.1 "complete""#, r#"step 1 "exit_code""#];
    let ways: [fn(&GuardedRun<'_>); 3] =
        [|run| kill(run.runner(), Signal::KILL), |run| kill(run.guard(), Signal::KILL), kill_both];
    for (chain, started, outcome) in
        [("./agent:3", &["1.1", "1.2"][..], &looping[..]), ("./agent", &["1.1"], &once)]
    {
        for way in ways {
            let project = ProcessProject::with_agent(
                r#"
                [ "$n" = 1.1 ] && : > "$PLACE/hang"
                [ "$n" = 1.2 ] && echo FORKHESTRA_COMPLETE
                exit 0
                "#,
            );
            let mut run = start_with_hanging_git(&project, chain);
            project.wait_for("looking");
            let runner = run.runner();
            way(&run);
            run.wait();
            eventually("the runner is gone", || runner.is_gone().then_some(()));
            fs::remove_file(project.place("hang")).expect("the agent made it");
            // A runner that lost its guard may have completed the run without an observation.
            let resumed = project.run(&["resume", &project.run_id()]);
            assert_eq!(resumed.code, Some(0), "{resumed}");
            assert_eq!(project.started(), started, "{resumed}");
            let expected = [outcome, &[r#"run "complete""#]].concat();
            assert_eq!(project.outcome(), expected, "{resumed}");
        }
    }
}
