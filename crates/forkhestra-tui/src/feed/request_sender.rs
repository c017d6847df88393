//! The thread that sends requests to runs and starts other processes, one after the other.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::message_sender::MessageSender;
use crate::msg::{Cmd, Msg};
use crate::run_source::RunSource;

/// Sends requests to runs.
pub(super) struct RequestSender {
    source: Arc<dyn RunSource>,
    sender: MessageSender,
}

impl RequestSender {
    pub(super) fn new(source: Arc<dyn RunSource>, sender: MessageSender) -> Self {
        Self { source, sender }
    }

    /// Runs until a channel is closed.
    pub(super) fn run(&self, requests: &Receiver<Cmd>) {
        while let Ok(command) = requests.recv() {
            let message = match command {
                Cmd::SendRequest { run, request } => {
                    let result = self.source.send_request(&run, request.clone());
                    Msg::Replied { run, request, result }
                }
                Cmd::Resume(run) => {
                    let result = self.source.resume(&run);
                    Msg::Resumed { run, result }
                }
                Cmd::Rewind { run, to } => Msg::Rewound(self.source.rewind(&run, to)),
                _ => continue,
            };
            if self.sender.send(message).is_err() {
                return;
            }
        }
    }
}
