//! The view of a run in `.agent-state/` during the run and after a kill.

use rustix::process::Signal;
use serde_json::Value;

use crate::killing::kill_both;
use crate::support::{ProcessProject, eventually, kill};

/// Prints its process id and waits; the second time it completes.
const WAITER: &str = r#"
    if [ -e "$PLACE/up" ]; then echo FORKHESTRA_COMPLETE; exit 0; fi
    : > "$PLACE/up"
    echo "agent $$"
    while :; do sleep 1000; done
"#;

/// The current view of the only run; none before it exists.
fn chain(world: &ProcessProject) -> Option<Value> {
    // Before that the run has no id either.
    if !world.project().join(".agent-state").exists() {
        return None;
    }
    let file = format!(".agent-state/chain-{}.json", world.run_id());
    let text = std::fs::read_to_string(world.project().join(file)).ok()?;
    Some(serde_json::from_str(&text).expect("it is whole at any time"))
}

#[test]
fn a_view_names_the_active_process() {
    let world = ProcessProject::with_agent(WAITER);
    let run = world.start(&["./agent:3"]);
    let agent = run.agent();
    let seen = eventually("the view names the agent", || {
        chain(&world).filter(|chain| chain["running"]["pid"] == agent.0.as_raw_nonzero().get())
    });
    assert_eq!((&seen["status"], &seen["running"]["iteration"]), (&"running".into(), &1.into()));
    assert!(seen.get("completedAt").is_none());
    run.signal(Signal::INT);
    assert_eq!(run.ended().code, Some(130));
    let seen = chain(&world).expect("there is a view");
    assert_eq!((&seen["status"], &seen["reason"]), (&"interrupted".into(), &"interrupt".into()));
    assert!(seen.get("running").is_none());
}

#[test]
fn the_view_of_a_killed_runner_is_marked_as_interrupted() {
    let world = ProcessProject::with_agent(WAITER);
    let run = world.start(&["./agent:3"]);
    run.agent();
    kill(run.runner(), Signal::KILL);
    let said = run.ended();
    assert_eq!(said.code, Some(137), "{said}");
    let seen = chain(&world).expect("the guard has written it");
    assert_eq!(seen["status"], "interrupted");
    let file = format!(".agent-state/summary-{}.md", world.run_id());
    let summary = std::fs::read_to_string(world.project().join(file)).expect("it is there");
    assert!(summary.contains("**Cut off: 0 of 1 steps; the run was killed**"), "{summary}");
    assert_eq!(world.resume_as_printed(&said).code, Some(0));
    assert_eq!(chain(&world).expect("there is a view")["status"], "complete");
}

#[test]
fn an_unfinished_view_is_completed_by_the_resume() {
    let world = ProcessProject::with_agent(WAITER);
    let run = world.start(&["./agent:3"]);
    run.agent();
    eventually("there is a view", || chain(&world));
    kill_both(&run);
    drop(run);
    assert_eq!(chain(&world).expect("there is a view")["status"], "running");
    assert_eq!(world.run(&["resume"]).code, Some(0));
    let seen = chain(&world).expect("there is a view");
    assert_eq!((&seen["status"], &seen["resumed"]), (&"complete".into(), &1.into()));
}

/// Puts a pipe in place of a file of the view, so that opening it blocks.
const BLOCKER: &str = r#"
    mkdir -p .agent-state
    [ -e "$PLACE/enough" ] || mkfifo ".agent-state/.chain-$FORKHESTRA_RUN_IDS.json.new"
    echo "agent $$"
    until [ -e "$PLACE/enough" ]; do sleep 0.01; done
"#;

#[test]
fn a_view_that_cannot_be_written_holds_neither_a_run_nor_its_guard() {
    let world = ProcessProject::with_agent(BLOCKER);
    let run = world.start(&["./agent"]);
    run.agent();
    kill(run.runner(), Signal::KILL);
    let said = run.ended();
    assert_eq!(said.code, Some(137), "{said}");
    std::fs::write(world.place("enough"), "").expect("there is room");
    let said = world.run(&["resume"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert!(said.stderr.contains("not up to date: writing it takes too long"), "{said}");
    assert!(world.run(&["runs", "--json"]).stdout.contains("complete"));
}
