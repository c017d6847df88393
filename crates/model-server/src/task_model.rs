//! A scripted model that plans and builds with `forge-tasks` and git.

use crate::agent::AgentClient;
use crate::http_request::HttpRequest;
use crate::model_turn::ModelTurn;

/// The heading of the built-in planner's system prompt.
const PLANNER: &str = "# Planner";

/// The heading of the built-in builder's system prompt.
const BUILDER: &str = "# Builder";

/// Creates and commits two tasks. Gemini CLI refuses commands with substitutions, so there are
/// none.
const PLAN: &str = "forge-tasks create 'Write hello' --ac 'hello.txt is there' --plain; \
                    forge-tasks create 'Write bye' --depends-on 1 --ac 'bye.txt is there' --plain; \
                    git add -A; git commit -q -m 'Plan two tasks'";

const CLAIM: &str = "forge-tasks claim --plain";

const DONE: &str = "FORKHESTRA_COMPLETE";

/// Responds to the built-in planner and builder like a working model: the planner creates two tasks
/// and commits them, the builder claims one, closes it and commits. All commands run in the agent's
/// shell tool. The model does not check for failures: it claims completion whatever the commands
/// print.
///
/// Other agents get one command, `true`, and the completion line.
pub fn task_model(request: &HttpRequest) -> ModelTurn {
    let agent = request.agent().unwrap_or(AgentClient::Claude);
    let results = request.tool_results();
    let body = request.body.to_string();
    if body.contains(PLANNER) {
        plan(agent, &results)
    } else if body.contains(BUILDER) {
        build(agent, &results)
    } else if results.is_empty() {
        ModelTurn::text("I have a look.").shell(agent, "true")
    } else {
        ModelTurn::text(format!("Done.\n\n{DONE}\n"))
    }
}

fn plan(agent: AgentClient, results: &[String]) -> ModelTurn {
    if results.is_empty() {
        return ModelTurn::text("I turn the plan into tasks.").shell(agent, PLAN);
    }
    ModelTurn::text(format!("Two tasks cover the plan.\n\n{DONE}\n"))
}

fn build(agent: AgentClient, results: &[String]) -> ModelTurn {
    match results {
        [] => ModelTurn::text("I take a task.").shell(agent, CLAIM),
        [claimed] => match task_id(claimed) {
            Some(id) => ModelTurn::text(format!("I build {id}.")).shell(
                agent,
                &format!(
                    "echo {id} > {id}.txt; \
                     forge-tasks edit {id} --check-ac 1 --status done --plain; \
                     git add -A; git commit -q -m '{id}: build it'"
                ),
            ),
            None => ModelTurn::text(format!("Nothing is left to take.\n\n{DONE}\n")),
        },
        _ => ModelTurn::text("One task is done and committed. The next is for the next iteration."),
    }
}

/// The id of the task that `forge-tasks claim --plain` printed.
fn task_id(printed: &str) -> Option<String> {
    let (_, after) = printed.split_once("id=TASK-")?;
    let number: String = after.chars().take_while(char::is_ascii_digit).collect();
    (!number.is_empty()).then(|| format!("TASK-{number}"))
}
