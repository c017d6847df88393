//! Runs with lanes that are interrupted or killed.

use rustix::process::Signal;

use super::laned_project::LanedProject;
use crate::killing::kill_both;

/// All but the first agent wait until a file is there.
const COMMITS: &str = r#"
if [ "$n" != 1.1 ] && [ ! -e "$PLACE/go" ]; then read _ < "$PLACE/hold"; fi
echo "$n" > "file-$n"; git add --all; git commit --quiet --message "$n"
"#;

/// Two agents are at work. What ends them, the resumed run pays for no finished iteration again.
#[test]
fn an_interrupted_run_goes_on_in_its_lanes() {
    let laned = LanedProject::new(COMMITS);
    laned.project.gate("hold");
    let run = laned.project.start(&["./agent:4 x2"]);
    // One lane finishes an iteration and begins another one.
    run.output().wait_for("Landed: lane");
    laned.wait_for_agents(3);
    run.signal(Signal::INT);
    let output = run.ended();
    assert_eq!(output.code, Some(130), "{output}");
    laned.has_everything();
    std::fs::write(laned.project.place("go"), "").expect("the directory is ours");
    let resumed = laned.project.resume_as_printed(&output);
    assert_eq!(resumed.code, Some(1), "{resumed}");
    // One was finished; two were interrupted, and are tried again.
    let mut started = laned.project.started();
    started.sort();
    assert_eq!(started, ["1.1", "1.2", "1.2", "1.3", "1.3", "1.4"]);
    for number in 1..=4 {
        assert_eq!(laned.read(&format!("file-1.{number}")), format!("1.{number}\n"));
    }
    laned.has_everything();
    assert_eq!(laned.lanes(), Vec::<String>::new(), "{resumed}");
}

#[test]
fn a_killed_run_goes_on_in_its_lanes() {
    let laned = LanedProject::new(COMMITS);
    laned.project.gate("hold");
    let run = laned.project.start(&["./agent:3 x2"]);
    run.output().wait_for("Landed: lane");
    kill_both(&run);
    laned.project.wait_until_empty();
    std::fs::write(laned.project.place("go"), "").expect("the directory is ours");
    let run = laned.project.run_id();
    let resumed = laned.project.run(&["resume", &run]);
    assert_eq!(resumed.code, Some(1), "{resumed}");
    for number in 1..=3 {
        assert_eq!(laned.read(&format!("file-1.{number}")), format!("1.{number}\n"));
    }
    laned.has_everything();
    assert_eq!(laned.lanes(), Vec::<String>::new(), "{resumed}");
}
