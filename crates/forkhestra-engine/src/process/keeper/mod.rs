//! Keepers: each holds the processes of one lane together.
//!
//! In a run with lanes several agents work at the same time, so that "all descendants of the runner"
//! says nothing about one of them. There an agent or an aux job is the child of a *keeper*: a process
//! of our own that is a subreaper, so everything that the program starts stays below it. The runner
//! asks for the descendants of the keeper, and signals them itself.
//!
//! - Runner and keeper are connected by a socket ([`KEEPER_LINK`]). The keeper reports the start and
//!   the end of the program on it (`KeeperReport`). When the runner's end is closed, the keeper kills
//!   everything below it.
//! - A keeper ends when nothing is left below it.
//! - A keeper that is killed loses its processes to the runner, which is a subreaper too. The runner
//!   finds them by the [tag of the lane](LaneTag) in their environment
//!   ([`LostProcesses`](lost_processes::LostProcesses)).
//! - A sandbox is below the keeper, or confines the keeper as well.

mod keeper_command;
mod keeper_handle;
mod keeper_process;
mod keeper_report;
pub(super) mod lost_processes;

pub use self::keeper_command::{KEEPER_VERB, KeeperCommand, KeeperProgram, LaneTag};
pub use self::keeper_handle::KeeperHandle;
pub(super) use self::keeper_handle::spawn_kept;
pub use self::keeper_process::keep;
pub(super) use self::keeper_report::KEEPER_LINK;
