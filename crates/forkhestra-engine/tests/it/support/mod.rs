//! What these tests stand on.

mod planned;
mod probe;
mod processes;

pub(crate) use self::planned::{PlannedRun, project};
pub(crate) use self::probe::{PROGRAM, ProbeRun, TAG, new_tag};
pub(crate) use self::processes::{is_gone, kill, pid, state, until};
