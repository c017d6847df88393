//! Builds the step of a question.

use super::flow_draft::QuestionDraft;
use super::plan_question::PlanQuestion;
use crate::config::{CompletionRule, ConfigLayer, OnQuestionTimeout};
use crate::limit::{Limit, StepLimits};
use crate::marker::Marker;
use crate::plan::agent::plan_agent::{AgentKind, PlanAgent};
use crate::plan::plan_builder::PlanBuilder;
use crate::plan::types::{PlanStep, Prompt, QUESTION_MARK};
use crate::plan::value_origin::{Sourced, ValueOrigin};

impl PlanBuilder<'_> {
    pub(crate) fn question(
        &mut self,
        draft: &QuestionDraft<'_>,
        layer: Option<&ConfigLayer>,
    ) -> PlanStep {
        let written = layer.zip(draft.entry);
        let text = written.and_then(|(layer, entry)| {
            let ask = entry.ask.as_ref()?;
            self.substitute(layer, (&ask.value, ask.span), QUESTION_MARK)
        });
        let entry = draft.entry;
        let question = PlanQuestion {
            text: text.filter(|text| !text.trim().is_empty()),
            timeout: entry
                .and_then(|entry| entry.timeout.as_ref())
                .map_or(Limit::Off, |time| time.value),
            approves_on_timeout: entry
                .and_then(|entry| entry.on_timeout.as_ref())
                .is_some_and(|answer| answer.value == OnQuestionTimeout::Approve),
        };
        let source = match written {
            Some((layer, entry)) => entry
                .ask
                .as_ref()
                .map_or(ValueOrigin::Default, |ask| ValueOrigin::file(layer, ask.span)),
            None => ValueOrigin::CommandLine,
        };
        let agent = PlanAgent::new(QUESTION_MARK, source, AgentKind::Question(question));
        PlanStep::for_question(draft.number, agent)
    }
}

impl PlanStep {
    /// A step without checks and limits, which no agent runs.
    fn for_question(number: usize, agent: PlanAgent) -> Self {
        Self {
            number,
            agent,
            fallback: None,
            iterations: None,
            lanes: None,
            best: None,
            lane_settings: None,
            args: Vec::new(),
            prompt: Sourced::default(Prompt::None),
            task: None,
            completion: Sourced::default(CompletionRule::Marker),
            markers: Sourced::default(Marker::defaults()),
            done_file: None,
            require_work: false,
            works_through_tasks: false,
            priced_model: None,
            checks: Vec::new(),
            round_checks: Vec::new(),
            conditions: Vec::new(),
            decides_round: false,
            calibrate: false,
            clean_room: None,
            protect: None,
            on_cycle: None,
            sandbox: None,
            limits: StepLimits::off(),
        }
    }
}
