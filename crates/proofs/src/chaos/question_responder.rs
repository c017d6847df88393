//! Answers the questions of a run from another process.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::progress;
use super::run_session::ActiveSession;
use crate::survival::journal::ProofJournal;

/// The interval at which the journal is read for an open question. An answer to a run that is stopped or
/// killed is lost, so it is given again.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Answers the open question of a run, by a client of its own.
#[derive(Debug)]
pub(super) struct QuestionResponder {
    denies_first: bool,
    next_poll: Instant,
    /// The client that carries the last answer.
    client: Option<Child>,
}

impl QuestionResponder {
    pub(super) fn new(denies_first: bool) -> Self {
        Self { denies_first, next_poll: Instant::now(), client: None }
    }

    /// Waits for the client, which ends soon.
    pub(super) fn join(&mut self) {
        if let Some(mut client) = self.client.take() {
            // The exit code is ignored: the answer may have come too late.
            let _ = client.wait();
        }
    }

    fn is_busy(&mut self) -> bool {
        self.client.as_mut().is_some_and(|client| matches!(client.try_wait(), Ok(None)))
    }
}

impl ActiveSession<'_> {
    /// Answers the open question of the run, if there is one.
    pub(super) fn answer_question(&mut self) {
        if Instant::now() < self.responder.next_poll || self.responder.is_busy() {
            return;
        }
        self.responder.next_poll = Instant::now() + POLL_INTERVAL;
        let journal = progress::journal(self.world);
        let journal = journal.and_then(|journal| ProofJournal::read(&journal).ok());
        let Some(question) = journal.and_then(|journal| journal.open_question()) else { return };
        let verb = if question == 1 && self.responder.denies_first { "deny" } else { "approve" };
        self.story.log(format!("forkhestra {verb}"));
        let words = [verb, "a comment of a person", "--question", &question.to_string()];
        let words = words.map(str::to_owned);
        let mut command = self.world.command(self.program, &words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.responder.client = Some(command.spawn().expect("the program was built"));
    }
}
