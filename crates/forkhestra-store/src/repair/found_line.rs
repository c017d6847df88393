//! One line of a journal that can be read.

use forkhestra_core::event::Event;
use serde_json::Value;

use crate::format::{Decoded, Line, Version, encode};

/// One line that can be read.
#[derive(Debug)]
pub(super) struct FoundLine<'a> {
    /// Its number in the file, from one.
    pub(super) number: u64,
    /// Where it belongs.
    pub(super) seq: u64,
    /// The version of the format, if it says so.
    pub(super) format: Option<Version>,
    /// What it says; none if a newer version wrote it.
    pub(super) event: Option<Event>,
    pub(super) raw: &'a str,
}

impl<'a> FoundLine<'a> {
    pub(super) fn new(number: u64, line: Line, raw: &'a str) -> Self {
        let event = match line.decoded {
            Decoded::Known(event) => Some(event),
            Decoded::Unknown(_) => None,
        };
        Self { number, seq: line.seq, format: line.format, event, raw }
    }

    /// The same line with another number. All else stays as it was written, also what we do not know.
    pub(super) fn renumbered(&self, seq: u64) -> String {
        match (self.behind_number(), &self.event) {
            (Some(rest), _) => format!("{{\"seq\":{seq}{rest}"),
            (None, Some(event)) => encode(event, seq),
            (None, None) => self.renumbered_as_json(seq),
        }
    }

    /// What stands behind the number, if the line is written as we write lines.
    fn behind_number(&self) -> Option<&'a str> {
        let rest = self.raw.strip_prefix("{\"seq\":")?;
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.starts_with(',').then_some(rest)
    }

    fn renumbered_as_json(&self, seq: u64) -> String {
        let value = serde_json::from_str(self.raw).map(|mut value: Value| {
            value["seq"] = seq.into();
            value.to_string()
        });
        value.expect("the line has been read as an object before")
    }
}
