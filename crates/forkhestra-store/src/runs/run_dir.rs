//! The directory of one run.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{AuxJob, HookMoment};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::time::Timestamp;

use crate::disk::file_error::FileError;
use crate::disk::untrusted_path::{
    HardLinkRule, UntrustedPath, require_own_directory, require_own_file,
};
use crate::disk::{Disk, SYSTEM};
use crate::runs::work_tree_dir::WorkTreeDir;

const JOURNAL: &str = "journal.jsonl";
/// The file that names the process which writes the journal.
const OWNER: &str = "owner";
/// The identity of the work tree.
const ORIGIN: &str = "origin.json";
/// The control socket of a running run.
const CONTROL: &str = "control";
/// The cached list row of a finished run.
const OVERVIEW: &str = "overview.json";
/// The cached statistics of a finished run.
const STATISTICS: &str = "stats.json";
/// The messages of a background run.
const CONSOLE: &str = "console.log";
/// The directory for the output of agents and aux jobs.
const OUTPUT: &str = "output";
/// The directory for the output of hooks, inside [`OUTPUT`]. Directories of agents have numeric
/// names.
const HOOKS: &str = "hooks";

/// The directory of one run, named after the run's start time and id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDir {
    disk: &'static dyn Disk,
    path: PathBuf,
    run: RunId,
    started: Timestamp,
}

/// Why a path is not that of a run.
#[derive(Debug, thiserror::Error)]
pub enum RunDirError {
    /// The path does not exist or is not accessible.
    #[error(transparent)]
    OutOfReach(FileError),
    #[error("{} is neither the directory nor the journal nor a view of a run", .0.display())]
    SomethingElse(PathBuf),
}

impl RunDir {
    pub(crate) fn below(
        disk: &'static dyn Disk,
        tree: &Path,
        run: RunId,
        started: Timestamp,
    ) -> Self {
        // The name has whole seconds, and the time parsed from it must be equal.
        let seconds = started.milliseconds().div_euclid(1000);
        let started = Timestamp::from_milliseconds(seconds * 1000);
        let path = tree.join(format!("{}-{run}", file_timestamp(started)));
        Self { disk, path, run, started }
    }

    /// Parses the name of a run's directory.
    pub(crate) fn from_path(disk: &'static dyn Disk, path: &Path) -> Option<Self> {
        let (timestamp, run) = path.file_name()?.to_str()?.split_once('-')?;
        let run = RunId::parse(run).ok()?;
        let started = Timestamp::parse(timestamp).ok()?;
        let directory = Self::below(disk, path.parent()?, run, started);
        // Other spellings of a time are not names of runs.
        (directory.path == path).then_some(directory)
    }

    /// Finds a run by a path from the operator: its directory or its journal.
    pub fn at(path: &Path) -> Result<Self, RunDirError> {
        let real = fs::canonicalize(path)
            .map_err(|error| RunDirError::OutOfReach(FileError::of("find", path)(error)))?;
        let directory = match real.file_name() {
            Some(name) if name == JOURNAL => real.parent().map(Path::to_path_buf),
            _ => Some(real),
        };
        directory
            .and_then(|directory| Self::from_path(&SYSTEM, &directory))
            .ok_or_else(|| RunDirError::SomethingElse(path.to_owned()))
    }

    /// The disk that the directory is on.
    pub fn disk(&self) -> &'static dyn Disk {
        self.disk
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The id of the run.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// When the run started, to the second.
    pub fn started(&self) -> Timestamp {
        self.started
    }

    /// Whether the run may have started at this time or later. The name of the directory tells
    /// only the second.
    pub fn may_have_started_since(&self, time: Timestamp) -> bool {
        self.started.milliseconds().saturating_add(999) >= time.milliseconds()
    }

    /// The directory for files that the run keeps when its process ends: copies of snapshots, baselines, caches.
    pub fn kept(&self) -> PathBuf {
        self.path.join("kept")
    }

    /// The path of the journal.
    pub fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    /// The file that names the writer of the journal.
    pub(crate) fn owner_file(&self) -> PathBuf {
        self.path.join(OWNER)
    }

    /// The control socket, which exists while a process works on the run.
    pub(crate) fn control(&self) -> PathBuf {
        self.path.join(CONTROL)
    }

    /// The cached list row, which exists once the run is over.
    pub(crate) fn overview(&self) -> PathBuf {
        self.path.join(OVERVIEW)
    }

    /// The cached statistics, which exist once the run is over.
    pub(crate) fn statistics(&self) -> PathBuf {
        self.path.join(STATISTICS)
    }

    /// The messages of the run in the background. The file exists if the run ever was there.
    pub fn console(&self) -> PathBuf {
        self.path.join(CONSOLE)
    }

    /// Whether a process writes the journal, or was killed before closing it.
    pub fn has_owner_file(&self) -> bool {
        self.owner_file().exists()
    }

    /// The directory for the output of all agents and aux jobs.
    pub fn output(&self) -> PathBuf {
        self.path.join(OUTPUT)
    }

    /// The directory for the output of one agent. It is created with the first output.
    pub fn output_of(&self, unit: UnitId) -> PathBuf {
        self.output().join(named(unit))
    }

    /// The directory for the output of an aux job. It is created with the first output; a repeated
    /// job replaces its output. The output of a job that belongs to an agent is in that agent's
    /// directory, beside its stream files.
    pub fn output_of_aux_job(&self, aux_job: AuxJob) -> PathBuf {
        match aux_job {
            AuxJob::Setup { unit } => self.output_of(unit).join("setup"),
            AuxJob::Check { unit, number } => self.output_of(unit).join(format!("check-{number}")),
            AuxJob::Hook { moment: HookMoment { point, unit }, number } => {
                let about = unit.map_or_else(|| "end".to_owned(), named);
                self.output().join(HOOKS).join(format!("{point}-{about}-{number}"))
            }
        }
    }

    /// Requires that only this user can write to the directory, to its parents in the state directory, and to the
    /// journal.
    pub fn require_trusted(&self) -> Result<(), FileError> {
        self.work_tree().require_trusted()?;
        require_own_directory(&self.path)?;
        let journal = self.journal();
        let Ok(found) = fs::symlink_metadata(&journal) else { return Ok(()) };
        let checked = match found.is_symlink() {
            true => Err(UntrustedPath::Link(journal.clone())),
            false => require_own_file(&found, HardLinkRule::Allowed),
        };
        checked.map_err(|untrusted| FileError::of("use", &journal)(untrusted.into()))
    }

    /// The file with the identity of the work tree that the run belongs to.
    pub(crate) fn origin(&self) -> PathBuf {
        self.path.join(ORIGIN)
    }

    /// The directory of the run's work tree.
    pub fn work_tree(&self) -> WorkTreeDir {
        let parent = self.path.parent().expect("the path ends with a name that was appended");
        WorkTreeDir::at(self.disk, parent.to_owned())
    }

    /// Orders runs newest first.
    pub fn newest_first(&self, other: &Self) -> Ordering {
        other.started.cmp(&self.started).then_with(|| self.path.cmp(&other.path))
    }
}

/// A timestamp for file names, to the second.
pub(crate) fn file_timestamp(timestamp: Timestamp) -> String {
    let text = timestamp.to_string();
    let compact: String = text.chars().filter(|c| !matches!(c, '-' | ':')).collect();
    format!("{}Z", compact.split('.').next().unwrap_or(&compact))
}

fn named(unit: UnitId) -> String {
    let UnitId { step, iteration, attempt } = unit;
    format!("{step}-{iteration}-{attempt}")
}

#[cfg(test)]
mod tests {
    use forkhestra_core::hook::HookPoint;

    use super::*;

    fn run() -> RunId {
        RunId::parse("abcd1234").expect("an id")
    }

    #[test]
    fn a_name_reads_back_to_the_second() {
        let started = Timestamp::parse("2026-11-15T07:59:12.987Z").expect("a moment");
        let directory = RunDir::below(&SYSTEM, Path::new("/s/t"), run(), started);
        assert_eq!(directory.path(), Path::new("/s/t/20261115T075912Z-abcd1234"));
        assert_eq!(directory.started().to_string(), "2026-11-15T07:59:12.000Z");
        assert_eq!(RunDir::from_path(&SYSTEM, &directory.path), Some(directory));
    }

    #[test]
    fn a_run_may_have_started_at_any_time_of_its_second() {
        let time = |text| Timestamp::parse(text).expect("a moment");
        let started = time("2026-11-15T07:59:12.987Z");
        let directory = RunDir::below(&SYSTEM, Path::new("/s/t"), run(), started);
        assert!(directory.may_have_started_since(started));
        assert!(directory.may_have_started_since(time("2026-11-15T07:59:12.999Z")));
        assert!(!directory.may_have_started_since(time("2026-11-15T07:59:13Z")));
    }

    #[test]
    fn other_names_are_not_runs() {
        for name in ["lock", "20261115T075912Z", "20261115T075912Z-UPPER123", "x-abcd1234", "-"]
            .into_iter()
            .chain(["20261115T075912.5Z-abcd1234", "2026-11-15T07:59:12Z-abcd1234"])
        {
            assert_eq!(RunDir::from_path(&SYSTEM, &Path::new("/s/t").join(name)), None, "{name}");
        }
    }

    #[test]
    fn outputs_have_a_directory_for_each_attempt() {
        let directory = RunDir::below(&SYSTEM, Path::new("/s"), run(), Timestamp::default());
        let unit = UnitId { step: 2, iteration: 13, attempt: 1 };
        assert!(directory.output_of(unit).ends_with("output/2-13-1"));
    }

    #[test]
    fn aux_jobs_have_their_own_output_directories() {
        let directory = RunDir::below(&SYSTEM, Path::new("/s"), run(), Timestamp::default());
        let unit = UnitId { step: 2, iteration: 13, attempt: 1 };
        let hook = |point, unit| AuxJob::Hook { moment: HookMoment { point, unit }, number: 3 };
        for (aux_job, expected) in [
            (AuxJob::Setup { unit }, "output/2-13-1/setup"),
            (AuxJob::Check { unit, number: 2 }, "output/2-13-1/check-2"),
            (hook(HookPoint::PreIteration, Some(unit)), "output/hooks/pre-iteration-2-13-1-3"),
            (hook(HookPoint::OnComplete, Some(unit)), "output/hooks/on-complete-2-13-1-3"),
            (hook(HookPoint::OnFailure, None), "output/hooks/on-failure-end-3"),
        ] {
            let place = directory.output_of_aux_job(aux_job);
            assert!(place.ends_with(expected), "{}", place.display());
        }
    }
}
