//! Runs git without side effects on the user's repository and settings, and without running commands
//! that its settings name.

pub(super) mod config_overrides;
pub(super) mod config_text;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use forkhestra_core::event::ProcessEnd;
use rustix::process::kill_process_group;

use crate::process::two_pipe_reader::{PipeReadBounds, read_both};
use crate::process::{
    ChildProcesses, HelperProcess, SignalNumber, SpawnCommand, SpawnError, SpawnStdin,
};

/// Variables that would lead git out of a clean room or a lane to the inherited repository.
pub(crate) const LOCATION_OVERRIDES: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// Overrides for user settings that would start background processes, run programs of the user,
/// write to the repository, hide changes, or refuse to read a file.
pub(super) const OUR_SETTINGS: [&str; 14] = [
    "core.checkStat=default",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.ignoreStat=false",
    "core.logAllRefUpdates=false",
    "core.pager=cat",
    "core.safecrlf=false",
    "core.splitIndex=false",
    "core.trustctime=true",
    "core.untrackedCache=false",
    "gc.auto=0",
    "i18n.commitEncoding=UTF-8",
    "maintenance.auto=false",
    "worktree.useRelativePaths=false",
];

/// A path that cannot exist. Git reads no file there, and prints no advice about it.
const NO_FILE: &str = "/dev/null/none";

/// Variables for every git process: no optional locks, no prompts, no advice, no translated
/// messages, no trace files. Objects are read as they are named: no replaced objects, no grafts, and
/// no connection to a remote that has missing ones.
const OUR_VARIABLES: [(&str, &str); 11] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ADVICE", "0"),
    ("LC_ALL", "C"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", NO_FILE),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_TRACE2", "0"),
    ("GIT_TRACE2_EVENT", "0"),
    ("GIT_TRACE2_PERF", "0"),
];

/// Variables that make git ignore the settings of the user and of the machine.
const ISOLATION: [(&str, &str); 6] = [
    ("HOME", NO_FILE),
    ("XDG_CONFIG_HOME", NO_FILE),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_DEFAULT_REF_FORMAT", "files"),
];

/// Inherited variables that locate the repository. Agents inherit them as well.
const REPOSITORY_VARIABLES: [&str; 4] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"];

/// Variables with which git finds no other repository than that of the agents.
const REDIRECTIONS: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"];

/// The prefix of inherited variables with settings, which agents have as well.
const SETTING_PREFIX: &str = "GIT_CONFIG_";

/// Variables that hold no secrets and that programs of the user need.
const HARMLESS: [&str; 12] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
];

/// Sections of settings that may hold passwords or tokens.
const SECRET_SECTIONS: [&str; 5] = ["credential.", "http.", "remote.", "sendemail.", "url."];

/// Settings for a single command, which would override ours.
const PARAMETERS: &str = "GIT_CONFIG_PARAMETERS";

/// The number of settings in variables, each with a key and a value.
const SETTING_COUNT: &str = "GIT_CONFIG_COUNT";

/// Keys and values of settings.
pub(crate) type GitSettings = Vec<(OsString, OsString)>;

/// The git program and its environment.
#[derive(Debug, Clone)]
pub(crate) struct GitProgram {
    program: Option<PathBuf>,
    environment: Vec<(OsString, OsString)>,
    /// The inherited variable that leads git to another repository, index or objects.
    redirection: Option<&'static str>,
    children: Arc<ChildProcesses>,
    /// Set when the run is over. Locked while git is started or files are prepared for it, so that
    /// neither happens later.
    is_over: Arc<Mutex<bool>>,
}

/// A git command.
pub(crate) struct GitQuery<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) args: &'a [&'a OsStr],
    pub(crate) variables: &'a [(&'static str, OsString)],
    /// Settings that replace those of the repository.
    pub(crate) settings: &'a [(OsString, OsString)],
    /// Its standard input.
    pub(crate) input: &'a [u8],
    pub(crate) deadline: Instant,
}

/// Why a git command failed.
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

/// The output of a git command up to a number of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitOutputStart {
    pub(crate) bytes: Vec<u8>,
    /// Whether more follows. Then git was ended, and it is unknown whether it would have succeeded.
    pub(crate) is_cut: bool,
}

/// Whether a git command succeeded completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GitCompletion {
    All,
    Partial,
}

struct GitAnswer {
    end: ProcessEnd,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl GitProgram {
    /// Finds git on the `PATH` of an environment. Of the variables for git, only those are kept
    /// that locate the agents' repository or contain its settings.
    pub(crate) fn new(environment: &[(OsString, OsString)], children: Arc<ChildProcesses>) -> Self {
        let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value);
        // A relative entry means the work tree, in which an agent may put any program.
        let places = path.into_iter().flat_map(std::env::split_paths).filter(|it| it.is_absolute());
        let program = places.map(|place| place.join("git")).find(|git| git.is_file());
        let is_set = |wanted: &&str| environment.iter().any(|(name, _)| name == wanted);
        let redirection = REDIRECTIONS.into_iter().find(is_set);
        let kept = environment.iter().filter(|(name, _)| is_kept(&name.to_string_lossy()));
        let environment = kept.cloned().collect();
        Self { program, environment, redirection, children, is_over: Arc::default() }
    }

    /// The same program without any setting of the user, of the machine or of the agents'
    /// repository.
    pub(crate) fn isolated(&self) -> Self {
        let is_kept = |name: &str| !name.starts_with("GIT_") && !name.starts_with("XDG_");
        let mut isolated = self.clone();
        isolated.environment.retain(|(name, _)| {
            let name = name.to_string_lossy();
            is_kept(&name) && ISOLATION.iter().all(|(other, _)| name != *other)
        });
        isolated.environment.extend(ISOLATION.map(|(name, value)| (name.into(), value.into())));
        isolated
    }

    /// The same program for commands that run programs of the user, such as merge drivers: without
    /// variables that may hold secrets.
    pub(crate) fn without_secrets(&self) -> Self {
        let mut reduced = self.clone();
        let inherited = (0..).map_while(|number| {
            let part = |part: &str| self.variable(&format!("{SETTING_PREFIX}{part}_{number}"));
            Some((part("KEY")?.to_owned(), part("VALUE")?.to_owned()))
        });
        let settings: GitSettings =
            inherited.filter(|(key, _)| has_no_secret(&key.to_string_lossy())).collect();
        reduced.environment.retain(|(name, _)| is_harmless(&name.to_string_lossy()));
        add_settings(&mut reduced.environment, &settings);
        reduced
    }

    /// The path of the program, if it is installed.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.program.as_deref()
    }

    /// The value of an inherited variable.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str())
    }

    pub(crate) const fn is_installed(&self) -> bool {
        self.program.is_some()
    }

    /// Whether the environment locates the repository, so that no search is needed.
    pub(crate) fn has_location_override(&self) -> bool {
        self.environment.iter().any(|(name, _)| name == "GIT_DIR" || name == "GIT_WORK_TREE")
    }

    /// The inherited variable with which the user's git, and that of agents, would find no other
    /// repository.
    pub(crate) const fn redirection(&self) -> Option<&'static str> {
        self.redirection
    }

    /// The output of git, or `None` if it exits with a failure or is not installed.
    pub(crate) fn query(&self, question: &GitQuery<'_>) -> Result<Option<Vec<u8>>, GitError> {
        let Some(program) = &self.program else { return Ok(None) };
        let answer = self.ask(program, question, usize::MAX)?;
        match answer.end {
            ProcessEnd::Exited(0) => Ok(Some(answer.stdout)),
            ProcessEnd::Exited(_) => Ok(None),
            _ => Err(answer.failure(question)),
        }
    }

    /// The output of git; a failure is an error.
    pub(crate) fn require(&self, question: &GitQuery<'_>) -> Result<Vec<u8>, GitError> {
        self.require_start(question, usize::MAX).map(|output| output.bytes)
    }

    /// The first `max_bytes` of the output of git; a failure is an error.
    pub(crate) fn require_start(
        &self,
        question: &GitQuery<'_>,
        max_bytes: usize,
    ) -> Result<GitOutputStart, GitError> {
        let mut answer = self.ask(self.program()?, question, max_bytes)?;
        let is_cut = answer.stdout.len() > max_bytes;
        if !is_cut && answer.end != ProcessEnd::Exited(0) {
            return Err(answer.failure(question));
        }
        answer.stdout.truncate(max_bytes);
        Ok(GitOutputStart { bytes: answer.stdout, is_cut })
    }

    /// Runs a command that may succeed in part, for which git exits with 1.
    pub(crate) fn attempt(&self, question: &GitQuery<'_>) -> Result<GitCompletion, GitError> {
        self.require_part(question).map(|(completion, _)| completion)
    }

    /// The output of a command that may succeed in part, for which git exits with 1.
    pub(crate) fn require_part(
        &self,
        question: &GitQuery<'_>,
    ) -> Result<(GitCompletion, Vec<u8>), GitError> {
        let answer = self.ask(self.program()?, question, usize::MAX)?;
        match answer.end {
            ProcessEnd::Exited(0) => Ok((GitCompletion::All, answer.stdout)),
            ProcessEnd::Exited(1) => Ok((GitCompletion::Partial, answer.stdout)),
            _ => Err(answer.failure(question)),
        }
    }

    /// Prepares files for git, unless the run is over.
    pub(crate) fn prepare<T>(&self, work: impl FnOnce() -> io::Result<T>) -> Result<T, GitError> {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_over {
            return Err(GitError::Over);
        }
        Ok(work()?)
    }

    /// Starts no more git processes and prepares no more files. Running processes are ended with
    /// all others.
    pub(crate) fn stop(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    fn program(&self) -> Result<&Path, GitError> {
        let missing = || GitError::Failed("is not installed".to_owned());
        self.program.as_deref().ok_or_else(missing)
    }

    fn ask(
        &self,
        program: &Path,
        question: &GitQuery<'_>,
        max_bytes: usize,
    ) -> Result<GitAnswer, GitError> {
        let bounds = PipeReadBounds { deadline: question.deadline, max_bytes };
        if question.input.is_empty() {
            let helper = self.start(program, question, SpawnStdin::Null)?;
            return self.read_answer(&helper, bounds);
        }
        let (reader, mut writer) = io::pipe()?;
        thread::scope(|scope| {
            // A git process that does not read its input to the end reports the reason itself.
            thread::Builder::new().spawn_scoped(scope, move || {
                let _ = writer.write_all(question.input);
            })?;
            let helper = self.start(program, question, SpawnStdin::Fd(reader.as_fd()));
            // If git was not started, the thread has no reader and ends.
            drop(reader);
            self.read_answer(&helper?, bounds)
        })
    }

    fn read_answer(
        &self,
        helper: &HelperProcess,
        bounds: PipeReadBounds,
    ) -> Result<GitAnswer, GitError> {
        let outputs = read_both(&helper.stdout, &helper.stderr, bounds);
        let is_read = matches!(&outputs, Ok(Some([stdout, _])) if stdout.len() <= bounds.max_bytes);
        if !is_read {
            // Git leads a process group of its own, with all its children. It may have ended
            // meanwhile.
            let _ = kill_process_group(helper.pid(), SignalNumber::KILL);
        }
        let end = self.children.wait(helper)?;
        let [stdout, stderr] = outputs?.ok_or(GitError::TooLong)?;
        Ok(GitAnswer { end, stdout, stderr })
    }

    fn start(
        &self,
        program: &Path,
        question: &GitQuery<'_>,
        stdin: SpawnStdin<'_>,
    ) -> Result<HelperProcess, GitError> {
        let settings = OUR_SETTINGS.iter().flat_map(|setting| ["-c", *setting]).map(OsString::from);
        let args: Vec<OsString> =
            settings.chain(question.args.iter().map(OsString::from)).collect();
        let env = self.variables(question);
        let directory = question.directory;
        let command =
            SpawnCommand { program, args: &args, env: &env, directory, stdin, keeper: None };
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_over {
            return Err(GitError::Over);
        }
        Ok(self.children.start_helper(&command)?)
    }
}

impl GitProgram {
    /// The environment of a git process. Variables of the command replace ours, and ours replace the
    /// inherited ones.
    pub(super) fn variables(&self, question: &GitQuery<'_>) -> Vec<(OsString, OsString)> {
        let ours = OUR_VARIABLES.iter().map(|(name, value)| (*name, OsString::from(value)));
        let asked = question.variables;
        let mut new: Vec<(&str, OsString)> =
            ours.filter(|(name, _)| asked.iter().all(|(other, _)| name != other)).collect();
        new.extend(asked.iter().cloned());
        let is_replaced = |name: &OsString| new.iter().any(|(other, _)| name == other);
        let mut env = self.environment.clone();
        env.retain(|(name, _)| !is_replaced(name));
        env.extend(new.into_iter().map(|(name, value)| (name.into(), value)));
        add_settings(&mut env, question.settings);
        env
    }
}

/// Adds settings after the inherited ones, which they replace. Unlike an argument, a variable can
/// hold any key.
fn add_settings(env: &mut Vec<(OsString, OsString)>, settings: &[(OsString, OsString)]) {
    if settings.is_empty() {
        return;
    }
    let inherited = env.iter().find(|(name, _)| name == SETTING_COUNT);
    let inherited = inherited.and_then(|(_, count)| count.to_str()?.parse::<usize>().ok());
    let inherited = inherited.unwrap_or_default();
    env.retain(|(name, _)| name != SETTING_COUNT);
    for ((key, value), number) in settings.iter().zip(inherited..) {
        env.push((format!("{SETTING_PREFIX}KEY_{number}").into(), key.clone()));
        env.push((format!("{SETTING_PREFIX}VALUE_{number}").into(), value.clone()));
    }
    env.push((SETTING_COUNT.into(), (inherited + settings.len()).to_string().into()));
}

fn is_kept(name: &str) -> bool {
    let is_setting = name.starts_with(SETTING_PREFIX) && name != PARAMETERS;
    !name.starts_with("GIT_") || REPOSITORY_VARIABLES.contains(&name) || is_setting
}

/// Whether a variable is kept for programs of the user. Those that locate the repository are set for
/// each command.
fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name) || REPOSITORY_VARIABLES.contains(&name) || name.starts_with("LC_")
}

fn has_no_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    !SECRET_SECTIONS.iter().any(|section| key.starts_with(section))
}

impl GitAnswer {
    /// The error, with the last message of git itself; its advice is left out.
    fn failure(&self, question: &GitQuery<'_>) -> GitError {
        let mut words = question.args;
        while let [setting, _, rest @ ..] = words
            && *setting == "-c"
        {
            words = rest;
        }
        let what = words.first().map_or_else(String::new, |word| word.to_string_lossy().into());
        let stderr = String::from_utf8_lossy(&self.stderr);
        let stderr: Vec<&str> =
            stderr.lines().filter(|line| !line.trim().is_empty() && !is_advice(line)).collect();
        let error = stderr.iter().rfind(|line| is_error(line)).or(stderr.last());
        let why = error.map_or_else(String::new, |stderr| format!(": {stderr}"));
        GitError::Failed(format!("{what} failed ({}){why}", self.end))
    }
}

fn is_advice(line: &str) -> bool {
    line.starts_with("hint:")
}

/// Whether a line is an error of git. Several lines of advice may follow it.
fn is_error(line: &str) -> bool {
    line.starts_with("fatal: ") || line.starts_with("error: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_the_error_of_git_and_not_its_advice() {
        let failure = |code, stderr: &str| {
            let (end, stderr) = (ProcessEnd::Exited(code), stderr.as_bytes().to_vec());
            let args = ["-c", "a.b=c", "add"].map(OsStr::new);
            let (directory, deadline) = (Path::new("/"), Instant::now());
            let question = GitQuery {
                directory,
                args: &args,
                variables: &[],
                settings: &[],
                input: &[],
                deadline,
            };
            GitAnswer { end, stdout: Vec::new(), stderr }.failure(&question).to_string()
        };
        let lines = "The following paths are ignored:\nx\nerror: no\nhint: Use -f\nhint:\n\n";
        assert_eq!(failure(128, lines), "git add failed (exit 128): error: no");
        assert_eq!(failure(1, "hint: Use -f\n"), "git add failed (exit 1)");
        let lines = "fatal: Unable to create 'index.lock'.\n\nAnother git process is running.\n";
        let expected = "git add failed (exit 1): fatal: Unable to create 'index.lock'.";
        assert_eq!(failure(1, lines), expected);
    }

    #[test]
    fn settings_follow_the_inherited_ones() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let mut env = vec![
            pair("GIT_CONFIG_COUNT", "1"),
            pair("GIT_CONFIG_KEY_0", "a.b"),
            pair("GIT_CONFIG_VALUE_0", "c"),
        ];
        add_settings(&mut env, &[]);
        assert_eq!(env.len(), 3);
        add_settings(&mut env, &[pair("filter.x=y.clean", "")]);
        let expected = [
            pair("GIT_CONFIG_KEY_0", "a.b"),
            pair("GIT_CONFIG_VALUE_0", "c"),
            pair("GIT_CONFIG_KEY_1", "filter.x=y.clean"),
            pair("GIT_CONFIG_VALUE_1", ""),
            pair("GIT_CONFIG_COUNT", "2"),
        ];
        assert_eq!(env, expected);
    }

    #[test]
    fn git_is_not_searched_in_the_work_tree() {
        for path in ["", ".", "bin:.", "../..:target"] {
            let environment = [(OsString::from("PATH"), OsString::from(path))];
            let git = GitProgram::new(&environment, Arc::new(ChildProcesses::default()));
            assert_eq!(git.path(), None, "{path}");
        }
        let directory = tempfile::tempdir().expect("there is room");
        std::fs::write(directory.path().join("git"), "").expect("it is ours");
        let path = std::env::join_paths([Path::new("."), directory.path()]).expect("no colon");
        let git = GitProgram::new(&[("PATH".into(), path)], Arc::new(ChildProcesses::default()));
        assert_eq!(git.path(), Some(directory.path().join("git").as_path()));
    }

    #[test]
    fn an_isolated_git_inherits_no_settings() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let inherited = ["PATH", "HOME", "XDG_CONFIG_HOME", "GIT_DIR", "GIT_CONFIG_GLOBAL", "TAG"];
        let inherited = inherited.map(|name| pair(name, "theirs"));
        let git = GitProgram::new(&inherited, Arc::new(ChildProcesses::default())).isolated();
        let theirs = git.environment.iter().filter(|(_, value)| value == "theirs");
        let theirs: Vec<_> = theirs.map(|(name, _)| name.to_string_lossy()).collect();
        assert_eq!(theirs, ["PATH", "TAG"]);
        assert_eq!(git.variable("GIT_CONFIG_GLOBAL"), Some(OsStr::new("/dev/null")));
    }

    #[test]
    fn programs_of_the_user_get_no_secrets() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let inherited = [
            pair("PATH", "/bin"),
            pair("API_KEY", "secret"),
            pair("GIT_CONFIG_COUNT", "2"),
            pair("GIT_CONFIG_KEY_0", "http.extraHeader"),
            pair("GIT_CONFIG_VALUE_0", "secret"),
            pair("GIT_CONFIG_KEY_1", "merge.x.driver"),
            pair("GIT_CONFIG_VALUE_1", "true"),
        ];
        let git = GitProgram::new(&inherited, Arc::new(ChildProcesses::default()));
        let expected = [
            pair("PATH", "/bin"),
            pair("GIT_CONFIG_KEY_0", "merge.x.driver"),
            pair("GIT_CONFIG_VALUE_0", "true"),
            pair("GIT_CONFIG_COUNT", "1"),
        ];
        assert_eq!(git.without_secrets().environment, expected);
    }

    #[test]
    fn only_variables_that_locate_the_repository_are_inherited() {
        for name in ["PATH", "GIT_DIR", "GIT_WORK_TREE", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_KEY_0"] {
            assert!(is_kept(name), "{name}");
        }
        for name in ["GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_TRACE", PARAMETERS] {
            assert!(!is_kept(name), "{name}");
        }
    }
}
