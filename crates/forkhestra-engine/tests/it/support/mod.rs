//! Test support: runs and processes.

mod lanes_run;
mod planned_run;
mod probe_run;
mod processes;

pub(crate) use self::lanes_run::LanesRun;
pub(crate) use self::planned_run::{PlannedRun, project};
pub(crate) use self::probe_run::{PROGRAM, ProbeRun, TAG, new_tag};
pub(crate) use self::processes::{is_gone, kill, pid, state, until};
