//! The warning about work that a step leaves uncommitted.

use std::path::{Component, Path, PathBuf};

use crate::built_in;
use crate::event::{PathList, WorkSummary};
use crate::plan::{AgentKind, Plan, PlanStep};
use crate::text;

/// Most files named in the warning.
const MAX_NAMED: usize = 3;

/// The warning about a step that should have committed its work and did not; none if there is
/// nothing to report. Files of the task database alone do not count: forkhestra changes them itself
/// when it releases tasks.
pub fn uncommitted_work(plan: &Plan, step: &PlanStep, work: &WorkSummary) -> Option<String> {
    let paths = &work.uncommitted;
    if paths.is_empty() || !expects_commits(step) || are_only_tasks(plan, paths) {
        return None;
    }
    let files = text::count(paths.count(), "file");
    let are = if paths.count() == 1 { "is" } else { "are" };
    let first = paths.first_names_text(MAX_NAMED);
    Some(format!("{}{files} {are} not committed: {first}", refusal_start(step)))
}

/// Whether a warning about uncommitted work is outdated: a resume has since committed or changed
/// the work.
pub fn is_settled(plan: &Plan, step: &PlanStep, work: &WorkSummary, warning: &str) -> bool {
    let is_about_it = warning.starts_with(&refusal_start(step));
    is_about_it && uncommitted_work(plan, step, work).as_deref() != Some(warning)
}

fn refusal_start(step: &PlanStep) -> String {
    let (number, name) = (step.number, &step.agent.name);
    format!("step {number} ({name}) ends with uncommitted work: ")
}

/// Whether all of these files are in the task database. Unlisted files may be anything.
fn are_only_tasks(plan: &Plan, paths: &PathList) -> bool {
    let Some(database) = &plan.task_database else { return false };
    let directory = Path::new(&plan.working_directory);
    let database = without_dots(&directory.join(database));
    paths.more == 0
        && paths
            .listed
            .iter()
            .all(|path| without_dots(&directory.join(path)).starts_with(&database))
}

/// A path without `.` and `..`, by its text alone.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// Whether the agents of a step commit their work: those that work through tasks, and those with
/// the name of a built-in agent that commits. A program of that name is the user's own.
pub fn expects_commits(step: &PlanStep) -> bool {
    let is_direct = matches!(step.agent.kind, AgentKind::Direct(_));
    step.works_through_tasks || (is_direct && built_in::commits_work(&step.agent.name))
}
