//! The wire format: one JSON object a line, for the journal and for `--output json` alike.
//!
//! Every line begins the same way, and goes on with what the event has to say:
//!
//! ```json
//! {"seq":7,"at":"2026-11-15T07:59:12.123Z","elapsedMs":5012,"event":"step_finished", …}
//! ```
//!
//! | member | meaning |
//! |---|---|
//! | `seq` | the number of the line, from zero |
//! | `at` | when it happened, UTC |
//! | `elapsedMs` | how long the run had been running, awake and not paused, in milliseconds |
//! | `event` | what happened; see [`EventKind`](forkhestra_core::event::EventKind) |
//! | `format` | the version of the format; in the lines `run_started` and `run_resumed` |
//!
//! A minor version may add events, and members to what there is. Whatever else changes, a new word
//! for an end or a verdict included, is a new major version. So a reader skips events and members
//! that it does not know, and refuses a newer major version.
//!
//! What an event says is written as the [types of the core](forkhestra_core::event) derive it. The
//! frozen journals of `tests/fixtures` and the generated schema keep it from changing by accident.
//! Older versions are read by the same types: a member that a version added has a default.

mod decode;
mod encode;
mod glance;
mod line;
mod schema;
mod version;

pub use decode::{DecodeError, Decoded, UnknownEvent, decode};
pub use encode::encode;
pub use schema::schema;
pub use version::{NotAVersion, Version};

pub(crate) use decode::{Line, decode_line};
pub(crate) use encode::encode_into;
pub(crate) use glance::Glance;
