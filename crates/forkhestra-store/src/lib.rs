//! Stores runs on disk: the journal, the locks, and the output of agents.
//!
//! # Theory of operation
//!
//! All state is below one directory, the [`StateRoot`]. It is outside the work trees, so an agent
//! that cleans up its work tree does not reach it:
//!
//! ```text
//! ~/.local/state/forkhestra/
//!   engine-1a2b3c4d/                     one directory per work tree: WorkTreeDir
//!     lock                               one run at a time: WorkTreeLock
//!     20261115T075912Z-k3v9m2xq/         one directory per run: RunDir
//!       journal.jsonl                    the events: Journal, journal_contents::read
//!       origin.json                      the work tree that the run belongs to: RunOrigin
//!       owner                            the process that writes the journal: JournalLock
//!       overview.json                    cached list row of a finished run: RunOverview
//!       stats.json                       cached statistics of a finished run: run_notes
//!       control                          the control socket: control
//!       console.log                      messages of a background run
//!       output/2-13-1/                   output of an agent: step, iteration, attempt
//! ```
//!
//! The state of a run is the fold of its events and is never stored itself. Each event is appended
//! to the [`Journal`] before it takes effect, as one line of JSON in the format of [`mod@format`].
//! Readers fold the journal through the same machine that ran it. The consequences:
//!
//! | failure | state found | handling |
//! |---|---|---|
//! | the process is killed | all appended events | nothing is lost |
//! | power failure | all events that [must be durable](forkhestra_core::event::DurabilityTracker::must_be_durable), possibly more | the others follow from these |
//! | a line is incomplete or never reached the disk | a [torn](journal::journal_contents::TornEnd) end | it is cut off when the run is resumed |
//! | the disk is full | an error, if possible before an agent starts | the journal is unchanged and stays usable |
//! | the disk fails during a sync | an error | lines that may be lost are written again, by this process or by the one that resumes |
//! | a line in the middle is damaged | an [error](journal::journal_contents::JournalReadError) with its line number | the operator requests a [repair](repair::repair) |
//! | the work tree was moved | a missing working directory | the run [moves](move_run()) with it, if the operator confirms |
//! | two processes want to write the same journal | a locked journal | the second one is refused |
//! | a newer version wrote the journal | unknown events, or an error if they are incompatible | unknown events are skipped and stay in the file |
//! | the owner of the lock died | its entry in the lock file | the next owner gets the entry and cleans up |
//!
//! The lock is taken before the first write: functions that write require a [`LockProof`]. The
//! operator can waive it, but not the [`JournalLock`], which keeps two processes from writing one
//! journal.
//!
//! All changes go through a [`Disk`](disk::Disk), so that tests can simulate failing calls and power
//! failures.
//!
//! This crate decides nothing about a run, and prints nothing.
//!
//! # Example
//!
//! ```
//! use std::path::Path;
//! use std::time::Duration;
//!
//! use forkhestra_core::event::{Event, EventKind};
//! use forkhestra_core::id::RunId;
//! use forkhestra_core::time::Timestamp;
//! use forkhestra_store::journal::journal_contents;
//! use forkhestra_store::{
//!     Durability, Journal, LockOwner, LockProof, StateRoot, WorkTreeLock,
//! };
//! # use forkhestra_core::plan::Plan;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let plan: Plan = serde_json::from_str(r#"{"version": 1, "chain": null, "definition": "a",
//! #     "source": "command line", "description": null, "workingDirectory": "/home/ada/engine",
//! #     "stateDirectory": null, "taskDatabase": null, "steps": [], "hooks": [], "limits":
//! #     {"time": {"value": null, "source": "default"}, "cost": {"value": null, "source": "default"}},
//! #     "feedback": true}"#)?;
//! let state = StateRoot::new(directory.path());
//! let tree = state.work_tree(Path::new("/home/ada/engine"));
//! let now = Timestamp::parse("2026-11-15T07:59:12.123Z")?;
//! let run = RunId::from_random(42);
//!
//! let owner = LockOwner { pid: 1234, run: run.clone(), since: now };
//! let hold = LockProof::Locked(WorkTreeLock::acquire(&tree, &owner)?.lock);
//! let run_dir = tree.create_run(&hold, &run, now)?;
//! let mut journal = Journal::create(&run_dir, &hold, &owner, Durability::Fsync)?;
//! let program = "1.0.0".to_owned();
//! let started = EventKind::RunStarted { run, plan: Box::new(plan), program, origin: None, inherited: Vec::new() };
//! journal.append(&Event::new(now, Duration::ZERO, started))?;
//!
//! let found = state.find("a")?;
//! let recorded = journal_contents::read(&found.journal())?;
//! assert_eq!(recorded.events.len(), 1);
//! # Ok(())
//! # }
//! ```

pub mod control;
pub mod disk;
pub mod format;
pub mod journal;
pub mod output_log;
pub mod recording;
pub mod repair;
pub mod run_notes;
pub(crate) mod runs;
pub mod view;

pub use disk::file_error::FileError;
pub use journal::follower::JournalFollower;
pub use journal::journal_lines::{JournalLine, JournalLines};
pub use journal::journal_lock::JournalLock;
pub use journal::writer::{Durability, Journal, JournalOpenError};
pub use runs::find_run::{FindRunError, find_by_prefix};
pub use runs::listed_run::{
    DAMAGED, ListRowView, ListedRun, ReadableRowView, UNREADABLE, UnreadableRowView,
};
pub use runs::lock_owner::LockOwner;
pub use runs::move_run::move_run;
pub use runs::pending_messages::{pending_messages, store_pending_message};
pub use runs::run_dir::{RunDir, RunDirError};
pub use runs::run_origin::{OriginMatch, RunOrigin};
pub use runs::run_overview::RunOverview;
pub use runs::run_removal::{JournalLength, RemoveError, RunRemoval, is_leftover, remove_leftover};
pub use runs::run_size::RunSize;
pub use runs::state_root::StateRoot;
pub use runs::work_tree_dir::WorkTreeDir;
pub use runs::work_tree_lock::{AcquiredLock, LockError, LockProof, WorkTreeLock};
