//! The config file.

use forkhestra_core::config::read;
use forkhestra_core::diagnostic::has_errors;

use crate::place;

/// Any bytes are a config, or mistakes that point into them; never both, never neither.
pub fn config(data: &[u8]) {
    let reading = read("fuzz.json", data.to_vec());
    assert_eq!(reading.config.is_none(), has_errors(&reading.diagnostics));
    reading.diagnostics.iter().for_each(place::check);
}
