//! Why a round was not accepted, or a step not complete: what the agent that comes next is given.

use super::run_state::RunState;
use crate::event::{AnswerSource, CheckReport};
use crate::explain;
use crate::policy::Feedback;

/// Feedback for the next agent of some steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::machine) struct PendingFeedback {
    pub(super) feedback: Feedback,
    /// The steps (one-based) of the group, or of the alternative, that it is about.
    pub(super) steps: Vec<usize>,
}

impl RunState {
    /// Gives the first agent of a round, or of an alternative, the reason why it runs.
    pub(super) fn take_pending_feedback(&mut self, step: usize, instead_of: Option<usize>) {
        self.steps[step - 1].instead_of = instead_of;
        if let Some(other) = instead_of.filter(|other| self.is_first_try_instead_of(*other, step)) {
            let state = &self.steps[other - 1];
            let end = state.end().map(|end| explain::end_text(end, state.finished_in_round()));
            let reason = self.refusal_reason(other);
            let flow = self.plan.flow.as_ref();
            let steps = flow.and_then(|flow| flow.alternative_with(step)).unwrap_or_default();
            self.pending_feedback = end.map(|end| {
                let agent = self.plan.agent_name(other);
                let reason = reason.as_deref();
                let refused_claim = state.refused_claim().map(|(_, report)| report);
                let feedback = match (state.failed_round(), refused_claim) {
                    (Some(failed), _) => {
                        let round = self.groups[failed.group - 1].round;
                        Feedback::of_round_checks(round, cloned(failed.checks))
                    }
                    (None, Some(report)) => Feedback::instead_of(agent, &end, reason)
                        .with_failed_checks(cloned(report.checks.iter().filter(|it| !it.passed()))),
                    (None, None) if self.plan.steps[other - 1].is_question() => {
                        Feedback::instead_of_question(self.has_timed_out(other), reason)
                    }
                    (None, None) => Feedback::instead_of(agent, &end, reason),
                };
                let feedback = feedback.with_changed_files(self.changed_paths(&[other]));
                PendingFeedback { feedback, steps }
            });
        }
        if self.pending_feedback.as_ref().is_some_and(|pending| !pending.steps.contains(&step)) {
            self.pending_feedback = None;
        }
        let is_agent = !self.plan.steps[step - 1].is_question();
        let is_skipped = self.steps[step - 1].skip;
        if is_agent
            && !is_skipped
            && let Some(pending) = self.pending_feedback.take()
        {
            self.steps[step - 1].feedback = pending.feedback;
        }
    }

    /// Whether an alternative begins for the first time. In later rounds of its own groups, the
    /// reason is the refusal of the round before.
    fn is_first_try_instead_of(&self, other: usize, step: usize) -> bool {
        let groups = self.plan.enclosing_repeated_groups(step).into_iter();
        let mut own = groups.filter(|group| !group.contains(other));
        own.all(|group| self.groups[group.number - 1].round <= 1)
    }

    /// The feedback about a refused round.
    pub(super) fn round_feedback(&self, step: usize, round: u32, reason: Option<&str>) -> Feedback {
        let (plan, state) = (&self.plan.steps[step - 1], &self.steps[step - 1]);
        let is_person = plan.is_question();
        let by = (!is_person).then_some(plan.agent.name.as_str());
        match (state.failed_round(), state.refused_claim()) {
            (Some(failed), _) => Feedback::of_round_checks(round, cloned(failed.checks)),
            (None, Some((_, report))) => {
                Feedback::of_refused_claim(round, &plan.agent.name, report)
            }
            (None, None) if self.has_timed_out(step) => Feedback::of_timed_out_question(round),
            (None, None) => Feedback::of_round(round, by, reason),
        }
    }

    /// Whether the question of a step (one-based) timed out.
    fn has_timed_out(&self, step: usize) -> bool {
        let question = self.steps[step - 1].question.as_ref();
        let answer = question.and_then(|question| question.answer.as_ref());
        answer.is_some_and(|answer| answer.by == AnswerSource::Timeout)
    }

    /// What a step that ended without being complete said or printed last, or the comment of the
    /// person. Bounded.
    pub(crate) fn refusal_reason(&self, step: usize) -> Option<String> {
        let state = &self.steps[step - 1];
        if let Some(failed) = state.failed_round() {
            return Some(format!("checks did not pass: {}", failed.names().join(", ")));
        }
        if let Some(question) = &state.question {
            return question.answer.as_ref()?.text.clone();
        }
        if let Some((why, report)) = state.refused_claim() {
            return Some(format!("its claim was refused: {}", explain::refusal(why, Some(report))));
        }
        state.last_report()?.closing_text.clone()
    }
}

fn cloned<'a>(checks: impl IntoIterator<Item = &'a CheckReport>) -> Vec<CheckReport> {
    checks.into_iter().cloned().collect()
}
