//! The real machine as the [`HostEnvironment`] of a plan.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use forkhestra_core::config::Backend;
use forkhestra_core::plan::{
    EnvVars, FileState, HostEnvironment, NotRunnableReason, ProgramLocation, RecordedStep,
};
use forkhestra_engine::{RepositoryReader, regular_file};
use forkhestra_store::recording::Recording;
use rustix::fs::Access;

use crate::cli::command_error::in_full;
use crate::project::agent_settings::AgentSettings;
use crate::project::project_location::ProjectLocation;

/// The file system as seen from a project.
pub(crate) struct LocalHost<'a> {
    pub(crate) project: &'a ProjectLocation,
}

impl HostEnvironment for LocalHost<'_> {
    fn locate(&self, program: &str) -> ProgramLocation {
        if program.contains('/') {
            return runnable(&self.at(program))
                .map_or_else(ProgramLocation::Missing, ProgramLocation::Found);
        }
        let path = self.project.environment.path.clone().unwrap_or_default();
        let mut why = NotRunnableReason::NotOnPath;
        for directory in std::env::split_paths(&path) {
            match runnable(&self.project.working_directory.join(directory).join(program)) {
                Ok(found) => return ProgramLocation::Found(found),
                Err(NotRunnableReason::NotExecutable) => why = NotRunnableReason::NotExecutable,
                Err(_) => {}
            }
        }
        ProgramLocation::Missing(why)
    }

    fn agent_program(&self, backend: Backend) -> String {
        let named = self.project.environment.variable(backend.facts().path_variable);
        // A name that is not UTF-8 matches no program; it is converted only to be shown.
        named.map_or_else(
            || backend.program().to_owned(),
            |named| named.to_string_lossy().into_owned(),
        )
    }

    fn settings_models(
        &self,
        backend: Backend,
        env: &EnvVars,
        profile: Option<&str>,
    ) -> Vec<String> {
        let ProjectLocation { environment, working_directory, .. } = self.project;
        let all = AgentSettings::all(backend, environment, env, working_directory);
        let models = all.iter().filter_map(|settings| settings.model(profile));
        models.map(str::to_owned).collect()
    }

    fn file(&self, path: &str) -> FileState {
        match fs::metadata(self.at(path)) {
            Ok(metadata) => match readable(&metadata) {
                FileState::Readable => match regular_file::open(&self.at(path)) {
                    Ok(_) => FileState::Readable,
                    Err(error) => unusable(&error),
                },
                other => other,
            },
            Err(error) => unusable(&error),
        }
    }

    fn is_ignored(&self, path: &str) -> bool {
        let ProjectLocation { environment, working_directory, .. } = self.project;
        let repository = RepositoryReader::open(working_directory, &environment.inherited);
        // A file about which git cannot be asked is protected.
        repository.ok().flatten().is_some_and(|repository| repository.is_ignored(&self.at(path)))
    }

    fn prompt_file(&self, path: &str) -> FileState {
        match self.file(path) {
            FileState::Readable => {}
            other => return other,
        }
        match regular_file::read(&self.at(path)) {
            Err(error) => unusable(&error),
            Ok(bytes) if bytes.contains(&0) => FileState::Unusable(
                "contains a NUL character, which no agent can be given".to_owned(),
            ),
            Ok(bytes) if std::str::from_utf8(&bytes).is_err() => {
                FileState::Unusable("is not UTF-8 text".to_owned())
            }
            Ok(_) => FileState::Readable,
        }
    }

    fn player(&self) -> String {
        let executable = self.project.environment.executable.as_ref();
        // A plan is text, so a path that is not UTF-8 is replaced by the program's name.
        let executable = executable.and_then(|path| path.to_str());
        executable.unwrap_or("forkhestra").to_owned()
    }

    fn recording(&self, directory: &str) -> Result<Vec<RecordedStep>, String> {
        let recording = Recording::open(&self.at(directory)).map_err(|error| in_full(&error))?;
        Ok(recording.steps().to_vec())
    }

    fn task_database(&self) -> Option<String> {
        let shown = |path: PathBuf| path.to_string_lossy().into_owned();
        let named = self.project.environment.forge_tasks_dir.as_ref();
        if let Some(named) = named.filter(|named| !named.is_empty()) {
            let path = self.project.working_directory.join(named);
            return path.is_dir().then(|| shown(path));
        }
        let found = forge_tasks::database::find(&self.project.working_directory);
        found.filter(|path| path.is_dir()).map(shown)
    }
}

impl LocalHost<'_> {
    fn at(&self, path: &str) -> PathBuf {
        self.project.working_directory.join(path)
    }
}

/// The path of a program that can be started, or the reason why it cannot.
fn runnable(path: &Path) -> Result<String, NotRunnableReason> {
    let metadata = path.metadata().map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => NotRunnableReason::OutOfReach,
        _ => NotRunnableReason::NoSuchFile,
    })?;
    if !metadata.is_file() {
        return Err(NotRunnableReason::NotAFile);
    }
    // `access` is used because the mode bits alone do not tell whether this user may execute the
    // file.
    if rustix::fs::access(path, Access::EXEC_OK).is_err() {
        return Err(NotRunnableReason::NotExecutable);
    }
    // Removes the `.` of `./fix.sh` from the absolute path.
    let path: PathBuf = path.components().collect();
    Ok(path.to_string_lossy().into_owned())
}

fn readable(metadata: &Metadata) -> FileState {
    if metadata.is_dir() {
        FileState::Directory
    } else if metadata.is_file() {
        FileState::Readable
    } else {
        // A pipe can be read only once, but the file is read for every iteration.
        FileState::Unusable("is not a regular file".to_owned())
    }
}

fn unusable(error: &io::Error) -> FileState {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileState::Missing,
        _ => FileState::Unusable(format!("cannot be read ({error})")),
    }
}
