//! Test support: a run in a temporary directory.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Cursor, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::check::CheckSpec;
use forkhestra_core::config::{CheckWhen, ConfigLayers, OnHookError};
use forkhestra_core::dsl::Dsl;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{
    AuxJob, AuxJobResult, CompletionSignal, Event, EventKind, HookMoment, IterationReport,
    Observation, OutputSummary, ProcessEnd, Verdict,
};
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::limit::Limit;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::{
    self, FileState, HostEnvironment, PlanCheck, PlanHook, PlanRequest, ProgramLocation, RunTarget,
    Sourced, ValueOrigin,
};
use forkhestra_core::time::Timestamp;
use serde_json::Value;

use crate::launch::workplace_settings::WorkplaceSettings;

use crate::aux_job::aux_job_command::{
    AuxJobContext, AuxJobProcess, PreparedAuxJob, parse_program_result, prepare_at,
};
use crate::aux_job::room_home::{CheckRoomDir, RoomHome};
use crate::output::OutputLogSink;
use crate::output::null_output::NullOutput;
use crate::ports::{NoTaskDatabases, OutputLogs, TaskDatabases};

/// A run in a temporary directory. Tests are about its first iteration.
pub(crate) struct AuxJobCase {
    place: tempfile::TempDir,
    pub(crate) state: RunState,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) logs: Box<dyn OutputLogs>,
    pub(crate) tasks: Arc<dyn TaskDatabases>,
    pub(crate) room: Option<CheckRoomDir>,
}

/// The result of an aux job that is a process.
#[derive(Debug)]
pub(crate) struct AuxJobRun {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) answer: AuxJobResult,
}

impl AuxJobCase {
    /// A run of this chain in an empty directory.
    pub(crate) fn new(chain: &str) -> Self {
        let directory = tempfile::tempdir().expect("there is room");
        let project = directory.path().join("project");
        fs::create_dir(&project).expect("the place is ours");
        let chain = Dsl::parse(chain).expect("this is a chain");
        let project = project.to_str().expect("the place has a plain name");
        let request = PlanRequest::new(RunTarget::Dsl(chain), project);
        let planned = plan::build(&request, &ConfigLayers::default(), &AuxJobHost)
            .expect("nothing is missing");
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self {
            place: directory,
            state: RunState::new(RunId::parse("abcd1234").expect("an id"), planned.plan),
            environment: vec![("PATH".into(), path)],
            logs: Box::new(NullOutput),
            tasks: Arc::new(NoTaskDatabases),
            room: None,
        }
    }

    /// A run with a check of the first step, whose agent has exited with this code.
    pub(crate) fn check(spec: &str, code: i32) -> Self {
        let mut case = Self::new("a:3");
        let check = PlanCheck {
            check: CheckSpec::parse(spec).expect("it is a check"),
            name: None,
            when: CheckWhen::Always,
            timeout: Limit::Off,
            must_fail_first: false,
            runner: None,
        };
        case.state.plan.steps[0].checks = vec![Sourced::new(check, ValueOrigin::Default)];
        case.agent_has_exited(code);
        case
    }

    pub(crate) fn unit() -> UnitId {
        UnitId { step: 1, iteration: 1, attempt: 1 }
    }

    pub(crate) fn the_check() -> AuxJob {
        AuxJob::Check { unit: Self::unit(), number: 1 }
    }

    /// Adds a hook and returns its aux job.
    pub(crate) fn hook(&mut self, on: HookPoint, run: &str, unit: Option<UnitId>) -> AuxJob {
        let hook = PlanHook {
            on,
            run: run.to_owned(),
            timeout: Limit::Off,
            on_error: OnHookError::Continue,
        };
        self.state.plan.hooks.push(Sourced::new(hook, ValueOrigin::Default));
        let number = self.state.plan.hooks.len();
        AuxJob::Hook { moment: HookMoment { point: on, unit }, number }
    }

    /// Applies an event.
    pub(crate) fn happens(&mut self, kind: EventKind) {
        let at = Timestamp::default();
        let event = Event::new(at, Duration::ZERO, kind);
        self.state.apply(&event).expect("it fits what happened before");
    }

    /// The first agent has exited, and its work is to be checked.
    pub(crate) fn agent_has_exited(&mut self, code: i32) {
        let (unit, observation) = (Self::unit(), Observation::default());
        self.happens(EventKind::StepStarted { instead_of: None, step: 1, observation });
        self.happens(EventKind::IterationStarted { unit, fallback: None });
        self.happens(EventKind::AgentFinished { unit, report: Self::report(code) });
    }

    /// The report of an agent that exited with this code.
    pub(crate) fn report(code: i32) -> IterationReport {
        IterationReport {
            closing_text: None,
            verdict: Verdict::Complete(CompletionSignal::File),
            end: Some(ProcessEnd::Exited(code)),
            duration: Duration::ZERO,
            observation: Observation::default(),
            output: OutputSummary::default(),
            stream_summary: None,
            spend: None,
            checks: Vec::new(),
        }
    }

    /// Sets the output of the first agent.
    pub(crate) fn printed(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.logs = Box::new(KeptAgentOutput(bytes.into()));
        self
    }

    /// The working directory of agents.
    pub(crate) fn project(&self) -> PathBuf {
        self.place.path().join("project")
    }

    /// Creates an empty clean room.
    pub(crate) fn with_room(mut self) -> Self {
        let room = self.place.path().join("room");
        fs::create_dir(&room).expect("the place is ours");
        let home = RoomHome::create(&self.place.path().join("home"), &self.environment);
        let home = home.expect("the place is ours");
        self.room = Some(CheckRoomDir { path: room, home, objects: Vec::new() });
        self
    }

    /// Writes a file below the temporary directory: `project/x` or `room/x`.
    pub(crate) fn write(&self, path: &str, content: &str, mode: u32) -> PathBuf {
        let path = self.place.path().join(path);
        fs::write(&path, content).expect("the place is ours");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("it is ours");
        path
    }

    pub(crate) fn scratch(&self) -> PathBuf {
        self.place.path().join("scratch")
    }

    /// The place of work with the environment of this case.
    pub(crate) fn workplace(&self) -> WorkplaceSettings {
        let directory = &self.state.plan.working_directory;
        WorkplaceSettings::for_test(directory, &self.environment, &self.scratch())
    }

    pub(crate) fn prepare(&self, aux_job: AuxJob) -> PreparedAuxJob {
        prepare_at(
            aux_job,
            &AuxJobContext {
                state: &self.state,
                place: &self.workplace(),
                logs: &*self.logs,
                tasks: &self.tasks,
                room: self.room.as_ref().filter(|_| !matches!(aux_job, AuxJob::Hook { .. })),
                own_program: None,
            },
        )
    }

    /// The result of an aux job that is not a process.
    #[track_caller]
    pub(crate) fn answer(&self, aux_job: AuxJob) -> AuxJobResult {
        match self.prepare(aux_job) {
            PreparedAuxJob::Known(answer) => answer,
            PreparedAuxJob::Slow(find_out) => find_out(),
            PreparedAuxJob::Process(_) => panic!("it is a process"),
            PreparedAuxJob::Impossible(reason) => panic!("it is impossible: {reason}"),
        }
    }

    /// The reason why an aux job cannot be run.
    #[track_caller]
    pub(crate) fn refusal(&self, aux_job: AuxJob) -> String {
        match self.prepare(aux_job) {
            PreparedAuxJob::Impossible(reason) => reason,
            _ => panic!("it is possible"),
        }
    }

    /// The process of an aux job.
    #[track_caller]
    pub(crate) fn process(&self, aux_job: AuxJob) -> AuxJobProcess {
        match self.prepare(aux_job) {
            PreparedAuxJob::Process(process) => process,
            PreparedAuxJob::Impossible(reason) => panic!("it is impossible: {reason}"),
            PreparedAuxJob::Known(_) | PreparedAuxJob::Slow(_) => panic!("it is no process"),
        }
    }

    /// Runs an aux job that is a process.
    #[track_caller]
    pub(crate) fn run(&self, aux_job: AuxJob) -> AuxJobRun {
        let AuxJobProcess { program, args, environment, directory, files, .. } =
            self.process(aux_job);
        let stdin = files.stdin().expect("it has something to read");
        let stdin = stdin.try_clone().expect("it is open");
        let output = Command::new(program)
            .args(args)
            .env_clear()
            .envs(environment)
            .current_dir(directory)
            .stdin(Stdio::from(stdin))
            .output()
            .expect("it can be started");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        let answer = parse_program_result(&stdout, &format!("{stdout}{stderr}"));
        AuxJobRun { code: output.status.code(), stdout, stderr, answer }
    }
}

impl AuxJobProcess {
    /// Its environment; asserts that names are unique.
    pub(crate) fn variables(&self) -> BTreeMap<&OsStr, &OsStr> {
        let pairs = self.environment.iter();
        let all: BTreeMap<&OsStr, &OsStr> =
            pairs.map(|(name, value)| (name.as_os_str(), value.as_os_str())).collect();
        assert_eq!(all.len(), self.environment.len(), "no variable is there twice");
        all
    }

    /// Its standard input.
    pub(crate) fn reads(&self) -> Value {
        let mut text = String::new();
        let mut stdin = self.files.stdin().expect("it has something to read");
        stdin.read_to_string(&mut text).expect("it is text");
        serde_json::from_str(&text).expect("it is JSON")
    }
}

/// A host on which every program and file exists.
struct AuxJobHost;

impl HostEnvironment for AuxJobHost {
    fn locate(&self, program: &str) -> ProgramLocation {
        ProgramLocation::Found(format!("/bin/{program}"))
    }

    fn file(&self, _: &str) -> FileState {
        FileState::Readable
    }

    fn prompt_file(&self, _: &str) -> FileState {
        FileState::Readable
    }

    fn task_database(&self) -> Option<String> {
        None
    }
}

/// Stores the output of the first agent.
struct KeptAgentOutput(Vec<u8>);

impl OutputLogs for KeptAgentOutput {
    fn open(&self, _: UnitId, _: OutputStream) -> Box<dyn OutputLogSink> {
        Box::new(NullOutput)
    }

    fn read_output(
        &self,
        unit: UnitId,
        stream: OutputStream,
    ) -> io::Result<Option<Box<dyn Read + Send>>> {
        let is_kept = unit == AuxJobCase::unit() && stream == OutputStream::Stdout;
        Ok(is_kept.then(|| Box::new(Cursor::new(self.0.clone())) as Box<dyn Read + Send>))
    }

    fn path_of(&self, unit: UnitId, stream: OutputStream) -> Option<PathBuf> {
        Some(Path::new("/logs").join(format!("{unit}-{stream}")))
    }
}
