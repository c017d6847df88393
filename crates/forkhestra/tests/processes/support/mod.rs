//! What these tests stand on.

mod aftermath;
mod journal;
mod run;
mod screen;
mod terminal;
mod world;

pub(crate) use self::run::Run;
pub(crate) use self::terminal::Terminal;
pub(crate) use self::world::World;
pub(crate) use testkit::{Process, eventually, kill};
