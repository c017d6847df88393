//! The directory of programs that comes first in the agents' `PATH`. It holds `forge-tasks`, a link
//! to this executable, so that both always have the same version.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use forkhestra_core::diagnostic::Diagnostic;

use crate::cli::dispatch::FORGE_TASKS;

/// The path of the directory below the scratch directory.
pub(super) fn tools_directory(scratch: &Path) -> Result<PathBuf, Diagnostic> {
    let directory = std::path::absolute(scratch).unwrap_or_else(|_| scratch.to_owned()).join("bin");
    if directory.as_os_str().as_bytes().contains(&b':') {
        let why = format!("`{}` has a colon in it, and PATH cannot hold it", directory.display());
        return Err(unusable(&why));
    }
    Ok(directory)
}

/// Creates the directory; an existing one is replaced. It is called after the first event is
/// recorded: if the process were killed earlier, the directory would never be removed.
pub(super) fn create_tools_directory(directory: &Path) -> Result<(), Diagnostic> {
    fill(directory).map_err(|error| unusable(&error.to_string()))
}

fn unusable(why: &str) -> Diagnostic {
    Diagnostic::warning(format!(
        "agents have to find `{FORGE_TASKS}` by themselves: no directory can be made for it: {why}"
    ))
}

fn fill(directory: &Path) -> io::Result<()> {
    let program = std::env::current_exe()?;
    // A killed run of another version may have left one.
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    symlink(program, directory.join(FORGE_TASKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_directory_holds_only_links_to_ourselves() {
        let directory = tempfile::tempdir().expect("there is room");
        for _ in 0..2 {
            let made =
                tools_directory(&directory.path().join("scratch")).expect("PATH can hold it");
            create_tools_directory(&made).expect("the place is ours");
            let names: Vec<_> = fs::read_dir(&made)
                .expect("it is there")
                .flatten()
                .map(|e| e.file_name())
                .collect();
            assert_eq!(names, ["forge-tasks"]);
            let target = fs::read_link(made.join("forge-tasks")).expect("it is a link");
            assert_eq!(target, std::env::current_exe().expect("we are a program"));
            fs::write(made.join("other"), "").expect("the place is ours");
        }
    }

    #[test]
    fn a_directory_that_cannot_be_created_is_reported() {
        let directory = tempfile::tempdir().expect("there is room");
        let file = directory.path().join("scratch");
        fs::write(&file, "").expect("the place is ours");
        let warning =
            create_tools_directory(&file.join("bin")).expect_err("a file is in the way").message;
        assert!(
            warning.starts_with("agents have to find `forge-tasks` by themselves"),
            "{warning}"
        );
        let warning = tools_directory(&directory.path().join("a:b"))
            .expect_err("PATH cannot hold it")
            .message;
        assert!(warning.ends_with("has a colon in it, and PATH cannot hold it"), "{warning}");
    }
}
