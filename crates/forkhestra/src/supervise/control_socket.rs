//! Lets people steer the run through its control socket: hands what they ask to the engine, and its
//! answers back. A client costs the run no more than the request itself: each is attended to by a
//! thread of its own, and only a few at a time.

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

/// More who steer one run at the same time than there ever are.
const MOST_CLIENTS: usize = 16;

/// How long to wait after the system could connect nobody, so as not to ask it all the time.
const PAUSE: Duration = Duration::from_millis(100);

/// How long those who are being answered when the run ends may take.
const A_MOMENT: Duration = Duration::from_secs(1);

/// All that a thread here needs.
const STACK: usize = 256 * 1024;

/// The control socket of a run, from before there is one until it is over.
pub(super) struct ControlServer {
    queue: Arc<ControlQueue>,
    listener: Option<Arc<ControlListener>>,
}

/// The way from clients to the engine.
struct ControlQueue {
    requests: Sender<PendingRequest>,
    waker: LoopWaker,
    clients: AtomicUsize,
    /// How many have asked and are not answered yet.
    unanswered: Mutex<usize>,
    answered: Condvar,
}

impl ControlServer {
    /// What is asked will come out here, as soon as anybody can ask.
    pub(super) fn new(waker: LoopWaker) -> (Self, Receiver<PendingRequest>) {
        let (requests, receiver) = channel();
        let desk = ControlQueue {
            requests,
            waker,
            clients: AtomicUsize::new(0),
            unanswered: Mutex::new(0),
            answered: Condvar::new(),
        };
        (Self { queue: Arc::new(desk), listener: None }, receiver)
    }

    /// Begins to listen, or says why nobody can be heard. Nothing may be made in the directory of a
    /// run before something is recorded, so this is for later.
    pub(super) fn open(&mut self, journal: &Journal) -> Result<(), Diagnostic> {
        let listener =
            Arc::new(ControlListener::open(journal).map_err(|error| unsteered(&in_full(&error)))?);
        let (ours, desk) = (Arc::clone(&listener), Arc::clone(&self.queue));
        // It ends with this process, which ends with the run.
        let listening = start(move || listen(&ours, &desk));
        self.listener = Some(listener);
        listening.map_err(|error| {
            self.close();
            unsteered(&format!("no thread can be started: {error}"))
        })
    }

    /// Takes the socket away now that the run is over, and waits for those who are being answered.
    pub(super) fn close(&mut self) {
        if let Some(listener) = self.listener.take() {
            // One that stays is like that of a run that was killed, and is recognised.
            let _ = listener.close();
            self.queue.wait_for_answers();
        }
    }
}

fn unsteered(why: &str) -> Diagnostic {
    Diagnostic::warning(format!("the run cannot be steered: {why}"))
        .hint("signals still work: Ctrl-C ends it, Ctrl-Z pauses it")
}

fn start(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().stack_size(STACK).spawn(work).map(drop)
}

fn listen(listener: &ControlListener, desk: &Arc<ControlQueue>) {
    loop {
        match listener.accept() {
            Ok(client) => desk.admit(client),
            // Told nothing: whoever it is has no business here.
            Err(RejectedClient::NotOurs(_)) => {}
            Err(RejectedClient::System(_)) => thread::sleep(PAUSE),
        }
    }
}

impl ControlQueue {
    /// Attends to a client, unless there are too many.
    fn admit(self: &Arc<Self>, client: ControlConnection) {
        let place = ClientSlot::take(self);
        if self.clients.load(Ordering::Acquire) <= MOST_CLIENTS {
            let desk = Arc::clone(self);
            // Who cannot be attended to sees the connection end, and can try again.
            let _ = start(move || {
                let _place = place;
                desk.attend(client);
            });
        }
    }

    /// Answers everything that a client asks. Whatever goes wrong with it is the client's to see.
    fn attend(&self, mut client: ControlConnection) {
        while let Ok(Some(request)) = client.next_request() {
            let _unanswered = UnansweredRequest::of(self);
            if client.reply(&WireReply::Reply(self.ask(request))).is_err() {
                return;
            }
        }
    }

    /// What the run makes of a request.
    fn ask(&self, request: ControlRequest) -> ControlReply {
        let (answers, answer) = channel();
        let answer_with = Box::new(move |reply| {
            // We are waiting for it, below.
            let _ = answers.send(reply);
        });
        if self.requests.send(PendingRequest { request, answer: answer_with }).is_ok() {
            self.waker.wake();
        }
        // Whoever is gone without an answer is over.
        answer.recv().unwrap_or(ControlReply::Refused(RefusedRequest::Over))
    }

    fn wait_for_answers(&self) {
        let unanswered = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
        // Who reads so slowly has to look for itself what became of the run.
        drop(self.answered.wait_timeout_while(unanswered, A_MOMENT, |count| *count > 0));
    }
}

/// One of the few who can be attended to at a time.
struct ClientSlot(Arc<ControlQueue>);

impl ClientSlot {
    fn take(desk: &Arc<ControlQueue>) -> Self {
        desk.clients.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(desk))
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Somebody who has asked, as long as the answer is not written.
struct UnansweredRequest<'a>(&'a ControlQueue);

impl<'a> UnansweredRequest<'a> {
    fn of(desk: &'a ControlQueue) -> Self {
        *desk.unanswered.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self(desk)
    }
}

impl Drop for UnansweredRequest<'_> {
    fn drop(&mut self) {
        *self.0.unanswered.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.answered.notify_all();
    }
}
