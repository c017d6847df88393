//! Questions: a person decides whether the run continues. The run's clock is paused meanwhile.
//!
//! | name | what it returns |
//! |---|---|
//! | [`RunState::open_question`] | the question without an answer, also if no process works on the run |
//! | [`Machine::asked_question`] | the open question of a step that has begun: it can be answered, also while its hooks run |
//! | [`RunState::answerable_step`] | the step that an answer of a resume belongs to: its question is open, or denied |
//! | [`Machine::is_asking`] | whether the machine waits for the answer: the hooks have ended |

use std::time::Duration;

use crate::control::{AcceptedRequest, AnswerRequest, RefusedRequest};
use crate::event::{
    Answer, AnswerSource, CompletionSignal, EventKind, HookMoment, LimitChanges, OperatorMessage,
    StepEnd,
};
use crate::hook::HookPoint;
use crate::limit::Limit;
use crate::machine::QuestionState;
use crate::machine::aux_job::hooks::AfterHooks;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state::flow_position::FlowPosition;
use crate::machine::state::run_state::RunState;
use crate::machine::state::step_state::StepStatus;
use crate::machine::state_machine::Machine;
use crate::time::Timestamp;

/// Interval between two readings of the wall clock, since hosts sleep and clocks are set.
const CLOCK_POLL_INTERVAL: Duration = Duration::from_secs(30);

/// The answer that a resume brings for the open question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumeAnswer {
    pub approves: bool,
    /// A comment for the next agent.
    pub text: Option<String>,
}

impl RunState {
    /// The question that waits for an answer, with its step (one-based).
    pub fn open_question(&self) -> Option<(usize, &QuestionState)> {
        let steps = (1..).zip(&self.steps);
        let mut open = steps.filter_map(|(number, step)| {
            let is_open =
                !step.skip && !step.allows_next_step() && step.end() != Some(&StepEnd::Denied);
            let question = step.question.as_ref().filter(|question| question.answer.is_none());
            Some((number, question?)).filter(|_| is_open)
        });
        open.next()
    }

    /// The step (one-based) whose question an answer of a resume belongs to: the open one, or the
    /// denied one that ended the run, also after the last round.
    pub fn answerable_step(&self) -> Option<usize> {
        let current = match self.position() {
            FlowPosition::AtStep { step, .. } => step,
            FlowPosition::Incomplete { step, .. } => step,
            _ => return None,
        };
        let is_question = self.plan.steps[current - 1].is_question();
        let is_open = self.open_question().is_some_and(|(step, _)| step == current);
        (is_question && (is_open || self.is_denied(current))).then_some(current)
    }

    /// Whether a person denied the question of a step (one-based), also if the process died before the
    /// step ended.
    fn is_denied(&self, step: usize) -> bool {
        let state = &self.steps[step - 1];
        let answer = state.question.as_ref().and_then(|question| question.answer.as_ref());
        let was_denied = answer.is_some_and(|answer| !answer.approved);
        state.end() == Some(&StepEnd::Denied) || (state.end().is_none() && was_denied)
    }

    /// As [`Self::answerable_step`], after a resume has changed limits: with more rounds, the next one
    /// begins instead.
    pub fn answerable_step_with(&self, changes: &LimitChanges) -> Option<usize> {
        let mut state = self.clone();
        state.change_limits(changes);
        state.answerable_step()
    }
}

impl Machine {
    /// Finishes an answered question, or waits for an answer.
    pub(in crate::machine) fn continue_question(&mut self, now: Now, step: usize) {
        let question = self.state.steps[step - 1].question.as_ref();
        let approved = question.and_then(|question| Some(question.answer.as_ref()?.approved));
        if approved.is_none() && !self.is_skipped(step) && self.should_stop() {
            self.stop(now);
        }
        match approved {
            Some(true) => {
                self.queue_comment(now, step);
                self.finish_step(now, step, StepEnd::Complete(CompletionSignal::Approved));
            }
            Some(false) => self.finish_step(now, step, StepEnd::Denied),
            None if self.cancelled.is_some() => self.finish_step(now, step, StepEnd::Cancelled),
            None if self.is_skipped(step) => self.finish_step(now, step, StepEnd::Skipped),
            None => self.ask(now, step),
        }
    }

    /// Asks a denied question again if a resume brings its answer. The denial had ended the step,
    /// but the process died before it ended the run.
    pub(in crate::machine) fn ask_again(&mut self, now: Now) -> bool {
        let step = self.state.answerable_step().filter(|_| self.resume_answer.is_some());
        let step = step.filter(|step| self.state.is_denied(*step));
        if let Some(step) = step {
            self.ask(now, step);
        }
        step.is_some()
    }

    fn ask(&mut self, now: Now, step: usize) {
        let Some(planned) = self.plan(step).question().cloned() else { return };
        let asked = self.state.steps[step - 1].question.as_ref();
        let (question, until) = match asked.filter(|question| question.answer.is_none()) {
            Some(open) => (open.number, open.until),
            None => {
                let until = match planned.timeout {
                    Limit::At(limit) => Some(now.wall.saturating_add(limit.duration())),
                    Limit::Off => None,
                };
                (self.state.last_question + 1, until)
            }
        };
        self.emit(now, EventKind::Asked { step, question, text: planned.text, until });
        let of_resume = self.resume_answer.take();
        if let Some((_, ResumeAnswer { approves, text })) = of_resume {
            let answer = Answer { question, approved: approves, text, by: AnswerSource::Person };
            self.record_answer(now, step, answer);
            self.continue_question(now, step);
        } else if self.state.plan.approves_all {
            let (approved, by) = (true, AnswerSource::YesOption);
            self.record_answer(now, step, Answer { question, approved, text: None, by });
            self.continue_question(now, step);
        } else {
            let moment = HookMoment { point: HookPoint::OnQuestion, unit: None };
            self.run_hooks(now, moment, AfterHooks::Ask { step });
        }
    }

    /// Records an answer. The comment of an approval is a message for the next agent.
    fn record_answer(&mut self, now: Now, step: usize, answer: Answer) {
        self.emit(now, EventKind::Answered { step, answer });
        self.queue_comment(now, step);
    }

    /// Makes the comment of an approval a message, unless it is one. The process may have died after
    /// the answer was recorded.
    fn queue_comment(&mut self, now: Now, step: usize) {
        let question = self.state.steps[step - 1].question.as_ref();
        if let Some(text) = question.and_then(QuestionState::unqueued_comment) {
            let number = self.state.last_message().saturating_add(1);
            let message = OperatorMessage { number, text: text.trim_end().to_owned(), lane: None };
            self.emit(now, EventKind::MessageQueued { message });
        }
    }

    /// Waits for an answer, unless there is one, or the step or the run is to end.
    pub(in crate::machine) fn wait_for_answer(&mut self, now: Now, step: usize) {
        let question = self.state.steps[step - 1].question.clone();
        let is_answered = question.as_ref().is_some_and(|question| question.answer.is_some());
        let is_ended = self.cancelled.is_some() || self.is_skipped(step) || self.should_stop();
        if is_answered || is_ended {
            self.continue_question(now, step);
            return;
        }
        self.refresh_time(now);
        self.clock.pause(now);
        let until = question.and_then(|question| question.until);
        let next_clock_poll = until.map(|until| next_poll(now, until));
        self.phase = MachinePhase::Asking { step, next_clock_poll };
    }

    /// Answers a question whose timeout has expired, and continues after any answer.
    pub(in crate::machine) fn tick_question(&mut self, now: Now) {
        let MachinePhase::Asking { step, next_clock_poll: Some(at) } = self.phase else {
            return;
        };
        self.expire_question(now);
        let Some(question) = &self.state.steps[step - 1].question else { return };
        // A pause may have held back an answer.
        if question.answer.is_some() {
            self.continue_question(now, step);
        } else if let Some(until) = question.until.filter(|_| at <= now.awake) {
            let next_clock_poll = Some(next_poll(now, until));
            self.phase = MachinePhase::Asking { step, next_clock_poll };
        }
    }

    /// The question that a person can answer now, with its step (one-based). Its hooks may still run.
    fn asked_question(&self) -> Option<(usize, &QuestionState)> {
        let open = self.state.open_question();
        open.filter(|(step, _)| self.state.steps[step - 1].status == StepStatus::Open)
    }

    /// Records the answer to a question whose timeout has expired, and returns its step (one-based), if
    /// there is one.
    fn expire_question(&mut self, now: Now) -> Option<usize> {
        let asked = self.asked_question();
        let expired = asked.filter(|(_, open)| open.until.is_some_and(|until| until <= now.wall));
        let (step, question) = expired.map(|(step, open)| (step, open.number))?;
        let planned = self.plan(step).question();
        let approved = planned.is_some_and(|planned| planned.approves_on_timeout);
        let answer = Answer { question, approved, text: None, by: AnswerSource::Timeout };
        self.record_answer(now, step, answer);
        Some(step)
    }

    /// Whether the run's clock is paused because a person is asked.
    pub(in crate::machine) const fn is_asking(&self) -> bool {
        matches!(self.phase, MachinePhase::Asking { .. })
    }

    pub(crate) fn grant_answer(
        &mut self,
        now: Now,
        request: AnswerRequest,
    ) -> Result<AcceptedRequest, RefusedRequest> {
        let AnswerRequest { step, question, approves, text } = request;
        if let Some(expired) = self.expire_question(now) {
            if !self.is_paused_by_operator() {
                self.tick_question(now);
            }
            // The next question may be one of the same step.
            if expired == step && question.is_none() {
                return Err(RefusedRequest::AnsweredAlready);
            }
        }
        let asked = self.asked_question().map(|(step, open)| (step, open.number));
        let is_meant = |(asking, number): &(usize, u32)| {
            *asking == step && question.is_none_or(|question| question == *number)
        };
        let Some((_, number)) = asked.filter(is_meant) else {
            let next = asked.map_or(self.state.last_question + 1, |(_, number)| number);
            return Err(match question {
                Some(question) if question < next => RefusedRequest::AnsweredAlready,
                _ if asked.is_some() => RefusedRequest::OtherQuestion,
                _ => RefusedRequest::NotAsking,
            });
        };
        let text = text.filter(|text| !text.trim().is_empty());
        if let Some(text) = &text {
            self.state.accept_comment(&[], text, approves)?;
        }
        let answer =
            Answer { question: number, approved: approves, text, by: AnswerSource::Person };
        self.record_answer(now, step, answer);
        // As after a skip, a paused run continues.
        self.resume_from_pause(now);
        if self.is_asking() {
            self.continue_question(now, step);
        }
        Ok(AcceptedRequest::Answered { step, approved: approves })
    }
}

fn next_poll(now: Now, until: Timestamp) -> Duration {
    now.awake + until.saturating_since(now.wall).min(CLOCK_POLL_INTERVAL)
}
