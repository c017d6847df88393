//! The program that agents, checks and hooks find first on their `PATH`: `forge-tasks`, a link to this executable, so that
//! both always have the same version.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_engine::OwnProgram;
use forkhestra_engine::process::{KEEPER_VERB, KeeperProgram};

use crate::cli::dispatch::FORGE_TASKS;

/// The program, if `PATH` can hold directories below the scratch directory.
pub(crate) fn own_program(scratch: &Path) -> Result<OwnProgram, Diagnostic> {
    let directory = std::path::absolute(scratch).unwrap_or_else(|_| scratch.to_owned());
    if directory.as_os_str().as_bytes().contains(&b':') {
        let why = format!("`{}` has a colon in it, and PATH cannot hold it", directory.display());
        return Err(unusable(&why));
    }
    let path = std::env::current_exe().map_err(|error| unusable(&error.to_string()))?;
    Ok(OwnProgram::new(FORGE_TASKS, path))
}

/// The program that keeps the processes of a lane together: this executable with a verb of its own.
pub(crate) fn keeper_program() -> Option<KeeperProgram> {
    let path = std::env::current_exe().ok()?;
    Some(KeeperProgram { path, args: vec![KEEPER_VERB.into()] })
}

fn unusable(why: &str) -> Diagnostic {
    Diagnostic::warning(format!(
        "agents have to find `{FORGE_TASKS}` by themselves: no directory can be made for it: {why}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_path_cannot_hold_is_reported() {
        let own = own_program(Path::new("/runs/1/scratch")).expect("PATH can hold it");
        assert_eq!(own.name, "forge-tasks");
        assert_eq!(own.path, std::env::current_exe().expect("we are a program"));
        let warning = own_program(Path::new("/a:b")).expect_err("PATH cannot hold it").message;
        assert!(warning.ends_with("has a colon in it, and PATH cannot hold it"), "{warning}");
    }
}
