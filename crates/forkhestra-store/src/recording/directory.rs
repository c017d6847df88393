//! The directory of a recording.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::plan::RecordedStep;

use super::error::RecordingError;
use super::manifest::Manifest;
use super::unit::{UNIT, UnitRecording, read};
use crate::disk::Disk;
use crate::error::FileError;
use crate::files;

/// The file that makes a directory a recording.
const MANIFEST: &str = "recording.json";

/// A recording on disk.
#[derive(Debug, Clone)]
pub struct Recording {
    directory: PathBuf,
    run: RunId,
    manifest: Manifest,
    steps: Vec<RecordedStep>,
}

impl Recording {
    /// Whether a new recording can be written to a directory: it is not there, or empty.
    pub fn check_free(directory: &Path) -> Result<(), RecordingError> {
        let mut entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(RecordingError::InTheWay(directory.to_owned()));
            }
            Err(error) => return Err(FileError::of("read", directory)(error).into()),
        };
        if entries.next().is_none() {
            return Ok(());
        }
        if !directory.join(MANIFEST).exists() {
            return Err(RecordingError::InTheWay(directory.to_owned()));
        }
        let run = Self::open(directory)?.run;
        Err(RecordingError::AlreadyThere { directory: directory.to_owned(), run })
    }

    /// Begins a recording in a directory that is not there, or empty.
    pub fn create(
        disk: &dyn Disk,
        directory: &Path,
        manifest: Manifest,
    ) -> Result<Self, RecordingError> {
        Self::check_free(directory)?;
        let path = directory.join(MANIFEST);
        let (run, steps) = (manifest.run_id(&path)?, manifest.recorded_steps(&path)?);
        files::create_directories(disk, directory)?;
        files::replace(disk, &path, &json(&manifest))?;
        Ok(Self { directory: directory.to_owned(), run, manifest, steps })
    }

    /// Reads what a directory is a recording of.
    pub fn open(directory: &Path) -> Result<Self, RecordingError> {
        let manifest: Manifest = read(directory, MANIFEST)?;
        let path = directory.join(MANIFEST);
        let (run, steps) = (manifest.run_id(&path)?, manifest.recorded_steps(&path)?);
        Ok(Self { directory: directory.to_owned(), run, manifest, steps })
    }

    /// Goes on with the recording of a run that is resumed, or begins it if there is none.
    pub fn go_on(
        disk: &dyn Disk,
        directory: &Path,
        manifest: &Manifest,
    ) -> Result<Self, RecordingError> {
        match Self::create(disk, directory, manifest.clone()) {
            Err(RecordingError::AlreadyThere { run, .. }) if run.as_str() == manifest.run => {
                Self::open(directory)
            }
            created => created,
        }
    }

    /// Has git ignore the recording, for one that is inside the work tree in which its agents work. They
    /// would commit it otherwise.
    pub fn hide_from_git(&self, disk: &dyn Disk) -> Result<(), RecordingError> {
        Ok(files::write(disk, &self.directory.join(".gitignore"), b"*\n")?)
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The run that was recorded.
    pub const fn run(&self) -> &RunId {
        &self.run
    }

    /// What it says of that run.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The steps of that run, in order.
    pub fn steps(&self) -> &[RecordedStep] {
        &self.steps
    }

    /// What was recorded of an iteration: this try, or else its last one.
    pub fn unit(
        &self,
        step: usize,
        iteration: u32,
        attempt: u32,
    ) -> Result<UnitRecording, RecordingError> {
        let directory = || self.directory.clone();
        let Some(recorded) = step.checked_sub(1).and_then(|place| self.steps.get(place)) else {
            let steps = self.steps.len();
            return Err(RecordingError::NoSuchStep { directory: directory(), step, steps });
        };
        let wanted = UnitId { step, iteration, attempt };
        let of_step: BTreeSet<UnitId> =
            self.units()?.into_iter().filter(|unit| unit.step == step).collect();
        let mut tries = of_step.iter().filter(|unit| unit.iteration == iteration);
        let found = if of_step.contains(&wanted) { Some(&wanted) } else { tries.next_back() };
        let Some(found) = found else {
            let iterations: BTreeSet<u32> = of_step.iter().map(|unit| unit.iteration).collect();
            return Err(RecordingError::NotRecorded {
                directory: directory(),
                step,
                agent: recorded.agent.clone(),
                iteration,
                recorded: iterations.len(),
            });
        };
        UnitRecording::open(&self.place_of(*found))
    }

    /// All units that were recorded whole, in order.
    pub fn units(&self) -> Result<Vec<UnitId>, RecordingError> {
        Ok(self.all()?.into_iter().filter(|unit| self.is_whole(*unit)).collect())
    }

    /// All units that were not: whoever recorded them was killed, or could not go on.
    pub fn unfinished(&self) -> Result<Vec<UnitId>, RecordingError> {
        Ok(self.all()?.into_iter().filter(|unit| !self.is_whole(*unit)).collect())
    }

    /// Where a unit is recorded.
    pub(super) fn place_of(&self, unit: UnitId) -> PathBuf {
        let UnitId { step, iteration, attempt } = unit;
        self.directory.join(format!("{step}-{iteration}-{attempt}"))
    }

    fn is_whole(&self, unit: UnitId) -> bool {
        self.place_of(unit).join(UNIT).exists()
    }

    fn all(&self) -> Result<BTreeSet<UnitId>, RecordingError> {
        let failed = || FileError::of("read", &self.directory);
        let entries = fs::read_dir(&self.directory).map_err(failed())?;
        let names: io::Result<Vec<_>> =
            entries.map(|entry| entry.map(|entry| entry.file_name())).collect();
        let names = names.map_err(failed())?;
        Ok(names.iter().filter_map(|name| unit_called(name.to_str()?)).collect())
    }
}

/// The unit whose directory has this name.
fn unit_called(name: &str) -> Option<UnitId> {
    let mut numbers = name.split('-').map(|number| number.parse::<u32>().ok());
    let mut next = || numbers.next().flatten();
    let (step, iteration, attempt) = (next()?, next()?, next()?);
    let unit = UnitId { step: usize::try_from(step).ok()?, iteration, attempt };
    // Only one name leads back to it.
    (format!("{step}-{iteration}-{attempt}") == name).then_some(unit)
}

/// A file for people and programs.
pub(super) fn json(content: &impl serde::Serialize) -> Vec<u8> {
    let mut json = serde_json::to_vec_pretty(content).expect("it has no keys but texts");
    json.push(b'\n');
    json
}
