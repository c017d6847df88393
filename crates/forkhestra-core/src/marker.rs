//! Completion markers: the lines by which an agent claims that its step is done.

use std::borrow::Cow;
use std::fmt;

use regex::bytes::Regex;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The default markers. forkhestra's own prompts use the first.
pub const DEFAULT_MARKERS: [&str; 4] = [
    "FORKHESTRA_COMPLETE",
    "ORCHESTRA_COMPLETE",
    "<promise>COMPLETE</promise>",
    "RALPH_STATUS: COMPLETE",
];

/// What a line must match to count as a marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marker {
    Literal(String),
    Regex(String),
}

/// Why a text is not a valid marker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MarkerParseError {
    #[error("is empty; a marker is a line of text or a /regex/")]
    Empty,
    /// Markers are matched line by line.
    #[error("spans more than one line, but markers are looked for line by line")]
    SeveralLines,
    #[error("is not a regular expression: {0}")]
    BadRegex(String),
    /// Flags behind the closing slash.
    #[error(
        "has flags behind its slash; write them in front of the expression, as in `/(?{flags})…/`"
    )]
    Flags { flags: String },
    /// It would match the first blank line and end the step.
    #[error("matches an empty line, so any output would complete the step")]
    MatchesNothing,
}

impl Marker {
    /// The default markers.
    pub fn defaults() -> Vec<Self> {
        DEFAULT_MARKERS.iter().map(|text| Self::Literal((*text).to_owned())).collect()
    }

    /// Parses a marker: a line, or a regular expression between slashes.
    pub fn parse(text: &str) -> Result<Self, MarkerParseError> {
        let line = text.trim();
        if line.is_empty() {
            return Err(MarkerParseError::Empty);
        }
        if line.contains(['\n', '\r']) {
            return Err(MarkerParseError::SeveralLines);
        }
        let Some((pattern, flags)) = line.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'))
        else {
            return Ok(Self::Literal(line.to_owned()));
        };
        match flags {
            "" => Self::regex(pattern),
            // Such a line is not a plausible marker; it is how flags are written elsewhere.
            _ if flags.bytes().all(|byte| byte.is_ascii_lowercase()) && flags.len() <= 6 => {
                Err(MarkerParseError::Flags { flags: flags.to_owned() })
            }
            _ => Ok(Self::Literal(line.to_owned())),
        }
    }

    fn regex(pattern: &str) -> Result<Self, MarkerParseError> {
        let regex = compile(pattern).map_err(MarkerParseError::BadRegex)?;
        if regex.is_match(b"") {
            return Err(MarkerParseError::MatchesNothing);
        }
        Ok(Self::Regex(pattern.to_owned()))
    }
}

/// Compiles a regular expression, or returns a one-line reason.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| {
        // The library's message has several lines; the last one is the reason.
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or(&text).trim();
        reason.strip_prefix("error: ").unwrap_or(reason).to_owned()
    })
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(text) => f.write_str(text),
            Self::Regex(pattern) => write!(f, "/{pattern}/"),
        }
    }
}

impl Serialize for Marker {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Marker {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text)
            .map_err(|why| de::Error::custom(format_args!("the marker `{text}` {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_and_invalid_markers() {
        let literal = |text: &str| Ok(Marker::Literal(text.to_owned()));
        let table = [
            ("DONE", literal("DONE")),
            ("  ALL DONE ", literal("ALL DONE")),
            ("/", literal("/")),
            ("/DONE|FINISHED/", Ok(Marker::Regex("DONE|FINISHED".to_owned()))),
            ("", Err(MarkerParseError::Empty)),
            (" ", Err(MarkerParseError::Empty)),
            ("a\nb", Err(MarkerParseError::SeveralLines)),
            ("/usr/bin: no such file", literal("/usr/bin: no such file")),
            ("/DONE/i", Err(MarkerParseError::Flags { flags: "i".to_owned() })),
            ("//", Err(MarkerParseError::MatchesNothing)),
            ("/a*/", Err(MarkerParseError::MatchesNothing)),
            ("/(/", Err(MarkerParseError::BadRegex("unclosed group".to_owned()))),
        ];
        for (text, expected) in table {
            assert_eq!(Marker::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_marker_prints_as_it_is_written() {
        for text in DEFAULT_MARKERS.into_iter().chain(["/^done$/"]) {
            assert_eq!(Marker::parse(text).expect("a marker").to_string(), text);
        }
    }
}
