//! The lane of a run: one of several agents that work at the same time.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Serialize, Serializer};

/// A lane of a run, written as `k3v/2`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunLane {
    /// The id of the run.
    pub run: String,
    /// The number of the lane, from 1.
    pub lane: NonZeroU32,
}

/// Why a text is not the lane of a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a run and a lane such as k3v/2")]
pub struct RunLaneParseError(pub String);

impl RunLane {
    /// Reads a run, a slash and a number.
    pub fn parse(text: &str) -> Result<Self, RunLaneParseError> {
        let error = || RunLaneParseError(text.to_owned());
        let (run, lane) = text.rsplit_once('/').ok_or_else(error)?;
        let is_name = !run.is_empty() && !run.contains(char::is_whitespace);
        let lane = lane.parse().ok().filter(|_| is_name).ok_or_else(error)?;
        Ok(Self { run: run.to_owned(), lane })
    }
}

impl fmt::Display for RunLane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.run, self.lane)
    }
}

impl Serialize for RunLane {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_read_back_from_its_text() {
        let lane = RunLane::parse("k3v/12").expect("it is one");
        assert_eq!((lane.run.as_str(), lane.lane.get()), ("k3v", 12));
        assert_eq!(RunLane::parse(&lane.to_string()), Ok(lane));
        for text in ["", "k3v", "k3v/", "k3v/0", "/1", "k3v/-1", "k3v/x", "k 3v/1"] {
            assert_eq!(RunLane::parse(text), Err(RunLaneParseError(text.to_owned())), "{text}");
        }
    }
}
