//! `reviewed-build` with the real programs: what the review finds is built in the next round.

use testkit::{AgentClient, HttpRequest, ModelServer, ModelTurn, task_model};

use crate::real::build_all::NewProject;
use crate::real::for_each_agent;

for_each_agent!(a_finding_is_built_in_the_next_round, a_plan_is_built_once_it_is_approved);

/// Plans and builds like the task model. Its reviewer makes a task of one finding, and finds nothing
/// when that task is there.
fn reviewing_model(request: &HttpRequest) -> ModelTurn {
    if !request.body.to_string().contains("# Reviewer") {
        return task_model(request);
    }
    let agent = request.agent().unwrap_or(AgentClient::Claude);
    let list = "forge-tasks list --all --label review --plain";
    let create = "forge-tasks create 'Say hello twice' --label review --ac 'It is there' --plain; \
                  git add -A; git commit -q -m 'Review: one finding'";
    match request.tool_results().as_slice() {
        [] => ModelTurn::text("I look for earlier findings.").shell(agent, list),
        [found] if found.contains("TASK-") => {
            ModelTurn::text("Nothing new is found.\n\nFORKHESTRA_COMPLETE\n")
        }
        [_] => ModelTurn::text("I make a task of my finding.").shell(agent, create),
        _ => ModelTurn::text("There is one finding.\n\nFORKHESTRA_COMPLETE\n"),
    }
}

fn a_finding_is_built_in_the_next_round(agent: AgentClient) {
    let Some(project) = NewProject::new(agent, ModelServer::start_with_responder(reviewing_model))
    else {
        return;
    };
    let output = project.run("forkhestra", &["--chain", "reviewed-build"]);
    assert_eq!(output.code, Some(0), "{output}");
    let subjects = project.done("git", &["log", "--reverse", "--format=%s"]);
    let expected = [
        "Begin",
        "Plan two tasks",
        "TASK-001: build it",
        "TASK-002: build it",
        "Review: one finding",
        "TASK-003: build it",
    ];
    assert_eq!(subjects.lines().collect::<Vec<_>>(), expected, "{output}");
    let events = project.done("forkhestra", &["events"]);
    let count = |event: &str| events.matches(&format!("\"event\":\"{event}\"")).count();
    assert_eq!((count("round_started"), count("round_refused")), (2, 1), "{events}");
    assert_eq!(project.done("git", &["status", "--porcelain"]), "", "{output}");
}

fn a_plan_is_built_once_it_is_approved(agent: AgentClient) {
    let Some(project) = NewProject::new(agent, ModelServer::start_with_responder(task_model))
    else {
        return;
    };
    let detached = project.done("forkhestra", &["--chain", "plan-first", "--detach"]);
    assert!(!detached.trim().is_empty());
    // The last line that is followed is the question: the end of the run is not there yet.
    let asked = project.followed_until("\"event\":\"asked\"");
    assert!(asked.contains("Is the plan right?"), "{asked}");
    assert!(!asked.contains("TASK-001: build it"), "{asked}");
    project.done("forkhestra", &["approve", "Begin with the first one."]);
    let all = project.followed_until("\"event\":\"run_finished\"");
    assert!(all.contains("\"end\":{\"kind\":\"complete\"}"), "{all}");
    let requests = project.requests();
    let told = requests.iter().filter(|body| body.contains("Begin with the first one."));
    assert!(told.count() > 0, "{requests:?}");
    let subjects = project.done("git", &["log", "--format=%s"]);
    assert_eq!(subjects.lines().count(), 4, "{subjects}");
}
