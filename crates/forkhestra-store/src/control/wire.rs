//! The protocol: one JSON object a line, each way.
//!
//! | request | what else is in it |
//! |---|---|
//! | `stop`, `stop_now`, `pause`, `continue`, `skip` | nothing |
//! | `tell` | `text` |
//! | `set` | `changes`: limits as in the event `limits_changed` |
//!
//! An answer has one of `accepted`, `refused` and `error`. A version adds members, which are ignored
//! by whoever does not know them; but a limit that is not known is refused. Whatever else changes is a
//! new version.

use forkhestra_core::control;
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::LimitChanges;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the protocol.
pub const VERSION: u64 = 1;

/// A request as it is sent.
#[derive(Debug, Serialize)]
struct RequestLine<'a> {
    version: u64,
    request: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<LimitChanges>,
}

/// An answer as it is sent.
#[derive(Debug, Serialize, Deserialize)]
struct AnswerLine {
    version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accepted: Option<Accepted>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<Refused>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What a run will do, or has done: `{"kind":"queued","number":1}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Accepted {
    Stops { after: Option<UnitId> },
    Ends,
    Paused,
    Continued,
    Queued { number: u32 },
    Skips { step: usize },
    Changed,
}

/// Defines the words for why a run will not do what was asked.
macro_rules! refusals {
    ($($Why:ident),* $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Refused {
            $($Why,)*
        }

        impl From<control::Refused> for Refused {
            fn from(why: control::Refused) -> Self {
                match why {
                    $(control::Refused::$Why => Self::$Why,)*
                }
            }
        }

        impl From<Refused> for control::Refused {
            fn from(why: Refused) -> Self {
                match why {
                    $(Refused::$Why => Self::$Why,)*
                }
            }
        }

        /// Every reason there is.
        #[cfg(test)]
        pub(super) const REFUSALS: &[control::Refused] = &[$(control::Refused::$Why,)*];
    };
}

refusals! {
    Over, Ending, NotPaused, EmptyMessage, LongMessage, ManyMessages, HoldsMarker, NoChange, NoLoop,
}

/// What a run says to somebody who sent a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// What it makes of a request.
    Reply(control::Reply),
    /// What is wrong with the line.
    Error(String),
}

/// Why a line is no request.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotARequest {
    /// It is no JSON.
    #[error("the line is not a JSON object: {0}")]
    NotJson(String),
    /// It is something else.
    #[error("the line is not a JSON object")]
    NotAnObject,
    /// It does not say by which rules it is written.
    #[error("the version of the protocol is missing; it is {VERSION}")]
    NoVersion,
    /// It is written by other rules.
    #[error("version {0} of the protocol is not understood; this run knows version {VERSION}")]
    OtherVersion(String),
    /// It asks for nothing.
    #[error("there is no `request`")]
    NoRequest,
    /// It asks for something that nobody knows here.
    #[error(
        "there is no request `{0}`; there are stop, stop_now, pause, continue, tell, skip and set"
    )]
    Unknown(String),
    /// There is nothing to tell.
    #[error("`tell` needs a `text`")]
    NoText,
    /// There is nothing to set.
    #[error("`set` needs an object of `changes`")]
    NoChanges,
    /// It names a limit that nobody knows here.
    #[error("there is no limit `{0}`; there are {limits}", limits = LimitChanges::KEYS.join(", "))]
    UnknownLimit(String),
    /// The value of a limit is none.
    #[error("a limit cannot be changed so: {0}")]
    NotALimit(String),
}

/// Why a line is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NotAnAnswer {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] serde_json::Error),
    /// It says nothing that we know.
    #[error("it is neither accepted nor refused nor an error")]
    Empty,
}

/// A request as a line, with its end.
pub fn encode_request(request: &control::Request) -> String {
    use control::Request as R;
    let (request, text, changes) = match request {
        R::Stop => ("stop", None, None),
        R::StopNow => ("stop_now", None, None),
        R::Pause => ("pause", None, None),
        R::Continue => ("continue", None, None),
        R::Tell(text) => ("tell", Some(text.as_str()), None),
        R::Skip => ("skip", None, None),
        R::Set(changes) => ("set", None, Some(changes.clone())),
    };
    line(&RequestLine { version: VERSION, request, text, changes })
}

/// Reads a request from a line, without its end.
pub fn decode_request(line: &[u8]) -> Result<control::Request, NotARequest> {
    use control::Request as R;
    let value: Value =
        serde_json::from_slice(line).map_err(|error| NotARequest::NotJson(error.to_string()))?;
    let Value::Object(mut members) = value else { return Err(NotARequest::NotAnObject) };
    match members.get("version") {
        None => return Err(NotARequest::NoVersion),
        Some(version) if version.as_u64() == Some(VERSION) => {}
        Some(version) => return Err(NotARequest::OtherVersion(brief(&version.to_string()))),
    }
    let Some(Value::String(request)) = members.get("request") else {
        return Err(NotARequest::NoRequest);
    };
    Ok(match request.as_str() {
        "stop" => R::Stop,
        "stop_now" => R::StopNow,
        "pause" => R::Pause,
        "continue" => R::Continue,
        "skip" => R::Skip,
        "tell" => match members.remove("text") {
            Some(Value::String(text)) => R::Tell(text),
            _ => return Err(NotARequest::NoText),
        },
        "set" => R::Set(changes(members.remove("changes"))?),
        other => return Err(NotARequest::Unknown(brief(other))),
    })
}

/// An answer as a line, with its end.
pub fn encode_answer(answer: &Answer) -> String {
    let mut members = AnswerLine { version: VERSION, accepted: None, refused: None, error: None };
    match answer {
        Answer::Reply(control::Reply::Accepted(what)) => members.accepted = Some((*what).into()),
        Answer::Reply(control::Reply::Refused(why)) => members.refused = Some((*why).into()),
        Answer::Error(why) => members.error = Some(why.clone()),
    }
    line(&members)
}

/// Reads an answer from a line, without its end.
pub fn decode_answer(line: &[u8]) -> Result<Answer, NotAnAnswer> {
    let AnswerLine { accepted, refused, error, .. } = serde_json::from_slice(line)?;
    let accepted = accepted.map(|what| Answer::Reply(control::Reply::Accepted(what.into())));
    let refused = refused.map(|why| Answer::Reply(control::Reply::Refused(why.into())));
    accepted.or(refused).or(error.map(Answer::Error)).ok_or(NotAnAnswer::Empty)
}

/// Reads the changes of limits. An unknown limit is refused.
fn changes(value: Option<Value>) -> Result<LimitChanges, NotARequest> {
    let Some(Value::Object(members)) = value else { return Err(NotARequest::NoChanges) };
    if let Some(unknown) = members.keys().find(|name| !LimitChanges::KEYS.contains(&name.as_str()))
    {
        return Err(NotARequest::UnknownLimit(brief(unknown)));
    }
    serde_json::from_value(Value::Object(members))
        .map_err(|error| NotARequest::NotALimit(error.to_string()))
}

fn line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("texts and numbers are JSON");
    line.push('\n');
    line
}

/// What somebody sent, as far as it fits into a message.
fn brief(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

impl From<control::Accepted> for Accepted {
    fn from(what: control::Accepted) -> Self {
        use control::Accepted as A;
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

impl From<Accepted> for control::Accepted {
    fn from(what: Accepted) -> Self {
        match what {
            Accepted::Stops { after } => Self::Stops { after },
            Accepted::Ends => Self::Ends,
            Accepted::Paused => Self::Paused,
            Accepted::Continued => Self::Continued,
            Accepted::Queued { number } => Self::Queued { number },
            Accepted::Skips { step } => Self::Skips { step },
            Accepted::Changed => Self::Changed,
        }
    }
}
