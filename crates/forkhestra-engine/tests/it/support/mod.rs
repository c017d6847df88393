//! What these tests stand on.

mod planned;
mod probe;
mod processes;

pub(crate) use self::planned::{Planned, project};
pub(crate) use self::probe::{PROGRAM, Probe, TAG, new_tag};
pub(crate) use self::processes::{is_gone, kill, pid, state, until};
