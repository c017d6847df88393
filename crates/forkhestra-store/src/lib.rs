//! Keeps runs on disk: the journal that is the truth, the lock, and what agents printed.
//!
//! # Theory of operation
//!
//! Everything is below one directory, the [`StateRoot`], far from the work trees, where no agent
//! that tidies up can reach it:
//!
//! ```text
//! ~/.local/state/forkhestra/
//!   engine-1a2b3c4d/                     one directory per work tree: WorkTreeDir
//!     lock                               one run at a time: Lock
//!     20261115T075912Z-k3v9m2xq/         one directory per run: RunDir
//!       journal.jsonl                    what happened: Journal, replay::read
//!       owner                            which process writes that: JournalLock
//!       overview.json                    what lists say of a run that is over: Overview
//!       control                          the socket by which it is steered: control
//!       console.log                      what a run in the background said, which had no screen
//!       output/2-13-1/                   what an agent printed: step, iteration, try
//! ```
//!
//! A run is what its events add up to. Each of them is appended to the [`Journal`] before anybody
//! acts on it, as one line of JSON in a [`mod@format`] of its own. The state is never stored: it is
//! the journal, folded through the same machine that ran it. That makes most accidents harmless:
//!
//! | accident | what is found | what becomes of it |
//! |---|---|---|
//! | we are killed | all events that were appended | nothing is lost |
//! | power failure | all events that [must be durable](forkhestra_core::event::DurabilityTracker::must_be_durable), perhaps more | the rest can be told from these |
//! | a line was not written to its end, or never reached the disk | a [torn](replay::TornEnd) end | it is cut off when the run goes on |
//! | the disk is full | an error, before an agent is started if at all possible | the journal is as it was, and can be used again |
//! | the disk is broken, and a sync fails | an error | lines that may be lost are written again, by us or by whoever goes on |
//! | a line in the middle is damaged | an [error](replay::JournalReadError) that names it | a person has to ask for a [repair](repair::repair) |
//! | the work tree is at another place | a working directory that is gone | the run [moves](move_run()) there, if a person says so |
//! | two want to write the same journal | a journal that is locked | the second is refused |
//! | a newer version wrote it | unknown events, or an error if we would misunderstand them | they are skipped and stay in the file |
//! | the owner of the lock died | its name in the lock file | the next one is told, and cleans up |
//!
//! The lock is taken before anything is written: what writes asks for a [`LockProof`]. A person may do
//! without it, but never without the [`JournalLock`], which keeps two processes from one journal.
//!
//! Everything is changed through a [`Disk`](disk::Disk), so that all of this can be tried: on a disk
//! where every call fails, and the power after it.
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
//! use forkhestra_store::{Durability, Hold, Journal, Lock, Owner, StateRoot, replay};
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
//! let owner = Owner { pid: 1234, run: run.clone(), since: now };
//! let hold = Hold::Locked(Lock::acquire(&tree, &owner)?.lock);
//! let run_dir = tree.create_run(&hold, &run, now)?;
//! let mut journal = Journal::create(&run_dir, &hold, &owner, Durability::Fsync)?;
//! let program = "1.0.0".to_owned();
//! let started = EventKind::RunStarted { run, plan: Box::new(plan), program };
//! journal.append(&Event { at: now, elapsed: Duration::ZERO, kind: started })?;
//!
//! let found = state.find("a")?;
//! let recorded = replay::read(&found.journal())?;
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
pub use runs::run_overview::RunOverview;
pub use runs::run_removal::{JournalLength, RemoveError, RunRemoval, is_leftover, remove_leftover};
pub use runs::run_size::RunSize;
pub use runs::state_root::StateRoot;
pub use runs::work_tree_dir::WorkTreeDir;
pub use runs::work_tree_lock::{AcquiredLock, LockError, LockProof, WorkTreeLock};
pub use view::status_word::StatusWord;
