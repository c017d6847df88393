//! From JSON with comments to typed values with their positions.
//!
//! The bytes of a file enter [`parsed_config::read`]. A [`ParsedConfig`](parsed_config::ParsedConfig)
//! leaves it: the config, or all errors, and the text that diagnostics may quote.
//!
//! - A type that can stand in a file implements [`Decode`](decoder::Decode) and `JsonSchema`. For an
//!   object with fixed keys the macro `record!` writes both, so decoder and schema cannot differ.
//! - `decode` returns `None` after it has reported an error. The caller goes on with the next value:
//!   a file is always read to its end, and all its errors are reported at once.
//! - Every value is `Spanned`: later errors, in the plan, point to it.
//! - An unknown key is a warning with the nearest known key; a wrong value is an error.
//! - Diagnostics quote a copy of the text in which [`secrets`] are masked. The original text does
//!   not leave this module.

pub(crate) mod decoder;
pub(crate) mod named_entries;
pub(crate) mod parsed_config;
pub(crate) mod record;
pub(crate) mod relative_path;
pub(crate) mod secrets;
pub(crate) mod shorthand;
pub(crate) mod strings;
pub(crate) mod values;
