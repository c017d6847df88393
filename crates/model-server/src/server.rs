//! The server.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::connection;
use crate::http_request::HttpRequest;
use crate::model_turn::ModelTurn;
use crate::server_state::{AfterScript, ResponseScript, ServerState};

/// The timeout for waiting for a request.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A model API that replies by a script. Dropping it ends its connections.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<ServerState>,
    accepting: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Replies to main requests with these turns, and repeats the last one.
    ///
    /// # Panics
    ///
    /// If no port is free: see [`try_start`](Self::try_start).
    pub fn start(turns: Vec<ModelTurn>) -> Self {
        Self::try_start(turns).expect("some port is free")
    }

    /// Like [`start`](Self::start), for callers that can continue without a server.
    ///
    /// # Errors
    ///
    /// If no port of the loopback interface is free.
    pub fn try_start(turns: Vec<ModelTurn>) -> io::Result<Self> {
        Self::with(ResponseScript::Turns(turns, AfterScript::Repeat))
    }

    /// Replies to main requests with these turns, and then with the status 500.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub fn start_without_repeating(turns: Vec<ModelTurn>) -> Self {
        Self::with(ResponseScript::Turns(turns, AfterScript::Fail)).expect("some port is free")
    }

    /// Replies to each main request with the result of a function, which is called for one request
    /// at a time.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub fn start_with_responder(
        respond: impl Fn(&HttpRequest) -> ModelTurn + Send + Sync + 'static,
    ) -> Self {
        Self::with(ResponseScript::Respond(Box::new(respond))).expect("some port is free")
    }

    fn with(script: ResponseScript) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(ServerState::new(script));
        let shared = Arc::clone(&state);
        let accepting = thread::Builder::new().spawn(move || accept(&listener, &shared))?;
        let accepting = Some(accepting);
        Ok(Self { address, state, accepting })
    }

    /// Replies to the next main requests with these turns, before the script continues.
    pub fn inject(&self, turns: impl IntoIterator<Item = ModelTurn>) {
        self.state.inject(turns);
    }

    /// Its URL, as `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<HttpRequest> {
        self.state.requests()
    }

    /// The main requests so far.
    pub fn main_requests(&self) -> Vec<HttpRequest> {
        self.requests().into_iter().filter(|request| request.is_main).collect()
    }

    /// Waits for this number of main requests, and returns them.
    #[track_caller]
    pub fn wait_for_main_requests(&self, wanted: usize) -> Vec<HttpRequest> {
        let came = self.state.await_main(wanted, TIMEOUT);
        let requests = self.main_requests();
        assert!(came, "in vain: {} of {wanted} main requests came", requests.len());
        requests
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.state.end();
        // A last connection wakes the listener. If it fails, the listener has ended.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            // A panic was already reported.
            let _ = accepting.join();
        }
    }
}

/// Accepts connections until the server ends, and waits for their threads.
fn accept(listener: &TcpListener, state: &Arc<ServerState>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming() {
        if state.is_over() {
            break;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(state);
        // Without a thread the connection is closed, and the agent can retry.
        threads.extend(thread::Builder::new().spawn(move || serve(&stream, &shared)));
        threads.retain(|thread| !thread.is_finished());
    }
    for thread in threads {
        // A panic was already reported.
        let _ = thread.join();
    }
}

fn serve(stream: &TcpStream, state: &ServerState) {
    let Ok(Some(number)) = state.connect(stream) else { return };
    // Errors of a connection are ignored: tests kill agents.
    let _ = connection::serve(stream, state);
    state.disconnect(number);
}
