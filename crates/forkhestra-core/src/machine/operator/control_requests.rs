//! Control requests of operators and the machine's replies.

use std::collections::BTreeSet;

use crate::control::{
    AcceptedRequest, ControlReply, ControlRequest, MAX_DELIVERED_BYTES, MAX_MESSAGE_BYTES,
    MAX_MESSAGES, MAX_QUEUED_BYTES, RefusedRequest,
};
use crate::event::{CancelCause, EventKind, LimitChanges, OperatorMessage};
use crate::id::{LaneNumber, UnitId};
use crate::machine::QuestionState;
use crate::machine::aux_job::hooks::AfterHooks;
use crate::machine::effect::Effect;
use crate::machine::input::Input;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state::run_state::RunState;
use crate::machine::state_machine::Machine;
use crate::plan::{Flow, FlowGroup};
use crate::policy::{contains_marker, operator_messages_text};

type ControlDecision = Result<AcceptedRequest, RefusedRequest>;

impl Machine {
    /// Answers a control request. A request before the first event is answered after it.
    pub(crate) fn handle_control_request(
        &mut self,
        now: Now,
        ticket: u64,
        request: ControlRequest,
    ) {
        if self.phase == MachinePhase::New {
            self.defer_input(Input::ControlRequested { ticket, request });
            return;
        }
        let reply = match self.grant(now, request) {
            Ok(accepted) => ControlReply::Accepted(accepted),
            Err(refused) => ControlReply::Refused(refused),
        };
        self.effects.push(Effect::Reply { ticket, reply });
    }

    fn grant(&mut self, now: Now, request: ControlRequest) -> ControlDecision {
        if self.phase == MachinePhase::Over {
            return Err(RefusedRequest::Over);
        }
        match request {
            ControlRequest::Stop => Ok(self.grant_stop(now)),
            ControlRequest::StopNow => {
                self.cancel(now, CancelCause::StopNow);
                Ok(AcceptedRequest::Ends)
            }
            ControlRequest::Pause => self.grant_pause(now),
            ControlRequest::Continue => self.grant_continue(now),
            ControlRequest::Tell { text, lane } => self.grant_message(now, &text, lane),
            ControlRequest::Skip => self.grant_skip(now, false),
            ControlRequest::SkipGroup => self.grant_skip(now, true),
            ControlRequest::Set(changes) => self.grant_limits(now, changes),
            ControlRequest::Answer(_) if self.is_being_ended() => Err(RefusedRequest::Ending),
            ControlRequest::Answer(answer) => self.grant_answer(now, answer),
        }
    }

    /// Whether the run was cancelled. A run that stops after its iteration ends as well, but
    /// accepted requests take effect when it is resumed.
    fn is_being_ended(&self) -> bool {
        self.cancelled > Some(CancelCause::Stop)
    }

    /// Whether no step is left.
    fn is_done(&self) -> bool {
        self.state.current_step().is_none()
    }

    fn grant_stop(&mut self, now: Now) -> AcceptedRequest {
        if self.is_being_ended() {
            return AcceptedRequest::Ends;
        }
        let after = self.iteration_at_work();
        if !self.state.stop_requested {
            self.emit(now, EventKind::StopRequested);
            self.stop_waiting(now);
        }
        AcceptedRequest::Stops { after }
    }

    /// The current iteration, including its checks and hooks.
    fn iteration_at_work(&self) -> Option<UnitId> {
        match &self.phase {
            MachinePhase::AgentRunning(unit) => Some(unit.id),
            MachinePhase::Inspecting(inspection) => {
                Some(inspection.unit).filter(|unit| !unit.is_before_first())
            }
            MachinePhase::RunningHooks(hooking) => hooking.is_after(),
            MachinePhase::InLanes { .. } => {
                let lanes = self.running_lanes.as_deref()?;
                lanes.machines().find_map(Self::iteration_at_work)
            }
            _ => None,
        }
    }

    fn grant_pause(&mut self, now: Now) -> ControlDecision {
        if self.cancelled.is_some() {
            return Err(RefusedRequest::Ending);
        }
        self.pause(now);
        Ok(AcceptedRequest::Paused)
    }

    fn grant_continue(&mut self, now: Now) -> ControlDecision {
        if !self.is_paused_by_operator() {
            return Err(RefusedRequest::NotPaused);
        }
        self.resume_from_pause(now);
        Ok(AcceptedRequest::Continued)
    }

    fn grant_message(&mut self, now: Now, text: &str, lane: Option<LaneNumber>) -> ControlDecision {
        if self.is_being_ended() || self.is_done() {
            return Err(RefusedRequest::Ending);
        }
        if lane.is_some_and(|lane| !self.state.has_lane(lane)) {
            return Err(RefusedRequest::NoLane);
        }
        let message = OperatorMessage { lane, ..self.state.accept_message(&[], text)? };
        let number = message.number;
        self.emit(now, EventKind::MessageQueued { message });
        Ok(AcceptedRequest::Queued { number })
    }

    fn grant_skip(&mut self, now: Now, whole_group: bool) -> ControlDecision {
        let is_finishing = matches!(&self.phase, MachinePhase::RunningHooks(hooking) if matches!(hooking.after, AfterHooks::Finish(_)));
        let step = self.state.current_step().ok_or(RefusedRequest::Ending)?;
        if self.cancelled.is_some() || is_finishing {
            return Err(RefusedRequest::Ending);
        }
        // Its hooks still run; the answer counts.
        let question = self.state.steps[step - 1].question.as_ref();
        if question.is_some_and(|question| question.answer.is_some()) {
            return Err(RefusedRequest::AnsweredAlready);
        }
        let group = match self.state.plan.enclosing_repeated_groups(step).first() {
            Some(group) if whole_group => Some(group.number),
            None if whole_group => return Err(RefusedRequest::NoGroup),
            // Without its condition, no step of the group runs.
            _ => self.group_of_condition(),
        };
        if !self.state.steps[step - 1].skip || group.is_some() {
            self.emit(now, EventKind::SkipRequested { step, group });
            self.skip(now, step);
        }
        let group = group.and_then(|group| Some(self.state.plan.group(group)?.stages.steps()));
        Ok(match group.as_deref() {
            Some([first_step, .., last_step]) => {
                AcceptedRequest::SkipsGroup { first_step: *first_step, last_step: *last_step }
            }
            _ => AcceptedRequest::Skips { step },
        })
    }

    fn grant_limits(&mut self, now: Now, changes: LimitChanges) -> ControlDecision {
        if self.is_being_ended() || self.is_done() {
            return Err(RefusedRequest::Ending);
        }
        if changes == LimitChanges::default() {
            return Err(RefusedRequest::NoChange);
        }
        let steps = self.state.plan.steps.iter();
        let mut left = steps.filter(|step| self.state.is_step_left(step.number));
        if changes.iterations.is_some() && !left.any(|step| step.iterations.is_some()) {
            return Err(RefusedRequest::NoLoop);
        }
        if let Some(why) = self.state.refusal_of_group_limits(&changes) {
            return Err(why);
        }
        self.emit(now, EventKind::LimitsChanged { changes });
        if self.is_paused_by_operator() {
            self.note_changed_limits();
        } else {
            self.apply_changed_limits(now);
        }
        Ok(AcceptedRequest::Changed)
    }
}

impl RunState {
    /// Why limits of groups cannot be changed: no group remains that they hold for.
    pub fn refusal_of_group_limits(&self, changes: &LimitChanges) -> Option<RefusedRequest> {
        let groups = self.plan.flow.iter().flat_map(Flow::groups);
        let replaced = self.replaced_steps();
        let is_left =
            |step: &usize| !self.steps[step - 1].allows_next_step() && !replaced.contains(step);
        let left = groups.filter(|group| group.stages.steps().iter().any(is_left));
        let left: Vec<&FlowGroup> = left.collect();
        let has_rounds = left.iter().any(|group| group.rounds.is_some());
        let limits_groups = changes.group_time.is_some() || changes.group_cost.is_some();
        if changes.rounds.is_some() && !has_rounds {
            Some(RefusedRequest::NoRounds)
        } else if limits_groups && left.is_empty() {
            Some(RefusedRequest::NoGroupLimits)
        } else {
            None
        }
    }

    /// The steps that an alternative runs instead of, which has begun. The run does not return to them.
    fn replaced_steps(&self) -> BTreeSet<usize> {
        let begun = (1..).zip(&self.steps);
        let replaced = begun.filter_map(|(step, state)| Some((step, state.instead_of?)));
        replaced.flat_map(|(step, other)| self.plan.replaced_steps(step, other)).collect()
    }

    /// Turns a text into an operator message behind those that are kept for a resume, or refuses
    /// it.
    pub fn accept_message(
        &self,
        kept: &[OperatorMessage],
        text: &str,
    ) -> Result<OperatorMessage, RefusedRequest> {
        let text = text.trim_end();
        if text.is_empty() {
            return Err(RefusedRequest::EmptyMessage);
        }
        if text.len() > MAX_MESSAGE_BYTES {
            return Err(RefusedRequest::LongMessage);
        }
        // Delivered messages may come back, and all of them have to fit into one prompt. So does the
        // comment of an approval that a crash kept from becoming a message.
        let comment = self.unqueued_comment();
        let waiting = || self.undelivered().chain(kept).chain(&comment);
        let length: usize = waiting().map(|message| message.text.len()).sum();
        if waiting().count() >= MAX_MESSAGES || length + text.len() > MAX_QUEUED_BYTES {
            return Err(RefusedRequest::ManyMessages);
        }
        let last = kept.last().map_or(self.last_message(), |message| message.number);
        let message =
            OperatorMessage { number: last.saturating_add(1), text: text.to_owned(), lane: None };
        let together: Vec<OperatorMessage> = waiting().chain([&message]).cloned().collect();
        if operator_messages_text(&together)
            .is_some_and(|delivered| delivered.len() > MAX_DELIVERED_BYTES)
        {
            return Err(RefusedRequest::ManyMessages);
        }
        if self.seems_done(&message) {
            return Err(RefusedRequest::HoldsMarker);
        }
        Ok(message)
    }

    /// The comment of a recorded approval that is not a message yet.
    fn unqueued_comment(&self) -> Option<OperatorMessage> {
        let questions = self.steps.iter().filter_map(|step| step.question.as_ref());
        let text = questions.filter_map(QuestionState::unqueued_comment).next()?;
        Some(OperatorMessage { number: 0, text: text.to_owned(), lane: None })
    }

    /// Accepts the comment of an answer. That of an approval becomes a message.
    pub fn accept_comment(
        &self,
        kept: &[OperatorMessage],
        comment: &str,
        approves: bool,
    ) -> Result<(), RefusedRequest> {
        if approves {
            return self.accept_message(kept, comment).map(drop);
        }
        // It is the reason for the next round, and does not wait with the messages.
        let comment =
            OperatorMessage { number: 1, text: comment.trim_end().to_owned(), lane: None };
        if comment.text.len() > MAX_MESSAGE_BYTES {
            Err(RefusedRequest::LongMessage)
        } else if self.seems_done(&comment) {
            Err(RefusedRequest::HoldsMarker)
        } else {
            Ok(())
        }
    }

    /// Whether an agent of a remaining step would match a completion marker by repeating a message.
    fn seems_done(&self, message: &OperatorMessage) -> bool {
        let delivered = operator_messages_text(std::slice::from_ref(message)).unwrap_or_default();
        let mut left = self.plan.steps.iter().filter(|step| self.is_step_left(step.number));
        left.any(|step| contains_marker(&delivered, &step.markers.value))
    }
}
