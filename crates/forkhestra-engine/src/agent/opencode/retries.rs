//! Retries of opencode, and its progress between the lines of its stream.
//!
//! The stream does not report retries, and opencode's log reports neither their number nor their
//! delay. Tools and texts are reported only when complete. So a plugin prints a readable line for
//! each retry, and occasionally one that reports progress.

use std::time::Duration;

use forkhestra_core::time::Timestamp;

use super::outcome::failure;
use crate::agent::stderr_watcher::{StderrDialect, StderrLineKind, StderrRetry, may_start_with};

/// The source of the plugin.
pub(in crate::agent) const PLUGIN: &str = include_str!("retries.js");

/// The prefix of its lines about retries.
const RETRY_PREFIX: &str = "opencode tries again at ";

/// The prefix of its lines about progress.
const PROGRESS_PREFIX: &str = "opencode is at work, tools running: ";

/// Recognises the lines of the plugin.
#[derive(Debug)]
pub(super) struct OpencodeRetries;

impl StderrDialect for OpencodeRetries {
    fn may_begin(&self, prefix: &[u8]) -> bool {
        may_start_with(prefix, RETRY_PREFIX) || may_start_with(prefix, PROGRESS_PREFIX)
    }

    fn parse_line(&mut self, line: &str) -> StderrLineKind {
        let repeated = || parse_retry(line).map(StderrLineKind::Retry);
        let progress = || tools(line).map(|tools| StderrLineKind::Progress { tools });
        repeated().or_else(progress).unwrap_or(StderrLineKind::Nothing)
    }
}

fn tools(line: &str) -> Option<u32> {
    line.trim_end().strip_prefix(PROGRESS_PREFIX)?.parse().ok()
}

fn parse_retry(line: &str) -> Option<StderrRetry> {
    let (until, rest) = line.trim_end().strip_prefix(RETRY_PREFIX)?.split_once(" (attempt ")?;
    let (attempt, rest) = rest.split_once(", in ")?;
    let (seconds, why) = rest.split_once(" s):")?;
    let why = why.trim();
    Some(StderrRetry {
        attempt: attempt.parse().ok()?,
        delay: Some(Duration::from_secs(seconds.parse().ok()?)),
        until: Timestamp::parse(until).ok(),
        status: None,
        why: why.to_owned(),
        class: failure("", (why, ""), None).class,
    })
}
