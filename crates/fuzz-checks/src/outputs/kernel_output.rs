//! Checks the parsers of files in `/proc` and of socket diagnostics.

use forkhestra_engine::fuzzing;

/// Any bytes are parsed.
pub fn kernel_output(data: &[u8]) {
    fuzzing::kernel_output(data);
}
