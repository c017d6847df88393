//! Processes: starting them, finding everything they started, and ending all of it.
//!
//! A run is two processes. The one the user started becomes the *guard* and forks the *runner*,
//! which starts the agents ([`split`]). Both are subreapers: whatever loses its parent below them
//! becomes a child of theirs, however often it forked and whatever session it opened. So each of
//! them can find and end everything ([`end_all_descendants`]) when the other dies. What is left
//! when both were killed at once carries a tag in its environment, by which a later run finds it
//! ([`sweep()`]).
//!
//! A run in the background begins with one fork more ([`detach()`]): what is forked off becomes the
//! guard, and the one that the user started goes when the run has begun.
//!
//! Everything the runner starts is started through [`ChildProcesses`], which also collects it. Only so
//! are the ends of our own children told from those of strangers that we inherit.

mod child_processes;
mod detach;
mod guard;
mod guard_timeout;
mod network_meter;
mod process_handle;
pub(crate) mod spawn;
mod sweep;
mod tree;
pub(crate) mod two_pipe_reader;
mod wait;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod socket_diagnostics;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(target_os = "linux"))]
use other as system;

pub use rustix::process::{Pid, Signal as SignalNumber};

pub use self::child_processes::{ChildProcesses, HelperProcess};
pub use self::detach::{
    BackgroundProcess, BackgroundReport, DetachedSide, ForegroundProcess, detach,
};
pub use self::guard::{GuardLink, GuardReport, GuardRole, process_group, split};
pub(crate) use self::network_meter::NetworkMeter;
pub use self::spawn::diagnose::preflight;
pub use self::spawn::spawn_command::{OutputPipe, SpawnCommand, SpawnStdin, SpawnedProcess};
pub use self::spawn::spawn_error::{InterpreterFault, SpawnError};
pub use self::sweep::{SweepResult, processes_tagged, sweep};
pub(crate) use self::system::pipe;
pub use self::system::{cpu_time, descendants};
pub use self::tree::{
    TreeEnd, end_all_descendants, signal_all, signal_all_but_helpers, signal_all_descendants,
};
