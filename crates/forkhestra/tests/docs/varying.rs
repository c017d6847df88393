//! Replaces what differs from run to run, in pages and in outputs. Everything else must be equal.

use std::sync::LazyLock;

use regex::Regex;

/// Patterns and replacements, applied in order.
const RULES: &[(&str, &str)] = &[
    // The key of a project in the name of its directory of runs.
    (r"-[0-9a-f]{8}(/\d{8}T\d{6}Z-)", "-<key>$1"),
    // Timestamps: in file names, in JSON, in tables and in sentences.
    (r"\b\d{8}T\d{6}Z\b", "<moment>"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<moment>"),
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( to \d\d:\d\d)?( UTC)?", "<moment>"),
    // Measured durations: cells of a table with the spaces around them, the time of a check or of
    // a test, and sums. Limits and waits are in sentences and stay.
    (r" {2,}(\d+h )?(\d+m )?\d+(\.\d+)?m?s($| {2,})", "  <time>  "),
    (r"\((\d+m )?\d+(\.\d+)?m?s\)(, \d+ left)?$", "(<time>)$3"),
    (r"(iterations?, )(\d+m )?\d+(\.\d+)?m?s", "$1<time>"),
    (r"(duration +)(\d+m )?\d+(\.\d+)?m?s$", "$1<time>"),
    (r#"("\w*(?:durationMs|duration_ms)": ?)\d+"#, "$1<time>"),
    // Temporary directories.
    (r"(/tmp/[a-z-]+-)[A-Za-z0-9]{6}\b", "$1<random>"),
    // Sizes of directories. Sizes of outputs are in bytes and stay.
    (r"\b\d+(\.\d+)? KiB", "<size>"),
    // Processes and commits. A word of eight letters is a run id.
    (r"\b(process|kill) \d+", "$1 <pid>"),
    (r"\b([0-9a-f]{7}|[0-9a-f]{9,40})\b", "<commit>"),
];

/// A line with the replacements, and without trailing spaces.
pub(crate) fn without(line: &str) -> String {
    static COMPILED: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let compile = |(pattern, by): &(&str, &'static str)| {
            (Regex::new(pattern).expect("the patterns are ours"), *by)
        };
        RULES.iter().map(compile).collect()
    });
    let mut line = line.to_owned();
    for (pattern, by) in COMPILED.iter() {
        line = pattern.replace_all(&line, *by).into_owned();
    }
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_values_are_replaced() {
        for (one, other) in [
            (
                "  1  fixer  complete  4 iterations  marker  39ms",
                "  1  fixer  complete  4 iterations  marker  1.2s",
            ),
            ("a  3s        ~/shop", "a  575ms     ~/shop"),
            ("Check passed: true (4ms)", "Check passed: true (1m 3s)"),
            ("@4 (iteration 4): good (4ms), 3 left", "@4 (iteration 4): good (1m 3s), 3 left"),
            ("In all: 6 iterations, 1.2s, 4 commits", "In all: 6 iterations, 987ms, 4 commits"),
            ("       aadca10 Plan the work", "       1234567 Plan the work"),
            (
                "(process 27157, since 2026-11-15 09:24:47 UTC)",
                "(process 2, since 2026-11-16 09:24:48 UTC)",
            ),
            ("shop-72ce71af/20261115T131107Z-c0m9e2xk", "shop-00000000/20270101T000000Z-c0m9e2xk"),
        ] {
            assert_eq!(without(one), without(other));
        }
    }

    #[test]
    fn words_numbers_limits_and_waits_stay() {
        for line in [
            "[forkhestra] builder failed once (exit 1), waiting 1s",
            "  run time: at most 8h",
            "     3 commits; 2 files changed, +10 -3",
            "  1  incomplete  exit 0  18 B",
            "Chain incomplete (0/1 steps): step 1, fixer, not complete after 2 iterations",
        ] {
            assert_eq!(without(line), line);
        }
    }
}
