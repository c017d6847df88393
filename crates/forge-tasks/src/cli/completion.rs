//! Data for shell completion: the command and the candidates of its values. The caller passes it to
//! the shell.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Command;

use super::args;
use super::cli_inputs::CliInputs;
use super::tasks_directory::TasksDirectory;
use crate::database::{StoredFile, TaskDirectory, TaskScope};
use crate::document::FrontMatter;
use crate::{Priority, TaskStatus};

/// A candidate for a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The value.
    pub value: String,
    /// Its description, in a line.
    pub about: Option<String>,
}

/// The whole command line.
pub fn command(version: &'static str) -> Command {
    args::command(version)
}

/// The candidates for an argument of a verb; `None` if it takes free text. Unreadable files are
/// skipped, and nothing is written.
///
/// The argument is identified by the name of its value in the help, such as `ID`. `dir` is the
/// value of `--dir`.
pub fn suggestions(
    verb: &str,
    value_name: &str,
    dir: Option<&Path>,
    inputs: &CliInputs<'_>,
) -> Option<Vec<Suggestion>> {
    match value_name {
        "ID" => Some(tasks(dir, inputs, |task| is_for(verb, task))),
        "STATUS" => Some(words(["todo", "in-progress", "done", "blocked"])),
        "PRIORITY" => {
            Some(words([Priority::High, Priority::Medium, Priority::Low].map(Priority::name)))
        }
        "LABEL" => Some(named(dir, inputs, |front| front.labels.clone())),
        "NAME" if verb != "init" => {
            Some(named(dir, inputs, |front| front.assignee.clone().into_iter().collect()))
        }
        _ => None,
    }
}

/// Whether a verb applies to a task.
fn is_for(verb: &str, task: &StoredFile<FrontMatter>) -> bool {
    let (is_archived, task) = (task.directory == TaskDirectory::Archive, &task.content);
    match verb {
        "unarchive" => is_archived,
        _ if is_archived => false,
        "claim" => matches!(task.status, TaskStatus::ToDo | TaskStatus::InProgress),
        "release" => task.lease.is_some() || task.status == TaskStatus::InProgress,
        _ => true,
    }
}

fn tasks(
    dir: Option<&Path>,
    inputs: &CliInputs<'_>,
    is_meant: impl Fn(&StoredFile<FrontMatter>) -> bool,
) -> Vec<Suggestion> {
    let meant = fronts(dir, inputs, TaskScope::All).into_iter().filter(is_meant);
    meant
        .map(|task| task.content)
        .map(|task| Suggestion { value: task.id.to_string(), about: Some(task.title) })
        .collect()
}

/// Names that tasks have, each once.
fn named(
    dir: Option<&Path>,
    inputs: &CliInputs<'_>,
    names: impl Fn(&FrontMatter) -> Vec<String>,
) -> Vec<Suggestion> {
    let all = fronts(dir, inputs, TaskScope::Active);
    let names: BTreeSet<String> = all.iter().flat_map(|task| names(&task.content)).collect();
    names.into_iter().map(|value| Suggestion { value, about: None }).collect()
}

fn words<const N: usize>(words: [&str; N]) -> Vec<Suggestion> {
    words.map(|word| Suggestion { value: word.to_owned(), about: None }).into()
}

fn fronts(
    dir: Option<&Path>,
    inputs: &CliInputs<'_>,
    scope: TaskScope,
) -> Vec<StoredFile<FrontMatter>> {
    let database = TasksDirectory::find(dir, inputs).database().ok().flatten();
    let listing = database.and_then(|database| database.fronts(scope).ok());
    listing.map_or_else(Vec::new, |listing| listing.tasks)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::actions::RunRegistry;
    use crate::cli::cli_inputs::TasksEnvironment;
    use crate::cli::samples::now;

    struct CompletionNoRuns;

    impl RunRegistry for CompletionNoRuns {
        fn is_running(&self, _run: &str) -> Option<bool> {
            None
        }
    }

    fn suggested(verb: &str, value_name: &str, files: &[(&str, &str)]) -> Option<Vec<String>> {
        let directory = tempfile::tempdir().expect("there is a place for temporary files");
        let tasks = directory.path().join("forge/tasks");
        fs::create_dir_all(&tasks).expect("it is ours");
        for (name, text) in files {
            let path = tasks.join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("it is ours");
            fs::write(path, text).expect("it is ours");
        }
        let inputs = CliInputs {
            directory: directory.path().to_owned(),
            environment: TasksEnvironment::default(),
            clock: now,
            runs: &CompletionNoRuns,
            version: "1.2.3",
        };
        let found = suggestions(verb, value_name, None, &inputs)?;
        let shown = found.into_iter().map(|found| {
            found
                .about
                .map_or_else(|| found.value.clone(), |about| format!("{} {about}", found.value))
        });
        Some(shown.collect())
    }

    const FILES: &[(&str, &str)] = &[
        (
            "TASK-001 - One.md",
            "---\nid: TASK-001\ntitle: One\nstatus: To Do\nlabels: [b, a]\n---\n",
        ),
        (
            "TASK-002 - Two.md",
            "---\nid: TASK-002\ntitle: Two\nstatus: In Progress\nassignee: ada\n---\n",
        ),
        ("TASK-003 - Bad.md", "---\nid: [\n"),
        ("archive/TASK-009 - Nine.md", "---\nid: TASK-009\ntitle: Nine\nstatus: Done\n---\n"),
    ];

    #[test]
    fn each_verb_is_offered_the_tasks_that_it_can_change() {
        let ids = |verb| suggested(verb, "ID", FILES).expect("ids can be chosen");
        assert_eq!(ids("view"), ["TASK-001 One", "TASK-002 Two"]);
        assert_eq!(ids("claim"), ["TASK-001 One", "TASK-002 Two"]);
        assert_eq!(ids("unarchive"), ["TASK-009 Nine"]);
        assert_eq!(ids("release"), ["TASK-002 Two"]);
    }

    #[test]
    fn labels_names_priorities_and_states_are_offered() {
        let values = |name| suggested("edit", name, FILES).expect("there is something to choose");
        assert_eq!(values("LABEL"), ["a", "b"]);
        assert_eq!(values("NAME"), ["ada"]);
        assert_eq!(values("PRIORITY"), ["high", "medium", "low"]);
        for status in values("STATUS") {
            TaskStatus::parse(&status).expect("it is one");
        }
        assert_eq!(suggested("edit", "TEXT", FILES), None);
        assert_eq!(suggested("init", "NAME", FILES), None);
    }

    #[test]
    fn a_database_that_cannot_be_read_has_nothing_to_offer() {
        let broken = &[("config.json", "{"), FILES[0]];
        assert_eq!(suggested("view", "ID", broken), Some(Vec::new()));
    }
}
