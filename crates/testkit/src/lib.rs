//! What forkhestra's black-box tests stand on.
//!
//! A [`TestEnv`] is a project of its own, with a home, programs and an environment that nothing
//! else can reach. Running a program in it gives everything a user would see as one text, in which
//! the places that differ from run to run have names.

mod command_output;
mod test_env;

pub use command_output::CommandOutput;
pub use test_env::TestEnv;
