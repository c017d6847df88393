//! A recording that is played back instead of an agent.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// What is played back in place of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// The directory of the recording.
    pub recording: String,
    /// The step of the recorded run, from one.
    pub step: usize,
    /// How fast.
    pub speed: Speed,
    /// What goes wrong on purpose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

impl Replay {
    /// What goes wrong in a try of an iteration, both counted from one: only the first one suffers.
    pub fn fault_of(&self, iteration: u32, attempt: u32) -> Option<Fault> {
        let faults = self.faults.iter().filter(|_| attempt == 1);
        faults.into_iter().find(|fault| fault.iteration == iteration).copied()
    }

    /// The recorded iteration that is played for this one. An iteration that a fault cut off has made
    /// nothing, so the next one does what it should have done. Agents that can tell of a limit lose no
    /// iteration to it: they are tried again.
    pub fn recorded_iteration(&self, iteration: u32, tells_of_limits: bool) -> u32 {
        let cuts_off = |fault: &&Fault| match fault.kind {
            FaultKind::Truncate(_) | FaultKind::Crash(_) => true,
            FaultKind::Limit(_) => !tells_of_limits,
            FaultKind::Hang => false,
        };
        let earlier = self.faults.iter().filter(|fault| fault.iteration < iteration);
        let lost = earlier.filter(cuts_off).count();
        iteration.saturating_sub(u32::try_from(lost).unwrap_or(u32::MAX))
    }
}

/// How fast a recording is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speed {
    /// So many hundredths of the speed at which it was recorded.
    Hundredths(NonZeroU32),
    /// Without any wait.
    Max,
}

impl Speed {
    /// As it was recorded.
    pub const RECORDED: Self = Self::Hundredths(NonZeroU32::new(100).expect("it is not zero"));

    /// Reads `2`, `0.5`, `10x` or `max`.
    pub fn parse(text: &str) -> Result<Self, NotASpeed> {
        if text == "max" {
            return Ok(Self::Max);
        }
        let number = text.strip_suffix('x').unwrap_or(text);
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || part.len() > 2 || !is_number(whole) || !is_number(part) {
            return Err(NotASpeed);
        }
        let hundredths: u32 = format!("{whole}{part:0<2}").parse().map_err(|_| NotASpeed)?;
        NonZeroU32::new(hundredths).map(Self::Hundredths).ok_or(NotASpeed)
    }
}

impl Default for Speed {
    fn default() -> Self {
        Self::RECORDED
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Max => f.write_str("max"),
            Self::Hundredths(hundredths) => {
                match (hundredths.get() / 100, hundredths.get() % 100) {
                    (whole, 0) => write!(f, "{whole}"),
                    (whole, part) if part % 10 == 0 => write!(f, "{whole}.{}", part / 10),
                    (whole, part) => write!(f, "{whole}.{part:02}"),
                }
            }
        }
    }
}

/// A text that is no speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a speed: write 1, 0.5, 20 or max")]
pub struct NotASpeed;

/// Something that goes wrong on purpose, once, when an iteration is first tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// In which iteration.
    pub iteration: u32,
    /// What.
    pub kind: FaultKind,
}

/// What can go wrong. Lines are those of the recorded standard output, from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The provider's usage limit is reached instead of this line.
    Limit(NonZeroU32),
    /// Everything is played, and then the agent does not end.
    Hang,
    /// The output ends in the middle of this line.
    Truncate(NonZeroU32),
    /// The agent is killed instead of printing this line.
    Crash(NonZeroU32),
}

impl Fault {
    /// Reads `[ITERATION:]KIND`, where the kind is `limit@N`, `hang`, `truncate@N` or `crash@N`.
    pub fn parse(text: &str) -> Result<Self, NotAFault> {
        let (iteration, kind) = match text.split_once(':') {
            Some((number, kind)) => (number.parse().ok().filter(|number| *number > 0), kind),
            None => (Some(1), text),
        };
        let iteration = iteration.ok_or(NotAFault)?;
        let (word, line) = match kind.split_once('@') {
            Some((word, line)) => (word, Some(line.parse().map_err(|_| NotAFault)?)),
            None => (kind, None),
        };
        let kind = match (word, line) {
            ("limit", Some(line)) => FaultKind::Limit(line),
            ("truncate", Some(line)) => FaultKind::Truncate(line),
            ("crash", Some(line)) => FaultKind::Crash(line),
            ("hang", None) => FaultKind::Hang,
            _ => return Err(NotAFault),
        };
        Ok(Self { iteration, kind })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.iteration)?;
        match self.kind {
            FaultKind::Limit(line) => write!(f, "limit@{line}"),
            FaultKind::Hang => f.write_str("hang"),
            FaultKind::Truncate(line) => write!(f, "truncate@{line}"),
            FaultKind::Crash(line) => write!(f, "crash@{line}"),
        }
    }
}

/// A text that is no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not a fault: write [ITERATION:] and then limit@LINE, truncate@LINE, crash@LINE or hang"
)]
pub struct NotAFault;

macro_rules! as_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).map_err(de::Error::custom)
            }
        }
    };
}

as_text!(Speed);
as_text!(Fault);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_read_back() {
        for (text, shown) in [
            ("1", "1"),
            ("10x", "10"),
            ("0.5", "0.5"),
            ("2.25", "2.25"),
            ("max", "max"),
            ("1.0", "1"),
        ] {
            let speed = Speed::parse(text).expect(text);
            assert_eq!(speed.to_string(), shown);
            assert_eq!(Speed::parse(shown), Ok(speed));
        }
        for text in ["", "0", "0.00", "-1", "1.234", "fast", ".5", "x", "99999999"] {
            assert_eq!(Speed::parse(text), Err(NotASpeed), "{text}");
        }
    }

    #[test]
    fn faults_read_back() {
        for text in ["1:hang", "3:limit@2", "12:truncate@1", "2:crash@40"] {
            assert_eq!(Fault::parse(text).expect(text).to_string(), text);
        }
        assert_eq!(Fault::parse("hang").expect("it is one").to_string(), "1:hang");
        for text in ["", "limit", "hang@3", "0:hang", "x:hang", "limit@0", "burn@1", "1:2:hang"] {
            assert_eq!(Fault::parse(text), Err(NotAFault), "{text}");
        }
    }
}
