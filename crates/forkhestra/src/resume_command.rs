//! The command that goes on with a run.

use std::path::Path;

use forkhestra_core::limit::Limit;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::Plan;
use forkhestra_core::time::Timestamp;
use forkhestra_store::RunDir;

use crate::project::Project;
use crate::report::run::raising_option;
use crate::report::shell_word::shell_word;
use crate::state_home;

/// The command that goes on with a run, as it can be typed anywhere.
pub(crate) fn resume_command(run: &RunDir, plan: &Plan, project: &Project) -> String {
    let mut command = without_plan(run, project);
    if let Some(config) = project.config.as_ref().filter(|_| needs_config(plan)) {
        let path = project.environment.current_directory.join(config);
        command.push_str(&option("--config", &path));
    }
    command
}

/// Values of variables are not kept with the run, and prices count as they are by now.
fn needs_config(plan: &Plan) -> bool {
    let is_limited = plan.limits.cost.value != Limit::Off;
    plan.steps.iter().any(|step| {
        let has_variables = !step.agent.kind.env().0.is_empty();
        has_variables || is_limited || step.limits.cost.value != Limit::Off
    })
}

/// The same for a run of the past, with more of the limit that ended it, if one did.
pub(crate) fn raising(run: &RunDir, state: &RunState, project: &Project, now: Timestamp) -> String {
    raised(resume_command(run, &state.plan, project), state, now)
}

/// The command with more of the limit that ended the run, if one did.
pub(crate) fn raised(command: String, state: &RunState, now: Timestamp) -> String {
    match raising_option(state, now) {
        Some(option) => format!("{command} {option}"),
        None => command,
    }
}

/// The same for a run whose plan is not known.
pub(crate) fn without_plan(run: &RunDir, project: &Project) -> String {
    let mut command = format!("{} {}", project.program.resume(), run.run());
    let tree = run.work_tree();
    let root = state_root(tree.path());
    if !state_home::is_usual(project, root) {
        command.push_str(&option("--state-dir", root));
    }
    command
}

/// The directory that holds the runs of all work trees.
pub(crate) fn state_root(tree: &Path) -> &Path {
    tree.parent().unwrap_or(tree)
}

/// An option with a path.
pub(crate) fn option(name: &str, path: &Path) -> String {
    format!(" {name} {}", shell_word(&path.to_string_lossy()))
}
