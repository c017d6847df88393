//! From JSON with comments to typed values with their positions.

pub(crate) mod decoder;
pub(crate) mod named_entries;
pub(crate) mod parsed_config;
pub(crate) mod record;
pub(crate) mod relative_path;
pub(crate) mod secrets;
pub(crate) mod shorthand;
pub(crate) mod strings;
pub(crate) mod values;
