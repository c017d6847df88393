//! The fallback for platforms where system calls cannot be traced.

use devkit::error::Result;
use devkit::workspace::Workspace;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which points would be tried
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    _ignored: Vec<String>,
}

pub(crate) fn run(_: &Workspace, _: &Args) -> Result<()> {
    println!("WARNING: skipped: on this system we do not know how to watch system calls");
    Ok(())
}
