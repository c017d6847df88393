//! The git program, asked in a way that changes nothing of the user's.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use forkhestra_core::event::AgentEnd;
use rustix::process::kill_process_group;

use crate::hear::hear;
use crate::process::{Children, Command, Helper, SignalNumber, SpawnError, Stdin};

/// Settings of the user's that would start what outlives git, write to the repository, or refuse
/// what we only want to look at.
const OUR_SETTINGS: [&str; 6] =
    ["-c", "core.fsmonitor=false", "-c", "core.splitIndex=false", "-c", "core.safecrlf=false"];

/// The git program.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    program: Option<PathBuf>,
    environment: Vec<(OsString, OsString)>,
    children: Arc<Children>,
    /// Nobody wants to know anything more. Held while git is started or something is made ready for
    /// it, so that nothing of that happens later.
    is_over: Arc<Mutex<bool>>,
}

/// What git is asked.
pub(crate) struct Question<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) args: &'a [&'a OsStr],
    pub(crate) variables: &'a [(&'a str, &'a Path)],
    /// When nobody waits for the answer any longer.
    pub(crate) deadline: Instant,
}

/// Why git did not answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("git {0}")]
    Failed(String),
    #[error("git took too long")]
    TooLong,
    #[error("git is not wanted any more")]
    Over,
    #[error(transparent)]
    NotStarted(#[from] SpawnError),
    #[error("git cannot be used: {0}")]
    Io(#[from] io::Error),
}

/// How much of what it was asked git has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    All,
    NotAll,
}

struct Answer {
    end: AgentEnd,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Git {
    /// Finds git on the PATH of an environment. Variables that would lead it elsewhere are dropped.
    pub(crate) fn new(environment: &[(OsString, OsString)], children: Arc<Children>) -> Self {
        let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value);
        let places = path.into_iter().flat_map(std::env::split_paths);
        let program = places.map(|place| place.join("git")).find(|git| git.is_file());
        let is_gits = |name: &OsString| name.to_string_lossy().starts_with("GIT_");
        let environment = environment.iter().filter(|(name, _)| !is_gits(name)).cloned().collect();
        Self { program, environment, children, is_over: Arc::default() }
    }

    /// What git answers; none if it says no, or if there is no git.
    pub(crate) fn answer(&self, question: &Question<'_>) -> Result<Option<Vec<u8>>, GitError> {
        let Some(program) = &self.program else { return Ok(None) };
        let answer = self.ask(program, question)?;
        match answer.end {
            AgentEnd::Exited(0) => Ok(Some(answer.stdout)),
            AgentEnd::Exited(_) => Ok(None),
            _ => Err(answer.failure(question)),
        }
    }

    /// What git answers, which it must.
    pub(crate) fn demand(&self, question: &Question<'_>) -> Result<Vec<u8>, GitError> {
        let answer = self.ask(self.program()?, question)?;
        match answer.end {
            AgentEnd::Exited(0) => Ok(answer.stdout),
            _ => Err(answer.failure(question)),
        }
    }

    /// Has git do what it can. It says with 1 that this was not everything.
    pub(crate) fn attempt(&self, question: &Question<'_>) -> Result<Done, GitError> {
        let answer = self.ask(self.program()?, question)?;
        match answer.end {
            AgentEnd::Exited(0) => Ok(Done::All),
            AgentEnd::Exited(1) => Ok(Done::NotAll),
            _ => Err(answer.failure(question)),
        }
    }

    /// Makes something ready for git, unless nobody wants to know anything more.
    pub(crate) fn prepare(&self, work: impl FnOnce() -> io::Result<()>) -> Result<(), GitError> {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_over {
            return Err(GitError::Over);
        }
        Ok(work()?)
    }

    /// Starts git no more, and makes nothing ready for it. One that is running must be ended by whoever ends everything else.
    pub(crate) fn stop(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    fn program(&self) -> Result<&Path, GitError> {
        let missing = || GitError::Failed("is not installed".to_owned());
        self.program.as_deref().ok_or_else(missing)
    }

    fn ask(&self, program: &Path, question: &Question<'_>) -> Result<Answer, GitError> {
        let helper = self.start(program, question)?;
        let heard = hear(&helper.stdout, &helper.stderr, question.deadline);
        if !matches!(heard, Ok(Some(_))) {
            // Git leads a group of its own, with all that it starts. It may have ended meanwhile.
            let _ = kill_process_group(helper.pid(), SignalNumber::KILL);
        }
        let end = self.children.wait(&helper)?;
        let [stdout, stderr] = heard?.ok_or(GitError::TooLong)?;
        Ok(Answer { end, stdout, stderr })
    }

    fn start(&self, program: &Path, question: &Question<'_>) -> Result<Helper, GitError> {
        let settings = OUR_SETTINGS.iter().map(OsString::from);
        let args: Vec<OsString> =
            settings.chain(question.args.iter().map(OsString::from)).collect();
        let mut env = self.environment.clone();
        env.push(("GIT_OPTIONAL_LOCKS".into(), "0".into()));
        env.extend(question.variables.iter().map(|(name, value)| (name.into(), value.into())));
        let directory = question.directory;
        let command = Command { program, args: &args, env: &env, directory, stdin: Stdin::Null };
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_over {
            return Err(GitError::Over);
        }
        Ok(self.children.start_helper(&command)?)
    }
}

impl Answer {
    /// Says why git failed with the last thing that it said itself; its advice is not for our users.
    fn failure(&self, question: &Question<'_>) -> GitError {
        let what =
            question.args.first().map_or_else(String::new, |word| word.to_string_lossy().into());
        let said = String::from_utf8_lossy(&self.stderr);
        let mut said = said.lines().filter(|line| !line.trim().is_empty() && !is_advice(line));
        let why = said.next_back().map_or_else(String::new, |said| format!(": {said}"));
        GitError::Failed(format!("{what} failed ({}){why}", self.end))
    }
}

fn is_advice(line: &str) -> bool {
    line.starts_with("hint:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_what_git_said_and_not_its_advice() {
        let failure = |code, stderr: &str| {
            let (end, stderr) = (AgentEnd::Exited(code), stderr.as_bytes().to_vec());
            let args = [OsStr::new("add")];
            let (directory, deadline) = (Path::new("/"), Instant::now());
            let question = Question { directory, args: &args, variables: &[], deadline };
            Answer { end, stdout: Vec::new(), stderr }.failure(&question).to_string()
        };
        let said = "The following paths are ignored:\nx\nerror: no\nhint: Use -f\nhint:\n\n";
        assert_eq!(failure(128, said), "git add failed (exit 128): error: no");
        assert_eq!(failure(1, "hint: Use -f\n"), "git add failed (exit 1)");
    }
}
