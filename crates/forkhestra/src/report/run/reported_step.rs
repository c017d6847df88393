//! A step of a run as its report needs it.

use std::collections::BTreeSet;
use std::time::Duration;

use forkhestra_core::cost::Spend;
use forkhestra_core::event::{
    ClaimRefusal, IterationReport, Observation, PathList, StepEnd, Verdict,
};
use forkhestra_core::explain::EndFacts;
use forkhestra_core::history::{IterationPosition, IterationRecord, QuestionRecord, RunHistory};
use forkhestra_core::id::RunId;
use forkhestra_core::machine::StepState;
use forkhestra_core::plan::PlanStep;
use forkhestra_core::policy::TaskQuery;
use forkhestra_core::text::count::Count;
use typeset::text::visible;

use super::reason;
use crate::report::text::flow::{alternatives, questions, rounds};
use crate::report::text::lanes::landings;
use crate::report::text::spend;

/// A step of a run: its plan, state and history.
#[derive(Clone, Copy)]
pub(super) struct ReportedStep<'a> {
    /// One-based.
    pub(super) number: usize,
    pub(super) plan: &'a PlanStep,
    pub(super) state: &'a StepState,
    run: &'a RunHistory,
}

impl<'a> ReportedStep<'a> {
    /// A step by its number; none if the plan has no such step.
    pub(super) fn of(run: &'a RunHistory, number: usize) -> Option<Self> {
        let (plan, state) = (run.state.plan.step(number)?, run.step_state(number)?);
        Some(Self { number, plan, state, run })
    }

    pub(super) fn all(run: &'a RunHistory) -> impl Iterator<Item = Self> {
        (1..=run.steps.len()).filter_map(|number| Self::of(run, number))
    }

    /// The name of the agent, safe to print.
    pub(super) fn name(&self) -> String {
        visible(&self.plan.agent.name)
    }

    /// The name of the agent in a sentence, or `the question`.
    pub(super) fn name_in_sentence(&self) -> String {
        questions::step_name(&self.run.state.plan, self.number)
    }

    /// Whether a person answers a question in the step.
    pub(super) fn is_question(&self) -> bool {
        self.plan.is_question()
    }

    /// The maximum number of iterations in one round; none for an agent that runs once.
    pub(super) fn max_iterations(&self) -> Option<u32> {
        self.plan.iterations.map(Count::get)
    }

    /// Where an iteration of the current round is; none for an agent that runs once.
    pub(super) fn position(&self, iteration: u32) -> Option<IterationPosition> {
        IterationPosition::numbered(&self.run.state, self.number, iteration)
    }

    /// The current round of the innermost repeated group around it, with its maximum.
    pub(super) fn round(&self) -> Option<(u32, u32)> {
        let (group, round) = self.run.innermost_round(self.number)?;
        Some((round, group.rounds?.get()))
    }

    /// Whether the run reached it, in the current round.
    pub(super) fn is_reached(&self) -> bool {
        match self.state.end() {
            Some(end) => *end != StepEnd::NotNeeded,
            None => self.has_begun() && self.run.awaited_round(self.number).is_none(),
        }
    }

    /// Whether its agent runs once, and did not accept the round that it decides about.
    pub(super) fn is_not_accepted(&self) -> bool {
        self.run.is_not_accepted(self.number)
    }

    /// The current round, if the step has not begun in it, and has iterations of an earlier one.
    pub(super) fn round_after_earlier_work(&self) -> Option<u32> {
        self.run.round_after_earlier_work(self.number)
    }

    /// Whether it belongs to an alternative that is not needed.
    pub(super) fn is_unneeded_alternative(&self) -> bool {
        self.run.is_unneeded_alternative(self.number)
    }

    /// The last question of the step.
    pub(super) fn question(&self) -> Option<&'a QuestionRecord> {
        let question = self.state.question.as_ref()?;
        self.run.flow.question(question.number)
    }

    /// Whether the last question of the step has an answer.
    pub(super) fn is_answered(&self) -> bool {
        self.state.question.as_ref().is_some_and(|question| question.answer.is_some())
    }

    /// The lines about what ran instead of what.
    pub(super) fn alternatives(&self) -> Vec<String> {
        alternatives::below_step(self.run, self.number)
    }

    /// The lines about rounds of groups that end with the step.
    pub(super) fn rounds(&self) -> Vec<String> {
        rounds::below_step(self.run, self.number)
    }

    /// The maximum number of turns in one iteration.
    pub(super) fn max_turns(&self) -> Option<u32> {
        self.plan.agent.kind.direct()?.max_turns.map(Count::get)
    }

    /// The only task of the step, safe to print.
    pub(super) fn task(&self) -> Option<String> {
        TaskQuery::of(self.plan, &Observation::default()).only.map(|id| visible(&id))
    }

    /// The other run that executed the step, if a forked run inherits it.
    pub(super) fn origin(&self) -> Option<&'a RunId> {
        let is_inherited = self.number <= self.run.state.inherited_steps;
        self.run.state.origin.as_ref().filter(|_| is_inherited).map(|origin| &origin.run)
    }

    pub(super) fn has_begun(&self) -> bool {
        self.run.steps[self.number - 1].started.is_some()
    }

    /// The number of iterations with an outcome, in all lanes.
    pub(super) fn iterations(&self) -> u32 {
        self.run.step_iterations(self.number)
    }

    /// The same in the current round.
    pub(super) fn iterations_in_round(&self) -> u32 {
        self.run.step_iterations_in_round(self.number)
    }

    /// How many lanes it used, and the work of their agents together; none without lanes.
    pub(super) fn work_in_lanes(&self) -> Option<(usize, Duration)> {
        let in_lanes = self.records().iter().filter(|record| record.lane.is_some());
        let work = in_lanes.clone().map(|record| record.report.duration).sum();
        let lanes: BTreeSet<_> = in_lanes.filter_map(|record| record.lane).collect();
        (lanes.len() > 1).then_some((lanes.len(), work))
    }

    /// The lines about the landings of its work in lanes.
    pub(super) fn landings(&self) -> Vec<String> {
        landings::below_step(self.run, self.number)
    }

    /// All finished attempts.
    pub(super) fn records(&self) -> &'a [IterationRecord] {
        &self.run.steps[self.number - 1].iterations
    }

    /// The last finished attempt.
    pub(super) fn last(&self) -> Option<&'a IterationRecord> {
        self.run.steps[self.number - 1].iterations.last()
    }

    /// The report of the last finished attempt.
    pub(super) fn last_report(&self) -> Option<&'a IterationReport> {
        self.last().map(|last| &last.report)
    }

    /// Protected files that the last attempt changed, unless an earlier attempt was reported for
    /// them or they are the reason of a refusal.
    pub(super) fn newly_changed(&self) -> Option<&'a PathList> {
        let changed = |record: &'a IterationRecord| {
            record.report.observation.protected.as_ref().filter(|paths| !paths.is_empty())
        };
        let mut records = self.run.steps[self.number - 1].iterations.iter().rev();
        let (last, before) = (records.next()?, records.next());
        let is_reported = before.and_then(changed) == changed(last)
            || last.report.verdict == Verdict::Refused(ClaimRefusal::ProtectedFiles);
        changed(last).filter(|_| !is_reported)
    }

    /// Facts that explain the end of the step.
    pub(super) fn facts(&self) -> EndFacts<'a> {
        reason::facts(&self.run.state, self.number)
    }

    /// Spend of the step's agents, if anything is known.
    pub(super) fn spend(&self) -> Option<Spend> {
        spend::known(self.run.state.spend_of(self.number))
    }
}
