//! The directory in which a forked run works.

use std::fs;
use std::path::{Component, Path, PathBuf};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::id::RunId;

use crate::cli::args::fork::ForkArgs;
use crate::cli::command_error::CommandError;
use crate::past_runs::fork_directory::fork_directory;
use crate::past_runs::state_home;
use crate::project::project_location::ProjectLocation;

/// The top directory of a work tree that does not exist yet. Its path is absolute and real.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ForkPlace(String);

impl ForkPlace {
    /// The directory of the command line, or a new one in the state directory. `top` is the work tree
    /// of the original run.
    pub(super) fn choose(
        args: &ForkArgs,
        here: &ProjectLocation,
        top: &Path,
        run: &RunId,
    ) -> Result<Self, CommandError> {
        let path = match &args.directory {
            Some(typed) => here.environment.current_directory.join(typed),
            None => {
                let root = state_home::new_run_place(here, args.work.state.state_dir.as_deref());
                fork_directory(&root.ok_or_else(no_state_directory)?, top, run)
            }
        };
        let path = real_path(&path);
        let wrong = |why: &str| {
            let directory = path.display();
            CommandError::wrong(
                Diagnostic::error(format!("the fork cannot work in {directory}: {why}"))
                    .hint("`--in DIR` takes a directory that does not exist or is empty"),
            )
        };
        // The directory before it would be made.
        if path.components().any(|part| part == Component::ParentDir) {
            return Err(wrong("`..` follows a directory that does not exist"));
        }
        if path.starts_with(top) {
            return Err(wrong("it is inside the work tree of the original run"));
        }
        match fs::read_dir(&path).map(Iterator::count) {
            Ok(entries) if entries > 0 => return Err(wrong("it is not empty")),
            Err(_) if path.symlink_metadata().is_ok_and(|found| !found.is_dir()) => {
                return Err(wrong("it is not a directory"));
            }
            // A directory that cannot be used is reported when the work tree is created.
            Ok(_) | Err(_) => {}
        }
        match path.to_str() {
            Some(text) => Ok(Self(text.to_owned())),
            None => Err(wrong("its path is not UTF-8")),
        }
    }

    pub(super) fn path(&self) -> &Path {
        Path::new(&self.0)
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Creates the working directory of agents, if no file of the snapshot is in it.
    pub(super) fn create_working_directory(&self, directory: &str) -> Result<(), CommandError> {
        fs::create_dir_all(directory).map_err(|error| {
            CommandError::wrong(Diagnostic::error(format!("cannot create {directory}: {error}")))
        })
    }
}

fn no_state_directory() -> CommandError {
    CommandError::wrong(
        Diagnostic::error("there is no state directory: neither XDG_STATE_HOME nor HOME is set")
            .hint("name a directory for the fork with `--in DIR`"),
    )
}

/// The real path of a directory that may not exist yet.
fn real_path(path: &Path) -> PathBuf {
    for place in path.ancestors() {
        if let (Ok(found), Ok(rest)) = (place.canonicalize(), path.strip_prefix(place)) {
            // Joining an empty path would add a slash.
            return if rest.as_os_str().is_empty() { found } else { found.join(rest) };
        }
    }
    path.to_owned()
}
