//! Inputs about the running agent process.

use std::time::Duration;

use super::running_agent::RunningAgent;
use crate::config;
use crate::event::{
    CancelCause, CompletionSignal, EventKind, FileStamp, Fingerprint, IterationReport, MarkerMatch,
    Observation, OutputSummary, ProcessEnd, StopReason, StreamSummary,
};
use crate::id::UnitId;
use crate::machine::effect::{Effect, ProcessSignal};
use crate::machine::input::{AgentSample, Input};
use crate::machine::machine_phase::MachinePhase;
use crate::machine::process_lifecycle::DueAction;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;
use crate::plan::{AgentKind, PlanStep, Prompt};
use crate::policy::{EndedAgent, verdict};

/// What is known of an agent once all of its processes are gone and its output is read.
#[derive(Debug, Default)]
struct SettledAgent {
    output: OutputSummary,
    observation: Observation,
    /// Whether a slower observation of the work is still outstanding.
    needs_observation: bool,
    stream: Option<StreamSummary>,
    closing_text: Option<String>,
}

impl Machine {
    /// Handles inputs about an agent. Inputs from an agent that is no longer running are dropped.
    pub(crate) fn handle_agent(&mut self, now: Now, input: Input) {
        match input {
            Input::Started { unit, pid, prompt } if self.is_at_work(unit) => {
                self.note_prompt(now, unit.step, prompt.as_ref());
                self.emit(now, EventKind::AgentStarted { unit, pid, prompt });
                self.stop_started_process();
            }
            Input::Marker { unit, marker_match } if self.is_at_work(unit) => {
                self.request(now, CompletionSignal::Marker(marker_match));
            }
            Input::Concluded { unit, marker_match } if self.is_at_work(unit) => {
                self.handle_concluded(now, marker_match);
            }
            Input::WentOn { unit } if self.is_at_work(unit) => self.handle_went_on(now),
            Input::Spent { unit, spend } if self.is_at_work(unit) => self.spent(now, spend),
            Input::QuotaReported { unit, reading } if self.is_at_work(unit) => {
                self.quota_reported(now, unit, reading);
            }
            Input::UnusableFigure { unit, figure } if self.is_at_work(unit) => {
                self.warn_of_figure(now, unit, &figure);
            }
            Input::Futile { unit, outcome } if self.is_at_work(unit) => {
                self.handle_futile(now, outcome);
            }
            Input::Probed { unit, sample } if self.is_at_work(unit) => self.probed(now, &sample),
            Input::Exited { unit, end } if self.is_at_work(unit) => self.exited(now, end),
            Input::Gone { unit } if self.is_at_work(unit) => self.gone(now),
            Input::Settled {
                unit,
                output,
                marker_match,
                observation,
                needs_observation,
                stream_summary,
                closing_text,
            } if self.is_at_work(unit) => {
                let stream = stream_summary;
                let settled_agent =
                    SettledAgent { output, observation, needs_observation, stream, closing_text };
                self.settled(now, marker_match, settled_agent);
            }
            _ => {}
        }
    }

    /// Warns when the prompt differs from the previous iteration's, or from the start of the run: prompt files are read
    /// anew for every iteration so that users can edit them.
    fn note_prompt(&mut self, now: Now, step: usize, prompt: Option<&Fingerprint>) {
        let last = self.state.steps[step - 1].prompt.as_ref().map(Option::as_ref);
        let prompts = self.state.plan.prompts.as_ref();
        let before = last.or_else(|| prompts?.get(&step).map(Some));
        if before.is_some_and(|before| before != prompt) {
            let what = prompts_that_change(self.plan(step));
            let message = format!("{what} of step {step} is not what it was before");
            self.emit(now, EventKind::Warning { message });
        }
    }

    fn is_at_work(&self, id: UnitId) -> bool {
        matches!(&self.phase, MachinePhase::AgentRunning(unit) if unit.id == id)
    }

    fn unit(&mut self) -> Option<&mut RunningAgent> {
        match &mut self.phase {
            MachinePhase::AgentRunning(unit) => Some(unit),
            _ => None,
        }
    }

    /// Records the agent's completion claim. Only steps in which markers count accept one.
    fn request(&mut self, now: Now, by: CompletionSignal) {
        let (elapsed, grace_periods) = (self.clock.elapsed(now), self.grace_periods);
        let MachinePhase::AgentRunning(unit) = &mut self.phase else { return };
        let counts = self.state.plan.steps[unit.id.step - 1].counts_markers();
        if !counts || !unit.may_request() {
            return;
        }
        unit.request(by.clone(), elapsed, &grace_periods);
        let unit = unit.id;
        self.emit(now, EventKind::CompletionRequested { unit, by });
    }

    fn probed(&mut self, now: Now, sample: &AgentSample) {
        let elapsed = self.clock.elapsed(now);
        let Some(unit) = self.unit() else { return };
        let step = unit.id.step;
        let is_idle = unit.idle.as_mut().is_some_and(|idle| idle.observe(elapsed, sample.probe));
        // A done file that was judged earlier must not end a running agent.
        let is_new = sample.done_file != self.known_done_file;
        if is_new && self.done_file_changed(step, sample.done_file.as_ref()) {
            self.request(now, CompletionSignal::File);
        }
        if is_idle {
            self.end_agent(now, StopReason::Idle);
        }
    }

    /// Whether the done file of a step appeared or changed since the step began.
    pub(crate) fn done_file_changed(&self, step: usize, stamp: Option<&FileStamp>) -> bool {
        stamp.is_some() && stamp != self.state.steps[step - 1].before.done_file.as_ref()
    }

    fn exited(&mut self, now: Now, end: ProcessEnd) {
        let until = self.clock.elapsed(now) + self.grace_periods.for_leftovers;
        if let Some(unit) = self.unit() {
            unit.lifecycle.exited(end, until);
        }
    }

    fn gone(&mut self, now: Now) {
        let (cancelled, at_once, give_up_at) = self.leftover_grace_period(now);
        if let Some(unit) = self.unit() {
            unit.lifecycle.gone(cancelled, at_once, give_up_at);
        }
    }

    /// Whether the run is cancelled, whether it must end at once, and until when the remaining
    /// output of a finished process is awaited.
    pub(crate) fn leftover_grace_period(&self, now: Now) -> (bool, bool, Duration) {
        let at_once = self.ends_at_once;
        let grace_period = if at_once {
            self.grace_periods.after_kill_at_once
        } else {
            self.grace_periods.after_kill
        };
        (self.cancelled.is_some(), at_once, self.clock.elapsed(now) + grace_period)
    }

    fn settled(
        &mut self,
        now: Now,
        marker_match: Option<MarkerMatch>,
        mut settled_agent: SettledAgent,
    ) {
        // An agent that never ran has no stream and no work to observe.
        let MachinePhase::AgentRunning(unit) = &self.phase else { return };
        if unit.lifecycle.never_ran() {
            (settled_agent.stream, settled_agent.needs_observation) = (None, false);
            self.finish_iteration(now, settled_agent);
            return;
        }
        match marker_match {
            // A parsed stream is more precise than a marker line: it tells whether the marker was
            // in the last message, and whether the agent concluded although its termination had
            // begun.
            marker_match if settled_agent.stream.is_some() && !self.ended_after_claim() => {
                self.use_last_message(now, marker_match);
            }
            _ if settled_agent.stream.is_some() => {}
            Some(marker_match) => self.request(now, CompletionSignal::Marker(marker_match)),
            None => {}
        }
        let MachinePhase::AgentRunning(unit) = &self.phase else { return };
        let step = unit.id.step;
        if self.done_file_changed(step, settled_agent.observation.done_file.as_ref()) {
            self.request(now, CompletionSignal::File);
        }
        self.finish_iteration(now, settled_agent);
    }

    /// Whether the agent had claimed completion and was ended only because it did not exit. Its
    /// stream after that does not count.
    fn ended_after_claim(&self) -> bool {
        matches!(&self.phase, MachinePhase::AgentRunning(unit)
            if unit.lifecycle.stop_reason == Some(StopReason::Lingering) && unit.request_completion.is_some())
    }

    fn finish_iteration(&mut self, now: Now, settled_agent: SettledAgent) {
        let SettledAgent {
            output,
            observation,
            needs_observation,
            stream: stream_summary,
            closing_text,
        } = settled_agent;
        let stream_summary = self.stream_summary(stream_summary);
        let elapsed = self.clock.elapsed(now);
        let MachinePhase::AgentRunning(unit) = &self.phase else { return };
        let (id, started) = (unit.id, unit.started);
        let end = unit.lifecycle.end().cloned();
        // The process survived even SIGKILL and was abandoned.
        let as_killed = ProcessEnd::Signaled(9);
        let verdict = verdict(EndedAgent {
            loops: self.plan(id.step).iterations.is_some(),
            counts_markers: self.plan(id.step).counts_markers(),
            end: end.as_ref().unwrap_or(&as_killed),
            stop_reason: unit.lifecycle.stop_reason,
            request: unit.request_completion.as_ref(),
            stream: stream_summary.as_ref(),
            checks_decide: self.plan(id.step).completion.value == config::CompletionRule::Checks,
        });
        let duration = elapsed.saturating_sub(started);
        let spend = self.state.steps[id.step - 1].spending;
        let checks = Vec::new();
        let report = IterationReport {
            verdict,
            end,
            duration,
            observation,
            output,
            stream_summary,
            spend,
            closing_text,
            checks,
        };
        self.agent_is_gone(now, id, report, needs_observation);
    }

    /// Performs what is due for the running agent.
    pub(crate) fn tick_agent(&mut self, now: Now) {
        let elapsed = self.clock.elapsed(now);
        let (grace_periods, cancelled) = (self.grace_periods, self.cancelled.is_some());
        let MachinePhase::AgentRunning(unit) = &self.phase else { return };
        let limit = self.time_limits(unit).filter(|(at, _)| *at <= elapsed).map(|(_, why)| why);
        if let Some(why) = limit.max() {
            self.end_agent(now, why);
            return;
        }
        let Some(unit) = self.unit() else { return };
        let id = unit.id;
        match unit.due(elapsed) {
            None => {}
            Some(DueAction::End(why)) => self.end_agent(now, why),
            Some(DueAction::Terminate) => {
                let signal = unit.lifecycle.request_end(
                    ProcessSignal::Terminate,
                    elapsed + grace_periods.before_leftover_kill,
                );
                self.effects.extend(signal.map(|signal| Effect::SignalAgent { unit: id, signal }));
            }
            Some(DueAction::Kill) => {
                let signal = unit.lifecycle.kill(elapsed + grace_periods.after_kill);
                self.effects.extend(signal.map(|signal| Effect::SignalAgent { unit: id, signal }));
            }
            Some(DueAction::Abandon) => self.abandon_agent(now, id, cancelled),
            Some(DueAction::Observe) => {
                unit.observation_started(elapsed);
                self.effects.push(Effect::Probe { unit: id });
            }
        }
    }

    /// Abandons an agent whose processes cannot be ended or whose output cannot be read.
    fn abandon_agent(&mut self, now: Now, unit: UnitId, cancelled: bool) {
        let is_gone = self.unit().is_some_and(|unit| unit.lifecycle.is_gone());
        if !is_gone {
            let message = "a process could not be ended, not even by SIGKILL".to_owned();
            self.emit(now, EventKind::Warning { message });
        } else if cancelled {
            let message = "the end of the agent's output was not read".to_owned();
            self.emit(now, EventKind::Warning { message });
        }
        self.mark_output_incomplete();
        self.effects.push(Effect::AbandonAgent { unit });
        self.finish_iteration(now, SettledAgent::default());
    }

    /// Unread output may hold the marker. A looping step without a completion claim is therefore
    /// not judged by its exit code alone: the iteration counts as interrupted and is retried.
    fn mark_output_incomplete(&mut self) {
        let MachinePhase::AgentRunning(unit) = &mut self.phase else { return };
        let loops = self.state.plan.steps[unit.id.step - 1].iterations.is_some();
        if loops && unit.lifecycle.is_gone() && unit.request_completion.is_none() {
            unit.lifecycle.stop_reason = Some(StopReason::Cancelled);
        }
    }

    /// Starts to terminate the agent for a reason of the machine's own.
    pub(crate) fn end_agent(&mut self, now: Now, why: StopReason) {
        self.end_agent_with(now, why, ProcessSignal::Terminate);
    }

    fn end_agent_with(&mut self, now: Now, why: StopReason, signal: ProcessSignal) {
        let elapsed = self.clock.elapsed(now);
        let grace_periods = self.grace_periods;
        let Some(unit) = self.unit() else { return };
        let id = unit.id;
        let noted = unit.lifecycle.set_stop_reason(why);
        let signal = match signal {
            ProcessSignal::Kill => unit.lifecycle.kill(elapsed + grace_periods.after_kill),
            milder => unit.lifecycle.request_end(milder, elapsed + grace_periods.before_kill),
        };
        if noted {
            self.emit(now, EventKind::AgentEnding { unit: id, why });
        }
        self.effects.extend(signal.map(|signal| Effect::SignalAgent { unit: id, signal }));
    }

    /// Forwards a cancellation to the agent with the matching signal. A second cancellation or a
    /// lost guard kills it.
    pub(crate) fn end_cancelled_agent(&mut self, now: Now, by: CancelCause, again: bool) {
        let signal = signal_for_cancel(by, again);
        self.end_agent_with(now, StopReason::Cancelled, signal);
        let (elapsed, grace_periods) = (self.clock.elapsed(now), self.grace_periods);
        if let Some(unit) = self.unit() {
            let (at_once, later) =
                (elapsed + grace_periods.after_kill_at_once, elapsed + grace_periods.after_kill);
            unit.lifecycle.shorten_waits(signal, at_once, later);
        }
    }
}

/// The signal that a running process gets when the run is cancelled.
pub(crate) const fn signal_for_cancel(by: CancelCause, again: bool) -> ProcessSignal {
    match by {
        _ if again => ProcessSignal::Kill,
        CancelCause::GuardLost => ProcessSignal::Kill,
        CancelCause::Interrupt => ProcessSignal::Interrupt,
        CancelCause::Hangup => ProcessSignal::Hangup,
        CancelCause::Stop
        | CancelCause::StopNow
        | CancelCause::Terminate
        | CancelCause::OutputClosed => ProcessSignal::Terminate,
    }
}

/// Names the prompts of a step that can change while it runs: only those in files.
fn prompts_that_change(step: &PlanStep) -> &'static str {
    let is_file = |prompt: &Prompt| matches!(prompt, Prompt::File(_));
    let AgentKind::Direct(direct) = &step.agent.kind else { return "the prompt" };
    match (is_file(&step.prompt.value), is_file(&direct.system_prompt.value)) {
        (true, false) => "the prompt",
        (false, true) => "the system prompt",
        // forkhestra's own text before the system prompt may change as well.
        (true, true) | (false, false) => "the prompt or the system prompt",
    }
}
