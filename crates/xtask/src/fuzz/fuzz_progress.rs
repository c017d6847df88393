//! Parses the progress output of libFuzzer.

/// Facts from libFuzzer's lines.
#[derive(Debug, Default)]
pub(super) struct FuzzProgress {
    /// Edges reached by the initial inputs.
    first_coverage: Option<u64>,
    /// Edges reached at the end.
    last_coverage: Option<u64>,
    /// The file with the input that broke something.
    artifact: Option<String>,
}

impl FuzzProgress {
    /// Parses a line, and returns whether to show it.
    pub(super) fn observe(&mut self, line: &str) -> bool {
        if let Some(coverage) = coverage(line) {
            self.first_coverage.get_or_insert(coverage);
            self.last_coverage = Some(coverage);
        }
        if let Some((_, path)) = line.split_once("Test unit written to ") {
            self.artifact = Some(path.trim().to_owned());
        }
        !is_noise(line)
    }

    pub(super) fn artifact(&self) -> Option<&str> {
        self.artifact.as_deref()
    }

    /// The edges reached at first and at the end, or `None` if libFuzzer had no coverage feedback.
    pub(super) fn coverage(&self) -> Option<(u64, u64)> {
        let (first, last) = (self.first_coverage?, self.last_coverage?);
        (last > 0).then_some((first, last))
    }
}

/// The number in `#18 INITED cov: 2326 ft: 3408 …`.
fn coverage(line: &str) -> Option<u64> {
    let (_, rest) = line.strip_prefix('#')?.split_once("cov: ")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// LibFuzzer reports each input it keeps, thousands in a few seconds, and the words it learned.
fn is_noise(line: &str) -> bool {
    let event = line.split_whitespace().nth(1).unwrap_or_default();
    let kept = line.starts_with('#') && matches!(event, "NEW" | "REDUCE" | "RELOAD");
    let learned = line.starts_with('"') || line.starts_with("######");
    kept || learned || line.starts_with("\tNEW_FUNC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_is_read_from_the_first_and_the_last_line_that_has_it() {
        let mut progress = FuzzProgress::default();
        assert!(progress.observe("INFO: Loaded 1 modules (200 inline 8-bit counters)"));
        assert_eq!(progress.coverage(), None);
        assert!(progress.observe("#18\tINITED cov: 23 ft: 34 corp: 17/2596b exec/s: 0 rss: 30Mb"));
        assert!(!progress.observe("#19\tNEW    cov: 25 ft: 35 corp: 18/2612b lim: 611 exec/s: 0"));
        assert!(progress.observe("#99\tDONE   cov: 31 ft: 50 corp: 28/2612b lim: 611 exec/s: 9"));
        assert_eq!(progress.coverage(), Some((23, 31)));
    }

    #[test]
    fn a_program_without_instrumentation_has_no_coverage() {
        let mut progress = FuzzProgress::default();
        progress.observe("#2\tINITED exec/s: 0 rss: 30Mb");
        assert_eq!(progress.coverage(), None);
        progress.observe("#3\tDONE   cov: 0 ft: 0 corp: 1/1b");
        assert_eq!(progress.coverage(), None);
    }

    #[test]
    fn an_artifact_is_remembered_and_crashes_are_shown() {
        let mut progress = FuzzProgress::default();
        assert!(progress.observe("thread '<unnamed>' panicked at src/dsl.rs:3:5:"));
        assert!(progress.observe("artifact_prefix='a/'; Test unit written to a/crash-0123"));
        assert_eq!(progress.artifact(), Some("a/crash-0123"));
    }

    #[test]
    fn corpus_statistics_are_noise() {
        assert!(is_noise("#25\tREDUCE cov: 2340 ft: 3435 corp: 18/2611b"));
        assert!(is_noise("\tNEW_FUNC[1/1]: 0x558cf1af3d11"));
        assert!(is_noise("\"limits\" # Uses: 901"));
        assert!(!is_noise("#4096\tpulse  cov: 2340 ft: 3435 corp: 18/2611b"));
        assert!(!is_noise("stat::average_exec_per_sec:     104513"));
    }
}
