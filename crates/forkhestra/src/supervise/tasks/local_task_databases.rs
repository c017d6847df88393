//! Access to the task databases of a run's steps.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use forge_tasks::actions::{
    ActionError, ClaimPreview, LeaseCheck, ReleasedTasks, TaskTexts, preview_claim,
    preview_claim_of, release_landing, release_lane, release_run,
};
use forge_tasks::cli::now;
use forge_tasks::database::{
    self, Database, DirectoryListing, StoredFile, TaskDirectory, TaskScope,
};
use forge_tasks::document::{FrontMatter, TaskBody};
use forge_tasks::{IdQuery, TaskId, TaskStatus};
use forkhestra_core::event::{OpenTask, TaskChanges, TaskCounts};
use forkhestra_core::plan::HostEnvironment;
use forkhestra_core::policy::{TaskQuery, TaskWork, no_such_task};
use forkhestra_engine::TaskDatabases;

use super::lane_claims::{LaneClaim, LaneClaims};
use super::task_baseline::TaskBaselines;
use super::task_holder::TaskHolder;
use super::task_snapshot::TaskSnapshot;
use crate::cli::command_error::in_full;
use crate::past_runs::leases::KnownRuns;
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;

/// Most tasks that are named because of their criteria.
const MAX_UNTICKED: usize = 3;

/// The task databases on this machine.
pub(crate) struct LocalTaskDatabases {
    /// The database directory named in the environment, if one is.
    named: Option<OsString>,
    /// The directories in which databases may be written: the work tree, and that of the database when the run began.
    /// Agents can replace a part of a path by a link.
    places: Vec<PathBuf>,
    /// Tells which runs with task leases are active.
    runs: KnownRuns,
    /// State of the database before the agent of each holder started.
    before: Mutex<TaskBaselines>,
    /// The lanes that are about to claim a task.
    claims: Mutex<LaneClaims>,
    /// Whether tasks can wait to land.
    has_lanes: bool,
    /// The open tasks and counts of the last record; `None` before the first.
    recorded: Mutex<Option<(Vec<OpenTask>, TaskCounts)>>,
}

impl LocalTaskDatabases {
    pub(crate) fn new(project: &ProjectLocation, scratch: &Path, has_lanes: bool) -> Self {
        let named = project.environment.forge_tasks_dir.clone().filter(|named| !named.is_empty());
        let runs = KnownRuns { directory: Some(project.working_directory.clone()) };
        let database = LocalHost { project }.task_database().map(PathBuf::from);
        let places =
            [Some(project.work_tree()), database.and_then(|path| path.canonicalize().ok())];
        Self {
            named,
            places: places.into_iter().flatten().collect(),
            runs,
            before: Mutex::new(TaskBaselines::below(scratch)),
            claims: Mutex::default(),
            has_lanes,
            recorded: Mutex::default(),
        }
    }

    /// The real path of a database that is written to. A database that an agent linked to another place is refused.
    pub(super) fn written_path(&self, database: &Path) -> Result<PathBuf, String> {
        let Ok(real) = database.canonicalize() else { return Ok(database.to_owned()) };
        match self.places.iter().any(|place| real.starts_with(place)) {
            true => Ok(real),
            false => Err(format!(
                "`{}` now leads out of the project; the tasks that the agent claimed stay claimed",
                database.display()
            )),
        }
    }

    fn before(&self) -> MutexGuard<'_, TaskBaselines> {
        // A panic cannot leave the value inconsistent.
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn claims(&self) -> MutexGuard<'_, LaneClaims> {
        // A panic cannot leave the value inconsistent.
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leases(&self) -> LeaseCheck<'_> {
        LeaseCheck { runs: &self.runs, now: now() }
    }

    /// Leaves changes that forkhestra itself made to tasks out of those of agents at work.
    pub(super) fn note_own_changes(&self, database: &Path, ids: &[TaskId]) {
        if let Some(now) = snapshot_of(database) {
            self.before().note(None, ids, &now);
        }
    }

    /// Releases the unfinished tasks of a holder, and for a run those that do not land any more.
    fn release_unfinished(
        &self,
        database: &Path,
        holder: &TaskHolder,
        texts: &TaskTexts,
    ) -> Result<ReleasedTasks, ActionError> {
        match holder {
            TaskHolder::Lane(lane) => release_lane(database, lane, texts, now()),
            TaskHolder::Run(run) => {
                let mut released = release_run(database, run, texts, now())?;
                if self.has_lanes {
                    let landing = release_landing(database, run, now())?;
                    released.warnings.extend(landing.warnings);
                }
                Ok(released)
            }
        }
    }
}

impl TaskDatabases for LocalTaskDatabases {
    fn task_work(&self, database: &Path, question: &TaskQuery) -> TaskWork {
        let opened = match open(database) {
            Ok(Some(opened)) => opened,
            Ok(None) => return TaskWork::NoDatabase,
            Err(why) => return TaskWork::Unknown(why),
        };
        let all = match all_tasks(&opened) {
            Ok(all) => all,
            Err(why) => return TaskWork::Unknown(why),
        };
        let leases = self.leases();
        let found = match &question.only {
            None => preview_claim(&all, &question.open_before, leases),
            Some(id) => match IdQuery::parse(id) {
                Ok(id) => preview_claim_of(&id, &all, leases),
                Err(why) => ClaimPreview::Stuck(why.to_string()),
            },
        };
        task_work(found, &opened, question)
    }

    fn work_for(&self, database: &Path, holder: &str, question: &TaskQuery) -> TaskWork {
        let holder = TaskHolder::of(holder);
        let mut claims = self.claims();
        let Some(lane) = holder.lane() else {
            // No agent of a lane is active.
            claims.clear();
            return self.task_work(database, question);
        };
        let opened = match open(database) {
            Ok(Some(opened)) => opened,
            Ok(None) => return TaskWork::NoDatabase,
            Err(why) => return TaskWork::Unknown(why),
        };
        match all_tasks(&opened).map(|all| claims.preview(lane, &all, question, self.leases())) {
            Ok(LaneClaim::Other(found)) => task_work(found, &opened, question),
            Ok(LaneClaim::Taken(why)) => TaskWork::Taken(why),
            Err(why) => TaskWork::Unknown(why),
        }
    }

    fn open_tasks(&self, database: &Path) -> Option<Vec<String>> {
        let all = open(database).ok()?.map(|opened| all_tasks(&opened)).transpose().ok()?;
        let tasks = all.iter().flat_map(|all| &all.tasks);
        let is_open = |task: &&StoredFile<FrontMatter>| {
            task.directory == TaskDirectory::Tasks && task.content.status != TaskStatus::Done
        };
        Some(tasks.filter(is_open).map(|task| task.content.id.to_string()).collect())
    }

    fn open_criteria(&self, database: &Path) -> BTreeMap<String, u32> {
        let documents = open(database).ok().flatten().map(|opened| documents(&opened));
        let open = documents.into_iter().flatten().filter(|(directory, front, _)| {
            *directory == TaskDirectory::Tasks && front.status != TaskStatus::Done
        });
        let counts =
            open.map(|(_, front, body)| (front.id.to_string(), count(body.criteria.len())));
        counts.filter(|(_, criteria)| *criteria > 0).collect()
    }

    fn release_tasks(&self, database: &Path, holder: &str) -> Result<(), String> {
        let holder = TaskHolder::of(holder);
        if let Some(lane) = holder.lane() {
            self.claims().end(lane);
        }
        let mut before = self.before();
        let before = before.of(&holder);
        let database = self.written_path(database)?;
        let released = self.release_unfinished(&database, &holder, &before.texts);
        let released = released.map_err(|error| in_full(&error))?;
        before.released.extend(released.tasks);
        match released.warnings.as_slice() {
            [] => Ok(()),
            warnings => Err(warnings.join("; ")),
        }
    }

    fn save_baseline(&self, database: Option<&Path>, holder: &str) -> Result<(), String> {
        let holder = TaskHolder::of(holder);
        if let Some(lane) = holder.lane() {
            self.claims().begin(lane);
        }
        let mut before = self.before();
        let before = before.of(&holder);
        // The agent that an earlier process of the run started in the lane is tried again.
        let left = holder.lane().and_then(|_| before.file.left());
        before.released.clear();
        let opened = database.map(Database::open);
        before.texts = match &opened {
            Some(Ok(Some(opened))) => texts(opened),
            _ => TaskTexts::default(),
        };
        before.snapshot = match opened {
            _ if left.is_some() => left,
            Some(Err(_)) => None,
            None | Some(Ok(None)) => Some(TaskSnapshot::default()),
            Some(Ok(Some(opened))) => {
                opened.fronts(TaskScope::All).ok().map(|all| TaskSnapshot::of(&all))
            }
        };
        before.file.write(before.snapshot.as_ref()).map_err(|why| {
            format!("what the tasks were before this iteration cannot be kept: {why}")
        })
    }

    fn changes(&self, database: &Path, holder: &str) -> Option<TaskChanges> {
        let holder = TaskHolder::of(holder);
        if let Some(lane) = holder.lane() {
            self.claims().end(lane);
        }
        let mut baselines = self.before();
        let of_holder = baselines.of(&holder);
        // The file remains if the process was killed before the agent's changes were recorded.
        let before = of_holder.snapshot.take().or_else(|| of_holder.file.read())?;
        let released = std::mem::take(&mut of_holder.released);
        let opened = Database::open(database).ok()?;
        let after = match &opened {
            Some(opened) => TaskSnapshot::of(&opened.fronts(TaskScope::All).ok()?),
            // It was deleted.
            None => TaskSnapshot::default(),
        };
        let found = after.changes_since(&before, &released, &holder, opened.as_ref());
        of_holder.file.remove();
        let told = found.changes.iter().filter_map(|change| TaskId::parse(&change.id).ok());
        baselines.note(Some(&holder), &told.collect::<Vec<_>>(), &after);
        drop(baselines);
        let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let TaskCounts { total, unreadable, .. } = found.counts;
        let has_tasks = total > 0 || unreadable > 0 || recorded.is_some();
        let now = Some((found.open.clone(), found.counts));
        let is_news = has_tasks && *recorded != now;
        if found.changes.is_empty() && !is_news {
            return None;
        }
        *recorded = now;
        Some(found)
    }

    fn find(&self, working_directory: &Path) -> Option<PathBuf> {
        let found = match &self.named {
            Some(named) => Some(working_directory.join(named)),
            None => database::find(working_directory),
        };
        found.filter(|path| path.is_dir())
    }
}

/// What the preview of a claim means for a step.
fn task_work(found: ClaimPreview, opened: &Database, question: &TaskQuery) -> TaskWork {
    match found {
        ClaimPreview::Ready { ready, open } => {
            TaskWork::Ready { ready: ids(&ready), open: ids(&open) }
        }
        ClaimPreview::AllDone => match unticked(opened, question) {
            Some(why) => TaskWork::Unticked(why),
            None => TaskWork::AllDone,
        },
        ClaimPreview::Stuck(why) => TaskWork::Stuck(why),
        ClaimPreview::Empty => TaskWork::Empty,
        ClaimPreview::NoSuchTask(id) => TaskWork::Stuck(no_such_task(&id)),
        ClaimPreview::Unclear(why) => TaskWork::Unknown(why),
    }
}

/// The tasks of a database that can be read.
fn snapshot_of(database: &Path) -> Option<TaskSnapshot> {
    let opened = Database::open(database).ok()??;
    Some(TaskSnapshot::of(&opened.fronts(TaskScope::All).ok()?))
}

/// All tasks of a database that can be read.
fn documents(database: &Database) -> Vec<(TaskDirectory, FrontMatter, TaskBody)> {
    let listing = database.documents(TaskScope::All);
    let tasks = listing.map(|listing| listing.tasks).unwrap_or_default();
    let parts = tasks.into_iter().map(|stored| {
        Some((stored.directory, stored.content.front().ok()?, stored.content.body()))
    });
    parts.flatten().collect()
}

/// The tasks that are Done although criteria that they had when the step began are not ticked or were removed.
fn unticked(database: &Database, question: &TaskQuery) -> Option<String> {
    if question.criteria_before.is_empty() {
        return None;
    }
    let mut lines = Vec::new();
    for (_, front, body) in documents(database) {
        let id = front.id.to_string();
        let Some(before) = question.criteria_before.get(&id).copied() else { continue };
        if question.only.as_ref().is_some_and(|only| !front.id.is_meant_by(only)) {
            continue;
        }
        let all = count(body.criteria.len()).max(before);
        let ticked = count(body.criteria.iter().filter(|criterion| criterion.checked).count());
        if ticked < all {
            lines.push(format!("{id} is Done with {ticked} of {all} acceptance criteria ticked"));
        }
    }
    let more = lines.len().saturating_sub(MAX_UNTICKED);
    lines.truncate(MAX_UNTICKED);
    let more = (more > 0).then(|| format!("and {more} more"));
    let text = lines.into_iter().chain(more).collect::<Vec<_>>().join("; ");
    (!text.is_empty()).then_some(text)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The texts of a database's tasks. If they cannot be read, every difference counts as a change.
fn texts(database: &Database) -> TaskTexts {
    TaskTexts::of(database).unwrap_or_default()
}

/// Opens a database; `None` if there is none.
fn open(database: &Path) -> Result<Option<Database>, String> {
    Database::open(database).map_err(|error| in_full(&error))
}

/// All tasks of a database.
fn all_tasks(database: &Database) -> Result<DirectoryListing<FrontMatter>, String> {
    database.fronts(TaskScope::All).map_err(|error| in_full(&error))
}

fn ids(tasks: &[TaskId]) -> Vec<String> {
    tasks.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    impl LocalTaskDatabases {
        /// A database of a project without runs, which has lanes.
        pub(crate) fn for_test(database: &Path) -> Self {
            Self {
                named: None,
                places: database.canonicalize().into_iter().collect(),
                runs: KnownRuns::default(),
                before: Mutex::new(TaskBaselines::below(&database.join("scratch"))),
                claims: Mutex::default(),
                has_lanes: true,
                recorded: Mutex::default(),
            }
        }
    }

    fn databases_without_runs() -> LocalTaskDatabases {
        LocalTaskDatabases::for_test(Path::new("/nonexistent"))
    }

    /// Creates a database with one task for each status, numbered from one.
    fn database(states: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("there is room");
        for (number, status) in (1..).zip(states) {
            let text = format!("---\nid: TASK-{number}\ntitle: Something\nstatus: {status}\n---\n");
            let file = format!("TASK-{number} - Something.md");
            fs::write(directory.path().join(file), text).expect("the place is ours");
        }
        directory
    }

    fn found(directory: &Path, open_before: &[&str]) -> TaskWork {
        let open_before = open_before.iter().map(|id| (*id).to_owned()).collect();
        databases_without_runs()
            .task_work(directory, &TaskQuery { open_before, ..TaskQuery::default() })
    }

    fn ready(ready: &[&str], open: &[&str]) -> TaskWork {
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        TaskWork::Ready { ready: ids(ready), open: ids(open) }
    }

    #[test]
    fn the_states_of_tasks_decide_the_available_work() {
        let stuck = |why: &str| TaskWork::Stuck(why.to_owned());
        for (states, expected) in [
            (&[][..], TaskWork::Empty),
            (&["Done", "Done"], TaskWork::AllDone),
            (&["Done", "Blocked"], stuck("TASK-2 is blocked")),
            (&["Done", "To Do"], ready(&["TASK-2"], &["TASK-2"])),
            (
                &["To Do", "In Progress", "Blocked"],
                ready(&["TASK-2", "TASK-1"], &["TASK-1", "TASK-2", "TASK-3"]),
            ),
        ] {
            let place = database(states);
            assert_eq!(found(place.path(), &[]), expected, "{states:?}");
        }
        let place = database(&["Done"]);
        assert_eq!(found(&place.path().join("nowhere"), &[]), TaskWork::NoDatabase);
    }

    #[test]
    fn an_archived_open_task_is_not_done() {
        let place = database(&["To Do"]);
        assert_eq!(
            databases_without_runs().open_tasks(place.path()),
            Some(vec!["TASK-1".to_owned()])
        );
        fs::create_dir(place.path().join("archive")).expect("the place is ours");
        let file = "TASK-1 - Something.md";
        fs::rename(place.path().join(file), place.path().join("archive").join(file))
            .expect("the place is ours");
        assert_eq!(found(place.path(), &[]), TaskWork::AllDone);
        assert_eq!(databases_without_runs().open_tasks(place.path()), Some(Vec::new()));
        let why = "TASK-1 was archived before it was done".to_owned();
        assert_eq!(found(place.path(), &["TASK-1"]), TaskWork::Stuck(why));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let place = database(&["Done"]);
        fs::write(place.path().join("TASK-2 - Broken.md"), "no front matter").expect("it is ours");
        let TaskWork::Unknown(why) = found(place.path(), &[]) else { panic!("one is broken") };
        assert!(why.starts_with("the task TASK-2 - Broken.md "), "{why}");
    }

    #[test]
    fn one_task_is_asked_for_by_its_id() {
        let place = database(&["To Do", "Done", "Blocked"]);
        for (id, expected) in [
            ("TASK-1", ready(&["TASK-1"], &["TASK-1"])),
            ("2", TaskWork::AllDone),
            ("TASK-3", TaskWork::Stuck("TASK-3 is blocked".to_owned())),
            ("TASK-99", TaskWork::Stuck("there is no task TASK-99".to_owned())),
        ] {
            let question = TaskQuery { only: Some(id.to_owned()), ..TaskQuery::default() };
            assert_eq!(
                databases_without_runs().task_work(place.path(), &question),
                expected,
                "{id}"
            );
        }
    }

    #[test]
    fn a_database_is_found_where_agents_would_find_it() {
        let directory = tempfile::tempdir().expect("there is room");
        assert_eq!(databases_without_runs().find(directory.path()), None);
        let usual = directory.path().join("forge/tasks");
        fs::create_dir_all(&usual).expect("the place is ours");
        assert_eq!(databases_without_runs().find(directory.path()), Some(usual));
        let elsewhere =
            LocalTaskDatabases { named: Some("elsewhere".into()), ..databases_without_runs() };
        assert_eq!(elsewhere.find(directory.path()), None);
        fs::create_dir(directory.path().join("elsewhere")).expect("the place is ours");
        assert_eq!(elsewhere.find(directory.path()), Some(directory.path().join("elsewhere")));
    }
}
