mod checks;
mod endings;
mod refusals;
pub(crate) mod support;

mod hooks;
mod live_line;
mod past_runs;
mod progress;
mod provider;

mod remedies;

mod spending;
mod steering;

mod agent_events;
mod streams;
mod summary;
