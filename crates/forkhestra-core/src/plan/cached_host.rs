//! A host that answers each query once. A long chain, or a list of many chains, asks the same ones again
//! and again.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use super::agent::plan_agent::EnvVars;
use super::host_environment::{FileState, HostEnvironment, ProgramLocation, RecordedStep};
use crate::config::Backend;

/// A host whose answers are remembered.
pub(super) struct CachedHost<'a> {
    host: &'a dyn HostEnvironment,
    locations: RefCell<BTreeMap<String, ProgramLocation>>,
    files: RefCell<BTreeMap<String, FileState>>,
    ignored_files: RefCell<BTreeMap<String, bool>>,
    prompt_files: RefCell<BTreeMap<String, FileState>>,
    task_database: OnceCell<Option<String>>,
}

impl<'a> CachedHost<'a> {
    pub(super) fn new(host: &'a dyn HostEnvironment) -> Self {
        Self {
            host,
            locations: RefCell::default(),
            files: RefCell::default(),
            ignored_files: RefCell::default(),
            prompt_files: RefCell::default(),
            task_database: OnceCell::new(),
        }
    }
}

/// The remembered answer for a key, or a new one.
fn remembered<T: Clone>(
    answers: &RefCell<BTreeMap<String, T>>,
    key: &str,
    ask: impl FnOnce(&str) -> T,
) -> T {
    if let Some(answer) = answers.borrow().get(key) {
        return answer.clone();
    }
    let answer = ask(key);
    answers.borrow_mut().insert(key.to_owned(), answer.clone());
    answer
}

impl HostEnvironment for CachedHost<'_> {
    fn locate(&self, program: &str) -> ProgramLocation {
        remembered(&self.locations, program, |program| self.host.locate(program))
    }

    fn agent_program(&self, backend: Backend) -> String {
        self.host.agent_program(backend)
    }

    fn settings_models(
        &self,
        backend: Backend,
        env: &EnvVars,
        profile: Option<&str>,
    ) -> Vec<String> {
        self.host.settings_models(backend, env, profile)
    }

    fn file(&self, path: &str) -> FileState {
        remembered(&self.files, path, |path| self.host.file(path))
    }

    fn is_ignored(&self, path: &str) -> bool {
        remembered(&self.ignored_files, path, |path| self.host.is_ignored(path))
    }

    fn prompt_file(&self, path: &str) -> FileState {
        remembered(&self.prompt_files, path, |path| self.host.prompt_file(path))
    }

    fn player(&self) -> String {
        self.host.player()
    }

    fn recording(&self, directory: &str) -> Result<Vec<RecordedStep>, String> {
        self.host.recording(directory)
    }

    fn task_database(&self) -> Option<String> {
        self.task_database.get_or_init(|| self.host.task_database()).clone()
    }
}
