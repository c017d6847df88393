//! Events of a flow in an event script.

use forkhestra_core::event::{
    Answer, AnswerSource, CheckReport, CompletionSignal, EventKind, Observation, ProcessEnd,
    StepEnd, Verdict,
};
use forkhestra_core::plan::{AgentKind, PlanQuestion};
use forkhestra_core::time::Timestamp;

use crate::report::run::tests::support::event_script::EventScript;

impl EventScript {
    /// Gives the question of a step a text.
    pub(super) fn question_text(mut self, step: usize, text: &str) -> Self {
        self.question_mut(step).text = Some(text.to_owned());
        self
    }

    /// Approves the question of a step when its timeout expires.
    pub(super) fn approved_on_timeout(mut self, step: usize) -> Self {
        self.question_mut(step).approves_on_timeout = true;
        self
    }

    fn question_mut(&mut self, step: usize) -> &mut PlanQuestion {
        match &mut self.plan.steps[step - 1].agent.kind {
            AgentKind::Question(question) => question,
            kind => panic!("step {step} is no question: {kind:?}"),
        }
    }

    /// The question of a step is asked.
    pub(super) fn asked(self, step: usize, number: u32, until: Option<Timestamp>) -> Self {
        let question = self.plan.steps[step - 1].question();
        let text = question.and_then(|question| question.text.clone());
        self.then(EventKind::Asked { step, question: number, text, until })
    }

    /// A question is answered, and its step ends.
    pub(super) fn answered(
        self,
        question: (usize, u32),
        approved: bool,
        by: AnswerSource,
        text: Option<&str>,
    ) -> Self {
        let (step, number) = question;
        let text = text.map(str::to_owned);
        let answer = Answer { question: number, approved, text, by };
        let end = match approved {
            true => StepEnd::Complete(CompletionSignal::Approved),
            false => StepEnd::Denied,
        };
        self.then(EventKind::Answered { step, answer }).step_over(step, end)
    }

    pub(super) fn round(self, group: usize, round: u32) -> Self {
        self.then(EventKind::RoundStarted { group, round })
    }

    pub(super) fn refused(self, step: usize, (group, round): (usize, u32), reason: &str) -> Self {
        let reason = Some(reason.to_owned()).filter(|reason| !reason.is_empty());
        self.then(EventKind::RoundRefused { step, group, round, reason, tree: None })
    }

    pub(super) fn round_checked(self, step: usize, group: usize, checks: Vec<CheckReport>) -> Self {
        self.then(EventKind::RoundChecked { step, group, checks })
    }

    pub(super) fn condition(self, step: usize, holds: bool, check: CheckReport) -> Self {
        self.then(EventKind::ConditionChecked { step, number: 1, holds, check })
    }

    /// A program that runs once does not accept the work: the given iteration exits with 1.
    pub(super) fn rejects(self, step: usize, iteration: u32) -> Self {
        let end = ProcessEnd::Exited(1);
        self.step(step)
            .iteration(step, iteration)
            .iteration_finished((step, iteration), Verdict::Crashed, end.clone())
            .step_over(step, StepEnd::Failed(end))
    }

    /// A program that runs once accepts the work.
    pub(super) fn accepts(self, step: usize, iteration: u32) -> Self {
        let by = CompletionSignal::ExitCode;
        let verdict = Verdict::Complete(by.clone());
        self.step(step)
            .iteration(step, iteration)
            .iteration_finished((step, iteration), verdict, ProcessEnd::Exited(0))
            .step_over(step, StepEnd::Complete(by))
    }

    /// A step begins instead of another one.
    pub(super) fn step_instead_of(self, step: usize, other: usize) -> Self {
        let observation = Observation::default();
        self.then(EventKind::StepStarted { step, observation, instead_of: Some(other) })
    }
}
