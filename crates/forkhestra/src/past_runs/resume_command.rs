//! The command line that resumes a run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use forkhestra_core::explain::raising_option;
use forkhestra_core::limit::Limit;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::Plan;
use forkhestra_core::time::Timestamp;
use forkhestra_store::RunDir;

use crate::past_runs::state_home;
use crate::project::project_location::ProjectLocation;
use crate::report::text::shell_word::shell_word;

/// The command that resumes a run; it works from any directory.
pub(crate) fn resume_command(run: &RunDir, plan: &Plan, project: &ProjectLocation) -> String {
    let mut command = without_plan(run, project);
    if let Some(path) = config_file(plan, project) {
        command.push_str(&option("--config", &path));
    }
    command
}

/// The arguments of `forkhestra` that are equivalent to [`raising`].
pub(crate) fn arguments(
    run: &RunDir,
    state: &RunState,
    project: &ProjectLocation,
    now: Timestamp,
) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["resume".into(), run.run().as_str().into()];
    words.extend(
        state_dir(run, project)
            .into_iter()
            .flat_map(|root| ["--state-dir".into(), root.into_os_string()]),
    );
    words.extend(
        config_file(&state.plan, project)
            .into_iter()
            .flat_map(|path| ["--config".into(), path.into_os_string()]),
    );
    let raising = raising_option(state, now);
    words.extend(raising.iter().flat_map(|option| option.split(' ').map(OsString::from)));
    words
}

/// The config file to name in the command, if one is needed.
fn config_file(plan: &Plan, project: &ProjectLocation) -> Option<PathBuf> {
    let config = project.config.as_ref().filter(|_| needs_config(plan))?;
    Some(project.environment.current_directory.join(config))
}

/// The state directory of a run, if it is not the usual one.
pub(crate) fn state_dir(run: &RunDir, project: &ProjectLocation) -> Option<PathBuf> {
    let tree = run.work_tree();
    let root = state_root(tree.path());
    (!state_home::is_usual(project, root)).then(|| root.to_owned())
}

/// Whether resuming needs the config: variable values are not recorded, and current prices apply.
fn needs_config(plan: &Plan) -> bool {
    let is_limited = plan.limits.cost.value != Limit::Off;
    plan.steps.iter().any(|step| {
        let has_variables = step.agents().any(|agent| !agent.kind.env().0.is_empty());
        has_variables || is_limited || step.limits.cost.value != Limit::Off
    })
}

/// The resume command that also raises the limit which ended the run, if one did.
pub(crate) fn raising(
    run: &RunDir,
    state: &RunState,
    project: &ProjectLocation,
    now: Timestamp,
) -> String {
    raised(resume_command(run, &state.plan, project), state, now)
}

/// Adds the option that raises the limit which ended the run, if one did.
pub(crate) fn raised(command: String, state: &RunState, now: Timestamp) -> String {
    match raising_option(state, now) {
        Some(option) => format!("{command} {option}"),
        None => command,
    }
}

/// The resume command for a run whose plan is unknown.
pub(crate) fn without_plan(run: &RunDir, project: &ProjectLocation) -> String {
    let resume = project.program.resume();
    format!("{resume} {}{}", run.run(), state_dir_option(run, project))
}

/// The option that leads a command to a run; empty if the run is in the usual place.
pub(crate) fn state_dir_option(run: &RunDir, project: &ProjectLocation) -> String {
    state_dir(run, project).map(|root| option("--state-dir", &root)).unwrap_or_default()
}

/// The state directory, which holds the runs of all work trees.
pub(crate) fn state_root(tree: &Path) -> &Path {
    tree.parent().unwrap_or(tree)
}

/// A command line option with a path.
pub(crate) fn option(name: &str, path: &Path) -> String {
    format!(" {name} {}", shell_word(&path.to_string_lossy()))
}
