//! Checks that are programs or modules of the user.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use forkhestra_core::plan::{ModuleRunner, ModuleRunnerKind};
use forkhestra_core::text;

use crate::aux_job::aux_job_command::{AuxJobContext, CommandLine, is_executable};
use crate::launch::agent_files::STDIN;

/// Calls the `check` function of a module.
const SHIM: &str = include_str!("module.mjs");

/// The name of the file with [`SHIM`].
const SHIM_FILE: &str = "check.mjs";

/// The file extensions of modules.
const MODULES: [&str; 6] = ["ts", "mts", "cts", "js", "mjs", "cjs"];

/// The command line of a script. Its files are written to `files`.
pub(super) fn command_line(
    script: &str,
    runner: Option<&ModuleRunner>,
    files: &Path,
    context: &AuxJobContext<'_>,
) -> Result<CommandLine, String> {
    let path = locate(script, context);
    if !path.is_file() {
        return Err(format!("`{script}` is not there any more, or is not a file"));
    }
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match runner {
        Some(runner) => Ok(module(runner, path, files)),
        None if MODULES.contains(&extension) => {
            let runners = ModuleRunnerKind::ALL.map(ModuleRunnerKind::program);
            Err(format!("`{script}` needs {}, and none was found", text::join_with_or(&runners)))
        }
        None if extension == "sh" => Ok(CommandLine::new(context.bash(), [path])),
        None if is_executable(&path) => Ok(CommandLine::executable(path)),
        None => Err(format!("`{script}` is not executable; `chmod +x` makes it so")),
    }
}

/// The path of a script: the committed one in the clean room has priority.
fn locate(script: &str, context: &AuxJobContext<'_>) -> PathBuf {
    let committed =
        context.room_directory().map(|room| room.join(script)).filter(|path| path.exists());
    committed.unwrap_or_else(|| context.user_directory().join(script))
}

fn module(runner: &ModuleRunner, module: PathBuf, files: &Path) -> CommandLine {
    let first: &[&str] = match runner.kind {
        ModuleRunnerKind::Bun => &["run"],
        ModuleRunnerKind::Deno => &["run", "--allow-all"],
        ModuleRunnerKind::Node => &[],
    };
    let shim = files.join(SHIM_FILE).into_os_string();
    let first = first.iter().map(OsString::from);
    let context = files.join(STDIN).into_os_string();
    let args = first.chain([shim, module.into_os_string(), context]);
    let mut line = CommandLine::new(&runner.path, args);
    line.files.push((SHIM_FILE.to_owned(), SHIM.to_owned()));
    line
}
