//! What these tests stand on.

mod aftermath;
mod journal;
mod run;
mod screen;
mod world;

pub(crate) use self::run::Run;
pub(crate) use self::screen::Screen;
pub(crate) use self::world::World;
pub(crate) use testkit::Terminal;
pub(crate) use testkit::{Process, eventually, kill};
