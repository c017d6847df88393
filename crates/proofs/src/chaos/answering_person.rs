//! A person who answers the questions of a run from another process.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::progress;
use super::run_session::ActiveSession;
use crate::survival::journal::ProofJournal;

/// The interval at which the person looks for a question. An answer to a run that is stopped or
/// killed is lost, so it is given again.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// A person who looks at the journal now and then.
#[derive(Debug)]
pub(super) struct AnsweringPerson {
    denies_first: bool,
    next_look: Instant,
    /// The client that carries the last answer.
    client: Option<Child>,
}

impl AnsweringPerson {
    pub(super) fn new(denies_first: bool) -> Self {
        Self { denies_first, next_look: Instant::now(), client: None }
    }

    /// Waits for the client, which ends soon.
    pub(super) fn leave(&mut self) {
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
        if Instant::now() < self.person.next_look || self.person.is_busy() {
            return;
        }
        self.person.next_look = Instant::now() + LOOK_INTERVAL;
        let journal = progress::journal(self.world);
        let journal = journal.and_then(|journal| ProofJournal::read(&journal).ok());
        let Some(question) = journal.and_then(|journal| journal.open_question()) else { return };
        let verb = if question == 1 && self.person.denies_first { "deny" } else { "approve" };
        self.story.log(format!("forkhestra {verb}"));
        let words = [verb, "a comment of a person"].map(str::to_owned);
        let mut command = self.world.command(self.program, &words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.person.client = Some(command.spawn().expect("the program was built"));
    }
}
