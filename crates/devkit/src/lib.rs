//! What the development programs `xtask`, `proofs` and `bench` share.
//!
//! [`command`] and [`cargo`] are the only ways out to other programs. [`release`] builds what is
//! shipped, [`test_build`] what the tests use.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "development programs print for the person who runs them"
)]

pub mod cargo;
pub mod command;
pub mod error;
pub mod files;
pub mod packages;
pub mod release;
pub mod test_build;
pub mod workspace;
