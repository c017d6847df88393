//! A world that is only what a test says.

use crate::config::Backend;
use crate::plan::{FileState, Location, Surroundings, WhyNotRunnable};

#[derive(Debug, Default)]
pub(super) struct World {
    programs: Vec<&'static str>,
    plain_files: Vec<&'static str>,
    files: Vec<(&'static str, FileState)>,
    has_tasks: bool,
    claude: Option<&'static str>,
}

impl World {
    pub(super) fn with_program(mut self, name: &'static str) -> Self {
        self.programs.push(name);
        self
    }

    /// A file where a program should be, which may not be executed.
    pub(super) fn with_plain_file_as_program(mut self, name: &'static str) -> Self {
        self.plain_files.push(name);
        self
    }

    pub(super) fn with_file(mut self, path: &'static str) -> Self {
        self.files.push((path, FileState::Readable));
        self
    }

    pub(super) fn with_directory(mut self, path: &'static str) -> Self {
        self.files.push((path, FileState::Directory));
        self
    }

    pub(super) fn with_claude_at(self, program: &'static str) -> Self {
        Self { claude: Some(program), ..self }.with_program(program)
    }

    pub(super) fn with_tasks(self) -> Self {
        Self { has_tasks: true, ..self }
    }
}

impl Surroundings for World {
    fn locate(&self, program: &str) -> Location {
        if self.programs.contains(&program) {
            return Location::Found(format!("/bin/{program}"));
        }
        let is_plain = self.plain_files.contains(&program);
        Location::Missing(if is_plain {
            WhyNotRunnable::NotExecutable
        } else {
            WhyNotRunnable::NotOnPath
        })
    }

    fn agent_program(&self, backend: Backend) -> String {
        let other = self.claude.filter(|_| backend == Backend::Claude);
        other.unwrap_or(backend.program()).to_owned()
    }

    fn file(&self, path: &str) -> FileState {
        let found = self.files.iter().find(|(file, _)| *file == path);
        found.map_or(FileState::Missing, |(_, state)| state.clone())
    }

    fn prompt_file(&self, path: &str) -> FileState {
        self.file(path)
    }

    fn task_database(&self) -> Option<String> {
        self.has_tasks.then(|| "/work/forge/tasks".to_owned())
    }
}
