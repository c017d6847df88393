//! The directory of a recording.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::plan::RecordedStep;
use forkhestra_core::text::count;

use super::error::RecordingError;
use super::manifest::RecordingManifest;
use super::unit_recording::{UNIT_FILE, UnitRecording, read};
use crate::disk::Disk;
use crate::disk::file_error::FileError;
use crate::disk::files;

/// The file that makes a directory a recording.
const MANIFEST_FILE: &str = "recording.json";

/// A recording on disk.
#[derive(Debug, Clone)]
pub struct Recording {
    directory: PathBuf,
    run: RunId,
    steps: Vec<RecordedStep>,
}

impl Recording {
    /// Checks that a new recording can be written to a directory: it is missing or empty.
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
        if !directory.join(MANIFEST_FILE).exists() {
            return Err(RecordingError::InTheWay(directory.to_owned()));
        }
        let run = Self::open(directory)?.run;
        Err(RecordingError::AlreadyThere { directory: directory.to_owned(), run })
    }

    /// Begins a recording in a directory that is missing or empty.
    pub fn create(
        disk: &dyn Disk,
        directory: &Path,
        manifest: &RecordingManifest,
    ) -> Result<Self, RecordingError> {
        Self::check_free(directory)?;
        files::create_directories(disk, directory)?;
        files::replace(disk, &directory.join(MANIFEST_FILE), &json(manifest))?;
        Self::at(directory, manifest.clone())
    }

    /// Opens a recording.
    pub fn open(directory: &Path) -> Result<Self, RecordingError> {
        let manifest: RecordingManifest = read(directory, MANIFEST_FILE)?;
        match manifest.problem() {
            Some(why) => Err(RecordingError::damaged(&directory.join(MANIFEST_FILE), why)),
            None => Self::at(directory, manifest),
        }
    }

    /// The path of the directory is resolved now. Agents may replace a part of it by a link later, and units are
    /// written without following links.
    fn at(directory: &Path, manifest: RecordingManifest) -> Result<Self, RecordingError> {
        let real = fs::canonicalize(directory).map_err(FileError::of("find", directory))?;
        Ok(Self { directory: real, run: manifest.run, steps: manifest.steps })
    }

    /// Opens the recording of a run that is resumed, or begins one if there is none.
    pub fn resume(
        disk: &dyn Disk,
        directory: &Path,
        manifest: &RecordingManifest,
    ) -> Result<Self, RecordingError> {
        match Self::create(disk, directory, manifest) {
            Err(RecordingError::AlreadyThere { run, .. }) if run == manifest.run => {
                Self::open(directory)
            }
            created => created,
        }
    }

    /// Has git ignore the recording. Agents would commit one that is inside their work tree.
    pub fn hide_from_git(&self, disk: &dyn Disk) -> Result<(), RecordingError> {
        Ok(files::write(disk, &self.directory.join(".gitignore"), b"*\n")?)
    }

    /// The path of the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The run that was recorded.
    pub const fn run(&self) -> &RunId {
        &self.run
    }

    /// The steps of that run, in order.
    pub fn steps(&self) -> &[RecordedStep] {
        &self.steps
    }

    /// The recording of an iteration: of this try, or else of its last one.
    pub fn unit(
        &self,
        step: usize,
        iteration: u32,
        attempt: u32,
    ) -> Result<UnitRecording, RecordingError> {
        let of_step: BTreeSet<UnitId> =
            self.units()?.into_iter().filter(|unit| unit.step == step).collect();
        let wanted = UnitId { step, iteration, attempt };
        let mut tries = of_step.iter().filter(|unit| unit.iteration == iteration);
        if let Some(found) = of_step.get(&wanted).or_else(|| tries.next_back()) {
            return UnitRecording::open(&self.unit_directory(*found));
        }
        let agent = step.checked_sub(1).and_then(|place| self.steps.get(place));
        let agent = agent.map(|step| format!(" ({})", step.agent)).unwrap_or_default();
        let iterations: BTreeSet<u32> = of_step.iter().map(|unit| unit.iteration).collect();
        Err(RecordingError::Unusable(format!(
            "iteration {iteration} of step {step}{agent} was not recorded: {} has {} of this step",
            self.directory.display(),
            count(iterations.len(), "iteration"),
        )))
    }

    /// All complete units, in order. One that a kill cut off has no `unit.json`.
    pub fn units(&self) -> Result<Vec<UnitId>, RecordingError> {
        let failed = || FileError::of("read", &self.directory);
        let mut units = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(failed())? {
            let name = entry.map_err(failed())?.file_name();
            units.extend(name.to_str().and_then(unit_called));
        }
        units.retain(|unit| self.unit_directory(*unit).join(UNIT_FILE).exists());
        units.sort_unstable();
        Ok(units)
    }

    /// The directory of a unit.
    pub(super) fn unit_directory(&self, unit: UnitId) -> PathBuf {
        let UnitId { step, iteration, attempt } = unit;
        self.directory.join(format!("{step}-{iteration}-{attempt}"))
    }
}

/// Parses the name of a unit's directory.
fn unit_called(name: &str) -> Option<UnitId> {
    let mut numbers = name.split('-');
    let step = numbers.next()?.parse().ok()?;
    let iteration = numbers.next()?.parse().ok()?;
    let attempt = numbers.next()?.parse().ok()?;
    // Other spellings of the numbers, such as `01`, are not names of units.
    let is_name = format!("{step}-{iteration}-{attempt}") == name;
    is_name.then_some(UnitId { step, iteration, attempt })
}

/// Encodes content as pretty-printed JSON with a final line break.
pub(super) fn json(content: &impl serde::Serialize) -> Vec<u8> {
    let mut json = serde_json::to_vec_pretty(content).expect("it has no keys but texts");
    json.push(b'\n');
    json
}
