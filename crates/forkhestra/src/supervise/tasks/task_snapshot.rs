//! Snapshots of a task database, and the changes between two of them.

use std::collections::{BTreeMap, BTreeSet};

use forge_tasks::database::{Database, DirectoryListing, StoredFile, TaskDirectory};
use forge_tasks::document::{FrontMatter, TaskLease};
use forge_tasks::{IdQuery, RunLane, TaskId, TaskStatus};
use forkhestra_core::event::{
    OpenTask, OpenTaskStatus, TaskChange, TaskChangeKind, TaskChanges, TaskCounts,
};
use serde_json::{Value, json};

use super::task_holder::{TaskHolder, lane_of};

/// Maximum length of titles and reasons, in characters.
const MAX_TEXT_CHARS: usize = 200;

/// The tasks of a database at one point in time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TaskSnapshot {
    tasks: BTreeMap<TaskId, SnapshotTask>,
    /// Whether some files could not be read; a missing task may be in one of them.
    is_partial: bool,
    /// Number of unreadable files among the tasks that are not archived.
    unreadable: u32,
}

/// The fields of a task that are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SnapshotTask {
    title: String,
    status: TaskStatus,
    assignee: Option<String>,
    lease: Option<TaskLease>,
    /// The lane in which it waits to land.
    landing: Option<RunLane>,
    directory: TaskDirectory,
}

impl TaskSnapshot {
    pub(crate) fn of(listing: &DirectoryListing<FrontMatter>) -> Self {
        let task = |stored: &StoredFile<FrontMatter>| {
            let front = stored.content.clone();
            let FrontMatter { id, title, status, assignee, lease, landing, .. } = front;
            let directory = stored.directory;
            (id, SnapshotTask { title, status, assignee, lease, landing, directory })
        };
        // An archived task does not replace another one that has its id.
        let (active, archived): (Vec<_>, Vec<_>) =
            listing.tasks.iter().partition(|stored| stored.directory == TaskDirectory::Tasks);
        let tasks = archived.into_iter().chain(active).map(task);
        let unreadable =
            listing.broken.iter().filter(|broken| broken.directory == TaskDirectory::Tasks);
        Self {
            tasks: tasks.collect(),
            is_partial: !listing.broken.is_empty(),
            unreadable: u32::try_from(unreadable.count()).unwrap_or(u32::MAX),
        }
    }

    /// Encodes the snapshot as JSON for
    /// [`TaskBaselineFile`](super::task_baseline_file::TaskBaselineFile).
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let tasks = self.tasks.iter().map(|(id, task)| {
            let lease = task.lease.as_ref().map(|lease| {
                json!({
                    "until": lease.until.map(|until| until.to_string()), "run": lease.run,
                    "lane": lease.lane,
                })
            });
            json!({
                "id": id.as_str(), "title": task.title, "status": task.status.to_string(),
                "assignee": task.assignee, "lease": lease, "landing": task.landing,
                "archived": task.directory == TaskDirectory::Archive,
            })
        });
        let tasks: Vec<Value> = tasks.collect();
        let (partial, unreadable) = (self.is_partial, self.unreadable);
        let kept = json!({ "tasks": tasks, "partial": partial, "unreadable": unreadable });
        kept.to_string().into_bytes()
    }

    /// Decodes a snapshot; `None` if the JSON is incomplete.
    pub(crate) fn from_json(bytes: &[u8]) -> Option<Self> {
        let kept: Value = serde_json::from_slice(bytes).ok()?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let task = |task: &Value| {
            let lease = task.get("lease").filter(|lease| lease.is_object());
            let lease = lease.map(|lease| TaskLease {
                until: lease["until"].as_str().and_then(|until| until.parse().ok()),
                run: text(&lease["run"]),
                lane: lease["lane"]
                    .as_u64()
                    .and_then(|lane| u32::try_from(lane).ok()?.try_into().ok()),
            });
            let id = TaskId::parse(task["id"].as_str()?).ok()?;
            let status = match task["status"].as_str()? {
                landing if landing == TaskStatus::Landing.name() => TaskStatus::Landing,
                status => TaskStatus::parse(status).ok()?,
            };
            let is_archived = task["archived"].as_bool()?;
            let directory = if is_archived { TaskDirectory::Archive } else { TaskDirectory::Tasks };
            let (title, assignee) = (text(&task["title"])?, text(&task["assignee"]));
            let landing = task["landing"].as_str().and_then(|lane| RunLane::parse(lane).ok());
            Some((id, SnapshotTask { title, status, assignee, lease, landing, directory }))
        };
        let tasks = kept["tasks"].as_array()?.iter().map(task).collect::<Option<_>>()?;
        // Earlier versions did not store the number.
        let unreadable = kept["unreadable"].as_u64().and_then(|number| u32::try_from(number).ok());
        let is_partial = kept["partial"].as_bool()?;
        Some(Self { tasks, is_partial, unreadable: unreadable.unwrap_or_default() })
    }

    /// Takes tasks over as they are in another snapshot.
    pub(crate) fn note(&mut self, ids: &[TaskId], from: &Self) {
        for id in ids {
            match from.tasks.get(id) {
                Some(task) => self.tasks.insert(id.clone(), task.clone()),
                None => self.tasks.remove(id),
            };
        }
    }

    /// The changes since an earlier snapshot, and the tasks that are open now. `released` are the
    /// tasks that forkhestra released after the agent of this holder ended. Tasks that another lane has
    /// are left out.
    pub(crate) fn changes_since(
        &self,
        before: &Self,
        released: &[TaskId],
        holder: &TaskHolder,
        database: Option<&Database>,
    ) -> TaskChanges {
        let ids: BTreeSet<&TaskId> = before.tasks.keys().chain(self.tasks.keys()).collect();
        let mut changes = Vec::new();
        for id in ids {
            let (old, new) = (before.tasks.get(id), self.tasks.get(id));
            let is_uncertain = match (old, new) {
                (None, _) => before.is_partial,
                (_, None) => self.is_partial,
                _ => false,
            };
            let Some(known) = new.or(old).filter(|_| !is_uncertain) else { continue };
            if new.is_some_and(|new| new.is_of_another_lane(holder)) {
                continue;
            }
            let kinds = kinds(old, new, released.contains(id), holder);
            changes.extend(kinds.into_iter().map(|kind| TaskChange {
                id: id.to_string(),
                title: cut(&known.title),
                kind,
                reason: match kind {
                    TaskChangeKind::Blocked => reason(database, id),
                    _ => None,
                },
            }));
        }
        TaskChanges { changes, counts: self.counts(), open: self.open(database) }
    }

    /// The tasks that are not done.
    fn open(&self, database: Option<&Database>) -> Vec<OpenTask> {
        let here = self.tasks.iter().filter(|(_, task)| task.directory == TaskDirectory::Tasks);
        let open = here.filter_map(|(id, task)| match task.status {
            TaskStatus::Done => None,
            TaskStatus::Blocked => Some((OpenTaskStatus::Blocked, id, task)),
            TaskStatus::InProgress | TaskStatus::Landing => {
                Some((OpenTaskStatus::InProgress, id, task))
            }
            TaskStatus::ToDo => Some((OpenTaskStatus::ToDo, id, task)),
        });
        let mut open: Vec<(OpenTaskStatus, &TaskId, &SnapshotTask)> = open.collect();
        open.sort_by_key(|(status, ..)| *status);
        let listed = open.into_iter().take(TaskChanges::MAX_OPEN);
        let listed = listed.map(|(status, id, task)| OpenTask {
            id: id.to_string(),
            title: cut(&task.title),
            status,
            reason: match status {
                OpenTaskStatus::Blocked => reason(database, id),
                OpenTaskStatus::InProgress | OpenTaskStatus::ToDo => None,
            },
        });
        listed.collect()
    }

    fn counts(&self) -> TaskCounts {
        let mut counts = TaskCounts { unreadable: self.unreadable, ..TaskCounts::default() };
        for task in self.tasks.values().filter(|task| task.directory == TaskDirectory::Tasks) {
            counts.total += 1;
            *match task.status {
                TaskStatus::ToDo => &mut counts.to_do,
                TaskStatus::InProgress | TaskStatus::Landing => &mut counts.in_progress,
                TaskStatus::Done => &mut counts.done,
                TaskStatus::Blocked => &mut counts.blocked,
            } += 1;
        }
        counts
    }
}

impl SnapshotTask {
    /// Whether another lane of the run has the task.
    fn is_of_another_lane(&self, holder: &TaskHolder) -> bool {
        let Some(own) = holder.lane() else { return false };
        let lane = lane_of(self.status, self.lease.as_ref(), self.landing.as_ref());
        lane.is_some_and(|lane| lane.run == own.run && lane != *own)
    }
}

/// Whether another run or a person took a task: it has a lease that is not of this holder, or has got an
/// assignee without one.
fn is_of_others(old: Option<&SnapshotTask>, new: &SnapshotTask, holder: &TaskHolder) -> bool {
    match &new.lease {
        Some(lease) => !holder.has_lease(lease),
        None => {
            let before = old.and_then(|old| old.assignee.as_ref());
            new.assignee.is_some() && new.assignee.as_ref() != before
        }
    }
}

/// The changes of one task.
fn kinds(
    old: Option<&SnapshotTask>,
    new: Option<&SnapshotTask>,
    released: bool,
    holder: &TaskHolder,
) -> Vec<TaskChangeKind> {
    use TaskChangeKind as Kind;
    let Some(new) = new else { return vec![Kind::Removed] };
    let mut kinds = Vec::new();
    if old.is_none() {
        kinds.push(Kind::Created);
    }
    let before = old.map_or(TaskStatus::ToDo, |task| task.status);
    match (before, new.status) {
        // This agent claimed it: leases of earlier agents were released before it started.
        _ if released => kinds.extend([Kind::Claimed, Kind::Released]),
        (TaskStatus::InProgress, TaskStatus::InProgress) => {
            let lease = new.lease.as_ref();
            let is_ours = lease.is_some_and(|lease| holder.has_lease(lease));
            if is_ours && old.is_some_and(|task| task.lease.as_ref() != lease) {
                kinds.push(Kind::Claimed);
            }
        }
        (old, new) if old == new => {}
        (before, TaskStatus::InProgress) => {
            if matches!(before, TaskStatus::Done | TaskStatus::Landing | TaskStatus::Blocked) {
                kinds.push(Kind::Reopened);
            }
            if !is_of_others(old, new, holder) {
                kinds.push(Kind::Claimed);
            }
        }
        // It has landed. It was finished before.
        (TaskStatus::Landing, TaskStatus::Done) => {}
        (_, TaskStatus::Done | TaskStatus::Landing) => kinds.push(Kind::Finished),
        (_, TaskStatus::Blocked) => kinds.push(Kind::Blocked),
        (TaskStatus::InProgress, TaskStatus::ToDo) => kinds.push(Kind::Released),
        (_, TaskStatus::ToDo) => kinds.push(Kind::Reopened),
    }
    match (old.map_or(TaskDirectory::Tasks, |task| task.directory), new.directory) {
        (TaskDirectory::Tasks, TaskDirectory::Archive) => kinds.push(Kind::Archived),
        (TaskDirectory::Archive, TaskDirectory::Tasks) => kinds.push(Kind::Restored),
        _ => {}
    }
    kinds
}

/// Why a task is blocked: the last paragraph of its notes, as one line.
fn reason(database: Option<&Database>, id: &TaskId) -> Option<String> {
    let document = database?.find(&IdQuery::from(id)).ok()?.content;
    let notes = document.body().notes?;
    let paragraph = notes.trim_end().rsplit("\n\n").next()?;
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let line = cut(&words.join(" "));
    (!line.is_empty()).then_some(line)
}

/// Truncates a long text with an ellipsis.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use forge_tasks::database::TaskScope;

    use super::*;

    /// Writes a task file with a status, further front matter and notes.
    fn write(directory: &Path, file: &str, status: &str, more: &str, notes: &str) {
        let id = file.rsplit('/').next().unwrap_or(file);
        let text =
            format!("---\nid: {id}\ntitle: Title of {id}\nstatus: {status}\n{more}---\n\n{notes}");
        let path = directory.join(format!("{file} - X.md"));
        fs::create_dir_all(path.parent().expect("it has one")).expect("the place is ours");
        fs::write(path, text).expect("the place is ours");
    }

    fn remove(directory: &Path, file: &str) {
        fs::remove_file(directory.join(format!("{file} - X.md"))).expect("it is there");
    }

    fn snapshot(directory: &Path) -> TaskSnapshot {
        let opened = Database::open(directory).expect("it can be read").expect("it is there");
        TaskSnapshot::of(&opened.fronts(TaskScope::All).expect("it can be read"))
    }

    fn changes(directory: &Path, before: &TaskSnapshot, released: &[&str]) -> TaskChanges {
        let opened = Database::open(directory).expect("it can be read").expect("it is there");
        let released: Vec<TaskId> =
            released.iter().map(|id| TaskId::parse(id).expect("an id")).collect();
        snapshot(directory).changes_since(
            before,
            &released,
            &TaskHolder::of("our-run"),
            Some(&opened),
        )
    }

    fn words(changes: TaskChanges) -> Vec<String> {
        let changes = changes.changes;
        let word = |change: TaskChange| format!("{} {}", change.id, change.kind.label());
        changes.into_iter().map(word).collect()
    }

    const LEASED: &str = "leaseUntil: 2026-11-15T13:00:00.000Z\nleaseRun: our-run\n";

    #[test]
    fn each_change_of_status_has_its_kind() {
        for (old, new, expected) in [
            ("To Do", "To Do", &[][..]),
            ("To Do", "In Progress", &["TASK-1 claimed"]),
            ("To Do", "Done", &["TASK-1 finished"]),
            ("To Do", "Blocked", &["TASK-1 blocked"]),
            ("In Progress", "In Progress", &[]),
            ("In Progress", "Done", &["TASK-1 finished"]),
            ("In Progress", "Blocked", &["TASK-1 blocked"]),
            ("In Progress", "To Do", &["TASK-1 released"]),
            ("Done", "Done", &[]),
            ("Done", "To Do", &["TASK-1 reopened"]),
            ("Done", "In Progress", &["TASK-1 reopened", "TASK-1 claimed"]),
            ("Blocked", "To Do", &["TASK-1 reopened"]),
            ("Blocked", "Done", &["TASK-1 finished"]),
        ] {
            let directory = tempfile::tempdir().expect("there is room");
            write(directory.path(), "TASK-1", old, "", "");
            let before = snapshot(directory.path());
            write(directory.path(), "TASK-1", new, "", "");
            assert_eq!(words(changes(directory.path(), &before, &[])), expected, "{old} -> {new}");
        }
    }

    #[test]
    fn new_archived_restored_and_removed_tasks_are_listed_in_order() {
        let directory = tempfile::tempdir().expect("there is room");
        let directory = directory.path();
        for task in ["TASK-1", "TASK-2", "archive/TASK-3"] {
            write(directory, task, "To Do", "", "");
        }
        let before = snapshot(directory);
        remove(directory, "TASK-1");
        remove(directory, "TASK-2");
        write(directory, "archive/TASK-2", "Done", "", "");
        remove(directory, "archive/TASK-3");
        write(directory, "TASK-3", "To Do", "", "");
        write(directory, "TASK-4", "To Do", "", "");
        write(directory, "TASK-5", "Done", "", "");
        let changes = changes(directory, &before, &[]);
        let expected = TaskCounts { total: 3, done: 1, to_do: 2, ..TaskCounts::default() };
        assert_eq!(changes.counts, expected);
        assert_eq!(
            words(changes),
            [
                "TASK-1 deleted",
                "TASK-2 finished",
                "TASK-2 archived",
                "TASK-3 unarchived",
                "TASK-4 created",
                "TASK-5 created",
                "TASK-5 finished",
            ]
        );
    }

    #[test]
    fn a_snapshot_that_is_kept_reads_back_and_a_part_of_one_does_not() {
        let directory = tempfile::tempdir().expect("there is room");
        write(directory.path(), "TASK-1", "In Progress", LEASED, "");
        write(directory.path(), "TASK-2", "In Progress", "leaseRun: x\n", "");
        write(directory.path(), "archive/TASK-3", "Done", "", "");
        write(directory.path(), "TASK-4", "Blocked", "", "");
        fs::write(directory.path().join("TASK-5 - X.md"), "no front matter").expect("it is ours");
        let taken = snapshot(directory.path());
        let kept = taken.to_json();
        assert_eq!(TaskSnapshot::from_json(&kept).as_ref(), Some(&taken));
        for cut in [0, 1, kept.len() / 2, kept.len() - 1] {
            assert_eq!(TaskSnapshot::from_json(&kept[..cut]), None, "{cut}");
        }
        assert_eq!(TaskSnapshot::from_json(b"{}"), None);
        let empty = TaskSnapshot::default();
        assert_eq!(TaskSnapshot::from_json(&empty.to_json()), Some(empty));
    }

    #[test]
    fn a_task_that_was_taken_over_is_claimed() {
        let directory = tempfile::tempdir().expect("there is room");
        write(directory.path(), "TASK-1", "In Progress", "", "");
        write(directory.path(), "TASK-2", "In Progress", "", "");
        let before = snapshot(directory.path());
        write(directory.path(), "TASK-1", "In Progress", LEASED, "");
        write(directory.path(), "TASK-2", "In Progress", &LEASED.replace("our", "other"), "");
        assert_eq!(words(changes(directory.path(), &before, &[])), ["TASK-1 claimed"]);
    }

    #[test]
    fn a_task_that_a_person_claims_is_not_claimed_by_the_agent() {
        let persons = "assignee: ada\nleaseUntil: 2026-11-15T13:00:00.000Z\n";
        let other_run = LEASED.replace("our", "other");
        for (old, more, expected) in [
            ("To Do", persons, &[][..]),
            ("To Do", &*other_run, &[]),
            ("To Do", "assignee: ada\n", &[]),
            ("To Do", LEASED, &["TASK-1 claimed"]),
            ("Done", persons, &["TASK-1 reopened"]),
            ("Blocked", "assignee: ada\n", &["TASK-1 reopened"]),
            ("Blocked", LEASED, &["TASK-1 reopened", "TASK-1 claimed"]),
        ] {
            let directory = tempfile::tempdir().expect("there is room");
            write(directory.path(), "TASK-1", old, "", "");
            let before = snapshot(directory.path());
            write(directory.path(), "TASK-1", "In Progress", more, "");
            let found = words(changes(directory.path(), &before, &[]));
            assert_eq!(found, expected, "{old}, {more}");
        }
        // An assignee that the task had before is no sign of another claim.
        let directory = tempfile::tempdir().expect("there is room");
        write(directory.path(), "TASK-1", "To Do", "assignee: ada\n", "");
        let before = TaskSnapshot::from_json(&snapshot(directory.path()).to_json());
        let before = before.expect("it is whole");
        write(directory.path(), "TASK-1", "In Progress", "assignee: ada\n", "");
        assert_eq!(words(changes(directory.path(), &before, &[])), ["TASK-1 claimed"]);
    }

    #[test]
    fn an_archived_task_does_not_hide_another_one_with_its_id() {
        let directory = tempfile::tempdir().expect("there is room");
        let directory = directory.path();
        write(directory, "TASK-1", "To Do", "", "");
        write(directory, "archive/TASK-1", "Done", "", "");
        let before = snapshot(directory);
        write(directory, "TASK-1", "Done", "", "");
        let changes = changes(directory, &before, &[]);
        assert_eq!((changes.counts.total, changes.counts.done), (1, 1));
        assert_eq!(words(changes), ["TASK-1 finished"]);
    }

    #[test]
    fn a_task_that_was_given_back_was_claimed_and_released() {
        let directory = tempfile::tempdir().expect("there is room");
        write(directory.path(), "TASK-1", "To Do", "", "");
        let before = snapshot(directory.path());
        let changes = changes(directory.path(), &before, &["TASK-1"]);
        assert_eq!(words(changes), ["TASK-1 claimed", "TASK-1 released"]);
    }

    #[test]
    fn a_blocked_task_has_the_last_paragraph_of_its_notes_as_reason() {
        let reason = |notes: &str| {
            let directory = tempfile::tempdir().expect("there is room");
            write(directory.path(), "TASK-1", "To Do", "", "");
            let before = snapshot(directory.path());
            let body = format!("## Implementation Notes\n\n{notes}\n");
            write(directory.path(), "TASK-1", "Blocked", "", &body);
            let changes = changes(directory.path(), &before, &[]);
            changes.changes[0].reason.clone()
        };
        let last = reason("It was begun.\n\nThe API key\nis missing.").expect("there are notes");
        assert_eq!(last, "The API key is missing.");
        let long = reason(&"long ".repeat(100)).expect("there are notes");
        assert!(long.chars().count() <= MAX_TEXT_CHARS + 1 && long.ends_with("long…"), "{long}");
        assert_eq!(reason(""), None);
    }

    #[test]
    fn a_long_title_is_cut() {
        let directory = tempfile::tempdir().expect("there is room");
        let before = TaskSnapshot::default();
        let text = format!("---\nid: TASK-1\ntitle: {}\nstatus: To Do\n---\n", "é".repeat(5000));
        fs::write(directory.path().join("TASK-1 - X.md"), text).expect("the place is ours");
        let changes = changes(directory.path(), &before, &[]);
        let expected = "é".repeat(MAX_TEXT_CHARS) + "…";
        assert_eq!((&changes.changes[0].title, &changes.open[0].title), (&expected, &expected));
    }

    #[test]
    fn open_tasks_are_listed_and_blocked_ones_come_first() {
        let directory = tempfile::tempdir().expect("there is room");
        let directory = directory.path();
        let notes = "## Implementation Notes\n\nThe key is missing.\n";
        for (task, status) in [
            ("TASK-1", "To Do"),
            ("TASK-2", "Done"),
            ("TASK-3", "Blocked"),
            ("TASK-4", "In Progress"),
            ("archive/TASK-5", "To Do"),
        ] {
            write(directory, task, status, "", notes);
        }
        let open = changes(directory, &snapshot(directory), &[]).open;
        let ids: Vec<(&str, Option<&str>)> =
            open.iter().map(|task| (task.id.as_str(), task.reason.as_deref())).collect();
        let why = Some("The key is missing.");
        assert_eq!(ids, [("TASK-3", why), ("TASK-4", None), ("TASK-1", None)]);
        (10..90).for_each(|number| write(directory, &format!("TASK-{number}"), "To Do", "", ""));
        let open = changes(directory, &snapshot(directory), &[]).open;
        assert_eq!(open.len(), TaskChanges::MAX_OPEN);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_neither_removed_nor_created() {
        let directory = tempfile::tempdir().expect("there is room");
        write(directory.path(), "TASK-1", "To Do", "", "");
        write(directory.path(), "TASK-2", "To Do", "", "");
        let whole = snapshot(directory.path());
        fs::write(directory.path().join("TASK-1 - X.md"), "no front matter").expect("it is ours");
        let changed = changes(directory.path(), &whole, &[]);
        assert_eq!((changed.counts.total, changed.counts.unreadable), (1, 1));
        assert_eq!(words(changed), [""; 0]);
        let partial = snapshot(directory.path());
        write(directory.path(), "TASK-1", "To Do", "", "");
        write(directory.path(), "TASK-2", "Done", "", "");
        assert_eq!(words(changes(directory.path(), &partial, &[])), ["TASK-2 finished"]);
    }
}
