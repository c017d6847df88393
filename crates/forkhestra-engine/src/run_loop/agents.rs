//! Effects of the loop that concern agent processes.

use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::config::Backend;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{AgentOutcome, Observation, OutputSummary, ProcessEnd, StreamSummary};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{AgentSample, Input, ProcessSignal};
use forkhestra_core::marker::MarkerParseError;
use forkhestra_core::plan::{AgentKind, Plan, PlanStep};
use forkhestra_core::policy::{LivenessProbe, MAX_REASON_BYTES};
use forkhestra_core::text::last_bytes;

use crate::agent::{
    ListenerConfig, ProgramReader, ProgressGauge, ResetContext, conclude, listener, stderr_watcher,
};
use crate::check::read_closing_text;
use crate::clock::now;
use crate::launch::agent_command::AgentCommand;
use crate::launch::agent_files::AgentFiles;
use crate::output::silent_stream::SilentStream;
use crate::output::{OutputOwner, OutputPump, PumpJob, StderrReader, StreamReading};
use crate::ports::{EnginePorts, OutputLogs};
use crate::process::{
    KeeperHandle, OutputPipe, SignalNumber, SpawnedProcess, cpu_time, processor_wait, signal_all,
    signal_processes_of,
};
use crate::run_loop::loop_context::LoopContext;
use crate::run_loop::running_process::RunningProcess;
use crate::run_loop::workplace_executor::WorkplaceExecutor;
use crate::sandbox::ProcessSandbox;
use crate::work_tree::observer::ObservationSubject;

impl WorkplaceExecutor {
    /// Starts the held agent if all earlier events are displayed.
    pub(crate) fn start_held(&mut self, context: &mut LoopContext<'_>) {
        let is_recording = self.held_agent.is_some_and(|unit| self.is_recording(unit));
        if is_recording && context.sink.wait_until_shown(Duration::ZERO) {
            let unit = self.held_agent.take();
            unit.into_iter().for_each(|unit| self.spawn(unit, context));
        }
    }

    /// Starts an agent. A failed start counts as its end.
    pub(crate) fn spawn(&mut self, unit: UnitId, context: &mut LoopContext<'_>) {
        self.observer.save_task_baseline();
        self.observer.invalidate_tree();
        let state = context.state;
        let started =
            AgentCommand::new(unit, state, context.ports, &self.settings).and_then(|agent| {
                let readings = readings(&state.plan.steps[unit.step - 1], &state.plan)?;
                let spawned = agent.start(context.children).map_err(|error| {
                    let (reason, transient) = (error.to_string(), error.is_transient());
                    ProcessEnd::NotStarted { reason, transient }
                })?;
                Ok((spawned, readings, agent))
            });
        match started {
            Ok((spawned, readings, AgentCommand { files, prompt, warnings, sandbox, .. })) => {
                let pid =
                    self.track_process(OutputOwner::Agent(unit), spawned, readings, files, context);
                self.set_active_sandbox(sandbox);
                context.push(Input::Started { unit, pid, prompt });
                context.extend(warnings.into_iter().map(Input::OperatorNotice));
            }
            Err(end) => self.never_ran(unit, end, context),
        }
    }

    /// Reports the end of an agent that was never started.
    fn never_ran(&mut self, unit: UnitId, end: ProcessEnd, context: &mut LoopContext<'_>) {
        let (output, observation) = (OutputSummary::default(), Observation::default());
        context.push(Input::Exited { unit, end });
        let (marker_match, stream_summary, needs_observation) = (None, None, false);
        context.push(Input::Settled {
            unit,
            output,
            marker_match,
            observation,
            needs_observation,
            stream_summary,
            closing_text: None,
        });
    }

    /// Tracks a process that was just started, and returns its pid.
    pub(crate) fn track_process(
        &mut self,
        owner: OutputOwner,
        spawned: SpawnedProcess,
        readings: AgentReadings,
        files: AgentFiles,
        context: &LoopContext<'_>,
    ) -> u32 {
        let (pid, keeper) = (spawned.pid, spawned.keeper);
        let AgentReadings { streams, progress } = readings;
        let active = RunningProcess::started(owner, pid, files);
        self.active = Some(active.with_keeper(keeper).with_progress(progress));
        self.silent_streams =
            self.streams(owner, [spawned.stdout, spawned.stderr], streams, context);
        pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Notes the sandbox of the process that was just started.
    pub(crate) fn set_active_sandbox(&mut self, sandbox: Option<ProcessSandbox>) {
        if let Some(active) = &mut self.active {
            active.sandbox = sandbox;
        }
    }

    /// The output streams of a new process.
    fn streams(
        &self,
        owner: OutputOwner,
        pipes: [OutputPipe; 2],
        readings: [StreamReading; 2],
        context: &LoopContext<'_>,
    ) -> Vec<SilentStream> {
        let logs = &context.ports.logs;
        let silent_stream = |stream, pipe: OutputPipe, reading| {
            let log = match owner {
                OutputOwner::Agent(unit) => logs.open(unit, stream),
                OutputOwner::AuxJob(aux_job) => logs.open_aux_job(aux_job, stream),
            };
            SilentStream::new(stream, PumpJob { owner, fd: pipe.reader, reading, log }, pipe.writer)
        };
        let ([stdout, stderr], [stdout_pipe, stderr_pipe]) = (readings, pipes);
        vec![
            silent_stream(OutputStream::Stdout, stdout_pipe, stdout),
            silent_stream(OutputStream::Stderr, stderr_pipe, stderr),
        ]
    }

    /// The files that the loop waits for: the streams without output so far, and the keeper.
    pub(crate) fn waited_files(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let keeper = self.active.as_ref().and_then(|active| active.keeper.as_ref());
        let link = keeper.and_then(KeeperHandle::link);
        self.silent_streams.iter().map(SilentStream::as_fd).chain(link)
    }

    /// Starts to copy the streams that have output for the first time. `is_readable` begins with an
    /// entry for each of the [files that were waited for](Self::waited_files), and is left after them.
    pub(crate) fn start_copying(&mut self, is_readable: &mut impl Iterator<Item = bool>) {
        let others = self.waited_files().count() - self.silent_streams.len();
        let printed: Vec<SilentStream> =
            self.silent_streams.extract_if(.., |_| is_readable.next() == Some(true)).collect();
        for silent_stream in printed {
            self.pump(silent_stream.stream).run(silent_stream.into_job());
        }
        // The report of a keeper is read with the messages.
        is_readable.take(others).for_each(drop);
    }

    pub(crate) fn pump(&self, stream: OutputStream) -> &OutputPump {
        match stream {
            OutputStream::Stdout => &self.stdout,
            OutputStream::Stderr => &self.stderr,
        }
    }

    /// Sends a signal to the agent and all its descendants. A held agent is not started any more.
    pub(crate) fn signal_agent(
        &mut self,
        unit: UnitId,
        signal: ProcessSignal,
        context: &mut LoopContext<'_>,
    ) {
        if signal >= ProcessSignal::Hangup
            && self.held_agent.take_if(|held| *held == unit).is_some()
        {
            let reason = if self.is_recording(unit) {
                "earlier output was still being displayed".to_owned()
            } else {
                "the work tree was still being observed".to_owned()
            };
            self.never_ran(unit, ProcessEnd::NotStarted { reason, transient: true }, context);
            return;
        }
        self.signal_running(OutputOwner::Agent(unit), signal, context);
    }

    /// Sends a signal to all descendants except helpers, if this agent or aux job is running.
    pub(crate) fn signal_running(
        &mut self,
        owner: OutputOwner,
        process_signal: ProcessSignal,
        context: &mut LoopContext<'_>,
    ) {
        let Some(active) = self.active.as_mut().filter(|active| active.owner == owner) else {
            return;
        };
        active.killed |= process_signal == ProcessSignal::Kill;
        let signal = match process_signal {
            ProcessSignal::Continue => SignalNumber::CONT,
            ProcessSignal::Suspend => SignalNumber::STOP,
            ProcessSignal::Hangup => SignalNumber::HUP,
            ProcessSignal::Interrupt => SignalNumber::INT,
            ProcessSignal::Terminate => SignalNumber::TERM,
            ProcessSignal::Kill => SignalNumber::KILL,
        };
        // A shell that has just forked waits for its child, so the child must receive the signal as
        // well. The monitor of a sandbox passes no signal on and would leave the program alone.
        let lets_end = matches!(signal, SignalNumber::HUP | SignalNumber::INT | SignalNumber::TERM);
        let monitor = active.monitor().filter(|_| lets_end);
        let everything =
            signal_processes_of(context.children, active.keeper.as_ref(), monitor, signal);
        // A stopped process cannot handle the signal, so it is continued.
        if matches!(
            process_signal,
            ProcessSignal::Hangup | ProcessSignal::Interrupt | ProcessSignal::Terminate
        ) {
            signal_all(&everything, SignalNumber::CONT);
            active.keeper.iter().for_each(KeeperHandle::wake);
        }
    }

    /// Probes the agent for signs of activity.
    pub(crate) fn probe(&mut self, unit: UnitId, context: &mut LoopContext<'_>) {
        let active = self.active.as_mut().filter(|active| active.owner == OutputOwner::Agent(unit));
        let Some(active) = active else { return };
        let mut processes = context.children.processes_of(active.keeper.as_ref());
        // Its time includes that of the processes that it has reaped.
        processes.extend(active.keeper.as_ref().map(KeeperHandle::pid));
        let by_proxy = active.sandbox.as_ref().and_then(ProcessSandbox::received);
        let received = by_proxy.unwrap_or_else(|| active.network.received(&processes));
        let gauges = [self.stdout.gauge(), self.stderr.gauge()];
        let printed = gauges.iter().map(|gauge| gauge.last_activity().elapsed()).min();
        let progress = active.progress.as_ref().filter(|progress| progress.is_understood());
        let probe = LivenessProbe {
            silent: match progress {
                Some(progress) => progress.since_progress(),
                None => printed.unwrap_or(Duration::ZERO),
            },
            cpu: cpu_time(&processes),
            waited: processor_wait(&processes),
            received,
            work_counts: progress.is_none_or(|progress| progress.is_tool_running()),
            blocked: gauges.iter().any(|gauge| gauge.is_blocked()),
        };
        let step = &context.state.plan.steps[unit.step - 1];
        let done_file = self.observer.done_file(step);
        context.push(Input::Probed { unit, sample: AgentSample { probe, done_file } });
    }

    /// Reports that the agent and its output have ended, with the observations that are available
    /// at once. Slow observations follow after this is recorded.
    pub(crate) fn agent_is_gone(&mut self, unit: UnitId, context: &mut LoopContext<'_>) {
        let Some(active) = self.active.take() else { return };
        context.report_changed_files();
        let state = context.state;
        let step = &state.plan.steps[unit.step - 1];
        let summary = stream_summary(&active, &step.agent.kind, context.ports);
        let output = active.output().unwrap_or_default();
        let marker_match = active.counted_marker_match();
        self.end_recording(unit, &active, summary.as_ref(), context);
        let words = context.ports.logs.redact(&active.stderr_summary.last_words);
        let hints = active.denial_hint(&words).into_iter().chain(active.denied_hosts_hint());
        hints.for_each(|hint| context.hint_at_sandbox(hint));
        let closing_text = self.closing_text(unit, &words, context);
        let state = context.state;
        let quick = self.observer.observe_quickly(ObservationSubject::Unit(unit), state);
        let (needs_observation, observation) = (quick.needs_worker(), quick.observation);
        context.push(Input::Settled {
            unit,
            output,
            marker_match,
            observation,
            needs_observation,
            stream_summary: summary,
            closing_text,
        });
    }

    /// The end of what an agent that decides about a round said or printed, with the last words on
    /// its standard error if it is a program.
    fn closing_text(
        &self,
        unit: UnitId,
        last_words: &str,
        context: &LoopContext<'_>,
    ) -> Option<String> {
        let step = context.state.plan.step(unit.step).filter(|step| step.decides_round)?;
        let printed = read_closing_text(unit, &step.agent.kind, &*context.ports.logs);
        let text = match step.agent.kind {
            AgentKind::Program(_) => format!("{}\n{}", printed.trim_end(), last_words.trim_end()),
            AgentKind::Direct(_) | AgentKind::Question(_) => printed,
        };
        let text = last_bytes(text.trim(), MAX_REASON_BYTES);
        (!text.is_empty()).then(|| context.ports.logs.redact(text))
    }

    /// Starts the observation that the rules of a step require. The result may arrive later.
    pub(crate) fn observe(&mut self, subject: ObservationSubject, context: &mut LoopContext<'_>) {
        if let Some(observation) = self.observer.observe(subject, context.state) {
            context.push(subject.input(observation));
        }
    }
}

/// The summary of an agent's stream after the agent has ended, if the stream is understood.
pub(crate) fn stream_summary(
    active: &RunningProcess,
    kind: &AgentKind,
    ports: &EnginePorts,
) -> Option<StreamSummary> {
    let (findings, end) = (active.findings()?, active.end.as_ref()?);
    let backend = match kind {
        AgentKind::Direct(direct) => direct.backend,
        // Only Claude's dialect is recognised in the output of a program.
        AgentKind::Program(_) | AgentKind::Question(_) => Backend::Claude,
    };
    let given = kind.env().0.get("TZ").map(OsString::from);
    let inherited = ports.environment.iter().find(|(name, _)| name == "TZ");
    let zone = given.as_ref().or(inherited.map(|(_, zone)| zone));
    let moment = ResetContext::in_zone(now().wall, zone);
    let summary = conclude(backend, &findings, end, &active.stderr_summary.last_words, moment)?;
    Some(StreamSummary { outcome: redact_outcome(summary.outcome, &*ports.logs), ..summary })
}

/// Redacts an outcome before it is recorded: agents quote their input.
pub(crate) fn redact_outcome(outcome: AgentOutcome, logs: &dyn OutputLogs) -> AgentOutcome {
    let message = outcome.message.map(|message| logs.redact(&message));
    AgentOutcome { message, ..outcome }
}

/// How the two streams of an agent are read.
pub(crate) struct AgentReadings {
    pub(crate) streams: [StreamReading; 2],
    /// The progress of the agent, if its stream may be understood.
    pub(crate) progress: Option<Arc<ProgressGauge>>,
}

fn readings(step: &PlanStep, plan: &Plan) -> Result<AgentReadings, ProcessEnd> {
    let no_marker = |error: MarkerParseError| {
        let reason = format!("a marker of step {} {error}", step.number);
        ProcessEnd::NotStarted { reason, transient: false }
    };
    if let AgentKind::Direct(direct) = &step.agent.kind {
        let progress: Arc<ProgressGauge> = Arc::default();
        let config = ListenerConfig::of_agent(direct, step, plan, Arc::clone(&progress));
        let listener = listener(direct.backend, config);
        let stderr_reader =
            StderrReader::new(stderr_watcher(direct.backend, Arc::clone(&progress)));
        let streams = [
            StreamReading::Events(listener.map_err(no_marker)?),
            StreamReading::Stderr(stderr_reader),
        ];
        return Ok(AgentReadings { streams, progress: Some(progress) });
    }
    let reader = ProgramReader::new(ListenerConfig::of_program(step, plan)).map_err(no_marker)?;
    // The last words show whether the sandbox denied something, and why a round is refused.
    let stderr = if step.active_sandbox().is_some() || step.decides_round {
        StreamReading::Stderr(StderrReader::default())
    } else {
        StreamReading::Bytes
    };
    let streams = [StreamReading::Program(Box::new(reader)), stderr];
    Ok(AgentReadings { streams, progress: None })
}
