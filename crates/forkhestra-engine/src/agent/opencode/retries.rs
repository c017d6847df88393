//! Requests that opencode repeats, and its progress between the lines of its stream.
//!
//! Its stream says nothing about repeated requests, and its own log neither how often nor until when.
//! It shows a tool when it is done, and a text when it is whole. So it is given a plugin that prints a
//! line for each request that is repeated, and one now and then while it gets further, in words that
//! people understand as well.

use std::time::Duration;

use forkhestra_core::time::Timestamp;

use super::outcome::failure;
use crate::agent::stderr_watcher::{StderrDialect, StderrLineKind, StderrRetry, begins_like};

/// The plugin.
pub(in crate::agent) const PLUGIN: &str = include_str!("retries.js");

/// What its lines begin with.
const BEGINNING: &str = "opencode tries again at ";

/// What the lines begin with that it prints while opencode gets further.
const AT_WORK: &str = "opencode is at work, tools running: ";

/// Knows the lines of the plugin.
#[derive(Debug)]
pub(in crate::agent) struct OpencodeRetries;

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
