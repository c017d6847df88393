//! What happens to the errand at work: a check, a hook, or the setup of a clean room.

use std::time::Duration;

use super::agent_inputs::push_of;
use super::clock::Now;
use super::driver::{Machine, Phase};
use super::effect::{Effect, Push};
use super::input::Input;
use super::job::Job;
use super::life::Due;
use crate::event::{Answer, Cancel, Ending, Errand, EventKind};
use crate::limit::{Limit, Time};

/// An errand of which nothing is left.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) job: Job,
    pub(super) answer: Answer,
}

impl Machine {
    /// Handles what concerns an errand; what comes from one that is over is dropped.
    pub(super) fn handle_errand(&mut self, now: Now, input: Input) {
        match input {
            Input::ErrandStarted { errand, pid } if self.is_on(errand) => {
                self.emit(now, EventKind::ErrandStarted { errand, pid });
                self.stop_what_was_started();
            }
            Input::ErrandExited { errand, end } if self.is_on(errand) => {
                let until = self.clock.elapsed(now) + self.patience.for_stragglers;
                if let Some(job) = self.job() {
                    job.life.exited(end, until);
                }
            }
            Input::ErrandGone { errand } if self.is_on(errand) => {
                let (cancelled, hurried, give_up_at) = self.patience_with_the_gone(now);
                if let Some(job) = self.job() {
                    job.life.gone(cancelled, hurried, give_up_at);
                }
            }
            Input::ErrandSettled { errand, answer } if self.is_on(errand) => {
                self.errand_is_over(now, answer);
            }
            _ => {}
        }
    }

    fn is_on(&self, errand: Errand) -> bool {
        self.phase.job().is_some_and(|job| job.errand == errand)
    }

    fn job(&mut self) -> Option<&mut Job> {
        match &mut self.phase {
            Phase::Inspecting(inspection) => inspection.job_mut(),
            Phase::Hooking(hooking) => Some(&mut hooking.job),
            _ => None,
        }
    }

    /// Has an errand run.
    pub(super) fn start_job(&mut self, now: Now, errand: Errand, timeout: Limit<Time>) -> Job {
        self.effects.push(Effect::Run { errand });
        Job::new(errand, self.clock.elapsed(now), timeout)
    }

    fn errand_is_over(&mut self, now: Now, answer: Answer) {
        match &self.phase {
            Phase::Inspecting(_) => self.inspected(now, answer),
            Phase::Hooking(_) => self.hooked(now, &answer),
            _ => {}
        }
    }

    /// When something about the errand at work, or about the room for one, is due.
    pub(super) fn job_deadline(&self) -> Option<Duration> {
        let due = match &self.phase {
            Phase::Inspecting(inspection) => inspection.deadline(),
            phase => phase.job().and_then(Job::deadline),
        };
        [due, self.job_time_limits().map(|(at, _)| at).min()].into_iter().flatten().min()
    }

    /// The limits of run and step hold for checks as well. Hooks are told of them.
    fn job_time_limits(&self) -> impl Iterator<Item = (Duration, Ending)> + use<> {
        let step = match &self.phase {
            Phase::Inspecting(inspection) => {
                let runs = inspection.job().is_none_or(|job| job.life.is_undisturbed());
                // What an agent has done is done; only what has to be started takes time.
                (runs && !inspection.is_looking()).then_some(inspection.unit.step)
            }
            _ => None,
        };
        step.map(|step| self.moments(step)).into_iter().flatten()
    }

    /// Something about the errand at work may be due.
    pub(super) fn tick_job(&mut self, now: Now) {
        let elapsed = self.clock.elapsed(now);
        self.refresh_time(now);
        let limit = self.job_time_limits().filter(|(at, _)| *at <= elapsed).map(|(_, why)| why);
        if let Some(why) = limit.max().filter(|_| self.phase.job().is_some()) {
            self.end_job(now, why, Push::Terminate);
            return;
        }
        let patience = self.patience;
        let Some(job) = self.job() else {
            self.tick_inspection(now);
            return;
        };
        let errand = job.errand;
        match job.due(elapsed) {
            None | Some(Due::Look) => {}
            Some(Due::End(why)) => self.end_job(now, why, Push::Terminate),
            Some(Due::Ask) => {
                let push = job.life.ask(Push::Terminate, elapsed + patience.before_straggler_kill);
                self.effects.extend(push.map(|push| Effect::PushErrand { errand, push }));
            }
            Some(Due::Kill) => {
                let push = job.life.kill(elapsed + patience.for_the_dead);
                self.effects.extend(push.map(|push| Effect::PushErrand { errand, push }));
            }
            Some(Due::GiveUp) => self.give_up_errand(now, errand),
        }
    }

    fn give_up_errand(&mut self, now: Now, errand: Errand) {
        let is_gone = self.phase.job().is_some_and(|job| job.life.is_gone());
        if !is_gone {
            let message = format!("{errand} could not be ended, not even by SIGKILL");
            self.emit(now, EventKind::Warning { message });
        }
        self.effects.push(Effect::GiveUpErrand { errand });
        let is_cancelled = self.cancelled.is_some();
        let Some(job) = self.job() else { return };
        // What nobody has read may say that all is not well, whatever the exit code is.
        let answer = match job.life.ending {
            Some(_) => Answer::default(),
            None if is_cancelled => {
                job.life.ending = Some(Ending::Cancelled);
                Answer::default()
            }
            None => {
                let message = Some("what it printed could not be read".to_owned());
                Answer { passed: Some(false), message, tail: None }
            }
        };
        self.errand_is_over(now, answer);
    }

    /// Begins to end the errand at work for a reason of our own.
    pub(super) fn end_job(&mut self, now: Now, why: Ending, push: Push) {
        let elapsed = self.clock.elapsed(now);
        let patience = self.patience;
        let Some(job) = self.job() else { return };
        let errand = job.errand;
        job.life.note_ending(why);
        let push = match push {
            Push::Kill => job.life.kill(elapsed + patience.for_the_dead),
            milder => job.life.ask(milder, elapsed + patience.before_kill),
        };
        self.effects.extend(push.map(|push| Effect::PushErrand { errand, push }));
    }

    /// Somebody cancelled the run while an errand is at work.
    pub(super) fn end_cancelled_job(&mut self, now: Now, by: Cancel, again: bool) {
        let push = push_of(by, again);
        self.end_job(now, Ending::Cancelled, push);
        let (elapsed, patience) = (self.clock.elapsed(now), self.patience);
        if let Some(job) = self.job() {
            let (soon, later) = (elapsed + patience.when_hurried, elapsed + patience.for_the_dead);
            job.life.hurry(push, soon, later);
        }
    }
}
