//! Recordings in place of agents: which recorded step replaces which planned one.

use std::collections::BTreeMap;

use super::agent::plan_agent::{AgentKind, AgentProgram, DirectSpawn};
use super::error;
use super::host_environment::{HostEnvironment, ProgramLocation, RecordedStep};
use super::plan_builder::{PlanBuilder, StepDraft};
use super::plan_request::RequestedReplay;
use super::replay::{Replay, ReplaySpeed};
use super::step::agent_files::recording_problem;
use super::types::PlanStep;
use crate::config::{AgentEntry, Backend, ConfigEntry};

/// The replay that a config entry defines, and the recorded agent, as far as it is known without a
/// plan: the first step of this name.
pub(super) fn defined(
    definition: ConfigEntry<'_, AgentEntry>,
    recording: &str,
    host: &dyn HostEnvironment,
) -> (AgentKind, Replay) {
    let ConfigEntry { entry, name, .. } = definition;
    let steps = host.recording(recording).unwrap_or_default();
    // The check of the agent's files reports problems with the recording.
    let chosen = choose(&steps, &name.value, 0, true);
    let replay = Replay {
        recording: recording.to_owned(),
        step: chosen.map_or(1, |step| step.number),
        speed: entry.speed.as_ref().map_or(ReplaySpeed::RECORDED, |speed| speed.value),
    };
    (replayed_agent(None, chosen.and_then(|step| step.backend), host), replay)
}

/// The recorded step for the nth use of an agent, from zero. The only step of a recording is
/// replayed for any agent.
fn choose<'a>(
    steps: &'a [RecordedStep],
    agent: &str,
    nth: usize,
    is_only: bool,
) -> Option<&'a RecordedStep> {
    match steps {
        [step] if is_only => Some(step),
        _ => steps.iter().filter(|step| step.agent == agent).nth(nth),
    }
}

/// The agent that a recording is of: its output is parsed as that agent's, and forkhestra replays
/// it.
fn replayed_agent(
    planned: Option<AgentKind>,
    backend: Option<Backend>,
    host: &dyn HostEnvironment,
) -> AgentKind {
    let command = host.player();
    let location = ProgramLocation::Found(command.clone());
    let env = planned.as_ref().map(|kind| kind.env().clone()).unwrap_or_default();
    match (backend, planned) {
        (Some(backend), Some(AgentKind::Direct(direct))) if direct.backend == backend => {
            AgentKind::Direct(DirectSpawn { command, location, ..direct })
        }
        (Some(backend), _) => {
            AgentKind::Direct(DirectSpawn { env, ..DirectSpawn::new(backend, command, location) })
        }
        (None, _) => AgentKind::Program(AgentProgram { command, location, env }),
    }
}

impl PlanBuilder<'_> {
    /// Assigns recorded steps: to all steps if the command line requests it, otherwise to those
    /// whose agents are recordings.
    pub(super) fn assign_replays(&mut self, drafts: &[StepDraft<'_>], steps: &mut [PlanStep]) {
        match &self.request.replay {
            Some(requested) => self.play_all(requested, steps),
            None => self.play_configured(drafts, steps),
        }
    }

    fn play_all(&mut self, requested: &RequestedReplay, steps: &mut [PlanStep]) {
        let recorded = match self.host.recording(&requested.recording) {
            Ok(recorded) => recorded,
            Err(why) => return self.report(error::no_recording(&requested.recording, &why)),
        };
        let is_only = steps.len() == 1;
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        for step in steps {
            let nth = uses.entry(step.agent.name.clone()).or_default();
            let chosen = choose(&recorded, &step.agent.name, *nth, is_only);
            *nth += 1;
            let Some(chosen) = chosen else {
                let (place, nth) = (&requested.recording, *nth);
                self.report(error::missing_recorded_step(place, &step.agent.name, nth, &recorded));
                continue;
            };
            step.agent.kind =
                replayed_agent(Some(step.agent.kind.clone()), chosen.backend, self.host);
            step.agent.replay = Some(Replay {
                recording: requested.recording.clone(),
                step: chosen.number,
                speed: requested.speed,
            });
        }
    }

    fn play_configured(&mut self, drafts: &[StepDraft<'_>], steps: &mut [PlanStep]) {
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for (draft, step) in drafts.iter().zip(steps) {
            let Some(definition) = self.layers.agent(draft.agent).definition else { continue };
            let Some(recording) = definition.entry.replayed() else { continue };
            let nth = uses.entry(draft.agent).or_default();
            let this = *nth;
            *nth += 1;
            let recorded = match self.host.recording(&recording.value.0) {
                Ok(recorded) => recorded,
                Err(why) => {
                    self.report(recording_problem(definition, recording, &why));
                    continue;
                }
            };
            let Some(chosen) = choose(&recorded, draft.agent, this, this == 0) else {
                let (place, layer) = (&recording.value.0, definition.layer);
                let error = error::missing_recorded_step(place, draft.agent, this + 1, &recorded);
                self.report(error.at(&layer.source, recording.span, "played back here"));
                continue;
            };
            step.agent.kind =
                replayed_agent(Some(step.agent.kind.clone()), chosen.backend, self.host);
            if let Some(replay) = &mut step.agent.replay {
                replay.step = chosen.number;
            }
        }
    }
}
