//! Effects of the loop that concern agent processes.

use std::ffi::OsString;
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
use crate::output::{OutputOwner, OutputPump, PumpJob, PumpJobEnd, StderrReader, StreamReading};
use crate::ports::{EnginePorts, OutputLogs};
use crate::process::{
    OutputPipe, Pid, SignalNumber, SpawnedProcess, cpu_time, descendants, processor_wait,
    signal_all, signal_processes_of,
};
use crate::run_loop::dispatcher::Dispatcher;
use crate::run_loop::running_process::RunningProcess;
use crate::sandbox::ProcessSandbox;
use crate::signal;
use crate::work_tree::observer::ObservationSubject;

/// Upper bound for displaying the last events before a suspension.
const DISPLAY_TIMEOUT: Duration = Duration::from_secs(1);

impl Dispatcher<'_> {
    /// Starts the held agent if all earlier events are displayed.
    pub(crate) fn start_held(&mut self) {
        let is_recording = self.held_agent.is_some_and(|unit| self.is_recording(unit));
        if is_recording && self.sink.wait_until_shown(Duration::ZERO) {
            let unit = self.held_agent.take();
            unit.into_iter().for_each(|unit| self.spawn(unit));
        }
    }

    /// Starts an agent. A failed start counts as its end.
    pub(crate) fn spawn(&mut self, unit: UnitId) {
        self.observer.save_task_baseline();
        self.observer.invalidate_tree();
        let state = self.machine.state();
        let started = AgentCommand::new(unit, state, &self.ports).and_then(|agent| {
            let readings = readings(&state.plan.steps[unit.step - 1], &state.plan)?;
            let spawned = agent.start(&self.children).map_err(|error| {
                let (reason, transient) = (error.to_string(), error.is_transient());
                ProcessEnd::NotStarted { reason, transient }
            })?;
            Ok((spawned, readings, agent))
        });
        match started {
            Ok((spawned, readings, AgentCommand { files, prompt, warnings, sandbox, .. })) => {
                let pid = self.track_process(OutputOwner::Agent(unit), spawned, readings, files);
                self.set_active_sandbox(sandbox);
                self.inbox.push_back(Input::Started { unit, pid, prompt });
                self.inbox.extend(warnings.into_iter().map(Input::OperatorNotice));
            }
            Err(end) => self.never_ran(unit, end),
        }
    }

    /// Reports the end of an agent that was never started.
    fn never_ran(&mut self, unit: UnitId, end: ProcessEnd) {
        let (output, observation) = (OutputSummary::default(), Observation::default());
        self.inbox.push_back(Input::Exited { unit, end });
        let (marker_match, stream_summary, needs_observation) = (None, None, false);
        self.inbox.push_back(Input::Settled {
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
    ) -> u32 {
        let pid = spawned.pid;
        let AgentReadings { streams, progress } = readings;
        self.active = Some(RunningProcess::started(owner, pid, files).with_progress(progress));
        self.silent_streams = self.streams(owner, spawned, streams);
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
        spawned: SpawnedProcess,
        readings: [StreamReading; 2],
    ) -> Vec<SilentStream> {
        let logs = &self.ports.logs;
        let silent_stream = |stream, pipe: OutputPipe, reading| {
            let log = match owner {
                OutputOwner::Agent(unit) => logs.open(unit, stream),
                OutputOwner::AuxJob(aux_job) => logs.open_aux_job(aux_job, stream),
            };
            SilentStream::new(stream, PumpJob { owner, fd: pipe.reader, reading, log }, pipe.writer)
        };
        let [stdout, stderr] = readings;
        vec![
            silent_stream(OutputStream::Stdout, spawned.stdout, stdout),
            silent_stream(OutputStream::Stderr, spawned.stderr, stderr),
        ]
    }

    /// Starts to copy the streams that have output for the first time. `is_readable` has an entry for
    /// each silent stream.
    pub(crate) fn start_copying(&mut self, is_readable: &[bool]) {
        let mut is_readable = is_readable.iter();
        let printed: Vec<SilentStream> =
            self.silent_streams.extract_if(.., |_| is_readable.next() == Some(&true)).collect();
        for silent_stream in printed {
            self.pump(silent_stream.stream).run(silent_stream.into_job());
        }
    }

    fn pump(&self, stream: OutputStream) -> &OutputPump {
        match stream {
            OutputStream::Stdout => &self.stdout,
            OutputStream::Stderr => &self.stderr,
        }
    }

    /// Sends a signal to the agent and all its descendants. A held agent is not started any more.
    pub(crate) fn signal_agent(&mut self, unit: UnitId, signal: ProcessSignal) {
        if signal >= ProcessSignal::Hangup
            && self.held_agent.take_if(|held| *held == unit).is_some()
        {
            let reason = if self.is_recording(unit) {
                "earlier output was still being displayed".to_owned()
            } else {
                "the work tree was still being observed".to_owned()
            };
            self.never_ran(unit, ProcessEnd::NotStarted { reason, transient: true });
            return;
        }
        self.signal_running(OutputOwner::Agent(unit), signal);
    }

    /// Sends a signal to all descendants except helpers, if this agent or aux job is running.
    pub(crate) fn signal_running(&mut self, owner: OutputOwner, process_signal: ProcessSignal) {
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
        let everything = signal_processes_of(&self.children, None, monitor, signal);
        // A stopped process cannot handle the signal, so it is continued.
        if matches!(
            process_signal,
            ProcessSignal::Hangup | ProcessSignal::Interrupt | ProcessSignal::Terminate
        ) {
            signal_all(&everything, SignalNumber::CONT);
        }
    }

    /// Probes the agent for signs of activity.
    pub(crate) fn probe(&mut self, unit: UnitId) {
        let active = self.active.as_mut().filter(|active| active.owner == OutputOwner::Agent(unit));
        let Some(active) = active else { return };
        let processes = descendants();
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
        let step = &self.machine.state().plan.steps[unit.step - 1];
        let done_file = self.observer.done_file(step);
        self.inbox.push_back(Input::Probed { unit, sample: AgentSample { probe, done_file } });
    }

    /// Stops waiting for this agent or aux job.
    pub(crate) fn abandon(&mut self, owner: OutputOwner) {
        if self.active.as_ref().is_some_and(|active| active.owner == owner) {
            self.end_output(owner);
            self.active = None;
            self.ports.hook_process.clear();
        }
    }

    /// Suspends this process and all descendants until it is continued.
    pub(crate) fn suspend_self(&mut self) {
        // Nothing must be printed after the shell has taken the terminal back.
        self.sink.wait_until_shown(DISPLAY_TIMEOUT);
        signal::suspend_self();
        self.inbox.push_back(Input::Continue);
    }

    /// Reaps the processes that have ended.
    pub(crate) fn reap(&mut self) {
        for (pid, end) in self.children.reap() {
            self.note_end(pid, end);
        }
    }

    fn note_end(&mut self, pid: Pid, end: ProcessEnd) {
        if let Some(active) = self.active.as_mut().filter(|active| active.pid == pid) {
            let end = active.end_of_program(end);
            active.end = Some(end.clone());
            self.inbox.push_back(match active.owner {
                OutputOwner::Agent(unit) => Input::Exited { unit, end },
                OutputOwner::AuxJob(aux_job) => {
                    self.ports.hook_process.clear();
                    Input::AuxJobExited { aux_job, end }
                }
            });
        }
    }

    pub(crate) fn output_ended(&mut self, ended: PumpJobEnd) {
        if let Some(error) = &ended.log_failure {
            let (owner, stream) = (ended.owner, ended.stream);
            let message = format!("the log of {stream} of {owner} is incomplete: {error}");
            self.inbox.push_back(Input::OperatorNotice(message));
        }
        if let Some(active) = self.active.as_mut().filter(|active| active.owner == ended.owner) {
            active.output_ended(ended);
        }
    }

    /// Checks whether processes or output of the agent or aux job are left.
    pub(crate) fn check_settled(&mut self) {
        let Some(active) = &mut self.active else { return };
        let owner = active.owner;
        if active.end.is_some() && !active.is_gone {
            active.is_gone = !self.children.has_any_but_helpers();
            if active.is_gone {
                self.inbox.push_back(match owner {
                    OutputOwner::Agent(unit) => Input::Gone { unit },
                    OutputOwner::AuxJob(aux_job) => Input::AuxJobGone { aux_job },
                });
                self.end_output(owner);
            } else if active.killed {
                // Processes that were started during the kill are killed as well.
                signal_all(&self.children.descendants_but_helpers(), SignalNumber::KILL);
            }
        }
        let Some(active) = &mut self.active else { return };
        if active.is_gone && active.output().is_some() {
            match owner {
                OutputOwner::Agent(unit) => self.agent_is_gone(unit),
                OutputOwner::AuxJob(aux_job) => self.aux_job_ended(aux_job),
            }
        }
    }

    /// Reports that the agent and its output have ended, with the observations that are available
    /// at once. Slow observations follow after this is recorded.
    fn agent_is_gone(&mut self, unit: UnitId) {
        let Some(active) = self.active.take() else { return };
        self.report_changed_files();
        let state = self.machine.state();
        let step = &state.plan.steps[unit.step - 1];
        let summary = stream_summary(&active, &step.agent.kind, &self.ports);
        let output = active.output().unwrap_or_default();
        let marker_match = active.counted_marker_match();
        self.end_recording(unit, &active, summary.as_ref());
        let words = self.ports.logs.redact(&active.stderr_summary.last_words);
        let hints = active.denial_hint(&words).into_iter().chain(active.denied_hosts_hint());
        hints.for_each(|hint| self.hint_at_sandbox(hint));
        let closing_text = self.closing_text(unit, &words);
        let state = self.machine.state();
        let quick = self.observer.observe_quickly(ObservationSubject::Unit(unit), state);
        let (needs_observation, observation) = (quick.needs_worker(), quick.observation);
        self.inbox.push_back(Input::Settled {
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
    fn closing_text(&self, unit: UnitId, last_words: &str) -> Option<String> {
        let step = self.machine.state().plan.step(unit.step).filter(|step| step.decides_round)?;
        let printed = read_closing_text(unit, &step.agent.kind, &*self.ports.logs);
        let text = match step.agent.kind {
            AgentKind::Program(_) => format!("{}\n{}", printed.trim_end(), last_words.trim_end()),
            AgentKind::Direct(_) | AgentKind::Question(_) => printed,
        };
        let text = last_bytes(text.trim(), MAX_REASON_BYTES);
        (!text.is_empty()).then(|| self.ports.logs.redact(text))
    }

    /// Reports watched files that changed.
    pub(crate) fn report_changed_files(&mut self) {
        let changes = self.watched_files.changes();
        self.inbox.extend(changes.into_iter().map(Input::OperatorNotice));
    }

    /// Reports a hint about the sandbox, once.
    pub(crate) fn hint_at_sandbox(&mut self, hint: String) {
        if self.sandbox_hints.insert(hint.clone()) {
            self.inbox.push_back(Input::OperatorNotice(hint));
        }
    }

    /// Copies the output that is in the pipes and stops waiting for more, even if a process still
    /// holds them open.
    fn end_output(&mut self, owner: OutputOwner) {
        for silent_stream in std::mem::take(&mut self.silent_streams) {
            match silent_stream.end() {
                Ok(ended) => self.output_ended(ended),
                Err((stream, job)) => self.pump(stream).run(job),
            }
        }
        if self.active.as_ref().is_some_and(|active| active.output().is_none()) {
            self.stdout.abandon(owner);
            self.stderr.abandon(owner);
        }
    }

    /// Starts the observation that the rules of a step require. The result may arrive later.
    pub(crate) fn observe(&mut self, subject: ObservationSubject) {
        if let Some(observation) = self.observer.observe(subject, self.machine.state()) {
            self.inbox.push_back(subject.input(observation));
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
