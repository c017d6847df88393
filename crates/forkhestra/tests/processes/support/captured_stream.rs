//! The output of a program, read by a thread.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use testkit::eventually;

/// One stream of a program, read by a thread.
pub(crate) struct CapturedStream {
    seen: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl CapturedStream {
    /// Reads until the end, or until a terminal is gone.
    pub(crate) fn reading(stream: impl Into<OwnedFd>) -> Self {
        let mut stream = File::from(stream.into());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&seen);
        let reader = thread::spawn(move || {
            let mut part = [0; 8192];
            while let Ok(length @ 1..) = stream.read(&mut part) {
                into.lock().unwrap_or_else(PoisonError::into_inner).extend(&part[..length]);
            }
        });
        Self { seen, reader: Some(reader) }
    }

    /// The output so far.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).replace('\r', "")
    }

    /// The whole output, once all processes with the stream have ended.
    #[track_caller]
    pub(crate) fn rest(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            eventually("the output ends", || reader.is_finished().then_some(()));
            reader.join().expect("reading does not fail");
        }
        self.text()
    }

    /// The process id after a text at the start of a line, once the line is complete.
    #[track_caller]
    pub(crate) fn word_after(&self, text: &str) -> String {
        eventually(&format!("`{text}` in the output"), || {
            let seen = self.text();
            let (complete, _) = seen.rsplit_once('\n')?;
            let word = complete.lines().find_map(|line| line.strip_prefix(text));
            word.map(|word| word.trim().to_owned())
        })
    }

    /// Waits for a text.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        let what = format!("`{text}` in the output");
        eventually(&what, || self.text().contains(text).then_some(()));
    }
}
