//! Composes a run: engine, journal, screen, views and notifications.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::machine::Machine;
use forkhestra_core::plan::{Plan, PlanStep};
use forkhestra_engine::lanes::{RepositoryLanes, RepositoryLanesSettings};
use forkhestra_engine::process::GuardLink;
use forkhestra_engine::sandbox::{SandboxHost, StartPaths, find_bubblewrap};
use forkhestra_engine::signal::{LoopWaker, SignalReceiver};
use forkhestra_engine::{
    EnginePorts, HookProcess, LaneService, NoLanes, OwnProgram, SecretFinder, TerminalInput,
    UnitRecorder,
};
use forkhestra_store::LockProof;
use forkhestra_store::output_log::Secrets;
use forkhestra_store::view::{ViewDir, ViewFacts, ViewWriter};

use super::control_socket::ControlServer;
use super::disk_recordings::DiskRecordings;
use super::output::run_logs::RunLogs;
use super::output::run_secrets::run_secrets;
use super::question_prompt::TerminalPrompt;
use super::run_sink::{FirstEventActions, RunReporter, RunSink};
use super::tasks::local_lane_tasks::LocalLaneTasks;
use super::tasks::local_task_databases::LocalTaskDatabases;
use super::two_processes::{Execution, scratch};
use super::view_thread::ViewThread;
use crate::cli::args::forkhestra_cli::OutputFormat;
use crate::cli::command_error::CommandError;
use crate::notify::{NotifyDispatcher, NotifyReceiver};
use crate::past_runs::resume_command::state_root;
use crate::past_runs::state_home;
use crate::project::project_location::ProjectLocation;
use crate::project::{config_files, host_facts};
use crate::report::plan::dry_run::Verbosity;
use crate::report::run::{
    HumanReporter, OutputFilter, ReportOutput, ReportSettings, ReporterFacts, RunScreen,
    ScreenWriter,
};

/// The composed parts of a run.
pub(super) struct ComposedRun {
    pub(super) machine: Machine,
    pub(super) ports: EnginePorts,
    pub(super) sink: RunSink,
    pub(super) lock: LockProof,
}

/// What the sandboxes of a plan need.
pub(crate) fn sandbox_host(plan: &Plan, project: &ProjectLocation) -> SandboxHost {
    let environment = &project.environment;
    if !plan.requests_sandbox() {
        return SandboxHost::default();
    }
    SandboxHost {
        bubblewrap: find_bubblewrap(environment.path.as_deref()),
        read_only: config_files::project_paths(project),
        hidden: state_home::new_run_place(project, None).into_iter().collect(),
        programs: environment.executable.iter().cloned().collect(),
        start: StartPaths::find(plan, &environment.inherited),
    }
}

/// Lets the engine find these secrets.
fn secret_finder(secrets: &Arc<Secrets>) -> SecretFinder {
    let secrets = Arc::clone(secrets);
    SecretFinder::new(move |bytes| secrets.is_in(bytes))
}

/// Finds the secrets of a plan and of the environment.
pub(crate) fn secret_finder_of(plan: &Plan, environment: &[(OsString, OsString)]) -> SecretFinder {
    secret_finder(&Arc::new(run_secrets(plan, environment, std::iter::empty())))
}

impl Execution<'_> {
    /// Composes engine, journal, screen, views and notifications.
    pub(super) fn compose(
        self,
        guard: GuardLink,
        own_program: Option<OwnProgram>,
    ) -> Result<ComposedRun, CommandError> {
        let refused = |error: io::Error| {
            CommandError::wrong(Diagnostic::error(format!("the run cannot be set up: {error}")))
        };
        let output = Arc::new(self.report_output()?);
        let facts = ReporterFacts {
            commands: Some(self.commands()),
            state_directory: (!self.output.is_temporary)
                .then(|| self.run_dir.path().display().to_string()),
            run_dir: Some(self.run_dir.clone()),
            program: self.project.program,
        };
        let reporter = self.reporter(facts, &output);
        let secrets = Arc::new(self.secrets());
        let ports = self.engine_ports(guard, &output, &secrets).map_err(refused)?;
        let waker = ports.signals.waker();
        let (control, requests) = ControlServer::new(
            self.run_dir.run().clone(),
            waker.clone(),
            ports.hook_process.clone(),
        );
        let ports = EnginePorts { own_program, requests: Some(requests), ..ports };
        let notifier = self.notify_dispatcher(waker.clone()).map_err(refused)?;
        let writer = ScreenWriter::new(output, move || waker.wake()).map_err(refused)?;
        let prompt = self.terminal_prompt();
        let views = self.view_writer();
        let views =
            ViewThread::start(self.run_dir, self.history.clone(), views).map_err(refused)?;
        let first_event_actions = Some(FirstEventActions { background: self.background });
        let sink = RunSink {
            journal: self.journal,
            secrets,
            history: self.history,
            reporter,
            writer,
            views,
            notifier,
            control,
            prompt,
            first_event_actions,
            is_output_closed: false,
        };
        Ok(ComposedRun { machine: self.machine, ports, sink, lock: self.lock })
    }

    /// The notification dispatcher, if there are receivers.
    fn notify_dispatcher(&self, waker: LoopWaker) -> io::Result<Option<NotifyDispatcher>> {
        match self.notify.as_slice() {
            [] => Ok(None),
            targets => {
                let dispatcher = NotifyDispatcher::start(targets, move || waker.wake())?;
                let dispatcher = dispatcher.of_run(self.run_dir.clone(), self.commands());
                Ok(Some(dispatcher.with_resume_answer(self.machine.has_resume_answer())))
            }
        }
    }

    /// The prompt for questions, if the user can be asked at a terminal.
    fn terminal_prompt(&self) -> Option<TerminalPrompt> {
        let plan = &self.machine.state().plan;
        let is_asking = plan.steps.iter().any(PlanStep::is_question);
        let is_attended = self.background.is_none()
            && self.format() == OutputFormat::Human
            && !self.output.quiet
            && !self.project.environment.is_ci();
        if !is_asking || !is_attended {
            return None;
        }
        let stream = match (io::stdout().is_terminal(), io::stderr().is_terminal()) {
            (true, _) => OutputStream::Stdout,
            (false, true) => OutputStream::Stderr,
            (false, false) => return None,
        };
        let input = TerminalInput::open(io::stdin().as_fd())?;
        let prefix = self.project.program.prefix();
        Some(TerminalPrompt::new(input, stream, prefix, self.commands()))
    }

    /// The writer of the run's view, if a view is written.
    fn view_writer(&self) -> Option<ViewWriter> {
        let place = Path::new(&self.machine.state().plan.working_directory);
        let facts =
            ViewFacts { journal: self.run_dir.journal(), resume: Some(self.resume_command()) };
        let new = if self.history.is_some() { ViewWriter::new } else { ViewWriter::of_new_run };
        self.has_view.then(|| new(ViewDir::of(place), facts))
    }

    /// A detached run prints text: its events are read from the journal only.
    fn format(&self) -> OutputFormat {
        if self.background.is_some() { OutputFormat::Human } else { self.output.output }
    }

    pub(super) fn report_output(&self) -> io::Result<ReportOutput> {
        let passes = match (self.format(), self.output.quiet) {
            // The output of agents is already in their logs.
            _ if self.background.is_some() => OutputFilter::Nothing,
            (OutputFormat::Json, _) => OutputFilter::Errors,
            (OutputFormat::Human, true) => OutputFilter::Nothing,
            (OutputFormat::Human, false) => OutputFilter::Everything,
        };
        let live = self.project.environment.allows_live_line();
        let (color, detail) = (self.output.color.color, Verbosity::of(self.output));
        ReportOutput::of_process(ReportSettings { color, filter: passes, detail, live })
    }

    fn reporter(&self, facts: ReporterFacts, output: &ReportOutput) -> RunReporter {
        match self.format() {
            OutputFormat::Json => RunReporter::Json,
            OutputFormat::Human => {
                let human = HumanReporter::new(Verbosity::of(self.output), facts);
                RunReporter::Human(Box::new(RunScreen::new(human, output.has_status())))
            }
        }
    }

    /// The secrets that stay out of the files of the run.
    fn secrets(&self) -> Secrets {
        let others = self.notify.iter().filter_map(NotifyReceiver::secret);
        let plan = &self.machine.state().plan;
        run_secrets(plan, &self.project.environment.inherited, others)
    }

    fn engine_ports(
        &self,
        guard: GuardLink,
        report_output: &Arc<ReportOutput>,
        secrets: &Arc<Secrets>,
    ) -> io::Result<EnginePorts> {
        let plan = &self.machine.state().plan;
        let inherited = &self.project.environment.inherited;
        let logs = RunLogs::new(self.run_dir.clone(), Arc::clone(secrets));
        let (logs, recorder) = match &self.recording {
            Some(recording) => {
                let (logs, recorder) = logs.recorded(recording.clone());
                (logs, Some(recorder as Arc<dyn UnitRecorder>))
            }
            None => (logs, None),
        };
        let has_lanes = plan.has_lanes();
        let scratch = scratch(&self.run_dir);
        let tasks = Arc::new(LocalTaskDatabases::new(self.project, &scratch, has_lanes));
        // The host facts are collected before signal handlers are installed: git is a child process
        // that the engine does not know.
        let host = host_facts::host_facts_of_plan(plan, self.project);
        Ok(EnginePorts {
            signals: SignalReceiver::install_in_runner(&guard)?,
            guard: Some(guard),
            environment: inherited.clone(),
            output_sink: Arc::clone(report_output)
                as Arc<dyn forkhestra_engine::output::OutputSink>,
            logs: Box::new(logs),
            recorder,
            watched_reader: Some(io::stdout().as_fd().try_clone_to_owned()?),
            scratch,
            persistent_directory: self.run_dir.kept(),
            own_program: None,
            keeper: super::keeper_program(),
            lanes: self.lanes(&tasks),
            config_files: config_files::paths(self.project),
            tasks,
            recordings: Arc::new(self.recordings()),
            requests: None,
            hook_process: HookProcess::default(),
            host,
            secrets: secret_finder(secrets),
            sandbox: sandbox_host(plan, self.project),
            state: state_root(self.run_dir.work_tree().path()).to_owned(),
        })
    }

    /// What makes the lanes of the run, if it has any.
    fn lanes(&self, tasks: &Arc<LocalTaskDatabases>) -> Arc<dyn LaneService> {
        let state = self.machine.state();
        if !state.plan.has_lanes() {
            return Arc::new(NoLanes);
        }
        let root = state_root(self.run_dir.work_tree().path()).to_owned();
        Arc::new(RepositoryLanes::new(RepositoryLanesSettings {
            run: state.run.clone(),
            plan: state.plan.clone(),
            environment: self.project.environment.inherited.clone(),
            lanes: self.run_dir.path().join("lanes"),
            caches: self.run_dir.work_tree().path().join("lane-caches"),
            ports: root.join("ports"),
            scratch: scratch(&self.run_dir).join("merge-queue"),
            persistent_directory: self.run_dir.kept(),
            own_paths: vec![root, self.run_dir.path().to_owned()],
            tasks: Arc::new(LocalLaneTasks::new(
                Arc::clone(tasks),
                state.plan.task_database.as_ref().map(PathBuf::from),
            )),
        }))
    }

    /// Recordings to play in place of agents. The state directory and the directory of a new
    /// recording are excluded from the comparison of the work tree.
    fn recordings(&self) -> DiskRecordings {
        let plan = &self.machine.state().plan;
        let state = state_root(self.run_dir.work_tree().path()).to_owned();
        let record = plan.record.as_ref();
        let record = record.map(|place| Path::new(&plan.working_directory).join(place));
        // The work tree of a forked run may be inside the state directory.
        let is_around = Path::new(&plan.working_directory).starts_with(&state);
        let state = (!is_around).then_some(state);
        DiskRecordings {
            environment: self.project.environment.inherited.clone(),
            own_paths: state.into_iter().chain(record).collect(),
        }
    }
}
