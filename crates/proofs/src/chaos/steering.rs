//! Sends requests through the control socket, as an operator does from another terminal.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::run_session::ActiveSession;
use super::session_facts;

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SteeringRequest {
    /// Stop after the current iteration.
    Stop,
    StopNow,
    /// Pause, and continue after this time.
    PauseFor(Duration),
    /// Send a message to the next agent.
    Tell,
    /// Change limits, without an effect on the run.
    Set,
}

impl SteeringRequest {
    const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Stop => &["stop"],
            Self::StopNow => &["stop", "--now"],
            Self::PauseFor(_) => &["pause"],
            Self::Tell => &["tell", "a message from an observer"],
            Self::Set => &["set", "--max-cost", "1000"],
        }
    }

    /// The journal's word for a request that ends the run.
    const fn request(self) -> Option<&'static str> {
        match self {
            Self::Stop => Some("stop"),
            Self::StopNow => Some("stop_now"),
            Self::PauseFor(_) | Self::Tell | Self::Set => None,
        }
    }
}

impl ActiveSession<'_> {
    /// Sends a request without waiting for the reply: a stopped or killed run gives none.
    pub(super) fn ask(&mut self, steering_request: SteeringRequest) {
        self.story.log(format!("forkhestra {}", steering_request.words().join(" ")));
        if let Some(request) = steering_request.request() {
            self.facts.asked.push((request, session_facts::now()));
        }
        if let SteeringRequest::PauseFor(duration) = steering_request {
            self.facts.was_paused = true;
            self.paused_until = Some(Instant::now() + duration);
        }
        self.send_request(steering_request.words());
    }

    /// Continues a run whose pause is over.
    pub(super) fn end_pause(&mut self) {
        if self.paused_until.is_some_and(|until| until <= Instant::now()) {
            self.paused_until = None;
            self.story.log("forkhestra continue");
            self.send_request(&["continue"]);
        }
    }

    /// Sends the request to continue once more, in case the first one was lost.
    pub(super) fn end_pause_again(&mut self) {
        if self.facts.was_paused && self.paused_until.is_none() {
            self.send_request(&["continue"]);
        }
    }

    fn send_request(&mut self, words: &[&str]) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut command = self.world.command(self.program, &words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.speakers.push(command.spawn().expect("the program was built"));
    }
}

/// Waits for all clients, which end soon.
pub(super) fn dismiss(speakers: Vec<Child>) {
    for mut speaker in speakers {
        // The exit code is ignored: the run may be over, or not have begun.
        let _ = speaker.wait();
    }
}
