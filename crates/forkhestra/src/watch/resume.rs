//! Starts the resume of a run in the background, for a person who watches it.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use crate::project::project_location::ProjectLocation;

/// Starts `forkhestra resume … --detach`, and returns when the run has begun. An error is what that
/// program said.
pub(super) fn resume(project: &ProjectLocation, arguments: &[OsString]) -> Result<(), String> {
    let Some(program) = &project.environment.executable else {
        return Err("the path of the program forkhestra is not known".to_owned());
    };
    // Its streams lead here and not to the screen, and the run in the background has its own.
    let output = Command::new(program)
        .args(arguments)
        .arg("--detach")
        .current_dir(&project.environment.current_directory)
        .stdin(Stdio::null())
        .output();
    let output =
        output.map_err(|error| format!("{} cannot be started: {error}", program.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim();
    Err(if said.is_empty() { format!("it ended with {}", output.status) } else { said.to_owned() })
}
