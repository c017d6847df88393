//! The server side of the control socket: passes requests of clients to the engine and returns its
//! replies. Each client has its own thread, and the number of clients is limited, so a client costs
//! the run only the request itself.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use forkhestra_core::control::{ControlReply, ControlRequest, RefusedRequest};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_engine::PendingRequest;
use forkhestra_engine::signal::LoopWaker;
use forkhestra_store::Journal;
use forkhestra_store::control::wire::WireReply;
use forkhestra_store::control::{ControlConnection, ControlListener, RejectedClient};

use crate::cli::command_error::in_full;

/// Upper bound for simultaneous clients of a run.
const MAX_CLIENTS: usize = 16;

/// Delay after a failed `accept`, so that the loop does not spin.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// How long the end of a run waits for pending replies.
const PENDING_REPLY_TIMEOUT: Duration = Duration::from_secs(1);

/// Stack size of the threads in this module.
const STACK_BYTES: usize = 256 * 1024;

/// The control socket of a run, before it is opened and until it is closed.
pub(super) struct ControlServer {
    queue: Arc<ControlQueue>,
    listener: Option<Arc<ControlListener>>,
}

/// The connection from client threads to the engine.
struct ControlQueue {
    requests: Sender<PendingRequest>,
    waker: LoopWaker,
    clients: AtomicUsize,
    /// Number of requests without a written reply.
    unanswered: Mutex<usize>,
    answered: Condvar,
}

impl ControlServer {
    /// Creates the server without a socket. Requests arrive at the returned receiver once it is
    /// open.
    pub(super) fn new(waker: LoopWaker) -> (Self, Receiver<PendingRequest>) {
        let (requests, receiver) = channel();
        let queue = ControlQueue {
            requests,
            waker,
            clients: AtomicUsize::new(0),
            unanswered: Mutex::new(0),
            answered: Condvar::new(),
        };
        (Self { queue: Arc::new(queue), listener: None }, receiver)
    }

    /// Opens the socket and starts to listen, or returns a warning that the run cannot be steered.
    /// It is called after the first event is recorded: before that, nothing may be created in the
    /// run directory.
    pub(super) fn open(&mut self, journal: &Journal) -> Result<(), Diagnostic> {
        let listener = Arc::new(
            ControlListener::open(journal).map_err(|error| no_control_socket(&in_full(&error)))?,
        );
        let (ours, queue) = (Arc::clone(&listener), Arc::clone(&self.queue));
        // The thread ends with this process, which ends with the run.
        let listening = start(move || accept_clients(&ours, &queue));
        self.listener = Some(listener);
        listening.map_err(|error| {
            self.close();
            no_control_socket(&format!("no thread can be started: {error}"))
        })
    }

    /// Removes the socket at the end of the run and waits for pending replies.
    pub(super) fn close(&mut self) {
        if let Some(listener) = self.listener.take() {
            // A socket that is left is treated like that of a killed run.
            let _ = listener.close();
            self.queue.wait_for_answers();
        }
    }
}

fn no_control_socket(why: &str) -> Diagnostic {
    Diagnostic::warning(format!("the run cannot be steered: {why}"))
        .hint("signals still work: Ctrl-C ends it, Ctrl-Z pauses it")
}

fn start(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().stack_size(STACK_BYTES).spawn(work).map(drop)
}

fn accept_clients(listener: &ControlListener, queue: &Arc<ControlQueue>) {
    loop {
        match listener.accept() {
            Ok(client) => queue.admit(client),
            // Clients of other users get no reply.
            Err(RejectedClient::NotOurs(_)) => {}
            Err(RejectedClient::System(_)) => thread::sleep(ACCEPT_RETRY_DELAY),
        }
    }
}

impl ControlQueue {
    /// Serves a client in a new thread, unless there are too many clients.
    fn admit(self: &Arc<Self>, client: ControlConnection) {
        let place = ClientSlot::take(self);
        if self.clients.load(Ordering::Acquire) <= MAX_CLIENTS {
            let queue = Arc::clone(self);
            // If no thread can be started, the connection closes and the client can retry.
            let _ = start(move || {
                let _place = place;
                queue.attend(client);
            });
        }
    }

    /// Replies to every request of a client. Errors close the connection.
    fn attend(&self, mut client: ControlConnection) {
        while let Ok(Some(request)) = client.next_request() {
            let _unanswered = UnansweredRequest::of(self);
            if client.reply(WireReply::Reply(self.ask(request))).is_err() {
                return;
            }
        }
    }

    /// Passes a request to the engine and waits for the reply.
    fn ask(&self, request: ControlRequest) -> ControlReply {
        let (answers, answer) = channel();
        let answer_with = Box::new(move |reply| {
            // The receiver below is still waiting.
            let _ = answers.send(reply);
        });
        if self.requests.send(PendingRequest { request, answer: answer_with }).is_ok() {
            self.waker.wake();
        }
        // If the engine is gone without a reply, the run is over.
        answer.recv().unwrap_or(ControlReply::Refused(RefusedRequest::Over))
    }

    fn wait_for_answers(&self) {
        let unanswered = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
        // A client that does not read its reply in time has to query the run's state again.
        drop(
            self.answered.wait_timeout_while(unanswered, PENDING_REPLY_TIMEOUT, |count| *count > 0),
        );
    }
}

/// One of the limited number of clients. Dropping it frees the slot.
struct ClientSlot(Arc<ControlQueue>);

impl ClientSlot {
    fn take(queue: &Arc<ControlQueue>) -> Self {
        queue.clients.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(queue))
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A request whose reply is not written yet. Dropping it counts the request as answered.
struct UnansweredRequest<'a>(&'a ControlQueue);

impl<'a> UnansweredRequest<'a> {
    fn of(queue: &'a ControlQueue) -> Self {
        *queue.unanswered.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self(queue)
    }
}

impl Drop for UnansweredRequest<'_> {
    fn drop(&mut self) {
        *self.0.unanswered.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.answered.notify_all();
    }
}
