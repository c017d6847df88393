//! Reads the world beside the screens, so that no slow disk and no busy agent holds up a key.
//!
//! One thread reads what the screens want to see and tells them what is new; another one asks runs
//! for what a person wants. Nothing is told faster than it is taken in: what waits is bounded, and
//! whoever prints more meanwhile is read later, and then at once.

mod backlog_reader;
mod feed_worker;
mod message_sender;
mod open_run_feed;
mod output_follower;
mod request_sender;
mod run_list_feed;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use crate::msg::{Cmd, Msg};
use crate::run_source::RunSource;

use self::feed_worker::FeedWorker;
use self::message_sender::MessageSender;
use self::request_sender::RequestSender;

/// So many messages may wait for the screens.
const MOST_WAITING: usize = 4;

/// The threads that read the world. They end soon after this is dropped.
#[derive(Debug)]
pub(crate) struct Feed {
    reading: Sender<Cmd>,
    asking: Sender<Cmd>,
    messages: Receiver<Msg>,
}

impl Feed {
    /// Starts them. `wake` is called whenever there is a message.
    pub(crate) fn start(
        world: &Arc<dyn RunSource>,
        keeps_colors: bool,
        wake: impl Fn() + Clone + Send + 'static,
    ) -> Self {
        let (sender, messages) = mpsc::sync_channel(MOST_WAITING);
        let (reading, commands) = mpsc::channel();
        let outlet = MessageSender::new(sender.clone(), wake.clone());
        let mut worker = FeedWorker::new(Arc::clone(world), outlet, keeps_colors);
        thread::spawn(move || worker.run(&commands));
        let (asking, requests) = mpsc::channel();
        let asker = RequestSender::new(Arc::clone(world), MessageSender::new(sender, wake));
        thread::spawn(move || asker.run(&requests));
        Self { reading, asking, messages }
    }

    /// Has something done.
    pub(crate) fn execute(&self, command: Cmd) {
        let thread = match command {
            Cmd::SendRequest { .. } | Cmd::Resume(_) => &self.asking,
            _ => &self.reading,
        };
        // A thread ends before this is dropped only if it panicked, which ends the program.
        let _ = thread.send(command);
    }

    /// A message that waits, if one does.
    pub(crate) fn try_receive(&self) -> Option<Msg> {
        self.messages.try_recv().ok()
    }
}
