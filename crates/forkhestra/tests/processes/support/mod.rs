//! Helpers of these tests.

mod captured_stream;
mod guarded_run;
mod journal;
mod leftover_check;
mod process_project;

pub(crate) use self::captured_stream::CapturedStream;
pub(crate) use self::guarded_run::GuardedRun;
pub(crate) use self::process_project::ProcessProject;
pub(crate) use testkit::PseudoTerminal;
pub(crate) use testkit::{TestProcess, eventually, kill};
