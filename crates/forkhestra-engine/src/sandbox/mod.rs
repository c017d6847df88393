//! Sandboxes of agents and checks.
//!
//! A `ProcessSandbox` is what a process may write, read and see (`SandboxPaths`), with the mechanism
//! that enforces it:
//!
//! - *bubblewrap* (`workspace`, `strict`): mount, PID, IPC and UTS namespaces. The file system is
//!   read-only except for the listed paths; the state directory, `/run` and `/tmp` are hidden.
//! - *Landlock* (`guard`): the thread that starts the process restricts itself first, and the
//!   process inherits the restriction. It needs no other program.
//! - *seatbelt* (macOS): a generated profile for `sandbox-exec`.
//!
//! The core decides the level of a step; `support` finds out what the machine can do.

mod agent_directories;
mod agent_sandbox;
mod bubblewrap;
mod check_sandbox;
mod denial;
mod git_directories;
#[cfg(target_os = "linux")]
#[path = "landlock/linux.rs"]
mod landlock_rules;
#[cfg(not(target_os = "linux"))]
#[path = "landlock/other.rs"]
mod landlock_rules;
mod process_sandbox;
mod sandbox_host;
mod sandbox_mounts;
mod sandbox_paths;
mod seatbelt;
mod ssh_config;
mod start_paths;
mod strict;
mod support;
mod written_tree;

pub use sandbox_host::SandboxHost;
pub use start_paths::{StartPaths, working_directory_obstacle, writable_problems};
pub use strict::{ENTRY_VERB, enter};
pub use support::{examine, find_bubblewrap};

pub(crate) use agent_sandbox::{AgentSandboxRequest, agent_sandbox};
pub(crate) use check_sandbox::{CheckSandboxRequest, check_sandbox, remove_provider_keys};
pub(crate) use denial::{denial_hint, setup_failure};
pub(crate) use process_sandbox::ProcessSandbox;
