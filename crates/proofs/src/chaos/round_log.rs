//! The log of a round, for debugging a failure.

use std::time::Instant;

/// Lines with the time since the start of the round.
#[derive(Debug)]
pub(super) struct RoundLog {
    began: Instant,
    pub(super) lines: Vec<String>,
}

impl RoundLog {
    pub(super) fn new() -> Self {
        Self { began: Instant::now(), lines: Vec::new() }
    }

    pub(super) fn log(&mut self, what: impl AsRef<str>) {
        let seconds = self.began.elapsed().as_secs_f64();
        self.lines.push(format!("{seconds:8.3}  {}", what.as_ref()));
    }
}
