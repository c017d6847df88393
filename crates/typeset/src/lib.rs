//! Formats text for a terminal, the same way in every program of the workspace.
//!
//! These are functions from text to text. They print nothing and decide nothing: wording, columns
//! and output streams are up to the program.
//!
//! - [`text`] makes foreign texts safe to print, and as narrow as needed.
//! - [`stream`] does so with bytes in pieces, and keeps their colours where they are wanted.
//! - [`table`] aligns cells in columns, and [`column_table`] fits a table into the width of a
//!   terminal.
//! - [`local_time`] shows timestamps in the local time zone.
//! - [`styled_line`] is a line in several colours that can be broken.
//! - [`style`] has the colours, and [`color_mode`] the option that turns them on or off.
//! - [`character_set`] replaces symbols that a terminal cannot show.
//! - [`clap_error`] takes apart errors of the argument parser.
//!
//! Only [`text::visible`] and similar functions make a text safe: a [`table::TableCell`] shows its
//! text unchanged.
//!
//! ```
//! use typeset::table::{TableCell, aligned};
//! use typeset::text::visible;
//!
//! let row = |id: &str, title: &str| vec![TableCell::new(id), TableCell::new(visible(title))];
//! let rows = [row("1", "Fix the\u{7} login"), row("10", "Write docs")];
//! assert_eq!(aligned(&rows), "1   Fix the\\u{7} login\n10  Write docs\n");
//! ```

pub mod character_set;
pub mod clap_error;
pub mod color_mode;
pub mod column_table;
pub mod console;
pub mod local_time;
pub mod stream;
pub mod style;
pub mod styled_line;
pub mod table;
pub mod text;
