//! Sandboxes of agents and checks.
//!
//! A `Confinement` is what a process may write, read and see (`BoxPaths`), with the mechanism
//! that enforces it:
//!
//! - *bubblewrap* (`workspace`, `strict`): mount, PID, IPC and UTS namespaces. The file system is
//!   read-only except for the listed paths; the state directory, `/run` and `/tmp` are hidden.
//! - *Landlock* (`guard`): the thread that starts the process restricts itself first, and the
//!   process inherits the restriction. It needs no other program.
//! - *seatbelt* (macOS): a generated profile for `sandbox-exec`.
//!
//! The core decides the level of a step; `support` finds out what the machine can do.

mod agent_box;
mod agent_directories;
mod box_mounts;
mod box_paths;
mod bubblewrap;
mod check_box;
mod confinement;
mod denial;
mod git_directories;
#[cfg(target_os = "linux")]
#[path = "landlock.rs"]
mod landlock_rules;
#[cfg(not(target_os = "linux"))]
#[path = "landlock_other.rs"]
mod landlock_rules;
mod sandbox_host;
mod seatbelt;
mod start_paths;
mod strict;
mod support;

pub use sandbox_host::SandboxHost;
pub use start_paths::{StartPaths, working_directory_obstacle, writable_problems};
pub use strict::{ENTRY_VERB, enter};
pub use support::{examine, find_bubblewrap};

pub(crate) use agent_box::{AgentBoxRequest, agent_box};
pub(crate) use check_box::{CheckBoxRequest, check_box, remove_provider_keys};
pub(crate) use confinement::Confinement;
pub(crate) use denial::denial_hint;
