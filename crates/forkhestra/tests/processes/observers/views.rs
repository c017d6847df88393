//! The view of a run in `.agent-state/` during the run and after a kill.

use rustix::process::Signal;
use serde_json::Value;

use crate::killing::kill_both;
use crate::support::{ProcessProject, eventually, kill};

/// Prints its process id and waits; the second time it completes.
const WAITING_AGENT: &str = r#"
    if [ -e "$PLACE/up" ]; then echo FORKHESTRA_COMPLETE; exit 0; fi
    : > "$PLACE/up"
    echo "agent $$"
    while :; do sleep 1000; done
"#;

/// The current view of the only run; none before it exists.
fn chain(project: &ProcessProject) -> Option<Value> {
    // Before that the run has no id either.
    if !project.project().join(".agent-state").exists() {
        return None;
    }
    let file = format!(".agent-state/chain-{}.json", project.run_id());
    let text = std::fs::read_to_string(project.project().join(file)).ok()?;
    Some(serde_json::from_str(&text).expect("it is whole at any time"))
}

#[test]
fn a_view_names_the_active_process() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = project.start(&["./agent:3"]);
    let agent = run.agent();
    let seen = eventually("the view names the agent", || {
        chain(&project).filter(|chain| chain["running"]["pid"] == agent.0.as_raw_nonzero().get())
    });
    assert_eq!((&seen["status"], &seen["running"]["iteration"]), (&"running".into(), &1.into()));
    assert!(seen.get("completedAt").is_none());
    run.signal(Signal::INT);
    assert_eq!(run.ended().code, Some(130));
    let seen = chain(&project).expect("there is a view");
    assert_eq!((&seen["status"], &seen["reason"]), (&"interrupted".into(), &"interrupt".into()));
    assert!(seen.get("running").is_none());
}

#[test]
fn the_view_of_a_killed_runner_is_marked_as_interrupted() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = project.start(&["./agent:3"]);
    run.agent();
    kill(run.runner(), Signal::KILL);
    let output = run.ended();
    assert_eq!(output.code, Some(137), "{output}");
    let seen = chain(&project).expect("the guard has written it");
    assert_eq!(seen["status"], "interrupted");
    let file = format!(".agent-state/summary-{}.md", project.run_id());
    let summary = std::fs::read_to_string(project.project().join(file)).expect("it is there");
    assert!(summary.contains("**Cut off: 0 of 1 steps; the run was killed**"), "{summary}");
    assert_eq!(project.resume_as_printed(&output).code, Some(0));
    assert_eq!(chain(&project).expect("there is a view")["status"], "complete");
}

#[test]
fn an_unfinished_view_is_completed_by_the_resume() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = project.start(&["./agent:3"]);
    run.agent();
    eventually("there is a view", || chain(&project));
    kill_both(&run);
    drop(run);
    assert_eq!(chain(&project).expect("there is a view")["status"], "running");
    assert_eq!(project.run(&["resume"]).code, Some(0));
    let seen = chain(&project).expect("there is a view");
    assert_eq!((&seen["status"], &seen["resumed"]), (&"complete".into(), &1.into()));
}

/// Puts a pipe in place of a file of the view, so that opening it for writing would block.
const BLOCKER: &str = r#"
    mkdir -p .agent-state
    [ -e "$PLACE/enough" ] || mkfifo ".agent-state/.chain-$FORKHESTRA_RUN_IDS.json.new"
    echo "agent $$"
    until [ -e "$PLACE/enough" ]; do sleep 0.01; done
"#;

#[test]
fn a_pipe_in_place_of_a_view_holds_neither_a_run_nor_its_guard() {
    let project = ProcessProject::with_agent(BLOCKER);
    let run = project.start(&["./agent"]);
    run.agent();
    kill(run.runner(), Signal::KILL);
    let output = run.ended();
    assert_eq!(output.code, Some(137), "{output}");
    std::fs::write(project.place("enough"), "").expect("there is room");
    let output = project.run(&["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(chain(&project).expect("there is a view")["status"], "complete");
    assert!(project.run(&["runs", "--json"]).stdout.contains("complete"));
}
