//! The rules by which runs wait, are judged and end. Each is a small pure thing of its own; the
//! [machine](crate::machine) asks them.

mod backoff;
mod idle;
mod novelty;
mod patience;
mod verdict;

pub use backoff::backoff;
pub use idle::{IdleWatch, Probe};
pub use novelty::{Novelty, Sameness};
pub use patience::Patience;
pub use verdict::{Ended, verdict};
