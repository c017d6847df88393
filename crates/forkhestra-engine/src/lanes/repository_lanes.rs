//! Performs what the machine asks for lanes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forkhestra_core::event::LaneWork;
use forkhestra_core::id::{CommitId, LaneNumber, RunId, UnitId};
use forkhestra_core::machine::{
    ExpectedIntegration, LanesEffect, LanesInput, MergedWork, RunState, WorkToMerge, Workplace,
};
use forkhestra_core::plan::Plan;

use super::lane_directory::LaneDirectories;
use super::lane_tasks::{LandingTask, LaneTasks};
use super::opened_lane::OpenedLane;
use super::run_repository::RunRepository;
use crate::clock::now;
use crate::launch::workplace_settings::WorkplaceLocation;
use crate::process::ChildProcesses;
use crate::repository::git_program::GitProgram;
use crate::repository::{
    FetchedLane, IntegrationRoom, LaneClone, LaneError, LaneFilling, LaneMove, LanePorts,
    LaneRequest, LaneSource, LaneToFetch, QueueLocation, QueueRepository, SnapshotLocation,
    UnlandedCommits, lane_variables, remove_tree,
};
use crate::run_loop::lane_service::LaneService;

/// The name of the integration ref in a lane, for agents.
const INTEGRATION_REF_OF_LANES: &str = "refs/forkhestra/integration";

/// The file with the branch that a stage began with, below the persistent directory.
const BRANCH_FILE: &str = "branch-of-lanes";

/// What the lanes of a run need to know.
pub struct RepositoryLanesSettings {
    pub run: RunId,
    pub plan: Plan,
    /// The environment for git.
    pub environment: Vec<(OsString, OsString)>,
    /// The directory for lanes, below the state of the run.
    pub lanes: PathBuf,
    /// The directory for paths that a lane takes over from the last one of its number.
    pub caches: PathBuf,
    /// The directory with a lock file for each group of ports, the same for all runs of the user.
    pub ports: PathBuf,
    /// A directory for temporary files.
    pub scratch: PathBuf,
    /// A directory for files that outlive this process.
    pub persistent_directory: PathBuf,
    /// Paths of forkhestra, which are never touched.
    pub own_paths: Vec<PathBuf>,
    pub tasks: Arc<dyn LaneTasks>,
}

/// Makes the lanes of a run in git and merges their work.
pub struct RepositoryLanes {
    settings: RepositoryLanesSettings,
    directories: LaneDirectories,
    /// The repository of the current stage. It is locked for as long as an effect takes.
    repository: Mutex<Option<RunRepository>>,
    /// The places that agents and checks can be started in. It is locked for a moment only.
    locations: Mutex<BTreeMap<Workplace, WorkplaceLocation>>,
    is_stopped: AtomicBool,
}

impl RepositoryLanes {
    /// Prepares lanes. Nothing is made yet.
    pub fn new(settings: RepositoryLanesSettings) -> Self {
        let working_directory = PathBuf::from(&settings.plan.working_directory);
        let directories =
            LaneDirectories::new(settings.lanes.clone(), &working_directory, settings.run.clone());
        Self {
            settings,
            directories,
            repository: Mutex::default(),
            locations: Mutex::default(),
            is_stopped: AtomicBool::new(false),
        }
    }

    fn repository(&self) -> MutexGuard<'_, Option<RunRepository>> {
        // A panic cannot leave the value inconsistent.
        self.repository.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn locations(&self) -> MutexGuard<'_, BTreeMap<Workplace, WorkplaceLocation>> {
        self.locations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_repository(&self, children: &Arc<ChildProcesses>) -> Result<RunRepository, String> {
        let settings = &self.settings;
        let directory = PathBuf::from(&settings.plan.working_directory);
        let git = GitProgram::new(&settings.environment, Arc::clone(children));
        let source = LaneSource::with_git(git, &directory).map_err(|error| error.to_string())?;
        let own_paths: Vec<&Path> = settings.own_paths.iter().map(PathBuf::as_path).collect();
        let location = QueueLocation {
            snapshots: SnapshotLocation {
                run: &settings.run,
                directory: &directory,
                persistent_directory: &settings.persistent_directory,
                environment: &settings.environment,
            },
            own_paths: &own_paths,
            scratch: &settings.scratch,
        };
        let queue = QueueRepository::open_among(location, Arc::clone(children));
        let branch = settings.persistent_directory.join(BRANCH_FILE);
        RunRepository::new(source, queue.map_err(|error| error.to_string())?, branch)
    }

    fn holder(&self, lane: LaneNumber) -> String {
        format!("{}/{lane}", self.settings.run)
    }

    fn open_lane(
        &self,
        lane: LaneNumber,
        step: usize,
        commit: &CommitId,
    ) -> Result<(PathBuf, bool), String> {
        let mut repository = self.repository();
        let repository = repository.as_mut().ok_or("there is no integration ref")?;
        let directory = self.directories.lane(lane);
        let branch = repository.branch.clone();
        let is_cancelled = || self.is_stopped.load(Ordering::Relaxed);
        let opened = LaneClone::open(&repository.source, &directory, branch.as_deref());
        let is_new = opened.is_err() && !is_occupied(&directory);
        let clone = match opened {
            Ok(clone) => {
                clone.remove_locks().map_err(|error| error.to_string())?;
                clone
            }
            Err(error) if !is_new => return Err(error.to_string()),
            Err(_) => {
                let request = LaneRequest {
                    base: commit.as_str(),
                    branch: branch.as_deref(),
                    directory: &directory,
                    is_cancelled: &is_cancelled,
                };
                repository.source.create(request).map_err(|error| error.to_string())?.lane
            }
        };
        let settings = self.settings.plan.lane_settings_of(step).map(|settings| &settings.value);
        let cache = self.settings.caches.join(lane.to_string());
        let filling = LaneFilling {
            copy: settings.and_then(|settings| settings.copy.as_deref()).unwrap_or_default(),
            keep: settings.map(|settings| settings.keep.as_slice()).unwrap_or_default(),
            previous: Some(&cache).filter(|cache| cache.is_dir()).map(PathBuf::as_path),
            is_cancelled: &is_cancelled,
        };
        clone.fill(&repository.source, filling).map_err(|error| error.to_string())?;
        let ports = LanePorts::take(&self.settings.ports).map_err(|error| error.to_string())?;
        let stage = self.settings.plan.laned_stage_of(step);
        let lanes = stage.map_or(1, |stage| stage.lanes(&self.settings.plan.steps));
        let variables = lane_variables(lane, lanes as usize, ports.first());
        let mut variables: Vec<(OsString, OsString)> =
            variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        if let Some(database) = &self.settings.plan.task_database {
            // Agents have another working directory.
            let database = Path::new(&self.settings.plan.working_directory).join(database);
            variables.push(("FORGE_TASKS_DIR".into(), database.into()));
        }
        let below = repository.below_top(Path::new(&self.settings.plan.working_directory));
        let top = clone.directory();
        // To join nothing would add a slash at the end.
        let working_directory =
            if below == Path::new("") { top.to_owned() } else { top.join(below) };
        let location = WorkplaceLocation { directory: working_directory, variables };
        self.locations().insert(Workplace::Lane(lane), location);
        repository.lanes.insert(lane, OpenedLane::new(clone, ports, commit.as_str()));
        Ok((directory, is_new))
    }

    fn advance_lane(&self, lane: LaneNumber, to: &CommitId, drops: bool) -> Result<(), String> {
        let mut repository = self.repository();
        let Some(repository) = repository.as_mut() else { return Ok(()) };
        let Some(opened) = repository.lanes.get_mut(&lane) else { return Ok(()) };
        let show = |error: LaneError| error.to_string();
        opened.clone.remove_locks().map_err(show)?;
        opened.clone.set_ref(INTEGRATION_REF_OF_LANES, to.as_str()).map_err(show)?;
        let unlanded = if drops { UnlandedCommits::Leave } else { UnlandedCommits::Keep };
        let moved = opened.clone.move_to(&repository.source, to.as_str(), unlanded);
        if let LaneMove::Moved(_) = moved.map_err(show)? {
            to.as_str().clone_into(&mut opened.base);
        }
        Ok(())
    }

    fn fetch(&self, lane: LaneNumber, unit: UnitId) -> Result<Option<LaneWork>, String> {
        let repository = self.repository();
        let repository = repository.as_ref().ok_or("there is no integration ref")?;
        let opened = repository.lanes.get(&lane).ok_or("the lane is not open")?;
        let source = opened.to_fetch(lane);
        opened.clone.copy_stored_content(&repository.source).map_err(|error| error.to_string())?;
        let fetched = repository.queue.fetch_lane(&source, &repository.integration);
        let tasks = self.settings.tasks.landing(&self.holder(lane))?;
        let work = |head: String, commits: u32, added: u64, removed: u64| LaneWork {
            commit: CommitId(head),
            subject: subject(lane, unit, &tasks),
            commits,
            added,
            removed,
            tasks: tasks.iter().map(|task| task.id.clone()).collect(),
        };
        Ok(match fetched.map_err(|error| error.to_string())? {
            FetchedLane::Nothing { .. } => {
                self.tasks_landed(lane, &tasks)?;
                None
            }
            FetchedLane::Unrelated { head } => Some(work(head, 1, 0, 0)),
            FetchedLane::Commits(commits) => {
                let count = commits.count();
                Some(work(commits.head, count, commits.added_lines, commits.removed_lines))
            }
        })
    }

    /// Tasks without commits have nothing to land.
    fn tasks_landed(&self, lane: LaneNumber, tasks: &[LandingTask]) -> Result<(), String> {
        let ids: Vec<String> = tasks.iter().map(|task| task.id.clone()).collect();
        if ids.is_empty() { Ok(()) } else { self.settings.tasks.landed(&self.holder(lane), &ids) }
    }

    fn check_out(&self, commit: &CommitId) -> Result<(), String> {
        let mut repository = self.repository();
        let repository = repository.as_mut().ok_or("there is no integration ref")?;
        let mut room = match repository.room.take() {
            Some(room) => room,
            None => {
                let directory = self.directories.room();
                fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
                IntegrationRoom::new(&directory, &repository.queue)
            }
        };
        let directory = room.put(&repository.queue, commit.as_str());
        repository.room = Some(room);
        let directory = directory.map_err(|error| error.to_string())?;
        let location = WorkplaceLocation { directory, variables: Vec::new() };
        self.locations().insert(Workplace::MergeQueue, location);
        Ok(())
    }

    fn merge(&self, onto: &CommitId, work: &[WorkToMerge]) -> Result<Vec<MergedWork>, String> {
        let mut repository = self.repository();
        let repository = repository.as_mut().ok_or("there is no integration ref")?;
        let database = self.task_directory(repository);
        let is_tracked = match &database {
            Some(database) => repository.has_directory(onto, database)?,
            None => false,
        };
        let mut overlays = Vec::new();
        for work in work {
            let files = match is_tracked {
                true => self.settings.tasks.files(&self.holder(work.lane), &work.work.tasks)?,
                false => Vec::new(),
            };
            overlays.push(repository.overlay(files));
        }
        repository.merge(onto, work, overlays, self.settings.run.as_str())
    }

    /// The directory of the live tasks, if it is in the repository.
    fn task_directory(&self, repository: &RunRepository) -> Option<PathBuf> {
        let database = self.settings.plan.task_database.as_ref()?;
        repository.relative(Path::new(database))
    }

    /// Moves the integration ref, and marks the tasks that have landed with it.
    fn move_integration(
        &self,
        from: &CommitId,
        to: &CommitId,
        tasks: &[(LaneNumber, Vec<String>)],
    ) -> Result<(), String> {
        let mut repository = self.repository();
        let repository = repository.as_mut().ok_or("there is no integration ref")?;
        repository.advance(from, to)?;
        self.mark_landed(tasks)
    }

    fn mark_landed(&self, landed: &[(LaneNumber, Vec<String>)]) -> Result<(), String> {
        let mut failure = None;
        for (lane, tasks) in landed.iter().filter(|(_, tasks)| !tasks.is_empty()) {
            let noted = self.settings.tasks.landed(&self.holder(*lane), tasks);
            failure = failure.or(noted.err());
        }
        failure.map_or(Ok(()), Err)
    }

    fn begin_integration(
        &self,
        expected: Option<ExpectedIntegration>,
        children: &Arc<ChildProcesses>,
    ) -> Result<CommitId, String> {
        let mut repository = self.open_repository(children)?;
        let landed = expected.as_ref().map(|expected| expected.tasks.clone()).unwrap_or_default();
        let commit = repository.begin(expected)?;
        // An earlier process may have been killed between the two.
        self.mark_landed(&landed)?;
        *self.repository() = Some(repository);
        Ok(commit)
    }

    fn park(
        &self,
        lane: LaneNumber,
        (commit, tasks): (&CommitId, &[String]),
        children: &Arc<ChildProcesses>,
    ) -> Result<(), String> {
        let repository = self.repository();
        let reopened = match repository.is_none() {
            // An earlier process was killed before it had done so.
            true => Some(self.open_repository(children)?),
            false => None,
        };
        let repository = repository.as_ref().or(reopened.as_ref()).ok_or("git is not open")?;
        let parked = repository.queue.park(commit.as_str()).map_err(|error| error.to_string())?;
        let reference = parked.reference;
        let why = format!(
            "The work did not land. It is parked at {reference}; to have it back: git merge {reference}"
        );
        self.settings.tasks.block(&self.holder(lane), tasks, &why)
    }

    /// Removes the lanes that hold nothing that is nowhere else, and the check-out of merged work. An
    /// earlier process may have made them. What cannot be removed stays, and `runs rm` tries again.
    fn close(&self, children: &Arc<ChildProcesses>) -> Result<(), String> {
        self.locations().clear();
        let repository = match self.repository().take() {
            Some(repository) => repository,
            None if self.settings.lanes.exists() => {
                let mut repository = self.open_repository(children)?;
                repository.find_integration()?;
                repository
            }
            None => return Ok(()),
        };
        let room = self.directories.room();
        if room.exists() {
            // It holds nothing of its own.
            let _ = remove_tree(&room);
        }
        for number in (0..).map_while(LaneNumber::from_index) {
            let directory = self.directories.lane(number);
            if LaneClone::is_incomplete(&directory) && !directory.exists() {
                let _ = LaneClone::remove(&directory);
            }
            if !directory.exists() || self.is_stopped.load(Ordering::Relaxed) {
                continue;
            }
            // What cannot be read stays, and `runs rm` removes it.
            let Ok(clone) = LaneClone::open(&repository.source, &directory, None) else { continue };
            if self.holds_nothing(&repository, number, &clone).unwrap_or(false) {
                self.keep_caches(number, &clone);
                let _ = LaneClone::remove(&directory);
            }
        }
        // It is only removed if it is empty.
        let _ = fs::remove_dir(&self.settings.lanes);
        Ok(())
    }

    /// Whether everything in a lane is also in the user's repository: its commits, and what is not
    /// committed in a snapshot.
    fn holds_nothing(
        &self,
        repository: &RunRepository,
        number: LaneNumber,
        lane: &LaneClone,
    ) -> Result<bool, String> {
        let base = &repository.integration;
        let number = u32::from(number.get());
        let source = LaneToFetch { number, directory: lane.directory(), base };
        repository.queue.fetch_snapshots(&source).map_err(|error| error.to_string())?;
        let contents = lane.state(base).map_err(|error| error.to_string())?;
        let others = lane.other_branches(&repository.source, base);
        let parked = repository.queue.parked().map_err(|error| error.to_string())?;
        let is_parked =
            parked.iter().any(|parked| contents.head.commit.as_ref() == Some(&parked.commit));
        let is_landed = contents.unlanded.is_empty() && contents.more_unlanded == 0;
        Ok((is_landed || is_parked)
            && (self.settings.plan.snapshots || contents.uncommitted.is_empty())
            && others.map_err(|error| error.to_string())?.is_empty())
    }

    /// Moves the paths that the next lane of this number takes over.
    fn keep_caches(&self, number: LaneNumber, lane: &LaneClone) {
        let settings =
            self.settings.plan.steps.iter().filter_map(|step| step.lane_settings.as_ref());
        let keep = settings.flat_map(|settings| &settings.value.keep);
        let cache = self.settings.caches.join(number.to_string());
        for path in keep {
            let (from, to) = (lane.directory().join(path), cache.join(path));
            if let Some(parent) = to.parent()
                && fs::create_dir_all(parent).is_ok()
            {
                // A cache that cannot be kept is made again.
                let _ = fs::rename(from, to);
            }
        }
    }
}

impl LaneService for RepositoryLanes {
    fn perform(&self, effect: LanesEffect, children: &Arc<ChildProcesses>) -> Option<LanesInput> {
        match effect {
            LanesEffect::BeginIntegration { expected, .. } => {
                Some(match self.begin_integration(expected, children) {
                    Ok(commit) => LanesInput::IntegrationBegun { commit },
                    Err(why) => LanesInput::IntegrationFailed { why },
                })
            }
            LanesEffect::OpenLane { lane, step, commit } => {
                Some(match self.open_lane(lane, step, &commit) {
                    Ok((path, is_new)) => {
                        let path = path.display().to_string();
                        LanesInput::LaneOpened { lane, path, is_new }
                    }
                    Err(why) => LanesInput::LaneNotOpened { lane, why },
                })
            }
            LanesEffect::AdvanceLane { lane, to, drops } => {
                let failure = self.advance_lane(lane, &to, drops).err();
                Some(LanesInput::LaneAdvanced { lane, to, failure })
            }
            LanesEffect::FetchWork { lane, unit } => {
                let work = self.fetch(lane, unit);
                Some(LanesInput::WorkFetched { lane, unit, work })
            }
            LanesEffect::MergeWork { onto, work } => {
                let results = self.merge(&onto, &work);
                Some(LanesInput::WorkMerged { onto, results })
            }
            LanesEffect::CheckOut { commit } => {
                let failure = self.check_out(&commit).err();
                Some(LanesInput::CheckedOut { commit, failure })
            }
            LanesEffect::MoveIntegration { from, to, tasks } => {
                let failure = self.move_integration(&from, &to, &tasks).err();
                Some(LanesInput::IntegrationMoved { to, failure })
            }
            LanesEffect::BringForward { to } => {
                let repository = self.repository();
                let repository = repository.as_ref()?;
                let live: Vec<PathBuf> = self.task_directory(repository).into_iter().collect();
                Some(repository.forward(to, &live, now().wall))
            }
            LanesEffect::ReturnTasks { lane, tasks, .. } => {
                let failure = self.settings.tasks.send_back(&self.holder(lane), &tasks).err();
                failure.map(|why| LanesInput::TasksNotReturned { lane, why })
            }
            LanesEffect::ParkWork { lane, commit, number, tasks, .. } => {
                let failure = self.park(lane, (&commit, &tasks), children).err();
                failure.map(|why| LanesInput::NotParked { number, why })
            }
            LanesEffect::CloseLanes => {
                // What is left is removed by a resume or `runs rm`.
                let _ = self.close(children);
                None
            }
        }
    }

    fn location(&self, place: Workplace, _: &RunState) -> Option<WorkplaceLocation> {
        self.locations().get(&place).cloned()
    }

    fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

/// Whether something stands at the place of a lane.
fn is_occupied(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some())
        || fs::symlink_metadata(directory).is_ok_and(|found| !found.is_dir())
}

/// The first line of the message of a merge commit.
fn subject(lane: LaneNumber, unit: UnitId, tasks: &[LandingTask]) -> String {
    match tasks {
        [] => format!("Land iteration {} of lane {lane}", unit.iteration),
        [task] => format!("Land {}: {}", task.id, task.title),
        tasks => {
            let ids: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
            format!("Land {}", ids.join(", "))
        }
    }
}
