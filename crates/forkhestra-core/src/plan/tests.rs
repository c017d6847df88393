//! Plans of small configs on a fake host.

mod agents;
mod built_in;
mod checks;
mod defaults;
mod fake_host;
mod flow;
mod forked_plan;
mod inventory;
mod json;
mod lanes;
mod limits;
mod prompts;
mod relocate;
mod replay;
mod variables;
mod work_tree_rules;

use std::sync::Arc;

use super::*;
use crate::config::{self, ConfigLayer, ConfigLayerKind, ConfigLayers};
use crate::dsl::Dsl;
use crate::text::variables::Variables;
use fake_host::FakeHost;

/// A request with defaults, to be changed by a test.
fn dsl(text: &str) -> PlanRequest {
    PlanRequest::new(RunTarget::Dsl(Dsl::parse(text).expect("the test's chain is right")), "/work")
}

fn chain(name: &str) -> PlanRequest {
    PlanRequest::new(RunTarget::Chain(name.to_owned()), "/work")
}

fn with_variables(request: PlanRequest, words: &[&str]) -> PlanRequest {
    let variables = Variables::collect(words.iter().copied()).expect("the test's words are right");
    PlanRequest { variables, ..request }
}

/// Parses the config files of a test, the project's first.
fn layers(project: Option<&str>, user: Option<&str>) -> ConfigLayers {
    let read = |kind, name: &str, text: &str| {
        let reading = config::read(name, text.as_bytes().to_vec());
        let diagnostics = reading.diagnostics;
        let config = reading.config.unwrap_or_else(|| panic!("{diagnostics:#?}"));
        ConfigLayer { kind, source: Arc::clone(&reading.source), config }
    };
    let project = project.map(|text| read(ConfigLayerKind::Project, "chains.json", text));
    let user = user.map(|text| read(ConfigLayerKind::User, "user.json", text));
    ConfigLayers { files: project.into_iter().chain(user).collect(), looked_for: Vec::new() }
}

fn project(text: &str) -> ConfigLayers {
    layers(Some(text), None)
}

/// A config with one chain `c` of these steps, and these agents.
fn config(agents: &str, chain_members: &str, steps: &str) -> ConfigLayers {
    project(&format!(
        r#"{{"agents": {{{agents}}}, "chains": {{"c": {{{chain_members} "steps": [{steps}]}}}}}}"#
    ))
}

#[track_caller]
fn plan(request: &PlanRequest, layers: &ConfigLayers, host: &FakeHost) -> Plan {
    planned(request, layers, host).plan
}

#[track_caller]
fn planned(request: &PlanRequest, layers: &ConfigLayers, host: &FakeHost) -> BuiltPlan {
    build(request, layers, host).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The messages of a plan that cannot be built, each with the text under its caret.
#[track_caller]
fn errors(request: &PlanRequest, layers: &ConfigLayers, host: &FakeHost) -> Vec<String> {
    let Err(errors) = build(request, layers, host) else { panic!("the plan could be made") };
    errors
        .iter()
        .map(|error| match &error.label {
            Some(place) => {
                format!("{} | {}", &place.source.text[place.span.range()], error.message)
            }
            None => error.message.clone(),
        })
        .collect()
}
