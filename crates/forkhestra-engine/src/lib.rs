//! Runs plans: starts agents, copies and scans what they print, ends them and everything they
//! started, and asks the machine of the core what to do next.
//!
//! # Theory of operation
//!
//! A run is a [`Machine`](forkhestra_core::machine::Machine), which decides everything and does
//! nothing. [`run()`] is the loop around it:
//!
//! ```text
//!          ┌───────────────────────────────────────────────────────────┐
//!          ▼                                                           │
//!   wait (poll): signals, threads, the guard, our output, the time     │
//!          │ Input: exited, marker, looked, late, cancelled …          │
//!          ▼                                                           │
//!   Machine::handle                                                    │
//!          │ Effects, in order                                         │
//!          ▼                                                           │
//!   perform: Emit ──► Sink      Spawn, Push ──► processes   Look ──► … ─┘
//! ```
//!
//! - **Events first.** The engine prints nothing and keeps nothing on disk. It hands every event to
//!   the [`EventSink`] of its caller, and does nothing that comes after it before the sink has taken it.
//!   If the sink cannot record an event, every agent is ended and the run is over.
//! - **Output beside.** What agents print is copied by a thread for each stream ([`output`]): searched
//!   for markers, handed to the [`OutputLogs`] and the [`OutputSink`](output::OutputSink) of the caller. The
//!   machine is told facts only. A slow outlet slows the agent down, and nothing is lost.
//! - **Errands as agents.** Checks, hooks and setups are processes like agents: started, ended and
//!   read the same way, but nothing they print is shown. What takes no process takes a thread.
//! - **Nothing is left.** An iteration is over when the agent, everything it started and its output
//!   are. Whatever comes of a run, [`run()`] returns with no process of it left ([`process`]).
//!
//! # What it asks of its caller
//!
//! Processes and signals belong to a whole process, and so does a run:
//!
//! - [`SignalReceiver`](signal::SignalReceiver) can be installed once.
//! - All children of the process are taken for the run's: those that nobody knows are collected, and
//!   all that are left are killed when the run is over. Whoever has other children runs the engine in a
//!   process of its own.
//! - [`process::split`] gives it one, and a guard that ends everything if it is killed. Without it,
//!   what forks twice gets away.
//!
//! # Example
//!
//! A plan in, events out, an outcome back. `examples/run_a_plan.rs` has the same with a guard, a
//! config and a loop.
//!
//! ```
//! use forkhestra_core::config::Layers;
//! use forkhestra_core::dsl::Dsl;
//! use forkhestra_core::event::{Event, RunEnd};
//! use forkhestra_core::id::RunId;
//! use forkhestra_core::machine::{Machine, RunState};
//! use forkhestra_core::plan::{self, Request, What};
//! use forkhestra_core::policy::Patience;
//! use forkhestra_engine::signal::Signals;
//! use forkhestra_engine::{Setting, now};
//! # use forkhestra_core::plan::{FileState, Location, Surroundings};
//! # struct World;
//! # impl Surroundings for World {
//! #     fn locate(&self, _: &str) -> Location {
//! #         Location::Found("/bin/sh".to_owned())
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
//! let request = Request::new(What::Dsl(chain), "/");
//! let planned = plan::build(&request, &Layers::default(), &World).expect("nothing is missing");
//!
//! let state = RunState::new(RunId::from_random(42), planned.plan);
//! let machine = Machine::new(state, "example", Patience::default(), now());
//! # let directory = tempfile::tempdir()?;
//! # let scratch = directory.path().join("scratch");
//! let setting = Setting::new(Signals::install()?, std::env::vars_os().collect(), scratch);
//! let mut events: Vec<Event> = Vec::new();
//! let state = forkhestra_engine::run(machine, setting, &mut events)?;
//!
//! assert_eq!(state.end, Some(RunEnd::Complete));
//! assert_eq!(events.len(), 7, "run, step, iteration and agent started; the first three ended");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod agent;
pub(crate) mod aux_job;
mod check;
mod clock;
pub mod effects;
mod fnv_hasher;
pub(crate) mod launch;
pub mod output;
mod ports;
pub mod process;
mod protected;
pub(crate) mod recording;
mod repository;
pub(crate) mod run_loop;
pub mod signal;
mod task_tracker;
#[cfg(test)]
mod test_project;
mod work_tree;

pub use clock::now;
pub use launch::agent_command::{AGENT_VARIABLES, RUN_TAG};
pub use output::null_output::NullOutput;
pub use ports::{
    EngineError, EnginePorts, EventSink, NoRecordings, NoTaskDatabases, OutputLogs, Recordings,
    ReplayedUnit, SinkError, SinkFailure, TaskDatabases,
};
pub use recording::unit_recorder::{CapturedEffects, UnitOutcome, UnitRecorder};
pub use repository::{RepositoryChanges, RepositoryReader, forget_snapshots};
pub use run_loop::dispatcher::run;
pub use run_loop::request_queue::PendingRequest;
pub use work_tree::FIRST_COMMIT;
