//! Background threads that read runs, so that a slow disk or a busy agent does not delay the
//! keyboard.
//!
//! One thread reads what the screens show and sends news; another sends requests to runs. The queue
//! to the screens is bounded: while it is full, the reader waits and later reads the accumulated
//! output at once.

mod backlog_reader;
mod feed_worker;
mod message_sender;
mod open_run_feed;
mod output_follower;
mod request_sender;
mod run_list_feed;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use crate::msg::{Cmd, Msg};
use crate::run_source::RunSource;

use self::feed_worker::FeedWorker;
use self::message_sender::MessageSender;
use self::request_sender::RequestSender;

/// Maximum number of queued messages.
const MAX_QUEUED: usize = 4;

/// The background threads. They end soon after this is dropped.
#[derive(Debug)]
pub(crate) struct Feed {
    reading: Sender<Cmd>,
    asking: Sender<Cmd>,
    messages: Receiver<Msg>,
}

impl Feed {
    /// Starts the threads. `wake` is called after each message.
    pub(crate) fn start(
        source: &Arc<dyn RunSource>,
        keeps_colors: bool,
        wake: impl Fn() + Clone + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, messages) = mpsc::sync_channel(MAX_QUEUED);
        let (reading, commands) = mpsc::channel();
        let message_sender = MessageSender::new(sender.clone(), wake.clone());
        let mut worker = FeedWorker::new(Arc::clone(source), message_sender, keeps_colors);
        thread::Builder::new().spawn(move || worker.run(&commands))?;
        let (asking, requests) = mpsc::channel();
        let asker = RequestSender::new(Arc::clone(source), MessageSender::new(sender, wake));
        thread::Builder::new().spawn(move || asker.run(&requests))?;
        Ok(Self { reading, asking, messages })
    }

    /// Passes a command to the responsible thread.
    pub(crate) fn execute(&self, command: Cmd) {
        let thread = match command {
            Cmd::SendRequest { .. } | Cmd::Resume(_) | Cmd::Rewind { .. } => &self.asking,
            _ => &self.reading,
        };
        // A thread ends before this is dropped only if it panicked, which ends the program.
        let _ = thread.send(command);
    }

    /// The next queued message, if any.
    pub(crate) fn try_receive(&self) -> Option<Msg> {
        self.messages.try_recv().ok()
    }
}
