//! Checks the parsers of git's output.

use forkhestra_engine::fuzzing;

/// Any bytes are parsed.
pub fn git_output(data: &[u8]) {
    fuzzing::git_output(data);
}
