//! What the threads of a server share.

use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::json;

use crate::request::Request;
use crate::turn::Turn;

/// What comes after the last turn of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterLast {
    Repeat,
    Fail,
}

#[derive(Debug)]
pub(crate) struct State {
    turns: Vec<Turn>,
    after_last: AfterLast,
    inner: Mutex<Inner>,
    /// Told of every request, and of the end.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    is_over: bool,
    /// The open connections, so that they can be ended from outside.
    connections: HashMap<u64, TcpStream>,
    connected: u64,
    requests: Vec<Request>,
}

impl State {
    pub(crate) fn new(turns: Vec<Turn>, after_last: AfterLast) -> Self {
        Self { turns, after_last, inner: Mutex::default(), changed: Condvar::new() }
    }

    /// Notes a connection, unless it comes too late.
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

    /// Ends everything that is going on.
    pub(crate) fn end(&self) {
        let mut inner = self.lock();
        inner.is_over = true;
        for connection in inner.connections.values() {
            // Who has hung up already is what we want.
            let _ = connection.shutdown(Shutdown::Both);
        }
        self.changed.notify_all();
    }

    pub(crate) fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Notes a request and gives its number and its answer.
    pub(crate) fn take_turn(&self, request: Request) -> (u64, Turn) {
        let mut inner = self.lock();
        let is_main = request.is_main;
        let earlier = inner.requests.iter().filter(|request| request.is_main).count();
        inner.requests.push(request);
        let serial = inner.requests.len() as u64;
        self.changed.notify_all();
        let turn = if is_main { self.turn(earlier) } else { Turn::text("ok") };
        (serial, turn)
    }

    /// The answer to the main request after so many others.
    fn turn(&self, earlier: usize) -> Turn {
        let repeated = self.turns.last().filter(|_| self.after_last == AfterLast::Repeat);
        self.turns.get(earlier).or(repeated).cloned().unwrap_or_else(|| {
            let error = json!({ "type": "api_error", "message": "the script is over" });
            Turn::new().status(500).error(json!({ "type": "error", "error": error }))
        })
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.lock().requests.clone()
    }

    /// Waits until so many main requests have arrived; false if they have not within the bound.
    pub(crate) fn await_main(&self, wanted: usize, bound: Duration) -> bool {
        let is_missing = |inner: &mut Inner| {
            inner.requests.iter().filter(|request| request.is_main).count() < wanted
        };
        let waited = self.changed.wait_timeout_while(self.lock(), bound, is_missing);
        let (inner, result) = waited.expect("no thread panics while it has the lock");
        drop(inner);
        !result.timed_out()
    }

    /// Waits so long, or until everything is over.
    pub(crate) fn pause(&self, delay: Duration) {
        let waited = self.changed.wait_timeout_while(self.lock(), delay, |inner| !inner.is_over);
        drop(waited.expect("no thread panics while it has the lock"));
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no thread panics while it has the lock")
    }
}
