//! `cargo xtask crash`: kills the program at every state-changing system call, and checks that it
//! resumes correctly.
//!
//! This needs a platform whose process tracing is supported.

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
#[path = "elsewhere.rs"]
mod proof;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod proof;

pub(crate) use self::proof::{Args, run};
