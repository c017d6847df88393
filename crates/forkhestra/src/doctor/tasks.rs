//! The task database: whether its files are valid.

use std::path::Path;

use forge_tasks::actions::{self, DatabaseProblem};
use forge_tasks::database::{Database, TaskScope};
use forkhestra_core::text;

use super::finding::{DoctorFinding, FindingSubject};
use crate::cli::command_error::in_full;

/// Upper bound for the problems that are reported.
const MOST_TOLD: usize = 5;

/// The findings about the database at this path.
pub(super) fn findings(place: Option<&str>, shown: &dyn Fn(&str) -> String) -> Vec<DoctorFinding> {
    let Some(place) = place else {
        return vec![
            FindingSubject::Tasks.note("there is no task database here; planner agents make one"),
        ];
    };
    let path = shown(place);
    match examine(Path::new(place)) {
        Ok((tasks, problems)) => told(tasks, &problems, &path),
        Err(why) => vec![FindingSubject::Tasks.warning(format!("{path} cannot be read: {why}"))],
    }
}

/// Number of tasks, and the problems of the database.
fn examine(place: &Path) -> Result<(usize, Vec<DatabaseProblem>), String> {
    let database = Database::open_leniently(place).map_err(|error| in_full(&error))?;
    let Some(database) = database else { return Err("it is gone".to_owned()) };
    let tasks = database.fronts(TaskScope::Active).map_err(|error| in_full(&error))?.tasks.len();
    let problems = actions::check(&database).map_err(|error| in_full(&error))?;
    Ok((tasks, problems))
}

fn told(tasks: usize, problems: &[DatabaseProblem], path: &str) -> Vec<DoctorFinding> {
    if problems.is_empty() {
        return vec![FindingSubject::Tasks.ok(format!("{path}: {}", text::count(tasks, "task")))];
    }
    let message =
        |problem: &DatabaseProblem| FindingSubject::Tasks.warning(problem.message.clone());
    let mut findings: Vec<DoctorFinding> = problems.iter().take(MOST_TOLD).map(message).collect();
    let more = problems.len().saturating_sub(MOST_TOLD);
    if more > 0 {
        findings.push(FindingSubject::Tasks.warning(text::count(more, "more problem")));
    }
    // The remedy is the same for all findings, so only the last one shows it.
    if let Some(last) = findings.pop() {
        findings.push(last.remedy("`forge-tasks check --fix` mends what can be mended"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn told_of(files: &[(&str, &str)]) -> Vec<String> {
        let place = tempfile::tempdir().expect("there is room");
        for (name, text) in files {
            fs::write(place.path().join(name), text).expect("the directory is ours");
        }
        let findings = findings(place.path().to_str(), &|_| "forge/tasks".to_owned());
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_sound_database_is_told_with_its_size() {
        let task = "---\nid: TASK-001\ntitle: A\nstatus: To Do\n---\n";
        let config = r#"{"lastIdNumber": 1}"#;
        let told = told_of(&[("TASK-001 - A.md", task), ("config.json", config)]);
        assert_eq!(told, ["ok: forge/tasks: 1 task"]);
    }

    #[test]
    fn broken_tasks_are_told_and_the_remedy_once() {
        let told = told_of(&[("TASK-001 - A.md", "---\nid: [\n---\n"), ("config.json", "{")]);
        assert!(told.len() >= 2, "{told:?}");
        assert!(told.iter().all(|line| line.starts_with("warning: ")), "{told:?}");
        assert_eq!(told.iter().filter(|line| line.contains("check --fix")).count(), 1);
    }

    #[test]
    fn no_database_is_no_mistake() {
        assert!(findings(None, &str::to_owned)[0].to_string().starts_with("note: "));
    }
}
