//! Asking a run for something through its control socket, as people do from another terminal.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::life_facts;
use super::run_life::Living;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SteeringRequest {
    /// To end after the iteration at work.
    Stop,
    /// To end.
    StopNow,
    /// To stand still, and to go on so much later.
    PauseFor(Duration),
    /// To tell the next agent something.
    Tell,
    /// To have other limits, which change nothing here.
    Set,
}

impl SteeringRequest {
    const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Stop => &["stop"],
            Self::StopNow => &["stop", "--now"],
            Self::PauseFor(_) => &["pause"],
            Self::Tell => &["tell", "a word from somebody who watches"],
            Self::Set => &["set", "--max-cost", "1000"],
        }
    }

    /// The word for whoever wants the run to end by this.
    const fn request(self) -> Option<&'static str> {
        match self {
            Self::Stop => Some("stop"),
            Self::StopNow => Some("stop_now"),
            Self::PauseFor(_) | Self::Tell | Self::Set => None,
        }
    }
}

impl Living<'_> {
    /// Asks, without waiting for the answer: whoever is stopped or killed gives none.
    pub(super) fn ask(&mut self, wish: SteeringRequest) {
        self.story.tell(format!("forkhestra {}", wish.words().join(" ")));
        if let Some(request) = wish.request() {
            self.facts.asked.push((request, life_facts::now()));
        }
        if let SteeringRequest::PauseFor(hold) = wish {
            self.facts.was_paused = true;
            self.paused_until = Some(Instant::now() + hold);
        }
        self.say(wish.words());
    }

    /// Has a run go on that was to stand still only for a while.
    pub(super) fn end_pause(&mut self) {
        if self.paused_until.is_some_and(|until| until <= Instant::now()) {
            self.paused_until = None;
            self.story.tell("forkhestra continue");
            self.say(&["continue"]);
        }
    }

    /// Asks once more: who could not be heard is not heard later either.
    pub(super) fn end_pause_again(&mut self) {
        if self.facts.was_paused && self.paused_until.is_none() {
            self.say(&["continue"]);
        }
    }

    fn say(&mut self, words: &[&str]) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut command = self.world.command(self.program, &words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.speakers.push(command.spawn().expect("the program was built"));
    }
}

/// Waits for all who asked: nobody asks for long.
pub(super) fn dismiss(speakers: Vec<Child>) {
    for mut speaker in speakers {
        // How it ended says nothing: a run may be over, or not have begun.
        let _ = speaker.wait();
    }
}
