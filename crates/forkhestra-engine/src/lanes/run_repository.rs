//! The user's repository while a stage with lanes runs.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{LandingRefusalKind, PathList};
use forkhestra_core::id::{CommitId, LaneNumber, UnitId};
use forkhestra_core::machine::{ExpectedIntegration, LanesInput, MergedWork, WorkToMerge};
use forkhestra_core::time::Timestamp;

use super::opened_lane::OpenedLane;
use crate::repository::{
    CommitPerson, ConflictedPath, EntryMerge, ForwardOutcome, ForwardRequest, IntegrationRoom,
    LandedEntry, LandingMessage, LandingSignature, LaneSource, MergeEntry, QueueRepository,
};
use crate::work_tree::own_paths::real_path;

/// The user's repository while a stage with lanes runs.
#[derive(Debug)]
pub(super) struct RunRepository {
    pub(super) source: LaneSource,
    pub(super) queue: QueueRepository,
    /// The full name of the branch with which the stage began; none if `HEAD` is detached.
    pub(super) branch: Option<String>,
    /// The commit of the integration ref.
    pub(super) integration: String,
    pub(super) room: Option<IntegrationRoom>,
    /// The file with the branch, so that a resume brings no other one forward.
    branch_file: PathBuf,
    pub(super) lanes: BTreeMap<LaneNumber, OpenedLane>,
    /// What has landed, for the names of conflicts.
    landed: Vec<(UnitId, LandedEntry)>,
    /// Merged work that has not landed yet, by its last commit.
    merged: Vec<(UnitId, LandedEntry)>,
}

/// The name with which forkhestra makes merge commits.
const COMMITTER: &str = "forkhestra";

impl RunRepository {
    pub(super) fn new(
        source: LaneSource,
        queue: QueueRepository,
        branch_file: PathBuf,
    ) -> Result<Self, String> {
        let head = source.head().map_err(|error| error.to_string())?;
        Ok(Self {
            source,
            queue,
            branch: head.branch,
            integration: head.commit.unwrap_or_default(),
            room: None,
            branch_file,
            lanes: BTreeMap::new(),
            landed: Vec::new(),
            merged: Vec::new(),
        })
    }

    /// Makes the integration ref, or compares it with what is recorded. A ref that was not moved before
    /// the process was killed is moved now.
    pub(super) fn begin(
        &mut self,
        expected: Option<ExpectedIntegration>,
    ) -> Result<CommitId, String> {
        if expected.is_some() {
            self.read_branch()?;
        }
        self.queue.remove_ref_locks().map_err(|error| error.to_string())?;
        let reference = self.queue.integration_ref();
        let found = reference.read().map_err(|error| error.to_string())?;
        let Some(expected) = expected else {
            // A stage before this one may have left the ref.
            let begun = match &found {
                Some(old) => reference.advance(old, &self.integration),
                None => reference.create(&self.integration),
            };
            begun.map_err(|error| error.to_string())?;
            self.write_branch()?;
            return Ok(CommitId::new(&self.integration));
        };
        let wanted = expected.commit.as_str();
        let before = expected.before.as_ref().map(CommitId::as_str);
        if found.as_deref() != Some(wanted) && found.is_some() && found.as_deref() == before {
            reference
                .advance(before.unwrap_or_default(), wanted)
                .map_err(|error| error.to_string())?;
        } else if found.as_deref() != Some(wanted) {
            let found = found.unwrap_or_else(|| "nothing".to_owned());
            return Err(format!(
                "the integration ref {} has {found} instead of {wanted}: something else has moved it",
                reference.name()
            ));
        }
        wanted.clone_into(&mut self.integration);
        Ok(expected.commit)
    }

    /// Takes the integration ref as it is.
    pub(super) fn find_integration(&mut self) -> Result<(), String> {
        let found = self.queue.integration_ref().read().map_err(|error| error.to_string())?;
        self.integration = found.ok_or("there is no integration ref")?;
        Ok(())
    }

    fn write_branch(&self) -> Result<(), String> {
        let file = |error| format!("{}: {error}", self.branch_file.display());
        let directory = self.branch_file.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(directory).map_err(file)?;
        let text = self.branch.as_deref().unwrap_or_default();
        let new = self.branch_file.with_added_extension("new");
        fs::write(&new, text).and_then(|()| fs::rename(&new, &self.branch_file)).map_err(file)
    }

    /// Reads the branch with which the stage began: the user may have switched to another one since.
    fn read_branch(&mut self) -> Result<(), String> {
        match fs::read_to_string(&self.branch_file) {
            Ok(branch) => self.branch = Some(branch).filter(|branch| !branch.is_empty()),
            // The process was killed before it was written: the branch of now is recorded.
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.write_branch()?,
            Err(error) => return Err(format!("{}: {error}", self.branch_file.display())),
        }
        Ok(())
    }

    /// Merges work, each onto the one before.
    pub(super) fn merge(
        &mut self,
        onto: &CommitId,
        work: &[WorkToMerge],
        run: &str,
    ) -> Result<Vec<MergedWork>, String> {
        let entries: Vec<MergeEntry> =
            work.iter().map(|work| self.entry(work, run)).collect::<Result<_, _>>()?;
        let landed: Vec<LandedEntry> =
            self.landed.iter().chain(&self.merged).map(|(_, entry)| entry.clone()).collect();
        let batch = self.queue.merge_batch(onto.as_str(), &entries, &landed);
        let batch = batch.map_err(|error| error.to_string())?;
        let mut results = Vec::new();
        for (work, merged) in work.iter().zip(batch.entries) {
            let commit = match &merged {
                EntryMerge::FastForwarded => Some(work.work.commit.as_str().to_owned()),
                EntryMerge::Merged { commit } => Some(commit.clone()),
                _ => None,
            };
            if let Some(commit) = &commit {
                let head = work.work.commit.as_str().to_owned();
                let entry = LandedEntry { head, landed_as: commit.clone() };
                self.merged.retain(|(unit, _)| *unit != work.unit);
                self.merged.push((work.unit, entry));
            }
            results.push(match (commit, merged) {
                (Some(commit), _) => MergedWork::Merged { commit: CommitId(commit) },
                (None, EntryMerge::Conflicted { paths }) => self.conflict(&paths),
                (None, EntryMerge::Unrelated) => MergedWork::Refused {
                    why: LandingRefusalKind::Unrelated,
                    paths: Vec::new(),
                    with: Vec::new(),
                },
                (None, _) => MergedWork::AlreadyContained,
            });
        }
        Ok(results)
    }

    fn conflict(&self, paths: &[ConflictedPath]) -> MergedWork {
        let known = self.landed.iter().chain(&self.merged);
        let heads: Vec<&str> = paths
            .iter()
            .flat_map(|path| &path.origins)
            .filter_map(|origin| origin.entry.as_deref())
            .collect();
        let with = known.filter(|(_, entry)| heads.contains(&entry.head.as_str()));
        let mut with: Vec<UnitId> = with.map(|(unit, _)| *unit).collect();
        with.dedup();
        MergedWork::Refused {
            why: LandingRefusalKind::Conflict,
            paths: paths.iter().map(|path| path.path.to_string_lossy().into_owned()).collect(),
            with,
        }
    }

    fn entry(&self, work: &WorkToMerge, run: &str) -> Result<MergeEntry, String> {
        let unit = format!("{}.{}", work.unit, work.lane);
        let mut trailers = vec![
            ("Forkhestra-Run".to_owned(), run.to_owned()),
            ("Forkhestra-Unit".to_owned(), unit),
        ];
        let tasks = work.work.tasks.iter();
        trailers.extend(tasks.map(|task| ("Forkhestra-Task".to_owned(), task.clone())));
        Ok(MergeEntry {
            commit: work.work.commit.as_str().to_owned(),
            message: LandingMessage { subject: work.work.subject.clone(), trailers },
            signature: self.signature(work.at),
            overlay: Vec::new(),
        })
    }

    fn signature(&self, at: Timestamp) -> LandingSignature {
        let author = self
            .queue
            .user()
            .unwrap_or_else(|| CommitPerson { name: COMMITTER.to_owned(), email: String::new() });
        LandingSignature { committer: author.clone(), author, at }
    }

    /// Moves the integration ref.
    pub(super) fn advance(&mut self, from: &CommitId, to: &CommitId) -> Result<(), String> {
        if from != to {
            let moved = self.queue.integration_ref().advance(from.as_str(), to.as_str());
            moved.map_err(|error| error.to_string())?;
        }
        to.as_str().clone_into(&mut self.integration);
        self.landed.append(&mut self.merged);
        Ok(())
    }

    /// Brings the user's work tree to the integration ref.
    pub(super) fn forward(
        &self,
        to: CommitId,
        live_paths: &[PathBuf],
        at: Timestamp,
    ) -> LanesInput {
        let held = |why: String, paths: PathList| LanesInput::Held { to: to.clone(), why, paths };
        let Some(branch) = &self.branch else {
            return held("no branch is checked out".to_owned(), PathList::default());
        };
        let outcome = self.queue.bring_forward(&ForwardRequest {
            commit: to.as_str(),
            branch,
            live_paths,
            message: LandingMessage {
                subject: "Merge work of lanes".to_owned(),
                trailers: Vec::new(),
            },
            signature: self.signature(at),
        });
        match outcome {
            Ok(ForwardOutcome::UpToDate | ForwardOutcome::Moved { .. }) => {
                LanesInput::BroughtForward { to }
            }
            Ok(outcome @ ForwardOutcome::Held { .. }) => {
                let paths = outcome
                    .paths()
                    .iter()
                    .map(|path| path.display().to_string())
                    .collect::<Vec<_>>();
                let ForwardOutcome::Held { reasons } = outcome else {
                    return LanesInput::BroughtForward { to };
                };
                let why: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                held(why.join("; "), PathList::of(paths))
            }
            Err(error) => held(error.to_string(), PathList::default()),
        }
    }

    /// The working directory of the run, relative to the top directory of the repository.
    pub(super) fn below_top(&self, working_directory: &Path) -> PathBuf {
        let real = real_path(working_directory);
        real.strip_prefix(self.source.top()).unwrap_or(Path::new("")).to_owned()
    }
}
