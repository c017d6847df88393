//! Requests that opencode repeats.
//!
//! Its stream says nothing about them, and its own log neither how often nor until when. So it is
//! given a plugin that prints a line for each, in words that people understand as well.

use std::time::Duration;

use forkhestra_core::time::Timestamp;

use super::outcome::failure;
use crate::agent::watcher::{Meaning, Murmur, Repeated, begins_like};

/// The plugin.
pub(in crate::agent) const PLUGIN: &str = include_str!("retries.js");

/// What its lines begin with.
const BEGINNING: &str = "opencode tries again at ";

/// Knows the lines of the plugin.
#[derive(Debug)]
pub(in crate::agent) struct Retries;

impl Murmur for Retries {
    fn may_begin(&self, beginning: &[u8]) -> bool {
        begins_like(beginning, BEGINNING)
    }

    fn line(&mut self, line: &str) -> Meaning {
        repeated(line).map_or(Meaning::Nothing, Meaning::Repeated)
    }
}

fn repeated(line: &str) -> Option<Repeated> {
    let (until, rest) = line.trim_end().strip_prefix(BEGINNING)?.split_once(" (attempt ")?;
    let (attempt, rest) = rest.split_once(", in ")?;
    let (seconds, why) = rest.split_once(" s):")?;
    let why = why.trim();
    Some(Repeated {
        attempt: attempt.parse().ok()?,
        delay: Some(Duration::from_secs(seconds.parse().ok()?)),
        until: Timestamp::parse(until).ok(),
        status: None,
        why: why.to_owned(),
        class: failure("", (why, ""), None).class,
    })
}
