//! The current directory, the working directory and the environment of a command.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use forkhestra_core::diagnostic::Diagnostic;

use crate::cli::args::forkhestra_cli::ProjectArgs;
use crate::cli::started_program::StartedProgram;
use crate::project::config_files;

/// The parts of the environment that the program uses. They are read once, at the start.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProgramEnvironment {
    pub(crate) current_directory: PathBuf,
    pub(crate) path: Option<OsString>,
    pub(crate) home: Option<OsString>,
    pub(crate) xdg_config_home: Option<OsString>,
    pub(crate) xdg_state_home: Option<OsString>,
    pub(crate) forge_tasks_dir: Option<OsString>,
    pub(crate) term: Option<OsString>,
    pub(crate) ci: Option<OsString>,
    /// The path of this executable, if the system provides it.
    pub(crate) executable: Option<PathBuf>,
    /// The whole environment, which agents inherit.
    pub(crate) inherited: Vec<(OsString, OsString)>,
}

impl ProgramEnvironment {
    /// Reads the real environment. The current directory is required only if a path is relative to
    /// it.
    fn read(args: &ProjectArgs) -> Result<Self, Diagnostic> {
        let all_absolute = args.cwd.as_ref().is_some_and(|path| path.is_absolute())
            && args.config.as_ref().is_none_or(|path| path.is_absolute());
        let current_directory = match std::env::current_dir() {
            Ok(directory) => directory,
            Err(_) if all_absolute => PathBuf::from("/"),
            Err(error) => {
                let message = format!("the current directory cannot be used: {error}");
                return Err(Diagnostic::error(message).hint("go to a directory that exists"));
            }
        };
        Ok(Self {
            current_directory,
            path: std::env::var_os("PATH"),
            home: std::env::var_os("HOME"),
            xdg_config_home: std::env::var_os("XDG_CONFIG_HOME"),
            xdg_state_home: std::env::var_os("XDG_STATE_HOME"),
            forge_tasks_dir: std::env::var_os("FORGE_TASKS_DIR"),
            term: std::env::var_os("TERM"),
            ci: std::env::var_os("CI"),
            executable: std::env::current_exe().ok(),
            inherited: std::env::vars_os().collect(),
        })
    }

    /// The value of a variable; `None` if it is unset or empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsString> {
        let found = self.inherited.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value).filter(|value| !value.is_empty())
    }

    /// Shortens a path: `~` stands for the home directory.
    pub(crate) fn shortened(&self, path: &str) -> String {
        let home = self.home.as_ref().filter(|home| Path::new(home) != Path::new("/"));
        let below = home.filter(|home| !home.is_empty()).and_then(|home| {
            let below = Path::new(path).strip_prefix(home).ok()?;
            Some(Path::new("~").join(below))
        });
        let shown = below.map(|below| below.to_string_lossy().trim_end_matches('/').to_owned());
        shown.unwrap_or_else(|| path.to_owned())
    }

    /// Whether a terminal can erase a line and is interactive, judged by `TERM` and `CI`.
    pub(crate) fn allows_live_line(&self) -> bool {
        let is_able = |term: &OsString| !term.is_empty() && term != "dumb";
        self.term.as_ref().is_some_and(is_able) && !self.is_ci()
    }

    /// Whether this is a job of a CI system, where a terminal has no user.
    pub(crate) fn is_ci(&self) -> bool {
        let is_set = |ci: &OsString| !ci.is_empty() && ci != "false" && ci != "0";
        self.ci.as_ref().is_some_and(is_set)
    }
}

/// The working directory of a command, with the environment around it.
#[derive(Debug, Clone)]
pub(crate) struct ProjectLocation {
    pub(crate) program: StartedProgram,
    pub(crate) environment: ProgramEnvironment,
    /// An absolute path.
    pub(crate) working_directory: PathBuf,
    /// The working directory as typed with `--cwd`.
    pub(crate) written_directory: Option<PathBuf>,
    /// The config file as typed with `--config`.
    pub(crate) config: Option<PathBuf>,
    /// The directory in which the search for the project's config file started, if the file was
    /// found in a parent. Typed paths are relative to it.
    pub(crate) start_directory: Option<PathBuf>,
}

impl ProjectLocation {
    /// Determines the working directory, or returns the reason why it cannot be used.
    pub(crate) fn find(args: &ProjectArgs) -> Result<Self, Vec<Diagnostic>> {
        let environment = ProgramEnvironment::read(args).map_err(|error| vec![error])?;
        let written_directory = args.cwd.clone();
        let working_directory = match &written_directory {
            None => environment.current_directory.clone(),
            Some(written) => check_directory(written, &environment.current_directory.join(written))
                .map_err(|error| vec![error])?,
        };
        require_text(&working_directory).map_err(|error| vec![error])?;
        let config = args.config.clone();
        let program = StartedProgram::default();
        let start_directory = None;
        Ok(Self {
            program,
            environment,
            working_directory,
            written_directory,
            config,
            start_directory,
        })
    }

    /// The same, but the working directory is the one with the project's config file: the current
    /// directory or a parent in the same repository. A directory given with `--cwd` is not changed.
    pub(crate) fn find_with_config(args: &ProjectArgs) -> Result<Self, Vec<Diagnostic>> {
        let project = Self::find(args)?;
        if project.config.is_some() || args.cwd.is_some() {
            return Ok(project);
        }
        Ok(match config_files::directory_above(&project.working_directory) {
            Some(directory) => project.in_directory_above(directory),
            None => project,
        })
    }

    fn in_directory_above(self, directory: PathBuf) -> Self {
        let written_directory = path_from(&self.environment.current_directory, &directory);
        let start_directory = Some(self.working_directory);
        Self { working_directory: directory, written_directory, start_directory, ..self }
    }

    /// The directory to which typed relative paths refer.
    pub(crate) fn typed_from(&self) -> &Path {
        self.start_directory.as_deref().unwrap_or(&self.working_directory)
    }

    /// The path from the working directory to [`Self::typed_from`], if they differ.
    pub(crate) fn typed_prefix(&self) -> Option<String> {
        let below = self.start_directory.as_ref()?.strip_prefix(&self.working_directory).ok()?;
        Some(below.to_string_lossy().into_owned())
    }

    /// The same location for another program.
    pub(crate) fn for_program(self, program: StartedProgram) -> Self {
        Self { program, ..self }
    }

    /// The same project with the working directory of a run.
    pub(crate) fn moved_to(&self, directory: &str) -> Result<Self, Diagnostic> {
        let path = Path::new(directory);
        let working_directory = check_directory(path, path).map_err(|mut error| {
            error.hints = vec!["a run can be resumed only where it began".to_owned()];
            error
        })?;
        let is_here = working_directory == self.working_directory;
        let written_directory =
            if is_here { self.written_directory.clone() } else { Some(path.to_owned()) };
        let start_directory = None;
        Ok(Self { working_directory, written_directory, start_directory, ..self.clone() })
    }

    /// The directory in which only one run may be active: the root of the repository, or the
    /// working directory if there is none.
    pub(crate) fn work_tree(&self) -> PathBuf {
        work_tree_of(&self.working_directory)
    }

    /// Whether the working directory is in a git repository.
    pub(crate) fn is_in_repository(&self) -> bool {
        self.environment.variable("GIT_DIR").is_some() || self.work_tree().join(".git").exists()
    }

    /// A path below the working directory as the user would type it.
    pub(crate) fn shown(&self, below: &str) -> String {
        match &self.written_directory {
            Some(written) => written.join(below).to_string_lossy().into_owned(),
            None => below.to_owned(),
        }
    }
}

/// The root of the repository around a directory, or the directory itself.
pub(crate) fn work_tree_of(directory: &Path) -> PathBuf {
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let top = real.ancestors().find(|place| place.join(".git").exists());
    top.map_or_else(|| real.clone(), Path::to_path_buf)
}

/// The path from the current directory to another one; `None` if they are the same.
pub(crate) fn path_from(current: &Path, directory: &Path) -> Option<PathBuf> {
    if current == directory {
        return None;
    }
    if let Ok(below) = current.strip_prefix(directory) {
        return Some(below.components().map(|_| "..").collect());
    }
    Some(directory.strip_prefix(current).unwrap_or(directory).to_owned())
}

fn check_directory(written: &Path, directory: &Path) -> Result<PathBuf, Diagnostic> {
    let shown = written.display();
    let wrong = |why: &str| Diagnostic::error(format!("the working directory `{shown}` {why}"));
    // The real path is needed to walk up: the parent of `a/..` is not `a`.
    let real = directory.canonicalize().and_then(|real| Ok((real.metadata()?.is_dir(), real)));
    match real {
        Ok((true, real)) => Ok(real),
        Ok((false, _)) => Err(wrong("is not a directory")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(wrong("does not exist").hint("`--cwd` takes an existing directory"))
        }
        Err(error) => Err(wrong(&format!("cannot be used: {error}"))),
    }
}

/// A plan is text, so the directory to which its paths are relative must be UTF-8.
fn require_text(directory: &Path) -> Result<(), Diagnostic> {
    if directory.to_str().is_some() {
        return Ok(());
    }
    let message = format!("the working directory `{}` is not UTF-8", directory.display());
    Err(Diagnostic::error(message).hint("rename it, or work in another directory"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_relative_if_one_directory_contains_the_other() {
        for (current, directory, expected) in [
            ("/p", "/p", None),
            ("/p/src", "/p", Some("..")),
            ("/p/src/deep", "/p", Some("../..")),
            ("/", "/p", Some("p")),
            ("/q", "/p", Some("/p")),
        ] {
            let path = path_from(Path::new(current), Path::new(directory));
            assert_eq!(path.as_deref(), expected.map(Path::new), "{current} {directory}");
        }
    }

    #[test]
    fn a_live_line_needs_a_capable_terminal_in_the_foreground() {
        for (term, ci, expected) in [
            (Some("xterm-256color"), None, true),
            (Some("xterm"), Some(""), true),
            (Some("xterm"), Some("false"), true),
            (Some("xterm"), Some("true"), false),
            (Some("xterm"), Some("1"), false),
            (Some("dumb"), None, false),
            (Some(""), None, false),
            (None, None, false),
        ] {
            let environment = ProgramEnvironment {
                current_directory: PathBuf::from("/"),
                path: None,
                home: None,
                xdg_config_home: None,
                xdg_state_home: None,
                forge_tasks_dir: None,
                term: term.map(OsString::from),
                ci: ci.map(OsString::from),
                executable: None,
                inherited: Vec::new(),
            };
            assert_eq!(environment.allows_live_line(), expected, "{term:?} {ci:?}");
        }
    }
}
