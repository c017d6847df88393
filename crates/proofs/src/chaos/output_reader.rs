//! Reads the output of a program, until the test stops reading or closes it.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use testkit::{TIMEOUT, within};

/// The next action of the thread.
const READ: u8 = 0;
const LEAVE_UNREAD: u8 = 1;
const CLOSE: u8 = 2;

/// One stream, read by a thread.
pub(super) struct OutputReader {
    seen: Arc<Mutex<Vec<u8>>>,
    wish: Arc<AtomicU8>,
    thread: JoinHandle<()>,
}

impl OutputReader {
    pub(super) fn of(stream: impl Into<OwnedFd>) -> Self {
        let stream = File::from(stream.into());
        let (seen, mode) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU8::new(READ)));
        let (into, wanted) = (Arc::clone(&seen), Arc::clone(&mode));
        let thread = thread::spawn(move || read(stream, &into, &wanted));
        Self { seen, wish: mode, thread }
    }

    pub(super) fn leave_unread(&self) {
        self.wish.store(LEAVE_UNREAD, Ordering::Relaxed);
    }

    pub(super) fn read_on(&self) {
        self.wish.store(READ, Ordering::Relaxed);
    }

    /// Closes the stream at once.
    pub(super) fn close(&self) {
        self.wish.store(CLOSE, Ordering::Relaxed);
        within(TIMEOUT, || self.thread.is_finished().then_some(()));
    }

    /// The whole output, and whether the stream ended in time.
    pub(super) fn finish(self) -> (String, bool) {
        self.wish.fetch_and(!LEAVE_UNREAD, Ordering::Relaxed);
        let ended = within(TIMEOUT, || self.thread.is_finished().then_some(())).is_some();
        self.close();
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        (String::from_utf8_lossy(&seen).into_owned(), ended)
    }
}

fn read(mut stream: File, into: &Mutex<Vec<u8>>, mode: &AtomicU8) {
    let moment = Timespec { tv_sec: 0, tv_nsec: 3_000_000 };
    let mut part = [0; 16 * 1024];
    loop {
        match mode.load(Ordering::Relaxed) {
            CLOSE => return,
            LEAVE_UNREAD => thread::sleep(Duration::from_millis(1)),
            _ => match poll(&mut [PollFd::new(&stream, PollFlags::IN)], Some(&moment)) {
                Ok(0) => {}
                Ok(_) => match stream.read(&mut part) {
                    Ok(0) | Err(_) => return,
                    Ok(length) => {
                        into.lock().unwrap_or_else(PoisonError::into_inner).extend(&part[..length]);
                    }
                },
                Err(_) => return,
            },
        }
    }
}
