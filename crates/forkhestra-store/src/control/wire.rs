//! The protocol of the control socket: one JSON object per line, in both directions.
//!
//! | request | further members |
//! |---|---|
//! | `stop`, `stop_now`, `pause`, `continue`, `skip` | none |
//! | `tell` | `text`; optional `lane`, the lane whose next agent gets it |
//! | `set` | `changes`: limits as in the event `limits_changed` |
//! | `skip_group` | none |
//! | `approve`, `deny` | `step`: the step that asks; optional `question`, its number, and `text` |
//!
//! A reply has one of `accepted`, `refused` and `error`. New members may be added, and unknown ones
//! are ignored; but an unknown limit is refused. Every other change is a new version.

use forkhestra_core::control::{
    AcceptedRequest, AnswerRequest, ControlReply, ControlRequest, RefusedRequest,
};
use forkhestra_core::id::LaneNumber;
use forkhestra_core::limit::LimitChanges;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
    lane: Option<LaneNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<LimitChanges>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<u32>,
}

/// The JSON form of a reply. An untagged enum would hide which member is wrong.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ControlReplyLine {
    version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<AcceptedRequest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedRequest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// A run's reply to a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireReply {
    Reply(ControlReply),
    /// The line is malformed.
    Error {
        error: String,
    },
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
        "there is no request `{0}`; there are stop, stop_now, pause, continue, tell, \
         skip, skip_group, set, approve and deny"
    )]
    Unknown(String),
    #[error("`tell` needs a `text`")]
    NoText,
    #[error("`lane` is not the number of a lane; they count from 1")]
    NotALane,
    #[error("`{0}` needs the number of the `step` that asks")]
    NoStep(String),
    #[error("`question` is not a number")]
    NotAQuestion,
    #[error("`text` is not a text")]
    NotAText,
    #[error("`set` needs an object of `changes`")]
    NoChanges,
    #[error("there is no limit `{0}`; there are {limits}", limits = LimitChanges::KEYS.join(", "))]
    UnknownLimit(String),
    #[error("invalid `changes`: {0}")]
    NotALimit(String),
}

/// Encodes a request as a line, with its line break.
pub fn encode_request(request: &ControlRequest) -> String {
    use ControlRequest as R;
    let word = |request| ControlRequestLine {
        version: VERSION,
        request,
        text: None,
        lane: None,
        changes: None,
        step: None,
        question: None,
    };
    line(&match request {
        R::Stop => word("stop"),
        R::StopNow => word("stop_now"),
        R::Pause => word("pause"),
        R::Continue => word("continue"),
        R::Skip => word("skip"),
        R::SkipGroup => word("skip_group"),
        R::Tell { text, lane } => {
            ControlRequestLine { text: Some(text), lane: *lane, ..word("tell") }
        }
        R::Set(changes) => ControlRequestLine { changes: Some(changes.clone()), ..word("set") },
        R::Answer(answer) => ControlRequestLine {
            text: answer.text.as_deref(),
            step: Some(answer.step),
            question: answer.question,
            ..word(if answer.approves { "approve" } else { "deny" })
        },
    })
}

/// Decodes a request from a line, without its line break.
pub fn decode_request(line: &[u8]) -> Result<ControlRequest, RequestParseError> {
    use ControlRequest as R;
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| RequestParseError::NotJson(error.to_string()))?;
    let Value::Object(mut members) = value else { return Err(RequestParseError::NotAnObject) };
    match members.get("version") {
        None => return Err(RequestParseError::NoVersion),
        Some(version) if version.as_u64() == Some(VERSION) => {}
        Some(version) => {
            return Err(RequestParseError::OtherVersion(shortened(&version.to_string())));
        }
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
        "skip_group" => R::SkipGroup,
        "approve" => R::Answer(answer(&members, true)?),
        "deny" => R::Answer(answer(&members, false)?),
        "tell" => match members.remove("text") {
            Some(Value::String(text)) => R::Tell { text, lane: lane(&members)? },
            _ => return Err(RequestParseError::NoText),
        },
        "set" => R::Set(changes(members.remove("changes"))?),
        other => return Err(RequestParseError::Unknown(shortened(other))),
    })
}

/// Encodes a reply as a line, with its line break.
pub fn encode_reply(reply: WireReply) -> String {
    let mut reply_line = ControlReplyLine { version: VERSION, ..ControlReplyLine::default() };
    match reply {
        WireReply::Reply(ControlReply::Accepted(request)) => reply_line.accepted = Some(request),
        WireReply::Reply(ControlReply::Refused(request)) => reply_line.refused = Some(request),
        WireReply::Error { error } => reply_line.error = Some(error),
    }
    line(&reply_line)
}

/// Decodes a reply from a line, without its line break.
pub fn decode_reply(line: &[u8]) -> Result<WireReply, serde_json::Error> {
    match serde_json::from_slice(line)? {
        ControlReplyLine { accepted: Some(request), .. } => {
            Ok(WireReply::Reply(ControlReply::Accepted(request)))
        }
        ControlReplyLine { refused: Some(request), .. } => {
            Ok(WireReply::Reply(ControlReply::Refused(request)))
        }
        ControlReplyLine { error: Some(error), .. } => Ok(WireReply::Error { error }),
        _ => Err(serde::de::Error::custom("it has none of `accepted`, `refused` and `error`")),
    }
}

/// Decodes the lane of a message.
fn lane(members: &Map<String, Value>) -> Result<Option<LaneNumber>, RequestParseError> {
    let number = members.get("lane").filter(|lane| !lane.is_null()).cloned();
    let lane = number.map(serde_json::from_value).transpose();
    lane.map_err(|_| RequestParseError::NotALane)
}

/// Decodes the answer to a question.
fn answer(
    members: &Map<String, Value>,
    approves: bool,
) -> Result<AnswerRequest, RequestParseError> {
    let word = if approves { "approve" } else { "deny" };
    let step = members.get("step").and_then(Value::as_u64);
    let step = step.and_then(|step| usize::try_from(step).ok());
    let question = match members.get("question") {
        None | Some(Value::Null) => None,
        Some(number) => {
            let number = number.as_u64().and_then(|number| u32::try_from(number).ok());
            Some(number.ok_or(RequestParseError::NotAQuestion)?)
        }
    };
    let text = match members.get("text") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(_) => return Err(RequestParseError::NotAText),
    };
    let step = step.ok_or_else(|| RequestParseError::NoStep(word.to_owned()))?;
    Ok(AnswerRequest { step, question, approves, text })
}

/// Decodes changes of limits. An unknown limit is refused.
fn changes(value: Option<Value>) -> Result<LimitChanges, RequestParseError> {
    let Some(Value::Object(members)) = value else { return Err(RequestParseError::NoChanges) };
    if let Some(unknown) = members.keys().find(|name| !LimitChanges::KEYS.contains(&name.as_str()))
    {
        return Err(RequestParseError::UnknownLimit(shortened(unknown)));
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
fn shortened(text: &str) -> String {
    const MAX_SHOWN_CHARS: usize = 40;
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
