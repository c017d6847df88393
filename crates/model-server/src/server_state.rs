//! The state that the threads of a server share.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::json;

use crate::http_request::HttpRequest;
use crate::model_turn::ModelTurn;
use crate::protocol::{ModelProtocol, RequestSubject};

/// The reply that Gemini CLI expects when it asks for a model that fits a prompt.
const MODEL_CHOICE: &str = r#"{"complexity_reasoning":"simple","complexity_score":20,"reasoning":"simple","model_choice":"flash"}"#;

/// The source of the replies to main requests.
pub(crate) enum ResponseScript {
    /// A list, and what follows its last turn.
    Turns(Vec<ModelTurn>, AfterScript),
    /// A function of the request.
    Respond(Box<dyn Fn(&HttpRequest) -> ModelTurn + Send + Sync>),
}

impl fmt::Debug for ResponseScript {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turns(turns, after_last) => {
                formatter.debug_tuple("Turns").field(turns).field(after_last).finish()
            }
            Self::Respond(_) => formatter.write_str("Respond"),
        }
    }
}

/// What follows the last turn of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterScript {
    Repeat,
    Fail,
}

#[derive(Debug)]
pub(crate) struct ServerState {
    script: ResponseScript,
    inner: Mutex<ServerStateInner>,
    /// Notified of every request, and of the end.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct ServerStateInner {
    is_over: bool,
    /// The open connections, so that they can be shut down.
    connections: HashMap<u64, TcpStream>,
    connected: u64,
    requests: Vec<HttpRequest>,
    /// Turns that the next main requests get instead of those of the script.
    injected: VecDeque<ModelTurn>,
    /// The number of main requests that got a turn of the script.
    scripted: usize,
}

impl ServerState {
    pub(crate) fn new(script: ResponseScript) -> Self {
        Self { script, inner: Mutex::default(), changed: Condvar::new() }
    }

    /// Registers a connection, unless the server has ended.
    pub(crate) fn connect(&self, stream: &TcpStream) -> io::Result<Option<u64>> {
        let mut inner = self.lock();
        if inner.is_over {
            return Ok(None);
        }
        inner.connected += 1;
        let number = inner.connected;
        inner.connections.insert(number, stream.try_clone()?);
        Ok(Some(number))
    }

    pub(crate) fn disconnect(&self, number: u64) {
        self.lock().connections.remove(&number);
    }

    /// Ends the server and its connections.
    pub(crate) fn end(&self) {
        let mut inner = self.lock();
        inner.is_over = true;
        for connection in inner.connections.values() {
            // A connection that is already closed is fine.
            let _ = connection.shutdown(Shutdown::Both);
        }
        self.changed.notify_all();
    }

    pub(crate) fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Inserts turns before the script.
    pub(crate) fn inject(&self, turns: impl IntoIterator<Item = ModelTurn>) {
        self.lock().injected.extend(turns);
    }

    /// Records a request, and returns its number and its reply.
    pub(crate) fn take_turn(&self, request: HttpRequest) -> (u64, ModelTurn) {
        let mut inner = self.lock();
        let turn = if request.is_main { self.turn(&mut inner, &request) } else { aside(&request) };
        inner.requests.push(request);
        self.changed.notify_all();
        (inner.requests.len() as u64, turn)
    }

    /// The reply to a main request.
    fn turn(&self, inner: &mut ServerStateInner, request: &HttpRequest) -> ModelTurn {
        if let Some(turn) = inner.injected.pop_front() {
            return turn;
        }
        let earlier = inner.scripted;
        inner.scripted += 1;
        match &self.script {
            ResponseScript::Respond(respond) => respond(request),
            ResponseScript::Turns(turns, after_last) => {
                let repeated = turns.last().filter(|_| *after_last == AfterScript::Repeat);
                turns.get(earlier).or(repeated).cloned().unwrap_or_else(over)
            }
        }
    }

    pub(crate) fn requests(&self) -> Vec<HttpRequest> {
        self.lock().requests.clone()
    }

    /// Waits for this number of main requests; `false` after the timeout.
    pub(crate) fn await_main(&self, wanted: usize, bound: Duration) -> bool {
        let is_missing = |inner: &mut ServerStateInner| {
            inner.requests.iter().filter(|request| request.is_main).count() < wanted
        };
        let waited = self.changed.wait_timeout_while(self.lock(), bound, is_missing);
        let (inner, result) = waited.expect("no thread panics while it has the lock");
        drop(inner);
        !result.timed_out()
    }

    /// Waits for a delay, or until the server ends.
    pub(crate) fn pause(&self, delay: Duration) {
        let waited = self.changed.wait_timeout_while(self.lock(), delay, |inner| !inner.is_over);
        drop(waited.expect("no thread panics while it has the lock"));
    }

    fn lock(&self) -> MutexGuard<'_, ServerStateInner> {
        self.inner.lock().expect("no thread panics while it has the lock")
    }
}

/// The reply to any other request.
fn aside(request: &HttpRequest) -> ModelTurn {
    let is_gemini = RequestSubject::of(request) == RequestSubject::Model(ModelProtocol::Gemini);
    ModelTurn::text(if is_gemini { MODEL_CHOICE } else { "ok" })
}

/// The reply after the end of a script that is not repeated.
fn over() -> ModelTurn {
    let error = json!({ "type": "api_error", "message": "the script is over" });
    ModelTurn::new().status(500).error(json!({ "type": "error", "error": error }))
}
