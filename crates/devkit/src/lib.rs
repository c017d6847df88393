//! Shared code of the development programs `xtask`, `proofs` and `bench`.
//!
//! [`command`] and [`cargo`] are the only modules that start other programs. [`release`] builds the
//! shipped programs, [`test_build`] those that the tests use.

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
