//! What these tests stand on.

mod aftermath;
mod journal;
mod run;
mod screen;
mod world;

pub(crate) use self::run::GuardedRun;
pub(crate) use self::screen::CapturedStream;
pub(crate) use self::world::ProcessProject;
pub(crate) use testkit::PseudoTerminal;
pub(crate) use testkit::{TestProcess, eventually, kill};
