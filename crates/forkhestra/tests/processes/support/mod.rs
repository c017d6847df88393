//! What these tests stand on.

mod aftermath;
mod journal;
mod processes;
mod run;
mod screen;
mod terminal;
mod world;

pub(crate) use self::processes::{Process, eventually, kill};
pub(crate) use self::run::Run;
pub(crate) use self::terminal::Terminal;
pub(crate) use self::world::World;
