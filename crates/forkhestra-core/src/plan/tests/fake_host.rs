//! A fake host, defined by each test.

use crate::config::Backend;
use crate::plan::{FileState, HostEnvironment, NotRunnableReason, ProgramLocation, RecordedStep};

#[derive(Debug, Default)]
pub(super) struct FakeHost {
    programs: Vec<&'static str>,
    system_programs: Vec<&'static str>,
    plain_files: Vec<&'static str>,
    files: Vec<(&'static str, FileState)>,
    has_tasks: bool,
    claude: Option<&'static str>,
    recordings: Vec<(&'static str, Vec<RecordedStep>)>,
}

impl FakeHost {
    pub(super) fn with_program(mut self, name: &'static str) -> Self {
        self.programs.push(name);
        self
    }

    /// Adds a system program.
    pub(super) fn with_system_program(mut self, name: &'static str) -> Self {
        self.system_programs.push(name);
        self
    }

    /// Adds a file without execute permission in place of a program.
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

    /// Adds a recording of a run with these agents.
    pub(super) fn with_recording(
        mut self,
        directory: &'static str,
        steps: &[(&str, Option<Backend>)],
    ) -> Self {
        let step = |(number, (agent, backend)): (usize, &(&str, Option<Backend>))| RecordedStep {
            number,
            agent: (*agent).to_owned(),
            backend: *backend,
        };
        self.recordings.push((directory, (1..).zip(steps).map(step).collect()));
        self
    }

    pub(super) fn with_tasks(self) -> Self {
        Self { has_tasks: true, ..self }
    }
}

impl HostEnvironment for FakeHost {
    fn locate(&self, program: &str) -> ProgramLocation {
        if self.programs.contains(&program) {
            return ProgramLocation::Found(format!("/opt/bin/{program}"));
        }
        if self.system_programs.contains(&program) {
            return ProgramLocation::Found(format!("/usr/bin/{program}"));
        }
        let is_plain = self.plain_files.contains(&program);
        ProgramLocation::Missing(if is_plain {
            NotRunnableReason::NotExecutable
        } else {
            NotRunnableReason::NotOnPath
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

    fn player(&self) -> String {
        "/opt/bin/player".to_owned()
    }

    fn recording(&self, directory: &str) -> Result<Vec<RecordedStep>, String> {
        let found = self.recordings.iter().find(|(known, _)| *known == directory);
        found.map(|(_, steps)| steps.clone()).ok_or_else(|| "it does not exist".to_owned())
    }

    fn task_database(&self) -> Option<String> {
        self.has_tasks.then(|| "/work/forge/tasks".to_owned())
    }
}
