//! What an agent printed, as lines that are harmless to show.

mod buffer;
mod line;
mod lines;
mod sgr;
#[cfg(test)]
mod tests;
mod window;

pub use buffer::{Buffer, Patch};
pub use line::Line;
pub use lines::Lines;
pub(crate) use window::Window;
