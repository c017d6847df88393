//! Retries of opencode, and its progress between the lines of its stream.
//!
//! The stream does not report retries, and opencode's log reports neither their number nor their
//! delay. Tools and texts are reported only when complete. So a plugin prints a readable line for
//! each retry, and occasionally one that reports progress.

use std::time::Duration;

use forkhestra_core::time::Timestamp;

use super::outcome::failure;
use crate::agent::stderr_watcher::{StderrDialect, StderrLineKind, StderrRetry, begins_like};

/// The source of the plugin.
pub(in crate::agent) const PLUGIN: &str = include_str!("retries.js");

/// The prefix of its lines about retries.
const BEGINNING: &str = "opencode tries again at ";

/// The prefix of its lines about progress.
const AT_WORK: &str = "opencode is at work, tools running: ";

/// Recognises the lines of the plugin.
#[derive(Debug)]
pub(super) struct OpencodeRetries;

impl StderrDialect for OpencodeRetries {
    fn may_begin(&self, beginning: &[u8]) -> bool {
        begins_like(beginning, BEGINNING) || begins_like(beginning, AT_WORK)
    }

    fn parse_line(&mut self, line: &str) -> StderrLineKind {
        let repeated = || repeated(line).map(StderrLineKind::Retry);
        let progress = || tools(line).map(|tools| StderrLineKind::Progress { tools });
        repeated().or_else(progress).unwrap_or(StderrLineKind::Nothing)
    }
}

fn tools(line: &str) -> Option<u32> {
    line.trim_end().strip_prefix(AT_WORK)?.parse().ok()
}

fn repeated(line: &str) -> Option<StderrRetry> {
    let (until, rest) = line.trim_end().strip_prefix(BEGINNING)?.split_once(" (attempt ")?;
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
