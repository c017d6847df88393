//! The git program, asked in a way that changes nothing of the user's.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use forkhestra_core::event::AgentEnd;

use crate::process::{Children, Command, SpawnError, Stdin};

/// The git program.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    program: Option<PathBuf>,
    environment: Vec<(OsString, OsString)>,
    children: Arc<Children>,
}

/// Why git did not answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("git {0}")]
    Failed(String),
    #[error(transparent)]
    NotStarted(#[from] SpawnError),
    #[error("git cannot be heard: {0}")]
    Io(#[from] io::Error),
}

impl Git {
    /// Finds git on the PATH of an environment. Variables that would lead it elsewhere are dropped.
    pub(crate) fn new(environment: &[(OsString, OsString)], children: Arc<Children>) -> Self {
        let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value);
        let places = path.into_iter().flat_map(std::env::split_paths);
        let program = places.map(|place| place.join("git")).find(|git| git.is_file());
        let is_gits = |name: &OsString| name.to_string_lossy().starts_with("GIT_");
        let environment = environment.iter().filter(|(name, _)| !is_gits(name)).cloned().collect();
        Self { program, environment, children }
    }

    /// What git answers; none if it says no, or if there is no git.
    pub(crate) fn answer(
        &self,
        directory: &Path,
        args: &[&str],
        variables: &[(&str, &Path)],
    ) -> Result<Option<String>, GitError> {
        let Some(program) = &self.program else { return Ok(None) };
        let (end, stdout, _) = self.ask(program, directory, args, variables)?;
        Ok(end.is_success().then_some(stdout))
    }

    /// What git answers, which it must.
    pub(crate) fn demand(
        &self,
        directory: &Path,
        args: &[&str],
        variables: &[(&str, &Path)],
    ) -> Result<String, GitError> {
        let Some(program) = &self.program else {
            return Err(GitError::Failed("is not installed".to_owned()));
        };
        let (end, stdout, stderr) = self.ask(program, directory, args, variables)?;
        if end.is_success() {
            return Ok(stdout);
        }
        let said = stderr.trim().lines().last().unwrap_or_default().to_owned();
        Err(GitError::Failed(format!("{} failed ({end}): {said}", args[0])))
    }

    fn ask(
        &self,
        program: &Path,
        directory: &Path,
        args: &[&str],
        variables: &[(&str, &Path)],
    ) -> Result<(AgentEnd, String, String), GitError> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let mut env = self.environment.clone();
        env.push(("GIT_OPTIONAL_LOCKS".into(), "0".into()));
        env.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
        let command = Command { program, args: &args, env: &env, directory, stdin: Stdin::Null };
        let helper = self.children.start_helper(&command)?;
        let (stdout, stderr) = (helper.stdout.try_clone()?, helper.stderr.try_clone()?);
        // Both at once, so that neither can keep git from ending by being full.
        let complaints = thread::spawn(move || read(File::from(stderr)));
        let stdout = read(File::from(stdout));
        let stderr = complaints.join().unwrap_or_else(|_| Ok(String::new()))?;
        let end = self.children.wait(&helper)?;
        Ok((end, stdout?, stderr))
    }
}

fn read(mut file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
