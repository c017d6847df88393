//! A task database of plain files that agents and people can share safely.
//!
//! A task is a Markdown file with YAML front matter in `forge/tasks/`. Planner agents create tasks,
//! builder agents take and finish them, people read and edit them with whatever they like, and git
//! carries them. There is no server, no index and no cache: the files are all there is.
//!
//! # Theory of operation
//!
//! - [`document`] is one file. It is read generously and edited *losslessly*: an edit is made of
//!   replaced byte ranges, and what it does not name stays as it is, byte for byte.
//! - [`database`] is the directory. A `Writer` holds its lock, and only a `Writer` has
//!   methods that write. Files are replaced as a whole, so that readers, which need no lock, find each
//!   task either old or new.
//! - [`actions`] is what can be done with tasks: create, edit, claim and so on. Its decisions (what is
//!   ready, which one to take next, what goes in circles) are functions without any file.
//! - [`cli`] is the command line of `forge-tasks`, one file a verb.
//!
//! # Example
//!
//! ```
//! use forge_tasks::actions::{Index, NewTask, create};
//! use forge_tasks::database::{Scope, Writer};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let project = tempfile::tempdir()?;
//! let mut writer = Writer::open(&project.path().join("forge/tasks"))?;
//! let new = NewTask { title: "Write the parser".to_owned(), ..NewTask::default() };
//! let done = create(&mut writer, &new, "2026-11-15T12:00:00Z".parse()?)?;
//! assert_eq!(done.task.file, "TASK-001 - Write the parser.md");
//!
//! let all = writer.database().fronts(Scope::All)?;
//! assert!(Index::new(&all).waits_for(&all.tasks[0].content).is_empty());
//! # Ok(())
//! # }
//! ```

pub mod actions;
pub mod cli;
pub mod database;
pub mod document;
mod due_date;
mod id;
mod merge_conflict;
mod priority;
mod status;
mod words;

pub use due_date::{DueDate, DueDateParseError};
pub use id::{IdPrefix, IdPrefixParseError, IdQuery, TaskId, TaskIdParseError, names_id};
pub use priority::{Priority, PriorityParseError};
pub use status::{TaskStatus, TaskStatusParseError};
