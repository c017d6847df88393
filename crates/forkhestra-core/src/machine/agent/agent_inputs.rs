//! Inputs about the running agent process.

use std::time::Duration;

use super::running_agent::RunningAgent;
use crate::config;
use crate::event::{
    AgentEnd, CancelCause, CompletionSignal, EventKind, FileStamp, Fingerprint, IterationReport,
    MarkerMatch, Observation, OutputSummary, StopReason, StreamSummary,
};
use crate::id::UnitId;
use crate::machine::effect::{Effect, ProcessSignal};
use crate::machine::input::{AgentSample, Input};
use crate::machine::process_lifecycle::DueAction;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::{Machine, MachinePhase};
use crate::plan::{AgentKind, PlanStep, Prompt};
use crate::policy::{EndedAgent, verdict};

/// What is known of an agent once all of its processes are gone and its output is read.
#[derive(Debug, Default)]
struct SettledAgent {
    output: OutputSummary,
    observation: Observation,
    /// Whether a slower observation of the work is still outstanding.
    is_more: bool,
    stream: Option<StreamSummary>,
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
            Input::Marker { unit, sighting } if self.is_at_work(unit) => {
                self.request(now, CompletionSignal::Marker(sighting));
            }
            Input::Concluded { unit, sighting } if self.is_at_work(unit) => {
                self.handle_concluded(now, sighting);
            }
            Input::WentOn { unit } if self.is_at_work(unit) => self.handle_went_on(now),
            Input::Spent { unit, spend } if self.is_at_work(unit) => self.spent(now, spend),
            Input::UnusableFigure { unit, figure } if self.is_at_work(unit) => {
                self.warn_of_figure(now, unit, &figure);
            }
            Input::Futile { unit, outcome } if self.is_at_work(unit) => {
                self.handle_futile(now, outcome);
            }
            Input::Probed { unit, sample } if self.is_at_work(unit) => self.probed(now, &sample),
            Input::Exited { unit, end } if self.is_at_work(unit) => self.exited(now, end),
            Input::Gone { unit } if self.is_at_work(unit) => self.gone(now),
            Input::Settled { unit, output, sighting, sight, is_more, heard }
                if self.is_at_work(unit) =>
            {
                let settled_agent =
                    SettledAgent { output, observation: sight, is_more, stream: heard };
                self.settled(now, sighting, settled_agent);
            }
            _ => {}
        }
    }

    /// Warns when the prompt differs from the previous iteration's: prompt files are read anew for
    /// every iteration so that users can edit them.
    fn note_prompt(&mut self, now: Now, step: usize, prompt: Option<&Fingerprint>) {
        let before = &self.state.steps[step - 1].prompt;
        if before.as_ref().is_some_and(|before| before.as_ref() != prompt) {
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

    /// Records the agent's completion claim. Only looping steps accept one.
    fn request(&mut self, now: Now, by: CompletionSignal) {
        let (elapsed, patience) = (self.clock.elapsed(now), self.grace_periods);
        let MachinePhase::AgentRunning(unit) = &mut self.phase else { return };
        let loops = self.state.plan.steps[unit.id.step - 1].iterations.is_some();
        if !loops || !unit.may_request() {
            return;
        }
        unit.request(by.clone(), elapsed, &patience);
        let unit = unit.id;
        self.emit(now, EventKind::CompletionRequested { unit, by });
    }

    fn probed(&mut self, now: Now, sample: &AgentSample) {
        let elapsed = self.clock.elapsed(now);
        let Some(unit) = self.unit() else { return };
        let step = unit.id.step;
        let is_idle = unit.idle.as_mut().is_some_and(|idle| idle.observe(elapsed, sample.probe));
        // A done file that was judged earlier must not end a running agent.
        let is_news = sample.done_file != self.known_file;
        if is_news && self.done_file_changed(step, sample.done_file.as_ref()) {
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

    fn exited(&mut self, now: Now, end: AgentEnd) {
        let until = self.clock.elapsed(now) + self.grace_periods.for_stragglers;
        if let Some(unit) = self.unit() {
            unit.lifecycle.exited(end, until);
        }
    }

    fn gone(&mut self, now: Now) {
        let (cancelled, hurried, give_up_at) = self.leftover_grace_period(now);
        if let Some(unit) = self.unit() {
            unit.lifecycle.gone(cancelled, hurried, give_up_at);
        }
    }

    /// Whether the run is cancelled, whether it must end at once, and until when the remaining
    /// output of a finished process is awaited.
    pub(crate) fn leftover_grace_period(&self, now: Now) -> (bool, bool, Duration) {
        let hurried = self.hurried;
        let patience =
            if hurried { self.grace_periods.when_hurried } else { self.grace_periods.for_the_dead };
        (self.cancelled.is_some(), hurried, self.clock.elapsed(now) + patience)
    }

    fn settled(
        &mut self,
        now: Now,
        sighting: Option<MarkerMatch>,
        mut settled_agent: SettledAgent,
    ) {
        // An agent that never ran has no stream and no work to observe.
        let MachinePhase::AgentRunning(unit) = &self.phase else { return };
        if unit.lifecycle.never_ran() {
            (settled_agent.stream, settled_agent.is_more) = (None, false);
            self.finish_iteration(now, settled_agent);
            return;
        }
        match sighting {
            // A parsed stream is more precise than a marker line: it tells whether the marker was
            // in the last message, and whether the agent concluded although its termination had
            // begun.
            sighting if settled_agent.stream.is_some() && !self.keeps_its_word() => {
                self.use_last_message(now, sighting);
            }
            _ if settled_agent.stream.is_some() => {}
            Some(sighting) => self.request(now, CompletionSignal::Marker(sighting)),
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
    fn keeps_its_word(&self) -> bool {
        matches!(&self.phase, MachinePhase::AgentRunning(unit)
            if unit.lifecycle.stop_reason == Some(StopReason::Lingering) && unit.request_completion.is_some())
    }

    fn finish_iteration(&mut self, now: Now, settled_agent: SettledAgent) {
        let SettledAgent { output, observation: sight, is_more, stream: heard } = settled_agent;
        let heard = self.stream_summary(heard);
        let elapsed = self.clock.elapsed(now);
        let MachinePhase::AgentRunning(unit) = &self.phase else { return };
        let (id, started) = (unit.id, unit.started);
        let end = unit.lifecycle.end().cloned();
        // The process survived even SIGKILL and was abandoned.
        let as_killed = AgentEnd::Signaled(9);
        let verdict = verdict(EndedAgent {
            loops: self.plan(id.step).iterations.is_some(),
            end: end.as_ref().unwrap_or(&as_killed),
            ending: unit.lifecycle.stop_reason,
            request: unit.request_completion.as_ref(),
            stream: heard.as_ref(),
            checks_decide: self.plan(id.step).completion.value == config::CompletionRule::Checks,
        });
        let duration = elapsed.saturating_sub(started);
        let spend = self.state.steps[id.step - 1].spending;
        let checks = Vec::new();
        let report =
            IterationReport { verdict, end, duration, sight, output, heard, spend, checks };
        self.agent_is_gone(now, id, report, is_more);
    }

    /// Performs what is due for the running agent.
    pub(crate) fn tick_agent(&mut self, now: Now) {
        let elapsed = self.clock.elapsed(now);
        let (patience, cancelled) = (self.grace_periods, self.cancelled.is_some());
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
                let push = unit.lifecycle.request_end(
                    ProcessSignal::Terminate,
                    elapsed + patience.before_straggler_kill,
                );
                self.effects.extend(push.map(|push| Effect::SignalAgent { unit: id, push }));
            }
            Some(DueAction::Kill) => {
                let push = unit.lifecycle.kill(elapsed + patience.for_the_dead);
                self.effects.extend(push.map(|push| Effect::SignalAgent { unit: id, push }));
            }
            Some(DueAction::Abandon) => self.give_up(now, id, cancelled),
            Some(DueAction::Observe) => {
                unit.observation_started(elapsed);
                self.effects.push(Effect::Probe { unit: id });
            }
        }
    }

    /// Abandons an agent whose processes cannot be ended or whose output cannot be read.
    fn give_up(&mut self, now: Now, unit: UnitId, cancelled: bool) {
        let is_gone = self.unit().is_some_and(|unit| unit.lifecycle.is_gone());
        if !is_gone {
            let message = "a process could not be ended, not even by SIGKILL".to_owned();
            self.emit(now, EventKind::Warning { message });
        } else if cancelled {
            let message = "the end of the agent's output was not read".to_owned();
            self.emit(now, EventKind::Warning { message });
        }
        self.forget_what_is_unread();
        self.effects.push(Effect::AbandonAgent { unit });
        self.finish_iteration(now, SettledAgent::default());
    }

    /// Unread output may hold the marker. A looping step without a completion claim is therefore
    /// not judged by its exit code alone: the iteration counts as interrupted and is retried.
    fn forget_what_is_unread(&mut self) {
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

    fn end_agent_with(&mut self, now: Now, why: StopReason, push: ProcessSignal) {
        let elapsed = self.clock.elapsed(now);
        let patience = self.grace_periods;
        let Some(unit) = self.unit() else { return };
        let id = unit.id;
        let noted = unit.lifecycle.set_stop_reason(why);
        let push = match push {
            ProcessSignal::Kill => unit.lifecycle.kill(elapsed + patience.for_the_dead),
            milder => unit.lifecycle.request_end(milder, elapsed + patience.before_kill),
        };
        if noted {
            self.emit(now, EventKind::AgentEnding { unit: id, why });
        }
        self.effects.extend(push.map(|push| Effect::SignalAgent { unit: id, push }));
    }

    /// Forwards a cancellation to the agent with the matching signal. A second cancellation or a
    /// lost guard kills it.
    pub(crate) fn end_cancelled_agent(&mut self, now: Now, by: CancelCause, again: bool) {
        let push = signal_for_cancel(by, again);
        self.end_agent_with(now, StopReason::Cancelled, push);
        let (elapsed, patience) = (self.clock.elapsed(now), self.grace_periods);
        if let Some(unit) = self.unit() {
            let (soon, later) = (elapsed + patience.when_hurried, elapsed + patience.for_the_dead);
            unit.lifecycle.shorten_waits(push, soon, later);
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
