//! Systems on which we do not know how to watch system calls.

use crate::error::Result;
use crate::workspace::Workspace;

#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Workspace, _: &Args) -> Result<()> {
    println!("WARNING: skipped: on this system we do not know how to watch system calls");
    Ok(())
}
