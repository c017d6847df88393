//! Recordings in place of agents: which recorded step stands for which planned one.

use std::collections::BTreeMap;

use super::build::{Builder, Draft};
use super::error;
use super::files::recording_problem;
use super::origin::Sourced;
use super::replay::{Replay, Speed};
use super::request::RequestedReplay;
use super::surroundings::{Location, RecordedStep, Surroundings};
use super::types::{AgentKind, DirectSpawn, EnvVars, Program, Prompt, Step};
use crate::config::{AgentEntry, Backend, Billing, Entry, Permissions};

/// What an entry of the config has played back, and whom that is of, as far as it can be known
/// without a plan: the first step of this name.
pub(super) fn defined(
    definition: Entry<'_, AgentEntry>,
    recording: &str,
    world: &dyn Surroundings,
) -> (AgentKind, Replay) {
    let Entry { entry, name, .. } = definition;
    let steps = world.recording(recording).unwrap_or_default();
    // Whoever looks at the files says what is wrong with the recording.
    let chosen = choose(&steps, &name.value, 0, true);
    let replay = Replay {
        recording: recording.to_owned(),
        step: chosen.map_or(1, |step| step.number),
        speed: entry.speed.as_ref().map_or(Speed::RECORDED, |speed| speed.value),
    };
    (played(None, chosen.and_then(|step| step.backend), world), replay)
}

/// The step that is played for the nth use of an agent, from zero. What has one step is played for
/// whomever it is the only one.
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

/// The agent that a recording is of: what it prints is read as its own, and we play it.
fn played(
    planned: Option<AgentKind>,
    backend: Option<Backend>,
    world: &dyn Surroundings,
) -> AgentKind {
    let command = world.player();
    let location = Location::Found(command.clone());
    let env = planned.as_ref().map(|kind| kind.env().clone()).unwrap_or_default();
    match (backend, planned) {
        (Some(backend), Some(AgentKind::Direct(direct))) if direct.backend == backend => {
            AgentKind::Direct(DirectSpawn { command, location, ..direct })
        }
        (Some(backend), _) => {
            AgentKind::Direct(DirectSpawn { command, location, ..bare(backend, env) })
        }
        (None, _) => AgentKind::Program(Program { command, location, env }),
    }
}

/// An agent program that nobody has told anything.
fn bare(backend: Backend, env: EnvVars) -> DirectSpawn {
    let command = backend.program().to_owned();
    DirectSpawn {
        backend,
        location: Location::Found(command.clone()),
        command,
        system_prompt: Sourced::default(Prompt::None),
        mcp_config: None,
        settings: None,
        model: None,
        max_turns: None,
        allowed_tools: None,
        disallowed_tools: None,
        permissions: Permissions::default(),
        billing: Billing::default(),
        env,
    }
}

impl Builder<'_> {
    /// Has steps play what was recorded: all of them if the command line says so, otherwise those
    /// whose agents are recordings.
    pub(super) fn play_back(&mut self, drafts: &[Draft<'_>], steps: &mut [Step]) {
        match &self.request.replay {
            Some(requested) => self.play_all(requested, steps),
            None => self.play_configured(drafts, steps),
        }
    }

    fn play_all(&mut self, requested: &RequestedReplay, steps: &mut [Step]) {
        let recorded = match self.world.recording(&requested.recording) {
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
                self.report(error::no_such_step(place, &step.agent.name, nth, &recorded));
                continue;
            };
            step.agent.kind = played(Some(step.agent.kind.clone()), chosen.backend, self.world);
            step.agent.replay = Some(Replay {
                recording: requested.recording.clone(),
                step: chosen.number,
                speed: requested.speed,
            });
        }
    }

    fn play_configured(&mut self, drafts: &[Draft<'_>], steps: &mut [Step]) {
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for (draft, step) in drafts.iter().zip(steps) {
            let Some(definition) = self.layers.agent(draft.agent).definition else { continue };
            let Some(recording) = definition.entry.replayed() else { continue };
            let nth = uses.entry(draft.agent).or_default();
            let this = *nth;
            *nth += 1;
            let recorded = match self.world.recording(&recording.value.0) {
                Ok(recorded) => recorded,
                Err(why) => {
                    self.report(recording_problem(definition, recording, &why));
                    continue;
                }
            };
            let Some(chosen) = choose(&recorded, draft.agent, this, this == 0) else {
                let (place, layer) = (&recording.value.0, definition.layer);
                let error = error::no_such_step(place, draft.agent, this + 1, &recorded);
                self.report(error.at(&layer.source, recording.span, "played back here"));
                continue;
            };
            step.agent.kind = played(Some(step.agent.kind.clone()), chosen.backend, self.world);
            if let Some(replay) = &mut step.agent.replay {
                replay.step = chosen.number;
            }
        }
    }
}
