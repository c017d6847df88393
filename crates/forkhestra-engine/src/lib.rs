//! Runs plans: starts agents, copies and scans their output, ends them and all their descendants,
//! and drives the state machine of the core.
//!
//! # Theory of operation
//!
//! A run is a [`Machine`](forkhestra_core::machine::Machine), which makes every decision and
//! performs no I/O. [`run()`] is the loop around it:
//!
//! ```text
//!          ┌───────────────────────────────────────────────────────────┐
//!          ▼                                                           │
//!   wait (poll): signals, threads, the guard, our output, the time     │
//!          │ Input: Exited, Observed, Cancel, …                        │
//!          ▼                                                           │
//!   Machine::handle                                                    │
//!          │ Effects, in order                                         │
//!          ▼                                                           │
//!   perform: Emit ──► EventSink   Spawn, SignalAgent ──► processes   … ┘
//! ```
//!
//! - **Events first.** The engine prints nothing and stores nothing on disk. It passes every event
//!   to the [`EventSink`] of the caller and performs later effects only after the sink has
//!   returned. If the sink cannot record an event, every agent is ended and the run is over.
//! - **Output bypasses the machine.** One thread for each stream copies the agents' output
//!   ([`output`]): it searches for markers and passes the bytes to the [`OutputLogs`] and the
//!   [`OutputSink`](output::OutputSink) of the caller. The machine receives facts only. A slow sink
//!   slows the agent down; no output is dropped.
//! - **Aux jobs run like agents.** Checks, hooks and set-ups are processes that are started, ended
//!   and read the same way, but their output is not shown. Work that needs no process runs in a
//!   thread.
//! - **No leftovers.** An iteration is over when the agent, all its descendants and its output have
//!   ended. [`run()`] returns with no process of the run left, whatever the result ([`process`]).
//!
//! # Requirements for the caller
//!
//! Signals and child processes belong to a whole process, so a run needs a process of its own:
//!
//! - [`SignalReceiver`](signal::SignalReceiver) can be installed once.
//! - All children of the process are treated as the run's: unknown ones are reaped, and the
//!   remaining ones are killed when the run is over. A caller with other children runs the engine
//!   in a separate process.
//! - [`process::split`] provides that process, and a guard that ends everything if it is killed.
//!   Without a guard, processes that fork twice escape.
//!
//! # Example
//!
//! A plan in, events out, a final state back. `examples/run_a_plan.rs` does the same with a guard,
//! a config and a loop.
//!
//! ```
//! use forkhestra_core::config::ConfigLayers;
//! use forkhestra_core::dsl::Dsl;
//! use forkhestra_core::event::{Event, RunEnd};
//! use forkhestra_core::id::RunId;
//! use forkhestra_core::machine::{Machine, RunState};
//! use forkhestra_core::plan::{self, PlanRequest, RunTarget};
//! use forkhestra_core::policy::GracePeriods;
//! use forkhestra_engine::signal::SignalReceiver;
//! use forkhestra_engine::{EnginePorts, now};
//! # use forkhestra_core::plan::{FileState, HostEnvironment, ProgramLocation};
//! # struct ExampleHost;
//! # impl HostEnvironment for ExampleHost {
//! #     fn locate(&self, _: &str) -> ProgramLocation {
//! #         ProgramLocation::Found("/bin/sh".to_owned())
//! #     }
//! #     fn file(&self, _: &str) -> FileState {
//! #         FileState::Missing
//! #     }
//! #     fn prompt_file(&self, _: &str) -> FileState {
//! #         FileState::Missing
//! #     }
//! #     fn task_database(&self) -> Option<String> {
//! #         None
//! #     }
//! # }
//!
//! let chain = Dsl::parse("sh").expect("this is a chain");
//! let request = PlanRequest::new(RunTarget::Dsl(chain), "/");
//! let planned =
//!     plan::build(&request, &ConfigLayers::default(), &ExampleHost).expect("nothing is missing");
//!
//! let state = RunState::new(RunId::from_random(42), planned.plan);
//! let machine = Machine::new(state, "example", GracePeriods::default(), now());
//! # let directory = tempfile::tempdir()?;
//! # let scratch = directory.path().join("scratch");
//! let signals = SignalReceiver::install()?;
//! let ports = EnginePorts::new(signals, std::env::vars_os().collect(), scratch);
//! let mut events: Vec<Event> = Vec::new();
//! let state = forkhestra_engine::run(machine, ports, &mut events)?;
//!
//! assert_eq!(state.end, Some(RunEnd::Complete));
//! assert_eq!(events.len(), 7, "run, step, iteration and agent started; the first three ended");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod agent;
pub(crate) mod aux_job;
pub mod bisect;
mod check;
mod clock;
pub mod effects;
mod fnv_hasher;
#[doc(hidden)]
pub mod fuzzing;
mod hook_process;
pub(crate) mod launch;
pub mod output;
mod package_caches;
mod ports;
pub mod process;
mod protected;
pub(crate) mod recording;
pub mod regular_file;
mod repository;
pub(crate) mod run_loop;
pub mod sandbox;
mod secret_finder;
pub mod signal;
mod task_tracker;
#[cfg(test)]
mod test_project;
mod work_tree;

pub use aux_job::program_baseline::{changed_programs, program_baseline};
pub use clock::now;
pub use hook_process::HookProcess;
pub use launch::agent_command::{AGENT_VARIABLES, RUN_TAG, prompt_fingerprints};
pub use launch::workplace_settings::WorkplaceLocation;
pub use output::null_output::NullOutput;
pub use ports::{
    EngineError, EnginePorts, EventSink, NoRecordings, NoTaskDatabases, OutputLogs, OwnProgram,
    Recordings, ReplayedUnit, SinkError, SinkFailure, TaskDatabases,
};
pub use protected::{OriginBaseline, OriginStep};
pub use recording::unit_recorder::{CapturedEffects, UnitOutcome, UnitRecorder};
pub use repository::{
    ChangedLines, CheckoutRequest, CommitPerson, ConflictedPath, DiffPager, DiffText, EntryMerge,
    ExpectedState, FetchedLane, FileEffect, FilledFiles, ForwardOutcome, ForwardRequest,
    HeadRelation, HeadState, HeldReason, IntegrationRef, IntegrationRefError, IntegrationRoom,
    LANE_VARIABLE, LANES_VARIABLE, LackingEntry, LandedEntry, LandingMessage, LandingSignature,
    LaneBranch, LaneClone, LaneCommits, LaneContents, LaneError, LaneFilling, LaneGaps, LaneMove,
    LaneObstacle, LanePorts, LaneRequest, LaneSource, LaneToFetch, MeasuredSize, MergeEntry,
    MergeQueueError, MergedBatch, MissingFiles, NewLane, OverlayContent, OverlayFile,
    PORT_VARIABLE, PORTS_PER_LANE, ParkedCommit, PathOrigin, QueueLocation, QueueRepository,
    RecordedTarget, RefUpdate, RepositoryChanges, RepositoryReader, RewindError, RewindLabel,
    RewindLocation, RewindProgress, RewindRecord, RewindRecords, RewindScope, RewindSurvey,
    RewindTarget, SnapshotClone, SnapshotCloneError, SnapshotCloneRequest, SnapshotDiff,
    SnapshotLocation, SnapshotReadError, SnapshotReader, SubmoduleGap, UndoRecord, UndoSurvey,
    WORKTREE_INCLUDE_FILE, WorkTreeRewinder, copy_snapshot_refs, forget_snapshots, lane_variables,
    pending_rewind,
};
pub use run_loop::dispatcher::run;
pub use run_loop::lane_service::{LaneService, NoLanes};
pub use run_loop::request_queue::PendingRequest;
pub use run_loop::terminal_input::{TerminalInput, is_own_group};
pub use secret_finder::SecretFinder;
pub use work_tree::FIRST_COMMIT;
