//! The server side of the control socket: passes requests of clients to the engine and returns its
//! replies. Each client has its own thread, and the number of clients is limited, so a client costs
//! the run only the request itself.
//!
//! Processes that the run started, such as agents, are refused. Few of them are served at a time, so
//! that they cannot keep the others out.

use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use forkhestra_core::control::{ControlReply, ControlRequest, RefusedRequest};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::id::RunId;
use forkhestra_engine::signal::LoopWaker;
use forkhestra_engine::{HookProcess, PendingRequest, RUN_TAG, process};
use forkhestra_store::Journal;
use forkhestra_store::control::wire::WireReply;
use forkhestra_store::control::{ControlConnection, ControlListener, RejectedClient};

use crate::cli::command_error::in_full;

/// Upper bound for simultaneous clients of a run that the run did not start.
const MAX_CLIENTS: usize = 16;

/// Upper bound for simultaneous clients that the run started.
const MAX_CLIENTS_WITHIN: usize = 2;

/// Interval at which the runner checks that its socket was not removed or replaced.
const PLACE_CHECK_INTERVAL: Duration = Duration::from_secs(1);

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
    run: RunId,
    requests: Sender<PendingRequest>,
    waker: LoopWaker,
    hook_process: HookProcess,
    clients: ClientCounter,
    clients_within: ClientCounter,
    /// Warnings that are not shown yet, each at most once.
    warnings: Mutex<ControlWarnings>,
    /// Number of requests without a written reply.
    unanswered: Mutex<usize>,
    answered: Condvar,
}

/// The warnings of the control socket, each given once in a run.
#[derive(Debug, Default)]
struct ControlWarnings {
    pending: Vec<Diagnostic>,
    has_refused_within: bool,
    has_restored: bool,
    has_lost: bool,
}

impl ControlWarnings {
    fn refused_within(&mut self) {
        if !std::mem::replace(&mut self.has_refused_within, true) {
            self.pending.push(
                Diagnostic::warning("a process that the run started tried to steer it; refused")
                    .hint("`stop`, `pause`, `continue`, `tell`, `approve`, `deny`, `skip` and `set` work only outside of the run"),
            );
        }
    }

    fn restored(&mut self) {
        if !std::mem::replace(&mut self.has_restored, true) {
            self.pending.push(
                Diagnostic::warning("the control socket was removed or replaced; it is made again")
                    .hint("an agent of the same user can do that"),
            );
        }
    }

    fn lost(&mut self, why: &str) {
        if !std::mem::replace(&mut self.has_lost, true) {
            self.pending.push(no_control_socket(why));
        }
    }
}

impl ControlServer {
    /// Creates the server without a socket. Requests arrive at the returned receiver once it is
    /// open.
    pub(super) fn new(
        run: RunId,
        waker: LoopWaker,
        hook_process: HookProcess,
    ) -> (Self, Receiver<PendingRequest>) {
        let (requests, receiver) = channel();
        let queue = ControlQueue {
            run,
            requests,
            waker,
            hook_process,
            clients: ClientCounter::new(MAX_CLIENTS),
            clients_within: ClientCounter::new(MAX_CLIENTS_WITHIN),
            warnings: Mutex::default(),
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

    /// Takes the warnings that came up since the last call.
    pub(super) fn take_warnings(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.queue.warnings().pending)
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
        let accepted = match listener.wait(PLACE_CHECK_INTERVAL) {
            Ok(true) => listener.accept().map(|client| queue.admit(client)),
            Ok(false) => Ok(()),
            Err(error) => Err(RejectedClient::System(error)),
        };
        match accepted {
            // Clients of other users get no reply.
            Ok(()) | Err(RejectedClient::NotOurs(_)) => {}
            Err(RejectedClient::System(_)) => thread::sleep(ACCEPT_RETRY_DELAY),
        }
        match listener.restore() {
            Ok(false) => {}
            Ok(true) => queue.warnings().restored(),
            Err(error) => queue.warnings().lost(&in_full(&error)),
        }
    }
}

impl ControlQueue {
    /// Serves a client in a new thread, unless there are too many clients of its kind.
    fn admit(self: &Arc<Self>, client: ControlConnection) {
        let run = OsStr::new(self.run.as_str());
        let is_of_hook = || {
            let hooks = self.hook_process.pids();
            hooks.into_iter().any(|hook| process::is_peer_of_shells(client.as_fd(), hook))
        };
        let is_within =
            process::is_peer_in_run(client.as_fd(), OsStr::new(RUN_TAG), run) && !is_of_hook();
        let clients = if is_within { &self.clients_within } else { &self.clients };
        let Some(slot) = clients.take() else { return };
        let queue = Arc::clone(self);
        // If no thread can be started, the connection closes and the client can retry.
        let _ = start(move || {
            let _slot = slot;
            queue.attend(client, is_within);
        });
    }

    /// Replies to every request of a client. Errors close the connection.
    fn attend(&self, mut client: ControlConnection, is_within: bool) {
        while let Ok(Some(request)) = client.next_request() {
            let _unanswered = UnansweredRequest::of(self);
            let reply = if is_within { self.refuse_within() } else { self.ask(request) };
            if client.reply(WireReply::Reply(reply)).is_err() {
                return;
            }
        }
    }

    fn refuse_within(&self) -> ControlReply {
        self.warnings().refused_within();
        ControlReply::Refused(RefusedRequest::FromWithin)
    }

    fn warnings(&self) -> MutexGuard<'_, ControlWarnings> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Counts the clients that are served, up to a maximum.
struct ClientCounter {
    count: Arc<AtomicUsize>,
    max: usize,
}

impl ClientCounter {
    fn new(max: usize) -> Self {
        Self { count: Arc::default(), max }
    }

    /// Takes a slot, or `None` if all are taken. Only the thread that accepts clients calls this.
    fn take(&self) -> Option<ClientSlot> {
        if self.count.load(Ordering::Acquire) >= self.max {
            return None;
        }
        self.count.fetch_add(1, Ordering::AcqRel);
        Some(ClientSlot(Arc::clone(&self.count)))
    }
}

/// One of the limited number of clients. Dropping it frees the slot.
struct ClientSlot(Arc<AtomicUsize>);

impl Drop for ClientSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
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
