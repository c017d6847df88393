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

/// How much of what it was asked git has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    All,
    NotAll,
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
        Err(failed(args[0], &end, &stderr))
    }

    /// Has git do what it can. It says with 1 that this was not everything.
    pub(crate) fn attempt(
        &self,
        directory: &Path,
        args: &[&str],
        variables: &[(&str, &Path)],
    ) -> Result<Done, GitError> {
        let Some(program) = &self.program else {
            return Err(GitError::Failed("is not installed".to_owned()));
        };
        let (end, _, stderr) = self.ask(program, directory, args, variables)?;
        match end {
            AgentEnd::Exited(0) => Ok(Done::All),
            AgentEnd::Exited(1) => Ok(Done::NotAll),
            end => Err(failed(args[0], &end, &stderr)),
        }
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

/// Says why git failed with the last thing that it said itself; its advice is not for our users.
fn failed(what: &str, end: &AgentEnd, stderr: &str) -> GitError {
    let mut said = stderr.lines().filter(|line| !line.trim().is_empty() && !is_advice(line));
    let why = said.next_back().map_or_else(String::new, |said| format!(": {said}"));
    GitError::Failed(format!("{what} failed ({end}){why}"))
}

fn is_advice(line: &str) -> bool {
    line.starts_with("hint:")
}

fn read(mut file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_what_git_said_and_not_its_advice() {
        let said = "The following paths are ignored:\nx\nerror: no\nhint: Use -f\nhint:\n\n";
        let error = failed("add", &AgentEnd::Exited(128), said);
        assert_eq!(error.to_string(), "git add failed (exit 128): error: no");
        let error = failed("add", &AgentEnd::Signaled(9), "hint: Use -f\n");
        assert_eq!(error.to_string(), "git add failed (killed by signal 9)");
    }
}
