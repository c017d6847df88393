//! `merge-file`: merges three versions of a file. git calls it for the files of a database.

use std::fs;
use std::path::Path;

use super::{CommandContext, CommandResult};
use crate::cli::args::MergeFileArgs;
use crate::cli::error::TasksCliError;
use crate::cli::exit_code;
use crate::merge::{FileVersions, merge_file};
use crate::words::join_with_and;

/// Writes the merged file to OURS.
pub(crate) fn execute(args: &MergeFileArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let here = &context.inputs.directory;
    let read = |path: &Path| {
        let path = here.join(path);
        let failed = |why| format!("cannot read {}: {why}", path.display());
        fs::read(&path).map_err(|why| TasksCliError::CannotMerge(failed(why)))
    };
    let (base, ours, theirs) = (read(&args.base)?, read(&args.ours)?, read(&args.theirs)?);
    let name = args.path.file_name().unwrap_or_default().to_string_lossy();
    let versions = FileVersions { base: &base, ours: &ours, theirs: &theirs };
    let merged = merge_file(&name, &versions);
    if merged.content != ours {
        let path = here.join(&args.ours);
        let failed = |why| format!("cannot write {}: {why}", path.display());
        fs::write(&path, &merged.content).map_err(|why| TasksCliError::CannotMerge(failed(why)))?;
    }
    if merged.conflicts.is_empty() {
        return Ok(exit_code::DONE);
    }
    let fields = join_with_and(&merged.conflicts);
    let path = args.path.display();
    context.console.say(&format!("{path}: both sides changed {fields}; edit the file"));
    Ok(exit_code::ERROR)
}
