//! A thread for each target, which delivers what it is given, one after another.

use std::io;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use forkhestra_core::diagnostic::Diagnostic;

use super::notice::Notice;
use super::retry::{Attempt, pause_after};
use super::target::Target;

/// More notices than this do not wait for anybody.
const MOST: usize = 16;

/// Called whenever something was delivered, or never will be.
pub(super) type Wake = Arc<dyn Fn() + Send + Sync>;

/// Delivers notices to one target.
pub(super) struct Courier {
    pub(super) target: Target,
    sender: SyncSender<Arc<Notice>>,
    board: Arc<Board>,
}

/// What a courier and whoever waits for it both see.
#[derive(Default)]
struct Board {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// How many notices are on their way.
    on_their_way: usize,
    /// Why the first one could not be delivered, of those that could not.
    failure: Option<String>,
    /// Why the one on its way has not been delivered yet, if that was tried.
    obstacle: Option<String>,
    /// Nobody waits any more.
    is_given_up: bool,
}

impl Courier {
    /// Starts the thread.
    pub(super) fn start(target: Target, wake: Wake) -> io::Result<Self> {
        let (sender, notices) = mpsc::sync_channel(MOST);
        let board = Arc::new(Board::default());
        let (shown, by) = (Arc::clone(&board), target.clone());
        thread::Builder::new()
            .name("notify".to_owned())
            .spawn(move || work(&by, &notices, &shown, &wake))?;
        Ok(Self { target, sender, board })
    }

    /// Gives it something to deliver, and does not wait.
    pub(super) fn give(&self, notice: &Arc<Notice>) {
        self.board.state().on_their_way += 1;
        if self.sender.try_send(Arc::clone(notice)).is_err() {
            self.board.settle(Some("too many notifications wait already".to_owned()));
        }
    }

    /// Whether everything is delivered, or never will be.
    pub(super) fn is_done(&self) -> bool {
        self.board.state().on_their_way == 0
    }

    /// Has it stop, and gives what it could not deliver.
    pub(super) fn give_up(self) -> Option<Diagnostic> {
        let mut state = self.board.state();
        state.is_given_up = true;
        self.board.changed.notify_all();
        let is_left = state.on_their_way > 0;
        let obstacle = state.obstacle.take().filter(|_| is_left);
        let unanswered = || is_left.then(|| "it did not answer in time".to_owned());
        let why = state.failure.take().or(obstacle).or_else(unanswered)?;
        Some(Diagnostic::warning(format!("{} could not be notified: {why}", self.target)))
    }
}

fn work(target: &Target, notices: &Receiver<Arc<Notice>>, board: &Board, wake: &Wake) {
    let mut reach = target.runner();
    while let Ok(notice) = notices.recv() {
        let failure = deliver(&mut *reach, &notice, board).err();
        board.settle(failure);
        wake();
    }
}

/// Tries as often as it is worth it.
fn deliver(
    reach: &mut dyn FnMut(&Notice) -> Attempt,
    notice: &Notice,
    board: &Board,
) -> Result<(), String> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        let (why, wanted) = match reach(notice) {
            Attempt::Told => return Ok(()),
            Attempt::Never(why) => return Err(why),
            Attempt::Again(why, wanted) => (why, wanted),
        };
        let Some(pause) = pause_after(attempts, wanted) else { return Err(why) };
        if board.is_given_up_within(pause, &why) {
            return Err(why);
        }
    }
}

impl Board {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One is not on its way any more.
    fn settle(&self, failure: Option<String>) {
        let mut state = self.state();
        state.on_their_way = state.on_their_way.saturating_sub(1);
        state.obstacle = None;
        state.failure = state.failure.take().or(failure);
    }

    /// Waits, unless nobody does any more.
    fn is_given_up_within(&self, pause: Duration, why: &str) -> bool {
        let until = Instant::now() + pause;
        let mut state = self.state();
        state.obstacle = Some(why.to_owned());
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

    use forkhestra_core::config::{Address, NotifyOn, NotifyTo};
    use rustix::net::{AddressFamily, SocketType, bind, getsockname, listen, socket};
    use testkit::{Answer, Receiver, eventually};

    use super::super::target::Way;
    use super::*;

    fn notice() -> Arc<Notice> {
        Arc::new(Notice::example())
    }

    fn courier_to(url: &str) -> Courier {
        let address = Address::parse(url).expect("an address");
        let target =
            Target { way: Way::Post(NotifyTo::Webhook, address), on: NotifyOn::ALL.to_vec() };
        Courier::start(target, Arc::new(|| ())).expect("there are threads")
    }

    #[test]
    fn whoever_is_not_there_is_tried_again() {
        // A place that is ours, and at which nobody listens yet.
        let place = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
        let loopback = "127.0.0.1:0".parse::<std::net::SocketAddrV4>().expect("an address");
        bind(&place, &loopback).expect("any port");
        let bound = std::net::SocketAddrV4::try_from(getsockname(&place).expect("it is bound"));
        let courier = courier_to(&format!("http://{}/x", bound.expect("an address")));
        courier.give(&notice());
        let obstacle = eventually("it was refused", || courier.board.state().obstacle.clone());
        assert!(obstacle.contains("refused"), "{obstacle}");
        assert!(!courier.is_done());
        listen(&place, 8).expect("it is bound");
        let receiver = Receiver::at(TcpListener::from(place), []);
        receiver.wait_for(1);
        eventually("it is told", || courier.is_done().then_some(()));
        assert_eq!(courier.give_up(), None);
    }

    #[test]
    fn more_than_anybody_can_take_is_not_kept_and_that_is_said() {
        let receiver = Receiver::answering([Answer::Silence]);
        let courier = courier_to(&receiver.url("/hush"));
        courier.give(&notice());
        receiver.wait_for(1);
        (0..=MOST).for_each(|_| courier.give(&notice()));
        let told = courier.give_up().expect("a warning").message;
        let expected = "could not be notified: too many notifications wait already";
        assert_eq!(told, format!("webhook ({}) {expected}", receiver.host()));
    }
}
