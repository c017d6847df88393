//! The pure heart of forkhestra: it understands what people write, and decides what becomes of a
//! run.
//!
//! The crate reads no file, no clock and no environment and starts nothing. What it must know about
//! the world it asks or is told, so that the same input always gives the same answer, and everything
//! it decides can be tested without a process and without waiting.
//!
//! # Theory of operation
//!
//! It has two halves.
//!
//! **From texts to a plan.** What a person writes (a [chain](dsl) on one line, a [config] file,
//! prompts, [variables], flags) becomes a [`Plan`](plan::Plan) with nothing left to decide, or
//! [diagnostics](diagnostic) that point at each mistake. What the plan must know about programs and
//! files it asks through [`HostEnvironment`](plan::HostEnvironment).
//!
//! **From a plan to an end.** A [`Machine`](machine::Machine) takes one
//! [`Input`](machine::Input) at a time (an agent has exited, a line is a marker, it is late) and gives
//! back [`Effect`](machine::Effect)s to be performed in order, the [`Event`](event::Event)s that tell
//! of the run among them. The rules it asks are in [`policy`]; what an agent printed is searched by
//! [`scan`]. A [`RunState`](machine::RunState) is what events add up to, and nothing else: to resume a
//! run is to fold its events, and to go on.
//!
//! # Example
//!
//! A plan of one agent, and its run, played by hand:
//!
//! ```
//! use std::time::Duration;
//!
//! use forkhestra_core::config::Layers;
//! use forkhestra_core::dsl::Dsl;
//! use forkhestra_core::event::{AgentEnd, OutputSummary, RunEnd, Sight};
//! use forkhestra_core::id::{RunId, UnitId};
//! use forkhestra_core::machine::{Effect, Input, Machine, Now, RunState};
//! use forkhestra_core::plan::{self, FileState, Location, Request, Surroundings, What};
//! use forkhestra_core::policy::Patience;
//! use forkhestra_core::time::Timestamp;
//!
//! /// A world in which every program is there, and no file.
//! struct World;
//!
//! impl Surroundings for World {
//!     fn locate(&self, program: &str) -> Location {
//!         Location::Found(format!("/bin/{program}"))
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
//! let request = Request::new(What::Dsl(chain), "/home/ada");
//! let planned = plan::build(&request, &Layers::default(), &World).expect("nothing is missing");
//!
//! let now = Now { awake: Duration::ZERO, wall: Timestamp::default() };
//! let state = RunState::new(RunId::from_random(42), planned.plan);
//! let mut machine = Machine::new(state, "example", Patience::default(), now);
//!
//! machine.handle(now, Input::Begin);
//! let effects = machine.handle(now, Input::Looked { step: 1, sight: Sight::default() });
//! let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
//! assert_eq!(effects.last(), Some(&Effect::Spawn { unit }));
//!
//! // Here somebody starts the program, and tells what becomes of it.
//! machine.handle(now, Input::Started { unit, pid: 4711, prompt: None });
//! machine.handle(now, Input::Exited { unit, end: AgentEnd::Exited(0) });
//! machine.handle(now, Input::Gone { unit });
//! let (output, sight) = (OutputSummary::default(), Sight::default());
//! let (sighting, heard) = (None, None);
//! machine.handle(now, Input::Settled { unit, output, sighting, sight, is_more: false, heard });
//! assert_eq!(machine.end(), Some(&RunEnd::Complete));
//! ```

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
pub mod recording;
pub mod scan;
pub mod text;
pub mod time;
