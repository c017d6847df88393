//! How texts look on a terminal, the same way in every program of ours.
//!
//! These are functions from text to text. They print nothing and decide nothing: what is said, which
//! column matters and where a text goes is up to the program, and so is what happens next.
//!
//! - [`text`] makes texts of other people harmless, and as narrow as there is room.
//! - [`stream`] does so with bytes that come in pieces, and keeps their colours where they are wanted.
//! - [`table`] puts cells below one another, and [`columns`] makes a table as narrow as a terminal.
//! - [`local_time`] shows moments in the local time zone.
//! - [`mod@line`] is a line in several colours that can be broken.
//! - [`style`] has the few colours, and [`color`] the switch that says whether there are any.
//! - [`complaint`] takes apart what the argument parser says of wrong use.
//!
//! A text becomes safe by [`text::visible`] and its like, and only by them: a [`table::TableCell`] shows
//! what it is given.
//!
//! ```
//! use typeset::table::{Cell, aligned};
//! use typeset::text::visible;
//!
//! let row = |id: &str, title: &str| vec![Cell::new(id), Cell::new(visible(title))];
//! let rows = [row("1", "Fix the\u{7} login"), row("10", "Write docs")];
//! assert_eq!(aligned(&rows), "1   Fix the\\u{7} login\n10  Write docs\n");
//! ```

pub mod character_set;
pub mod clap_error;
pub mod color_mode;
pub mod column_table;
pub mod local_time;
pub mod stream;
pub mod style;
pub mod styled_line;
pub mod table;
pub mod text;
