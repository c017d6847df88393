//! Locations of state directories.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_store::StateRoot;
use rustix::fs::Access;

use crate::cli::command_error;
use crate::project::config_files;
use crate::project::project_location::ProjectLocation;

const STATE_SUBDIRECTORY: &str = "forkhestra";
/// Directory in the project that is used if the user's state directory cannot be written to.
pub(crate) const PROJECT_STATE_DIRECTORY: &str = ".agent-state";

/// The state directory for new runs, with a warning if it is not the usual one.
#[derive(Debug)]
pub(crate) struct StateHome {
    pub(crate) root: StateRoot,
    pub(crate) warning: Option<Diagnostic>,
}

/// Determines the state directory for new runs and creates it.
pub(crate) fn for_new_runs(
    project: &ProjectLocation,
    named: Option<&str>,
) -> Result<StateHome, Diagnostic> {
    if let Some(named) = named {
        let path = project.typed_from().join(named);
        let unusable = |error| {
            Diagnostic::error(format!("the state directory `{named}` cannot be used: {error}"))
                .hint("`--state-dir` takes a directory that you can write to")
        };
        create_private_directory(&path).map_err(unusable)?;
        return Ok(StateHome { root: trusted(path)?, warning: None });
    }
    let usual = default_state_directory(project);
    let why = match usual.as_deref().map(create_private_directory) {
        Some(Ok(())) => {
            let root = trusted(usual.unwrap_or_default())?;
            return Ok(StateHome { root, warning: None });
        }
        Some(Err(error)) => format!("`{}`: {error}", usual.unwrap_or_default().display()),
        None => "neither XDG_STATE_HOME nor HOME is set".to_owned(),
    };
    project_state_home(project, &why)
}

/// The state directory for new runs, without creating it; `None` if it is not defined.
pub(crate) fn new_run_place(project: &ProjectLocation, named: Option<&str>) -> Option<PathBuf> {
    let named = named.map(|named| project.typed_from().join(named));
    named.or_else(|| default_state_directory(project))
}

/// A state directory in which runs are searched.
#[derive(Debug)]
pub(crate) struct SearchPlace {
    pub(crate) root: StateRoot,
    /// The work tree whose runs in it belong to the project.
    pub(crate) work_tree: PathBuf,
    /// It is inside the project. Of several such directories, the first one with runs is used.
    pub(crate) is_in_project: bool,
}

/// All directories in which runs may be stored. Runs stored in the project are also found from its
/// subdirectories: up to the root of the repository, or else up to the directory with the project's
/// config file.
pub(crate) fn search_places(project: &ProjectLocation, named: Option<&str>) -> Vec<SearchPlace> {
    let work_tree = project.work_tree();
    let elsewhere = |path: PathBuf| (path, work_tree.clone(), false);
    let places: Vec<(PathBuf, PathBuf, bool)> = match named {
        Some(named) => vec![elsewhere(project.typed_from().join(named))],
        None => {
            let is_repository = work_tree.join(".git").exists();
            let real = project.working_directory.canonicalize();
            let real = real.unwrap_or_else(|_| project.working_directory.clone());
            // Outside a repository, only a config file shows that a parent directory is the
            // project.
            let top = match is_repository {
                true => work_tree.clone(),
                false => config_files::nearest_project(&real).unwrap_or_else(|| real.clone()),
            };
            let above = real.ancestors().take_while(|directory| directory.starts_with(&top));
            let in_project = above.map(|directory| {
                let of = if is_repository { work_tree.clone() } else { directory.to_owned() };
                (directory.join(PROJECT_STATE_DIRECTORY), of, true)
            });
            default_state_directory(project).into_iter().map(elsewhere).chain(in_project).collect()
        }
    };
    // A parent directory may belong to another user, and resuming a run executes commands.
    let here = project.working_directory.join(PROJECT_STATE_DIRECTORY);
    let is_usable = |(path, _, is_in_project): &(PathBuf, PathBuf, bool)| {
        path.is_dir() && (!is_in_project || is_same(path, &here) || is_ours(path))
    };
    let directory = |(path, work_tree, is_in_project)| SearchPlace {
        root: StateRoot::new(path),
        work_tree,
        is_in_project,
    };
    places.into_iter().filter(is_usable).map(directory).collect()
}

/// Whether this is the default state directory.
pub(crate) fn is_usual(project: &ProjectLocation, root: &Path) -> bool {
    default_state_directory(project).is_some_and(|usual| is_same(&usual, root))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

/// Whether this is a directory that belongs to the current user and that no other user can write
/// to. A symbolic link is not accepted.
fn is_ours(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path).is_ok_and(|found| {
        let is_own = found.uid() == rustix::process::geteuid().as_raw();
        found.is_dir() && is_own && found.mode() & 0o022 == 0
    })
}

/// `$XDG_STATE_HOME/forkhestra`, or `~/.local/state/forkhestra`.
pub(crate) fn default_state_directory(project: &ProjectLocation) -> Option<PathBuf> {
    let environment = &project.environment;
    // The XDG specification requires that relative paths are ignored.
    let xdg = environment.xdg_state_home.as_ref().map(PathBuf::from).filter(|p| p.is_absolute());
    let home = environment.home.as_ref().filter(|home| !home.is_empty());
    let state = xdg.or_else(|| home.map(|home| Path::new(home).join(".local/state")))?;
    Some(state.join(STATE_SUBDIRECTORY))
}

fn project_state_home(project: &ProjectLocation, why: &str) -> Result<StateHome, Diagnostic> {
    let path = project.working_directory.join(PROJECT_STATE_DIRECTORY);
    let shown = project.shown(PROJECT_STATE_DIRECTORY);
    let ignore = path.join(".gitignore");
    let unusable = |error: &dyn Display| {
        Diagnostic::error(format!("there is no place to keep the run: {why}"))
            .hint(format!("`{shown}` cannot be used either: {error}"))
            .hint("name a directory that you can write to with `--state-dir`")
    };
    create_private_directory(&path).map_err(|error| unusable(&error))?;
    // The repository may have brought a link of this name.
    require_no_link(&path).map_err(|error| unusable(&error))?;
    let root = trusted(path)?;
    let ignored = match File::create_new(&ignore) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created.and_then(|mut file| file.write_all(b"*\n")),
    };
    ignored.map_err(|error| unusable(&error))?;
    let warning = Diagnostic::warning(format!("the run is kept in `{shown}`: {why}"))
        .hint("an agent that cleans the work tree (`git clean -fdx`) can destroy it there");
    Ok(StateHome { root, warning: Some(warning) })
}

/// A state directory in which no other user can replace anything.
fn trusted(path: PathBuf) -> Result<StateRoot, Diagnostic> {
    let root = StateRoot::new(path);
    root.require_trusted().map_err(|error| command_error::file_diagnostic(&error))?;
    Ok(root)
}

fn require_no_link(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_symlink() {
        true => Err(io::Error::other("it is a symbolic link")),
        false => Ok(()),
    }
}

/// Creates a directory with mode 0700 and checks that it is writable.
fn create_private_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    Ok(rustix::fs::access(path, Access::WRITE_OK | Access::EXEC_OK)?)
}
