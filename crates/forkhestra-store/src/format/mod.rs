//! The wire format of the journal and of `--output json`: one JSON object per line.
//!
//! Every line starts with the same members. Those of the event follow:
//!
//! ```json
//! {"seq":7,"at":"2026-11-15T07:59:12.123Z","elapsedMs":5012,"event":"step_finished", …}
//! ```
//!
//! | member | meaning |
//! |---|---|
//! | `seq` | the number of the line, from zero |
//! | `at` | the time of the event, UTC |
//! | `elapsedMs` | the running time of the run, awake and not paused, in milliseconds |
//! | `event` | the kind of event; see [`EventKind`](forkhestra_core::event::EventKind) |
//! | `format` | the version of the format; in the lines `run_started` and `run_resumed` |
//! | `hash` | the [hash](LineHashes) of this line and the one before, since version 2.2; the last member |
//!
//! A minor version may add events and members. Every other change, including a new word for an end
//! or a verdict, is a new major version. So a reader skips unknown events and members, and refuses
//! a newer major version.
//!
//! The members of an event are those that the [types of the core](forkhestra_core::event) derive.
//! The frozen journals of `tests/fixtures` and the generated schema guard them against accidental
//! changes. The same types read older versions: a member that a version added has a default.

mod decode;
mod encode;
mod line;
mod line_hashes;
mod schema;
mod version;

pub use decode::{DecodeError, decode};
pub use encode::encode;
pub use line_hashes::{LineHashError, LineHashes};
pub use schema::schema;
pub use version::{NotAVersion, Version};

pub(crate) use decode::{Line, decode_line};
pub(crate) use encode::encode_into;
pub(crate) use line::Header;
pub(crate) use line_hashes::{LineHash, split, without_hash};
