//! A project with tasks.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use testkit::{CommandOutput, TestEnv};

/// The directory of the tasks.
pub(crate) const TASKS_DIRECTORY: &str = "forge/tasks";

/// A project and the program under test.
pub(crate) struct TaskTestProject {
    pub(crate) env: TestEnv,
}

impl TaskTestProject {
    pub(crate) fn new() -> Self {
        Self { env: TestEnv::new() }
    }

    /// A project with tasks of these titles.
    pub(crate) fn with(titles: &[&str]) -> Self {
        let project = Self::new();
        for title in titles {
            project.ok(&["create", title]);
        }
        project
    }

    /// A command that is not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.env.command(env!("CARGO_BIN_EXE_forge-tasks"));
        command.args(arguments);
        command
    }

    /// Runs the program.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.env.output_of(&mut self.command(arguments))
    }

    /// Runs the program, which succeeds without a message, and returns its standard output.
    #[track_caller]
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        self.run(arguments).success()
    }

    /// Runs the program, which succeeds with a warning, and returns both.
    #[track_caller]
    pub(crate) fn warned(&self, arguments: &[&str]) -> (String, String) {
        let output = self.run(arguments);
        assert_eq!(output.code, Some(0), "{output}");
        assert!(output.stderr.contains("warning: "), "{output}");
        (output.stdout, output.stderr)
    }

    /// Runs the program, which refuses with one line and changes nothing, and returns the line.
    #[track_caller]
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let before = self.files();
        let message = self.run(arguments).failure(1);
        assert_eq!(self.files(), before, "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        let line = message.trim_end();
        line.strip_prefix("error: ").unwrap_or_else(|| panic!("{line}")).to_owned()
    }

    /// Every file of the database with its content, by path.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for (below, directory) in [("", self.place()), ("archive/", self.place().join("archive"))] {
            let Ok(entries) = fs::read_dir(&directory) else { continue };
            for entry in entries {
                let path = entry.expect("it can be read").path();
                if path.is_file() {
                    let name = path.file_name().expect("it has a name").to_string_lossy();
                    let text =
                        String::from_utf8_lossy(&fs::read(&path).expect("it is ours")).into_owned();
                    files.push((format!("{below}{name}"), text));
                }
            }
        }
        files.sort();
        files
    }

    /// The names of all files of the database.
    pub(crate) fn names(&self) -> Vec<String> {
        self.files().into_iter().map(|(name, _)| name).collect()
    }

    /// The only task file whose name begins with this.
    #[track_caller]
    pub(crate) fn file(&self, beginning: &str) -> String {
        let mut found: Vec<(String, String)> =
            self.files().into_iter().filter(|(name, _)| name.starts_with(beginning)).collect();
        assert_eq!(found.len(), 1, "{beginning}: {found:?}");
        found.remove(0).1
    }

    /// Writes a file of the database.
    pub(crate) fn write(&self, name: &str, text: &str) -> &Self {
        self.env.write(&format!("{TASKS_DIRECTORY}/{name}"), text);
        self
    }

    pub(crate) fn place(&self) -> PathBuf {
        self.env.project().join(TASKS_DIRECTORY)
    }

    /// One field of a task, from the JSON output.
    #[track_caller]
    pub(crate) fn field(&self, id: &str, name: &str) -> serde_json::Value {
        let printed = self.run(&["view", id, "--json"]);
        assert_eq!(printed.code, Some(0), "{printed}");
        let task: serde_json::Value = serde_json::from_str(&printed.stdout).expect("it is JSON");
        task.get(name).unwrap_or_else(|| panic!("no {name}: {task}")).clone()
    }
}

/// A task file with this id and title, `more` lines in its front matter, and this body.
pub(crate) fn task_file(id: &str, title: &str, more: &str, body: &str) -> String {
    format!("---\nid: {id}\ntitle: {title}\n{more}---\n{body}")
}
