//! Processes: starting them, finding all their descendants, and ending all of them.
//!
//! A run is two processes. The process that the user started becomes the *guard* and forks the
//! *runner*, which starts the agents ([`split`]). Both are subreapers: any orphan below them
//! becomes their child, however often it forked and whatever session it opened. So each of them can
//! find and end all descendants ([`end_all_descendants`]) when the other dies. Processes that
//! survive because both were killed at once carry a tag in their environment and a mark in a
//! resource limit ([`RunMark`]), by which a later run finds them ([`sweep()`]).
//!
//! A run in the background begins with one more fork ([`detach()`]): the child becomes the guard,
//! and the process that the user started exits when the run has started.
//!
//! The runner starts and reaps all processes through [`ChildProcesses`]. This distinguishes its own
//! children from inherited orphans.
//!
//! The two processes are connected by a pipe without data: its end shows the runner that the guard
//! died. The guard waits for its child, the runner. Afterwards it ends all descendants and returns a
//! [`GuardReport`], from which the program reports a crash. The runner has a process group of its
//! own, so Ctrl-C and Ctrl-Z reach only the guard. The guard forwards all signals, and kills a
//! runner that does not end in time after a request to end (`guard_timeout.rs`).
//!
//! Where several agents work at the same time, each is below a [keeper](KeeperHandle), a subreaper of
//! its own, and "everything below us" becomes "everything below its keeper".
//!
//! Subreapers and the process tree in `/proc` exist only on Linux (`linux.rs`). Elsewhere
//! (`other.rs`) processes that leave the tree are not found.

mod child_processes;
mod detach;
mod guard;
mod guard_timeout;
mod keeper;
mod network_meter;
mod process_handle;
mod run_mark;
mod run_member;
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
pub use self::guard::{GuardLink, GuardReport, GuardRole, process_group, protect, split};
pub use self::keeper::{KEEPER_VERB, KeeperCommand, KeeperHandle, KeeperProgram, LaneTag, keep};
pub(crate) use self::network_meter::NetworkMeter;
pub use self::run_mark::RunMark;
pub use self::run_member::{
    ForeignListener, guard_of, is_in_run, is_peer_in_run, is_peer_of_shells, terminate_guard,
    verify_listener,
};
pub use self::spawn::diagnose::preflight;
pub(crate) use self::spawn::spawn_command::spawn;
pub use self::spawn::spawn_command::{OutputPipe, SpawnCommand, SpawnStdin, SpawnedProcess};
pub use self::spawn::spawn_error::{InterpreterFault, SpawnError};
pub use self::sweep::{SweepResult, processes_tagged, sweep};
pub use self::system::{cpu_time, descendants, processor_wait};
pub(crate) use self::system::{parse_any_kernel_output, pipe};
pub use self::tree::{
    TreeEnd, end_all_descendants, signal_all, signal_all_but_helpers, signal_all_descendants,
    signal_processes_of,
};
