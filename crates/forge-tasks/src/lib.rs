//! A task database of plain files that agents and people can share safely.
//!
//! A task is a Markdown file with YAML front matter in `forge/tasks/`. Planner agents create tasks,
//! builder agents claim and finish them, people read and edit them with any editor, and git
//! versions them. There is no server, no index and no cache: the files are the only state.
//!
//! # Theory of operation
//!
//! - [`document`] is one file. It is read leniently and edited *losslessly*: an edit replaces byte
//!   ranges, and every byte outside them is kept.
//! - [`database`] is the directory. A [`DatabaseWriter`](database::DatabaseWriter) holds its lock,
//!   and only it has methods that write. Files are replaced atomically, so that readers, which need
//!   no lock, see each task either old or new.
//! - [`actions`] are the operations on tasks: create, edit, claim and so on. Decisions (which tasks
//!   are ready, which one is next, what is a cycle) are pure functions.
//! - [`merge`] merges three versions of a file field by field, and [`git`] lets git use that.
//! - [`cli`] is the command line of `forge-tasks`, one file a verb.
//!
//! # Example
//!
//! ```
//! use forge_tasks::actions::{NewTask, TaskIndex, create};
//! use forge_tasks::database::{DatabaseWriter, TaskScope};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let project = tempfile::tempdir()?;
//! let mut writer = DatabaseWriter::open(&project.path().join("forge/tasks"))?;
//! let new = NewTask { title: "Write the parser".to_owned(), ..NewTask::default() };
//! let done = create(&mut writer, &new, "2026-11-15T12:00:00Z".parse()?)?;
//! assert_eq!(done.task.file, "TASK-001 - Write the parser.md");
//!
//! let all = writer.database().fronts(TaskScope::All)?;
//! assert!(TaskIndex::new(&all).waits_for(&all.tasks[0].content).is_empty());
//! # Ok(())
//! # }
//! ```

pub mod actions;
pub mod cli;
pub mod database;
pub mod document;
mod due_date;
pub mod git;
mod id;
pub mod merge;
mod merge_conflict;
mod priority;
mod run_lane;
mod status;
mod words;
mod written_time;

pub use due_date::{DueDate, DueDateParseError};
pub use id::{IdPrefix, IdPrefixParseError, IdQuery, TaskId, TaskIdParseError};
pub use priority::{Priority, PriorityParseError};
pub use run_lane::{RunLane, RunLaneParseError};
pub use status::{TaskStatus, TaskStatusParseError};
