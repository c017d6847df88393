//! What other limits would have done to simulated runs.

mod agents;
mod decisions;
mod flows;
mod properties;
mod resumes;
mod suggestions;
mod support;
