//! Other processes of this program, started from `forkhestra watch`.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use crate::project::project_location::ProjectLocation;

/// Runs this program with other arguments and returns what it printed. The error is what a process
/// that failed printed.
pub(super) fn run_own_program(
    project: &ProjectLocation,
    arguments: &[OsString],
) -> Result<String, String> {
    let Some(program) = &project.environment.executable else {
        return Err("the path of the program forkhestra is not known".to_owned());
    };
    // The streams are captured to keep them off the screen. A detached run redirects its own.
    let output = Command::new(program)
        .args(arguments)
        .current_dir(&project.environment.current_directory)
        .stdin(Stdio::null())
        .output();
    let output =
        output.map_err(|error| format!("{} cannot be started: {error}", program.display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    if output.status.success() {
        return Ok(format!("{stdout}\n{stderr}").trim().to_owned());
    }
    Err(if stderr.is_empty() { format!("it ended with {}", output.status) } else { stderr })
}
