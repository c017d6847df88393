//! Reports tests that are skipped because a program is not installed.

/// Prints that a test is skipped, and why.
#[expect(clippy::print_stderr, reason = "a test that does not test has to say so")]
pub fn report_skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}
