//! The pure core of forkhestra: it parses user input and makes every decision about a run.
//!
//! The crate reads no file, no clock and no environment, and starts no process. Facts about the
//! outside world come in as arguments or through traits. The same input always gives the same
//! result, so every decision can be tested without a process and without waiting.
//!
//! # Theory of operation
//!
//! The crate has two halves.
//!
//! **From texts to a plan.** User input (a [chain](dsl) on one line, a [config] file, prompts,
//! [variables](text::variables), flags) becomes a fully resolved [`Plan`](plan::Plan), or
//! [diagnostics](diagnostic) that point at each error. Queries about programs and files go through
//! [`HostEnvironment`](plan::HostEnvironment).
//!
//! **From a plan to an end.** A [`Machine`](machine::Machine) takes one
//! [`Input`](machine::Input) at a time (an agent has exited, a line is a marker, a deadline has
//! passed) and returns [`Effect`](machine::Effect)s to perform in order, including the
//! [`Event`](event::Event)s of the run. Its rules are in [`policy`]; [`scan`] searches an agent's
//! output for markers. A [`RunState`](machine::RunState) is the fold of the events and nothing
//! else: a run is resumed by folding its events and continuing from there.
//!
//! # Example
//!
//! A plan of one agent and its run, driven by hand:
//!
//! ```
//! use std::time::Duration;
//!
//! use forkhestra_core::config::ConfigLayers;
//! use forkhestra_core::dsl::Dsl;
//! use forkhestra_core::event::{ProcessEnd, Observation, OutputSummary, RunEnd};
//! use forkhestra_core::id::{RunId, UnitId};
//! use forkhestra_core::machine::{Effect, Input, Machine, Now, RunState};
//! use forkhestra_core::plan::{
//!     self, FileState, HostEnvironment, PlanRequest, ProgramLocation, RunTarget,
//! };
//! use forkhestra_core::policy::GracePeriods;
//! use forkhestra_core::time::Timestamp;
//!
//! /// A host that has every program and no file.
//! struct FakeHost;
//!
//! impl HostEnvironment for FakeHost {
//!     fn locate(&self, program: &str) -> ProgramLocation {
//!         ProgramLocation::Found(format!("/bin/{program}"))
//!     }
//!
//!     fn file(&self, _: &str) -> FileState {
//!         FileState::Missing
//!     }
//!
//!     fn prompt_file(&self, _: &str) -> FileState {
//!         FileState::Missing
//!     }
//!
//!     fn task_database(&self) -> Option<String> {
//!         None
//!     }
//! }
//!
//! let chain = Dsl::parse("tidy-up").expect("this is a chain");
//! let request = PlanRequest::new(RunTarget::Dsl(chain), "/home/ada");
//! let layers = ConfigLayers::default();
//! let planned = plan::build(&request, &layers, &FakeHost).expect("nothing is missing");
//!
//! let now = Now { awake: Duration::ZERO, wall: Timestamp::default() };
//! let state = RunState::new(RunId::from_random(42), planned.plan);
//! let mut machine = Machine::new(state, "example", GracePeriods::default(), now);
//!
//! machine.handle(now, Input::Begin);
//! let effects = machine.handle(now, Input::Observed { step: 1, observation: Observation::default() });
//! let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
//! assert_eq!(effects.last(), Some(&Effect::Spawn { unit }));
//!
//! // Here the caller starts the program and reports what happens to it.
//! machine.handle(now, Input::Started { unit, pid: 4711, prompt: None });
//! machine.handle(now, Input::Exited { unit, end: ProcessEnd::Exited(0) });
//! machine.handle(now, Input::Gone { unit });
//! let (output, observation) = (OutputSummary::default(), Observation::default());
//! let (marker_match, stream_summary, closing_text) = (None, None, None);
//! machine.handle(now, Input::Settled {
//!     unit,
//!     output,
//!     marker_match,
//!     observation,
//!     needs_observation: false,
//!     stream_summary,
//!     closing_text,
//! });
//! assert_eq!(machine.end(), Some(&RunEnd::Complete));
//! ```

pub mod bisect;
pub mod built_in;
pub mod check;
pub mod config;
pub mod control;
pub mod cost;
pub mod diagnostic;
pub mod dsl;
pub mod event;
pub mod explain;
pub mod history;
pub mod hook;
pub mod id;
pub mod limit;
pub mod machine;
pub mod marker;
pub mod plan;
pub mod policy;
pub mod quota;
pub mod recording;
pub mod scan;
pub mod stats;
pub mod text;
pub mod time;
pub mod what_if;
