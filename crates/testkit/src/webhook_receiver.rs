//! A web server on the loopback interface that records its requests.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::test_process::eventually;

/// Records every request, and responds with a given list of responses.
#[derive(Debug)]
pub struct WebhookReceiver {
    address: SocketAddr,
    state: Arc<Mutex<WebhookReceiverState>>,
}

#[derive(Debug, Default)]
struct WebhookReceiverState {
    answers: VecDeque<WebhookResponse>,
    received: Vec<WebhookRequest>,
    /// Connections that never get a response.
    kept: Vec<TcpStream>,
}

/// How a request is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookResponse {
    /// With this status, and possibly a header line.
    Status(u16, Option<&'static str>),
    /// Never, while the receiver exists.
    Silence,
}

/// A recorded request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRequest {
    /// The method and the path.
    pub line: String,
    /// The names are in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl WebhookReceiver {
    /// Gives these responses to the first requests, and 200 to all others.
    pub fn responding_with(answers: impl IntoIterator<Item = WebhookResponse>) -> Self {
        let listener =
            TcpListener::bind(("127.0.0.1", 0)).expect("the loopback interface is there");
        Self::at(listener, answers)
    }

    /// Like [`Self::responding_with`], at an existing listener.
    pub fn at(listener: TcpListener, answers: impl IntoIterator<Item = WebhookResponse>) -> Self {
        let address = listener.local_addr().expect("it is bound");
        let answers = answers.into_iter().collect();
        let state = Arc::new(Mutex::new(WebhookReceiverState {
            answers,
            ..WebhookReceiverState::default()
        }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for connection in listener.incoming() {
                // A client that disconnected has sent nothing.
                let _ = connection.and_then(|connection| serve(connection, &shared));
            }
        });
        Self { address, state }
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The host and port, which may be shown in messages.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// All requests so far.
    pub fn received(&self) -> Vec<WebhookRequest> {
        lock(&self.state).received.clone()
    }

    /// Waits for this number of requests.
    #[track_caller]
    pub fn wait_for(&self, number: usize) -> Vec<WebhookRequest> {
        eventually("the request comes", || {
            let received = self.received();
            (received.len() >= number).then_some(received)
        })
    }
}

fn lock(state: &Mutex<WebhookReceiverState>) -> MutexGuard<'_, WebhookReceiverState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut connection: TcpStream, state: &Mutex<WebhookReceiverState>) -> io::Result<()> {
    let received = read(&mut BufReader::new(&connection))?;
    let answer = {
        let mut state = lock(state);
        let answer = state.answers.pop_front().unwrap_or(WebhookResponse::Status(200, None));
        if answer == WebhookResponse::Silence {
            state.kept.push(connection.try_clone()?);
        }
        state.received.push(received);
        answer
    };
    if let WebhookResponse::Status(status, line) = answer {
        let line = line.map(|line| format!("{line}\r\n")).unwrap_or_default();
        let head =
            format!("HTTP/1.1 {status} Said\r\n{line}content-length: 0\r\nconnection: close");
        connection.write_all(format!("{head}\r\n\r\n").as_bytes())?;
    }
    Ok(())
}

fn read(stream: &mut impl BufRead) -> io::Result<WebhookRequest> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let pair = |line: &String| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_lowercase(), value.trim().to_owned()))
    };
    let headers: BTreeMap<String, String> = lines.iter().skip(1).filter_map(pair).collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or_default()];
    stream.read_exact(&mut body)?;
    let line = lines.first().map(|line| line.trim_end_matches(" HTTP/1.1").to_owned());
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(WebhookRequest { line: line.unwrap_or_default(), headers, body })
}
