//! The directory of one run.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{AuxJob, HookMoment};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::time::Timestamp;

use crate::disk::file_error::FileError;
use crate::disk::{Disk, SYSTEM};
use crate::runs::work_tree_dir::WorkTreeDir;

/// The name of the journal in a run's directory.
const JOURNAL: &str = "journal.jsonl";
/// The file that names the process which writes the journal.
const OWNER: &str = "owner";
/// The socket by which the run is steered while it is going on.
const CONTROL: &str = "control";
/// What a list of runs says of it, once it is over.
const OVERVIEW: &str = "overview.json";
/// What a run in the background said.
const CONSOLE: &str = "console.log";
/// The directory of what agents printed, and what was run beside them.
const OUTPUT: &str = "output";
/// What hooks printed, in it. The names of what belongs to an agent are numbers.
const HOOKS: &str = "hooks";

/// The directory of one run, called after when the run started and its id.
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
    /// There is nothing, or it is out of reach.
    #[error(transparent)]
    OutOfReach(FileError),
    /// It is something else.
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
        // The name has whole seconds, and what is read from it must be equal.
        let seconds = started.milliseconds().div_euclid(1000);
        let started = Timestamp::from_milliseconds(seconds * 1000);
        let path = tree.join(format!("{}-{run}", compact(started)));
        Self { disk, path, run, started }
    }

    /// Takes a directory for that of a run, by its name.
    pub(crate) fn from_path(disk: &'static dyn Disk, path: &Path) -> Option<Self> {
        let (moment, run) = path.file_name()?.to_str()?.split_once('-')?;
        let run = RunId::parse(run).ok()?;
        let started = Timestamp::parse(moment).ok()?;
        let directory = Self::below(disk, path.parent()?, run, started);
        // Other spellings of a moment are not ours.
        (directory.path == path).then_some(directory)
    }

    /// Finds a run by a path that a person gave: that of its directory or of its journal.
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

    /// The disk it is on.
    pub fn disk(&self) -> &'static dyn Disk {
        self.disk
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run's id.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// When the run started, to the second.
    pub fn started(&self) -> Timestamp {
        self.started
    }

    /// The journal.
    pub fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    /// Who writes the journal, as long as somebody does.
    pub(crate) fn owner_file(&self) -> PathBuf {
        self.path.join(OWNER)
    }

    /// The socket by which the run is steered while somebody is at work on it.
    pub(crate) fn control(&self) -> PathBuf {
        self.path.join(CONTROL)
    }

    /// What a list of runs says of this one, once it is over.
    pub(crate) fn overview(&self) -> PathBuf {
        self.path.join(OVERVIEW)
    }

    /// What a run in the background says, which has no screen. It is there if the run ever was.
    pub fn console(&self) -> PathBuf {
        self.path.join(CONSOLE)
    }

    /// Whether somebody writes the journal, or was killed before it was closed.
    pub fn has_owner_file(&self) -> bool {
        self.owner_file().exists()
    }

    /// The directory of what all agents printed, and what was run beside them.
    pub fn output(&self) -> PathBuf {
        self.path.join(OUTPUT)
    }

    /// The directory of what one agent printed. It is not there before it is needed.
    pub fn output_of(&self, unit: UnitId) -> PathBuf {
        output_of(&self.path, unit)
    }

    /// The directory of what a check, a hook or the setup of a clean room printed. It is not there
    /// before it is needed; what is run again takes the place of what it printed before.
    pub fn output_of_aux_job(&self, errand: AuxJob) -> PathBuf {
        output_of_errand(&self.path, errand)
    }

    /// Where all runs of the same work tree are kept.
    pub fn work_tree(&self) -> WorkTreeDir {
        let parent = self.path.parent().expect("the path ends with a name that was appended");
        WorkTreeDir::at(self.disk, parent.to_owned())
    }

    /// Sorts the newest to the front.
    pub fn newest_first(&self, other: &Self) -> Ordering {
        other.started.cmp(&self.started).then_with(|| self.path.cmp(&other.path))
    }
}

/// A moment as names of files have it, to the second.
pub(crate) fn compact(moment: Timestamp) -> String {
    let text = moment.to_string();
    let compact: String = text.chars().filter(|c| !matches!(c, '-' | ':')).collect();
    format!("{}Z", compact.split('.').next().unwrap_or(&compact))
}

/// The directory of what one agent printed, below the directory of its run.
pub(crate) fn output_of(run: &Path, unit: UnitId) -> PathBuf {
    run.join(OUTPUT).join(named(unit))
}

/// The directory of what an errand printed, below the directory of its run: what belongs to an agent
/// is in that agent's directory, beside the files of its own streams.
pub(crate) fn output_of_errand(run: &Path, errand: AuxJob) -> PathBuf {
    match errand {
        AuxJob::Setup { unit } => output_of(run, unit).join("setup"),
        AuxJob::Check { unit, number } => output_of(run, unit).join(format!("check-{number}")),
        AuxJob::Hook { moment: HookMoment { point, unit }, number } => {
            let about = unit.map_or_else(|| "end".to_owned(), named);
            run.join(OUTPUT).join(HOOKS).join(format!("{point}-{about}-{number}"))
        }
    }
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
    fn other_names_are_no_runs() {
        for name in ["lock", "20261115T075912Z", "20261115T075912Z-UPPER123", "x-abcd1234", "-"]
            .into_iter()
            .chain(["20261115T075912.5Z-abcd1234", "2026-11-15T07:59:12Z-abcd1234"])
        {
            assert_eq!(RunDir::from_path(&SYSTEM, &Path::new("/s/t").join(name)), None, "{name}");
        }
    }

    #[test]
    fn outputs_have_a_place_for_each_try() {
        let directory = RunDir::below(&SYSTEM, Path::new("/s"), run(), Timestamp::default());
        let unit = UnitId { step: 2, iteration: 13, attempt: 1 };
        assert!(directory.output_of(unit).ends_with("output/2-13-1"));
    }

    #[test]
    fn errands_have_a_place_each_that_is_not_that_of_an_agent() {
        let directory = RunDir::below(&SYSTEM, Path::new("/s"), run(), Timestamp::default());
        let unit = UnitId { step: 2, iteration: 13, attempt: 1 };
        let hook = |point, unit| AuxJob::Hook { moment: HookMoment { point, unit }, number: 3 };
        for (errand, expected) in [
            (AuxJob::Setup { unit }, "output/2-13-1/setup"),
            (AuxJob::Check { unit, number: 2 }, "output/2-13-1/check-2"),
            (hook(HookPoint::PreIteration, Some(unit)), "output/hooks/pre-iteration-2-13-1-3"),
            (hook(HookPoint::OnComplete, Some(unit)), "output/hooks/on-complete-2-13-1-3"),
            (hook(HookPoint::OnFailure, None), "output/hooks/on-failure-end-3"),
        ] {
            let place = directory.output_of_aux_job(errand);
            assert!(place.ends_with(expected), "{}", place.display());
        }
    }
}
