//! Tests of whole runs with agents in lanes, which are plain directories here.

use std::fs;

use rustix::process::Signal;

use crate::support::{PlannedRun, kill, pid, until};

/// The shared directory of all lanes is the parent of each.
const MEET: &str =
    "touch ../here-$FORKHESTRA_LANE; until [ $(ls .. | grep -c here-) = 4 ]; do sleep 0.02; done; ";

fn chain(lanes: u32, iterations: u32, more: &str) -> String {
    format!(
        r#""steps": [{{"agent": "worker", "iterations": {iterations}, "lanes": {lanes}{more}}}]"#
    )
}

#[test]
fn agents_in_lanes_run_at_the_same_time_each_in_its_directory() {
    // None of them ends before all of them run.
    let mut run = PlannedRun::chain(&format!("{MEET}pwd > where; "), &chain(4, 4, ""));
    let (lines, _) = run.end();
    let directory = run.path().canonicalize().expect("it exists");
    for lane in 1..=4 {
        let place = directory.join("lanes").join(lane.to_string());
        assert_eq!(run.text(&format!("lanes/{lane}/where")).trim(), place.to_string_lossy());
        assert_eq!(run.text(&format!("lanes/{lane}/agents")), "work\n", "{lines:#?}");
    }
    assert_eq!(run.text("agents"), "", "no agent works in the work tree of the user");
    assert_eq!(run.processes(), []);
}

#[test]
fn an_agent_that_kills_its_keeper_does_not_disturb_other_lanes() {
    let agent = format!(
        "{MEET}if [ $FORKHESTRA_LANE = 2 ] && mkdir ../killed; then kill -KILL $PPID; sleep 100; fi; "
    );
    let mut run = PlannedRun::chain(&agent, &chain(4, 4, ""));
    let (lines, _) = run.end();
    for lane in [1, 3, 4] {
        assert!(run.text(&format!("lanes/{lane}/agents")).starts_with("work\n"), "{lines:#?}");
    }
    assert!(run.path().join("lanes/killed").is_dir());
    assert_eq!(run.processes(), []);
}

#[test]
fn checks_run_on_merged_work_and_hooks_in_the_work_tree_of_the_user() {
    let check = r#", "checks": [{"name": "here", "check": "command:pwd > checked-here"}]"#;
    let hook = r#""hooks": {"post-iteration": ["echo $(pwd) $FORKHESTRA_WORK_DIR >> hooks"]}, "#;
    let mut run = PlannedRun::chain(MEET, &format!("{hook}{}", chain(4, 4, check)));
    let (lines, _) = run.end();
    let directory = run.path().canonicalize().expect("it exists");
    let queue = directory.join("queue");
    let checked = run.text("queue/checked-here");
    assert_eq!(checked.trim(), queue.to_string_lossy(), "{lines:#?}");
    for lane in 1..=4 {
        let place = directory.join("lanes").join(lane.to_string());
        let place = place.to_string_lossy();
        let hook = format!("{} {place}\n", directory.display());
        assert!(run.text("hooks").contains(&hook), "{hook}: {}", run.text("hooks"));
    }
}

#[test]
fn the_set_up_of_a_lane_runs_in_it() {
    let lane = r#", "lane": {"setup": "pwd > set-up"}"#;
    let mut run = PlannedRun::chain(MEET, &chain(4, 4, lane));
    let (lines, _) = run.end();
    let directory = run.path().canonicalize().expect("it exists");
    for lane in 1..=4 {
        let place = directory.join("lanes").join(lane.to_string());
        let text = run.text(&format!("lanes/{lane}/set-up"));
        assert_eq!(text.trim(), place.to_string_lossy(), "{lines:#?}");
    }
}

#[test]
fn lanes_that_print_without_end_need_little_memory() {
    let mut run = PlannedRun::chain("yes $(seq 30) & yes; ", &chain(8, 8, ""));
    let most = 16 << 20;
    until("much was printed", || {
        fs::metadata(run.path().join("screen")).is_ok_and(|screen| screen.len() > most)
    });
    let peak = run.peak_memory();
    kill(run.guard, Signal::TERM);
    let (lines, _) = run.end();
    assert!(peak < 48 * 1024, "{peak} KiB: {lines:#?}");
    assert_eq!(run.processes(), []);
}

#[test]
fn a_killed_runner_leaves_nothing_in_any_lane() {
    let daemon = "setsid sh -c 'setsid sleep 100 &' ; echo $$ > ready; sleep 100; ";
    let mut run = PlannedRun::chain(daemon, &chain(4, 4, ""));
    for lane in 1..=4 {
        pid(run.file(&format!("lanes/{lane}/ready"))[0].trim());
    }
    kill(run.runner, Signal::KILL);
    run.end();
    assert_eq!(run.processes(), []);
}
