//! Facts from the parsed stream of an agent: conclusion, last message, futility.

use crate::config::Backend;
use crate::event::{
    AgentActivity, AgentOutcome, ClaimRefusal, CompletionSignal, EventKind, IterationReport,
    MarkerMatch, OutcomeClass, StopReason, StreamSummary, Verdict,
};
use crate::id::UnitId;
use crate::limit::Limit;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::process_lifecycle::ProcessPhase;
use crate::machine::run_clock::Now;
use crate::machine::state::quota_state::uses_account;
use crate::machine::state_machine::Machine;
use crate::plan::PlanAgent;
use crate::plan::agent::quota::reports_quota;
use crate::policy::{did_no_work, inspection, lacks_required_work};
use crate::quota::{QuotaReading, unreported_quota};

impl Machine {
    /// Handles the end of the agent's stream. The process should exit soon.
    pub(crate) fn handle_concluded(&mut self, now: Now, marker_match: Option<MarkerMatch>) {
        let until = self.clock.elapsed(now) + self.grace_periods.after_result;
        let MachinePhase::AgentRunning(unit) = &mut self.phase else { return };
        unit.conclude(until);
        if unit.lifecycle.stop_reason.is_none() {
            self.use_last_message(now, marker_match);
        }
    }

    /// Handles a stream that goes on: an earlier marker was not in the last message.
    pub(crate) fn handle_went_on(&mut self, now: Now) {
        let MachinePhase::AgentRunning(unit) = &mut self.phase else { return };
        unit.continue_stream();
        unit.clear_marker();
        self.enforce_cost(now);
    }

    /// Replaces earlier completion claims with that of the last message.
    pub(crate) fn use_last_message(&mut self, now: Now, marker_match: Option<MarkerMatch>) {
        let MachinePhase::AgentRunning(unit) = &mut self.phase else { return };
        let counts = self.state.plan.steps[unit.id.step - 1].counts_markers();
        let is_cancelled = unit.lifecycle.stop_reason == Some(StopReason::Cancelled);
        if !counts || is_cancelled || unit.request_completion == Some(CompletionSignal::File) {
            return;
        }
        unit.request_completion = marker_match.map(CompletionSignal::Marker);
        if unit.request_completion == unit.completion {
            return;
        }
        if let Some(by) = unit.request_completion.clone() {
            unit.completion = Some(by.clone());
            let unit = unit.id;
            self.emit(now, EventKind::CompletionRequested { unit, by });
        }
    }

    /// Handles a stream that reports that the agent cannot succeed.
    pub(crate) fn handle_futile(&mut self, now: Now, outcome: AgentOutcome) {
        let MachinePhase::AgentRunning(unit) = &mut self.phase else { return };
        unit.futile.get_or_insert(outcome);
        if unit.lifecycle.phase == ProcessPhase::Running {
            self.end_agent(now, StopReason::Futile);
        }
    }

    /// Records how full a window of the agent's account is, if that is new, or if it tells whose account
    /// the step uses. An implausible reset would delay agents for too long.
    pub(crate) fn quota_reported(&mut self, now: Now, unit: UnitId, reading: QuotaReading) {
        let plan = self.plan(unit.step);
        // In the output of a program, only the stream of Claude Code is understood.
        let backend = plan.agent.kind.direct().map_or(Backend::Claude, |agent| agent.backend);
        if !uses_account(plan) || !reading.is_plausible_at(now.wall) {
            return;
        }
        let is_new = || self.state.quotas.is_new(backend, reading);
        if self.state.account(unit.step).is_none() || is_new() {
            let QuotaReading { window, used, resets } = reading;
            self.emit(now, EventKind::Quota { unit, backend, window, used, resets });
        }
    }

    /// Warns once if an agent has finished its work without a report of how full its account is.
    pub(crate) fn warn_of_unreported_quota(
        &mut self,
        now: Now,
        unit: UnitId,
        report: &IterationReport,
    ) {
        let plan = self.plan(unit.step);
        let is_limited = plan.limits.quota.value != Limit::Off && uses_account(plan);
        let agent = plan.agent.kind.direct().filter(|agent| is_limited && reports_quota(agent));
        let has_finished = matches!(
            report.verdict,
            Verdict::Complete(_) | Verdict::Incomplete | Verdict::Refused(_)
        );
        let Some(backend) = agent.map(|agent| agent.backend).filter(|_| has_finished) else {
            return;
        };
        if self.state.quotas.is_unknown(backend) && !self.state.warned_of_quota {
            let message = unreported_quota(backend);
            self.emit(now, EventKind::Warning { message });
        }
    }

    /// Warns that the fallback of a step cannot work, so that only its primary back-end is used.
    pub(crate) fn warn_of_unusable_fallback(
        &mut self,
        now: Now,
        unit: UnitId,
        report: &IterationReport,
    ) {
        if !self.state.is_fallback_unusable(unit.step, report) {
            return;
        }
        let plan = self.plan(unit.step);
        let title =
            |agent: &PlanAgent| agent.kind.direct().map_or("", |agent| agent.backend.title());
        let outcome = report.stream_summary.as_ref().map(|summary| &summary.outcome);
        let why = outcome.map_or(OutcomeClass::Crashed, |outcome| outcome.class).as_str();
        let message = format!(
            "{}, the fallback of {}, cannot be used ({why}): until a resume the step waits for {}",
            title(&plan.agent),
            plan.agent.name,
            title(plan.primary_agent())
        );
        self.emit(now, EventKind::Warning { message });
    }

    /// The stream's summary. If the machine ended the agent because it was futile, that first
    /// reason replaces what the stream reports later.
    pub(crate) fn stream_summary(
        &mut self,
        summary: Option<StreamSummary>,
    ) -> Option<StreamSummary> {
        let MachinePhase::AgentRunning(unit) = &mut self.phase else { return summary };
        match unit.futile.take() {
            Some(outcome) => {
                let activity =
                    summary.map_or_else(AgentActivity::default, |summary| summary.activity);
                Some(StreamSummary { outcome, activity })
            }
            None => summary,
        }
    }

    /// Refuses a completion claim of an agent that has done no work.
    pub(crate) fn refuse_without_work(
        &mut self,
        now: Now,
        step: usize,
        report: IterationReport,
    ) -> IterationReport {
        let stream_summary = report.stream_summary.as_ref();
        let requires_work = self.plan(step).require_work;
        let before = &self.state.steps[step - 1].before;
        let is_unknown = inspection::is_incomparable(before, &report.observation);
        if requires_work && is_unknown && matches!(report.verdict, Verdict::Complete(_)) {
            return IterationReport {
                verdict: Verdict::Refused(ClaimRefusal::NotVerified),
                ..report
            };
        }
        let changed =
            self.state.steps[step - 1].stagnation.is_change(report.observation.tree.as_ref());
        let by_marker = matches!(report.verdict, Verdict::Complete(CompletionSignal::Marker(_)));
        let content = self.state.steps[step - 1].stagnation.is_content_change(&report.observation);
        let is_idle = did_no_work(stream_summary, changed);
        let is_refused = requires_work && lacks_required_work(stream_summary, content);
        if !by_marker || !(is_idle || is_refused) {
            return report;
        }
        let did = match stream_summary {
            Some(_) if is_idle => "used no tool and changed nothing",
            _ if requires_work && changed == Some(true) => {
                "changed nothing but the commit, which has the same files"
            }
            _ if requires_work => "changed nothing",
            _ => return report,
        };
        let message = format!("the agent claims completion, but it {did}");
        self.emit(now, EventKind::Warning { message });
        if is_refused {
            IterationReport { verdict: Verdict::Refused(ClaimRefusal::NoWork), ..report }
        } else {
            report
        }
    }

    /// Reports a work tree that equals an earlier state.
    pub(crate) fn warn_of_repeated_tree(
        &mut self,
        now: Now,
        unit: UnitId,
        report: &IterationReport,
    ) {
        let mut stagnation = self.state.steps[unit.step - 1].stagnation.clone();
        if !report.has_outcome() {
            return;
        }
        stagnation.observe(&report.observation, unit.iteration);
        let message = match stagnation.repeats() {
            None => return,
            Some(0) => "the work tree is again what it was before the first iteration".to_owned(),
            Some(earlier) => {
                format!("the work tree is again what it was after iteration {earlier}")
            }
        };
        self.emit(now, EventKind::Warning { message });
    }
}
