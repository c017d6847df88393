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

/// The longest that a request is waited for.
const BOUND: Duration = Duration::from_secs(60);

/// A model API that answers by a script. When it is dropped its connections end.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<ServerState>,
    accepting: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Answers main requests with these turns, and then with the last one again and again.
    ///
    /// # Panics
    ///
    /// If no port can be had: see [`try_start`](Self::try_start).
    pub fn start(turns: Vec<ModelTurn>) -> Self {
        Self::try_start(turns).expect("some port is free")
    }

    /// The same for callers who go on without a server.
    ///
    /// # Errors
    ///
    /// If no port of the loopback interface can be had.
    pub fn try_start(turns: Vec<ModelTurn>) -> io::Result<Self> {
        Self::with(ResponseScript::Turns(turns, AfterScript::Repeat))
    }

    /// Answers main requests with these turns, and then with the status 500.
    ///
    /// # Panics
    ///
    /// If no port can be had.
    pub fn start_without_repeating(turns: Vec<ModelTurn>) -> Self {
        Self::with(ResponseScript::Turns(turns, AfterScript::Fail)).expect("some port is free")
    }

    /// Answers each main request with what a function makes of it. It sees one request at a time.
    ///
    /// # Panics
    ///
    /// If no port can be had.
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
        let accepting = Some(thread::spawn(move || accept(&listener, &shared)));
        Ok(Self { address, state, accepting })
    }

    /// Answers the next main requests with these turns, before the script goes on where it was.
    pub fn inject(&self, turns: impl IntoIterator<Item = ModelTurn>) {
        self.state.inject(turns);
    }

    /// Where it is, as `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that was asked so far.
    pub fn requests(&self) -> Vec<HttpRequest> {
        self.state.requests()
    }

    /// The main requests so far.
    pub fn main_requests(&self) -> Vec<HttpRequest> {
        self.requests().into_iter().filter(|request| request.is_main).collect()
    }

    /// Waits until so many main requests have arrived, and gives them.
    #[track_caller]
    pub fn wait_for_main_requests(&self, wanted: usize) -> Vec<HttpRequest> {
        let came = self.state.await_main(wanted, BOUND);
        let requests = self.main_requests();
        assert!(came, "in vain: {} of {wanted} main requests came", requests.len());
        requests
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.state.end();
        // A last connection, so that the listener looks up. Where it fails nobody listens any more.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            // A thread that has panicked has said so.
            let _ = accepting.join();
        }
    }
}

/// Accepts connections until everything is over, and waits for their threads.
fn accept(listener: &TcpListener, state: &Arc<ServerState>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming() {
        if state.is_over() {
            break;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(state);
        threads.push(thread::spawn(move || serve(&stream, &shared)));
        threads.retain(|thread| !thread.is_finished());
    }
    for thread in threads {
        // A thread that has panicked has said so.
        let _ = thread.join();
    }
}

fn serve(stream: &TcpStream, state: &ServerState) {
    let Ok(Some(number)) = state.connect(stream) else { return };
    // What goes wrong with a connection is the client's business: agents are killed in tests.
    let _ = connection::serve(stream, state);
    state.disconnect(number);
}
