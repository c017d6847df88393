//! Checks the parser of the config file.

use forkhestra_core::config::read;
use forkhestra_core::diagnostic::has_errors;

use crate::place;

/// Any bytes are either a config, or errors that point into them.
pub fn config(data: &[u8]) {
    let parsed = read("fuzz.json", data.to_vec());
    assert_eq!(parsed.config.is_none(), has_errors(&parsed.diagnostics));
    parsed.diagnostics.iter().for_each(place::check);
}
