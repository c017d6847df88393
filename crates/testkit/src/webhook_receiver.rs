//! A web server on the loopback interface that notes what it is sent.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::test_process::eventually;

/// Notes every request, and answers as it was told.
#[derive(Debug)]
pub struct WebhookReceiver {
    address: SocketAddr,
    state: Arc<Mutex<WebhookReceiverState>>,
}

#[derive(Debug, Default)]
struct WebhookReceiverState {
    answers: VecDeque<WebhookResponse>,
    received: Vec<WebhookRequest>,
    /// Connections that are never answered.
    kept: Vec<TcpStream>,
}

/// How a request is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookResponse {
    /// With this status, and maybe a line of the head.
    Status(u16, Option<&'static str>),
    /// Not at all, as long as the receiver is there.
    Silence,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRequest {
    /// The method and the path.
    pub line: String,
    /// The head, by names in small letters.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: String,
}

impl WebhookReceiver {
    /// Answers the first requests like this, and all others with 200.
    pub fn responding_with(answers: impl IntoIterator<Item = WebhookResponse>) -> Self {
        let listener =
            TcpListener::bind(("127.0.0.1", 0)).expect("the loopback interface is there");
        Self::at(listener, answers)
    }

    /// The same at a place that is known already.
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
                // Whoever went away again has sent nothing.
                let _ = connection.and_then(|connection| serve(connection, &shared));
            }
        });
        Self { address, state }
    }

    /// An address below which everything is received.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The part of the address that may be shown.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Everything that came so far.
    pub fn received(&self) -> Vec<WebhookRequest> {
        lock(&self.state).received.clone()
    }

    /// Waits until so much came.
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
