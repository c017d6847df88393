//! The protocol of the control socket: one JSON object a line, in both directions.
//!
//! | request | further members |
//! |---|---|
//! | `stop`, `stop_now`, `pause`, `continue`, `skip` | none |
//! | `tell` | `text` |
//! | `set` | `changes`: limits as in the event `limits_changed` |
//!
//! A reply has one of `accepted`, `refused` and `error`. New members may be added, and unknown ones
//! are ignored; but an unknown limit is refused. Every other change is a new version.

use forkhestra_core::control;
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::LimitChanges;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the protocol.
pub const VERSION: u64 = 1;

/// The JSON form of a request.
#[derive(Debug, Serialize)]
struct ControlRequestLine<'a> {
    version: u64,
    request: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<LimitChanges>,
}

/// The JSON form of a reply.
#[derive(Debug, Serialize, Deserialize)]
struct ControlReplyLine {
    version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accepted: Option<AcceptedJson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedJson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What a run will do or has done: `{"kind":"queued","number":1}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum AcceptedJson {
    Stops { after: Option<UnitId> },
    Ends,
    Paused,
    Continued,
    Queued { number: u32 },
    Skips { step: usize },
    Changed,
}

/// Defines the words for why a run refuses a request.
macro_rules! refusals {
    ($($Why:ident),* $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum RefusedJson {
            $($Why,)*
        }

        impl From<control::RefusedRequest> for RefusedJson {
            fn from(why: control::RefusedRequest) -> Self {
                match why {
                    $(control::RefusedRequest::$Why => Self::$Why,)*
                }
            }
        }

        impl From<RefusedJson> for control::RefusedRequest {
            fn from(why: RefusedJson) -> Self {
                match why {
                    $(RefusedJson::$Why => Self::$Why,)*
                }
            }
        }

        /// All reasons.
        #[cfg(test)]
        pub(super) const REFUSALS: &[control::RefusedRequest] = &[$(control::RefusedRequest::$Why,)*];
    };
}

refusals! {
    Over, Ending, NotPaused, EmptyMessage, LongMessage, ManyMessages, HoldsMarker, NoChange, NoLoop,
}

/// A run's reply to a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireReply {
    Reply(control::ControlReply),
    /// The line is malformed.
    Error(String),
}

/// Why a line is not a request.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestParseError {
    #[error("the line is not a JSON object: {0}")]
    NotJson(String),
    #[error("the line is not a JSON object")]
    NotAnObject,
    #[error("the version of the protocol is missing; it is {VERSION}")]
    NoVersion,
    #[error("version {0} of the protocol is not understood; this run knows version {VERSION}")]
    OtherVersion(String),
    #[error("there is no `request`")]
    NoRequest,
    #[error(
        "there is no request `{0}`; there are stop, stop_now, pause, continue, tell, skip and set"
    )]
    Unknown(String),
    #[error("`tell` needs a `text`")]
    NoText,
    #[error("`set` needs an object of `changes`")]
    NoChanges,
    #[error("there is no limit `{0}`; there are {limits}", limits = LimitChanges::KEYS.join(", "))]
    UnknownLimit(String),
    #[error("a limit cannot be changed so: {0}")]
    NotALimit(String),
}

/// Why a line is not a reply.
#[derive(Debug, thiserror::Error)]
pub enum ReplyParseError {
    #[error(transparent)]
    Unreadable(#[from] serde_json::Error),
    /// It has no known member.
    #[error("it is neither accepted nor refused nor an error")]
    Empty,
}

/// Encodes a request as a line, with its line break.
pub fn encode_request(request: &control::ControlRequest) -> String {
    use control::ControlRequest as R;
    let (request, text, changes) = match request {
        R::Stop => ("stop", None, None),
        R::StopNow => ("stop_now", None, None),
        R::Pause => ("pause", None, None),
        R::Continue => ("continue", None, None),
        R::Tell(text) => ("tell", Some(text.as_str()), None),
        R::Skip => ("skip", None, None),
        R::Set(changes) => ("set", None, Some(changes.clone())),
    };
    line(&ControlRequestLine { version: VERSION, request, text, changes })
}

/// Decodes a request from a line, without its line break.
pub fn decode_request(line: &[u8]) -> Result<control::ControlRequest, RequestParseError> {
    use control::ControlRequest as R;
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| RequestParseError::NotJson(error.to_string()))?;
    let Value::Object(mut members) = value else { return Err(RequestParseError::NotAnObject) };
    match members.get("version") {
        None => return Err(RequestParseError::NoVersion),
        Some(version) if version.as_u64() == Some(VERSION) => {}
        Some(version) => return Err(RequestParseError::OtherVersion(brief(&version.to_string()))),
    }
    let Some(Value::String(request)) = members.get("request") else {
        return Err(RequestParseError::NoRequest);
    };
    Ok(match request.as_str() {
        "stop" => R::Stop,
        "stop_now" => R::StopNow,
        "pause" => R::Pause,
        "continue" => R::Continue,
        "skip" => R::Skip,
        "tell" => match members.remove("text") {
            Some(Value::String(text)) => R::Tell(text),
            _ => return Err(RequestParseError::NoText),
        },
        "set" => R::Set(changes(members.remove("changes"))?),
        other => return Err(RequestParseError::Unknown(brief(other))),
    })
}

/// Encodes a reply as a line, with its line break.
pub fn encode_reply(answer: &WireReply) -> String {
    let mut members =
        ControlReplyLine { version: VERSION, accepted: None, refused: None, error: None };
    match answer {
        WireReply::Reply(control::ControlReply::Accepted(what)) => {
            members.accepted = Some((*what).into());
        }
        WireReply::Reply(control::ControlReply::Refused(why)) => {
            members.refused = Some((*why).into());
        }
        WireReply::Error(why) => members.error = Some(why.clone()),
    }
    line(&members)
}

/// Decodes a reply from a line, without its line break.
pub fn decode_reply(line: &[u8]) -> Result<WireReply, ReplyParseError> {
    let ControlReplyLine { accepted, refused, error, .. } = serde_json::from_slice(line)?;
    let accepted =
        accepted.map(|what| WireReply::Reply(control::ControlReply::Accepted(what.into())));
    let refused = refused.map(|why| WireReply::Reply(control::ControlReply::Refused(why.into())));
    accepted.or(refused).or(error.map(WireReply::Error)).ok_or(ReplyParseError::Empty)
}

/// Decodes changes of limits. An unknown limit is refused.
fn changes(value: Option<Value>) -> Result<LimitChanges, RequestParseError> {
    let Some(Value::Object(members)) = value else { return Err(RequestParseError::NoChanges) };
    if let Some(unknown) = members.keys().find(|name| !LimitChanges::KEYS.contains(&name.as_str()))
    {
        return Err(RequestParseError::UnknownLimit(brief(unknown)));
    }
    serde_json::from_value(Value::Object(members))
        .map_err(|error| RequestParseError::NotALimit(error.to_string()))
}

fn line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("texts and numbers are JSON");
    line.push('\n');
    line
}

/// Shortens a client's text for a message.
fn brief(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

impl From<control::AcceptedRequest> for AcceptedJson {
    fn from(what: control::AcceptedRequest) -> Self {
        use control::AcceptedRequest as A;
        match what {
            A::Stops { after } => Self::Stops { after },
            A::Ends => Self::Ends,
            A::Paused => Self::Paused,
            A::Continued => Self::Continued,
            A::Queued { number } => Self::Queued { number },
            A::Skips { step } => Self::Skips { step },
            A::Changed => Self::Changed,
        }
    }
}

impl From<AcceptedJson> for control::AcceptedRequest {
    fn from(what: AcceptedJson) -> Self {
        match what {
            AcceptedJson::Stops { after } => Self::Stops { after },
            AcceptedJson::Ends => Self::Ends,
            AcceptedJson::Paused => Self::Paused,
            AcceptedJson::Continued => Self::Continued,
            AcceptedJson::Queued { number } => Self::Queued { number },
            AcceptedJson::Skips { step } => Self::Skips { step },
            AcceptedJson::Changed => Self::Changed,
        }
    }
}
