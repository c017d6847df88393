//! Parsers of bytes from other programs, for the fuzz targets. This is no part of the interface.

use forkhestra_core::event::AuxJobResult;

use crate::check::parse_program_result;
use crate::effects::parse_any_commit;
use crate::process::parse_any_kernel_output;
use crate::repository::parse_any_git_output;

/// The result of a check program with this output.
pub fn check_result(stdout_tail: &str, both_tail: &str) -> AuxJobResult {
    parse_program_result(stdout_tail, both_tail)
}

/// Parses bytes as each output of git that the engine reads.
pub fn git_output(bytes: &[u8]) {
    parse_any_git_output(bytes);
    parse_any_commit(bytes);
}

/// Parses bytes as each file and message of the kernel that the engine reads.
pub fn kernel_output(bytes: &[u8]) {
    parse_any_kernel_output(bytes);
}
