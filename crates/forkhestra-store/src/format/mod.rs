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
//! | `event` | what happened; see [`events`] |
//! | `format` | the version of the format; in the lines `run_started` and `run_resumed` |
//!
//! A minor version may add events, and members to what there is. Whatever else changes, a new word
//! for an end or a verdict included, is a new major version. So a reader skips events and members
//! that it does not know, and refuses a newer major version.
//!
//! The types of this module are the format and nothing else. They are not those of the core, so
//! that neither can change by accident when the other does.

mod decode;
mod encode;
pub mod ends;
pub mod errand;
pub mod events;
mod glance;
pub mod heard;
mod line;
pub mod report;
mod schema;
pub mod sight;
pub mod task_changes;
mod version;
mod words;

pub use decode::{DecodeError, Decoded, UnknownEvent, decode};
pub use encode::encode;
pub use schema::schema;
pub use version::{NotAVersion, Version};

pub(crate) use decode::{Line, decode_line};
pub(crate) use encode::encode_into;
pub(crate) use glance::Glance;
