//! Resumes a run in the background from `forkhestra watch`.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use crate::project::project_location::ProjectLocation;

/// Starts `forkhestra resume … --detach` and returns when the run is recorded. The error is the
/// output of that process.
pub(super) fn resume(project: &ProjectLocation, arguments: &[OsString]) -> Result<(), String> {
    let Some(program) = &project.environment.executable else {
        return Err("the path of the program forkhestra is not known".to_owned());
    };
    // The streams are captured to keep them off the screen. The detached run redirects its own.
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
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stderr = stderr.trim();
    Err(if stderr.is_empty() {
        format!("it ended with {}", output.status)
    } else {
        stderr.to_owned()
    })
}
