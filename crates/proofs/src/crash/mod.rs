//! `cargo xtask crash`: the program is killed at every system call by which it changes the world, and
//! must go on as if nothing had happened.
//!
//! For that we have to know how a system lets us watch processes.

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
