//! A worker thread for each receiver, which delivers notifications one after another.

use std::io;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use forkhestra_core::diagnostic::Diagnostic;

use super::notification::Notification;
use super::notify_receiver::NotifyReceiver;
use super::retry::{DeliveryAttempt, pause_after};

/// Capacity of a worker's queue.
const MAX_QUEUED: usize = 16;

/// Called when a notification is delivered or has failed.
pub(super) type DeliveryCallback = Arc<dyn Fn() + Send + Sync>;

/// Delivers notifications to one receiver.
pub(super) struct NotifyWorker {
    pub(super) target: NotifyReceiver,
    sender: SyncSender<Arc<Notification>>,
    delivery: Arc<DeliveryBoard>,
}

/// State shared by a worker and the dispatcher.
#[derive(Default)]
struct DeliveryBoard {
    state: Mutex<DeliveryState>,
    changed: Condvar,
}

#[derive(Default)]
struct DeliveryState {
    /// Number of notifications that are queued or being delivered.
    in_flight: usize,
    /// Reason of the first failed delivery.
    failure: Option<String>,
    /// Error of the last attempt for the current notification.
    last_error: Option<String>,
    /// The dispatcher does not wait any more.
    is_given_up: bool,
}

impl NotifyWorker {
    /// Starts the thread.
    pub(super) fn start(target: NotifyReceiver, wake: DeliveryCallback) -> io::Result<Self> {
        let (sender, notices) = mpsc::sync_channel(MAX_QUEUED);
        let board = Arc::new(DeliveryBoard::default());
        let (shown, by) = (Arc::clone(&board), target.clone());
        thread::Builder::new()
            .name("notify".to_owned())
            .spawn(move || work(&by, &notices, &shown, &wake))?;
        Ok(Self { target, sender, delivery: board })
    }

    /// Queues a notification without blocking.
    pub(super) fn enqueue(&self, notice: &Arc<Notification>) {
        self.delivery.state().in_flight += 1;
        if self.sender.try_send(Arc::clone(notice)).is_err() {
            self.delivery.settle(Some("too many notifications wait already".to_owned()));
        }
    }

    /// Whether every notification is delivered or has failed.
    pub(super) fn is_done(&self) -> bool {
        self.delivery.state().in_flight == 0
    }

    /// Stops the worker and returns a diagnostic if a delivery failed.
    pub(super) fn abandon(self) -> Option<Diagnostic> {
        let mut state = self.delivery.state();
        state.is_given_up = true;
        self.delivery.changed.notify_all();
        let is_left = state.in_flight > 0;
        let obstacle = state.last_error.take().filter(|_| is_left);
        let unanswered = || is_left.then(|| "it did not answer in time".to_owned());
        let why = state.failure.take().or(obstacle).or_else(unanswered)?;
        Some(Diagnostic::warning(format!("{} could not be notified: {why}", self.target)))
    }
}

fn work(
    target: &NotifyReceiver,
    notices: &Receiver<Arc<Notification>>,
    board: &DeliveryBoard,
    wake: &DeliveryCallback,
) {
    let mut reach = target.runner();
    while let Ok(notice) = notices.recv() {
        let failure = deliver(&mut *reach, &notice, board).err();
        board.settle(failure);
        wake();
    }
}

/// Attempts a delivery until it succeeds, fails permanently, or no retry is left.
fn deliver(
    reach: &mut dyn FnMut(&Notification) -> DeliveryAttempt,
    notice: &Notification,
    board: &DeliveryBoard,
) -> Result<(), String> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        let (why, wanted) = match reach(notice) {
            DeliveryAttempt::Delivered => return Ok(()),
            DeliveryAttempt::Failed(why) => return Err(why),
            DeliveryAttempt::Retry(why, wanted) => (why, wanted),
        };
        let Some(pause) = pause_after(attempts, wanted) else { return Err(why) };
        if board.is_given_up_within(pause, &why) {
            return Err(why);
        }
    }
}

impl DeliveryBoard {
    fn state(&self) -> MutexGuard<'_, DeliveryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks a notification as delivered or failed.
    fn settle(&self, failure: Option<String>) {
        let mut state = self.state();
        state.in_flight = state.in_flight.saturating_sub(1);
        state.last_error = None;
        state.failure = state.failure.take().or(failure);
    }

    /// Waits for the retry pause. Returns whether the worker was abandoned meanwhile.
    fn is_given_up_within(&self, pause: Duration, why: &str) -> bool {
        let until = Instant::now() + pause;
        let mut state = self.state();
        state.last_error = Some(why.to_owned());
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if state.is_given_up || left.is_zero() {
                return state.is_given_up;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use forkhestra_core::config::{NotifyTarget, NotifyTrigger, ServiceUrl};
    use rustix::net::{AddressFamily, SocketType, bind, getsockname, listen, socket};
    use testkit::{WebhookReceiver, WebhookResponse, eventually};

    use super::super::notify_receiver::NotifyTransport;
    use super::*;

    fn notice() -> Arc<Notification> {
        Arc::new(Notification::example())
    }

    fn worker_to(url: &str) -> NotifyWorker {
        let address = ServiceUrl::parse(url).expect("an address");
        let target = NotifyReceiver {
            transport: NotifyTransport::Post(NotifyTarget::Webhook, address),
            on: NotifyTrigger::ALL.to_vec(),
        };
        NotifyWorker::start(target, Arc::new(|| ())).expect("there are threads")
    }

    #[test]
    fn an_unreachable_receiver_is_retried() {
        // An address that is bound, but that does not listen yet.
        let place = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
        let loopback = "127.0.0.1:0".parse::<std::net::SocketAddrV4>().expect("an address");
        bind(&place, &loopback).expect("any port");
        let bound = std::net::SocketAddrV4::try_from(getsockname(&place).expect("it is bound"));
        let worker = worker_to(&format!("http://{}/x", bound.expect("an address")));
        worker.enqueue(&notice());
        let obstacle = eventually("it was refused", || worker.delivery.state().last_error.clone());
        assert!(obstacle.contains("refused"), "{obstacle}");
        assert!(!worker.is_done());
        listen(&place, 8).expect("it is bound");
        let receiver = WebhookReceiver::at(TcpListener::from(place), []);
        receiver.wait_for(1);
        eventually("it is there", || worker.is_done().then_some(()));
        assert_eq!(worker.abandon(), None);
    }

    #[test]
    fn an_overfull_queue_drops_notifications_with_a_warning() {
        let receiver = WebhookReceiver::responding_with([WebhookResponse::Silence]);
        let worker = worker_to(&receiver.url("/hush"));
        worker.enqueue(&notice());
        receiver.wait_for(1);
        (0..=MAX_QUEUED).for_each(|_| worker.enqueue(&notice()));
        let warning = worker.abandon().expect("a warning").message;
        let expected = "could not be notified: too many notifications wait already";
        assert_eq!(warning, format!("webhook ({}) {expected}", receiver.host()));
    }
}
