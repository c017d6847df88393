//! Tests snapshots with the checks of a plan.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forkhestra_core::bisect::{SkipReason, TrialAbort, TrialAnswer};
use forkhestra_core::event::{AuxJob, CancelCause};
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::{HumanDuration, Limit};
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::PlanStep;
use forkhestra_core::text::count::Count;

use super::bisect_directory::BisectDirectory;
use super::trial_process::{FinishedTrialProcess, TrialLoop, TrialProcessEnd};
use crate::aux_job::aux_job_command::{self, AuxJobProcess, PreparedAuxJob, parse_program_result};
use crate::aux_job::aux_job_tails::joined_tails;
use crate::aux_job::room_home::{CheckRoomDir, RoomHome};
use crate::launch::agent_command::{RUN_TAG, run_ids, set};
use crate::launch::workplace_settings::WorkplaceSettings;
use crate::ports::EnginePorts;
use crate::process::ChildProcesses;
use crate::repository::git_program::GitError;
use crate::repository::{CheckoutRequest, SnapshotCheckout, SnapshotReader};
use crate::sandbox::setup_failure;
use crate::work_tree::own_paths::real_path;

/// What snapshots are tested with.
pub struct TrialSettings<'a> {
    /// The environment of the tests. Its scratch directory is that of the search.
    pub ports: EnginePorts,
    pub directory: &'a BisectDirectory,
    pub reader: &'a SnapshotReader,
    /// A state without events. All checks of the step are run, after the set-up of its clean room.
    pub state: RunState,
    /// The step, counted from one.
    pub step: usize,
    /// How often each snapshot is tested.
    pub times: Count,
    /// Whether each test begins without files that others left.
    pub is_fresh: bool,
    /// Whether a command of the user decides, by its exit code alone.
    pub is_command: bool,
}

/// Tests snapshots.
pub struct TrialRunner<'a> {
    settings: TrialSettings<'a>,
    children: ChildProcesses,
    checkout: SnapshotCheckout,
    /// The working directory of the run below the top of its repository.
    below: PathBuf,
}

/// The result of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialReport {
    pub answer: TrialAnswer,
    /// The time of the commands.
    pub duration: Duration,
    /// The last lines of the command that decided.
    pub output: Option<String>,
}

/// Why a search cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    #[error("the search was interrupted")]
    Cancelled(CancelCause),
    #[error("{why}")]
    Abort {
        why: TrialAbort,
        /// The last lines of the command.
        output: Option<String>,
    },
    #[error("the files of the snapshot cannot be written: {0}")]
    Checkout(String),
    #[error("the files of the search were removed, for example with their run")]
    Removed,
    #[error("the test cannot be run: {0}")]
    Io(#[from] io::Error),
}

impl From<GitError> for TrialError {
    fn from(error: GitError) -> Self {
        Self::Checkout(error.to_string())
    }
}

impl<'a> TrialRunner<'a> {
    /// A runner whose checkout is created with the first test.
    pub fn new(settings: TrialSettings<'a>) -> Self {
        let below =
            below_top(Path::new(&settings.state.plan.working_directory), settings.reader.top());
        let kept = &settings.ports.persistent_directory;
        let checkout = SnapshotCheckout::new(settings.directory.path(), settings.reader, kept);
        Self { settings, children: ChildProcesses::default(), checkout, below }
    }

    /// Tests a snapshot as often as it is to be tested, but not further than the tests agree.
    pub fn test(&mut self, request: &CheckoutRequest<'_>) -> Result<TrialReport, TrialError> {
        let mut report = self.test_once(request)?;
        for _ in 1..self.settings.times.get() {
            if matches!(report.answer, TrialAnswer::Skip(_)) {
                break;
            }
            let next = self.test_once(request)?;
            report.answer = report.answer.combined(next.answer);
            report.duration += next.duration;
            report.output = next.output.or(report.output);
        }
        Ok(report)
    }

    fn test_once(&mut self, request: &CheckoutRequest<'_>) -> Result<TrialReport, TrialError> {
        if let Some(by) = self.trial_loop().cancelled()? {
            return Err(TrialError::Cancelled(by));
        }
        if self.settings.is_fresh {
            self.checkout.clear()?;
        }
        self.checkout.fill(self.settings.reader, request)?;
        let work = match self.below.as_os_str().is_empty() {
            true => self.checkout.path().to_owned(),
            false => self.checkout.path().join(&self.below),
        };
        let mut report =
            TrialReport { answer: TrialAnswer::Good, duration: Duration::ZERO, output: None };
        // A link could lead out of the checkout.
        if !fs::canonicalize(&work).is_ok_and(|real| real == work && real.is_dir()) {
            report.answer = TrialAnswer::Skip(SkipReason::NoDirectory);
            return Ok(report);
        }
        let room = self.create_room(work)?;
        let started = Instant::now();
        for job in self.jobs() {
            (report.answer, report.output) = self.run(job, &room)?;
            if report.answer != TrialAnswer::Good {
                break;
            }
        }
        report.duration = started.elapsed();
        // Without its files, a test fails whatever the snapshot is.
        match self.settings.directory.path().is_dir() {
            true => Ok(report),
            false => Err(TrialError::Removed),
        }
    }

    /// The checkout with a home directory for one test.
    fn create_room(&self, work: PathBuf) -> io::Result<CheckRoomDir> {
        let ports = &self.settings.ports;
        let home = RoomHome::create(&ports.scratch, &ports.environment)?;
        Ok(CheckRoomDir { path: work, home, objects: self.checkout.objects() })
    }

    /// The set-up of the clean room, if there is one, and all checks.
    fn jobs(&self) -> Vec<AuxJob> {
        let step = self.step();
        // Checks that belong to no iteration.
        let unit = UnitId { step: self.settings.step, iteration: 0, attempt: 1 };
        let has_setup = step.clean_room.as_ref().is_some_and(|room| room.value.setup.is_some());
        let setup = has_setup.then_some(AuxJob::Setup { unit });
        let checks = (1..=step.checks.len()).map(|number| AuxJob::Check { unit, number });
        setup.into_iter().chain(checks).collect()
    }

    fn run(
        &mut self,
        job: AuxJob,
        room: &CheckRoomDir,
    ) -> Result<(TrialAnswer, Option<String>), TrialError> {
        let TrialSettings { state, ports, .. } = &self.settings;
        let place = WorkplaceSettings::of_run(ports, state);
        let result = match aux_job_command::prepare(job, state, ports, &place, Some(room)) {
            PreparedAuxJob::Known(result) => result,
            PreparedAuxJob::Slow(work) => work(),
            PreparedAuxJob::Process(process) => return self.run_process(job, process),
            PreparedAuxJob::Impossible(why) => {
                return Err(TrialError::Abort { why: TrialAbort::NotStarted(why), output: None });
            }
        };
        Ok((TrialAnswer::of_verdict(result.passed == Some(true)), result.message))
    }

    fn run_process(
        &mut self,
        job: AuxJob,
        mut process: AuxJobProcess,
    ) -> Result<(TrialAnswer, Option<String>), TrialError> {
        let tag = self.settings.directory.tag();
        // A resume of the run must not take the process for a leftover.
        let tags = run_ids(&self.settings.ports.environment, &tag.to_string_lossy());
        set(&mut process.environment, RUN_TAG, tags);
        let timeout = self.timeout(job);
        let FinishedTrialProcess { end, stdout, stderr } =
            self.trial_loop().run(&process, timeout)?;
        let tails = joined_tails(&stdout, &stderr);
        let result = parse_program_result(&stdout, &tails);
        let output = result
            .message
            .into_iter()
            .chain(result.tail)
            .reduce(|message, tail| format!("{tail}\n{message}"));
        let level = self.step().active_sandbox().map(|sandbox| sandbox.level);
        if let Some(why) = level.and_then(|level| setup_failure(level, &tails)) {
            let why = TrialAbort::NotStarted(format!("the sandbox cannot be set up: {why}"));
            return Err(TrialError::Abort { why, output: None });
        }
        // What a command of the user prints is no verdict.
        let verdict = result.passed.filter(|_| !self.settings.is_command);
        let answer = match end {
            TrialProcessEnd::Cancelled(by) => return Err(TrialError::Cancelled(by)),
            TrialProcessEnd::TimedOut => Ok(TrialAnswer::Skip(SkipReason::TimedOut)),
            TrialProcessEnd::Ended(end) => TrialAnswer::of_process(&end, verdict),
        };
        match (job, answer) {
            (_, Err(why)) => Err(TrialError::Abort { why, output }),
            (AuxJob::Setup { .. }, Ok(TrialAnswer::Bad)) => {
                Ok((TrialAnswer::Skip(SkipReason::Setup), output))
            }
            (_, Ok(answer)) => Ok((answer, output)),
        }
    }

    fn timeout(&self, job: AuxJob) -> Option<Duration> {
        let step = self.step();
        let limit = match job {
            AuxJob::Setup { .. } => step.clean_room.as_ref().map(|room| room.value.timeout),
            AuxJob::Check { number, .. } => {
                step.checks.get(number - 1).map(|check| check.value.timeout)
            }
            AuxJob::Hook { .. } => None,
        };
        match limit? {
            Limit::At(time) => Some(HumanDuration::duration(time)),
            Limit::Off => None,
        }
    }

    fn step(&self) -> &PlanStep {
        &self.settings.state.plan.steps[self.settings.step - 1]
    }

    fn trial_loop(&mut self) -> TrialLoop<'_> {
        let EnginePorts { signals, guard, .. } = &mut self.settings.ports;
        TrialLoop { children: &self.children, signals, guard: guard.as_ref() }
    }
}

/// The working directory of a run below the top of its repository. The recorded path counts: a
/// directory may be a link today.
fn below_top(working_directory: &Path, top: &Path) -> PathBuf {
    let below = |path: &Path| path.strip_prefix(real_path(top)).map(Path::to_owned);
    below(working_directory).or_else(|_| below(&real_path(working_directory))).unwrap_or_default()
}
