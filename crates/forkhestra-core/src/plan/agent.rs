//! Which agent a name means: what the project's config says, what the user's config says, a
//! program, what comes with forkhestra. The first that knows the name decides.

use super::build::{Builder, Draft, Written};
use super::built_in;
use super::error;
use super::origin::{Origin, Sourced};
use super::play_back;
use super::replay::Replay;
use super::surroundings::{Location, Surroundings, WhyNotRunnable};
use super::types::{Agent, AgentKind, DirectSpawn, EnvVars, Program, Prompt};
use crate::config::{AgentEntry, Backend, Entry, LayerKind, Layers, Permissions, Tool};
use crate::count::Count;
use crate::source::{Span, Spanned};

/// Finds out which agent a name means; variables in its system prompt are left as they are.
pub fn resolve_agent(name: &str, layers: &Layers, world: &dyn Surroundings) -> Agent {
    resolve_for(None, name, layers, world)
}

/// The same where the agent program of built-in agents may have been asked for.
fn resolve_for(
    backend: Option<Backend>,
    name: &str,
    layers: &Layers,
    world: &dyn Surroundings,
) -> Agent {
    match layers.agent(name).definition {
        Some(definition) => {
            let (kind, replay) = defined(definition, world);
            let source = Origin::file(definition.layer, definition.name.span);
            Agent { name: name.to_owned(), source, kind, replay }
        }
        None => {
            let source = if name.contains('/') { Origin::GivenPath } else { Origin::Path };
            let kind = program(name, EnvVars::default(), world);
            // A file of that name which may not be executed is meant too, and told of.
            let is_nowhere = *kind.location() == Location::Missing(WhyNotRunnable::NotOnPath);
            let built_in =
                if is_nowhere { built_in::agent(name, backend, layers, world) } else { None };
            built_in.unwrap_or_else(|| Agent { name: name.to_owned(), source, kind, replay: None })
        }
    }
}

/// What an entry of the config means: an agent, or a recording of one.
fn defined(
    definition: Entry<'_, AgentEntry>,
    world: &dyn Surroundings,
) -> (AgentKind, Option<Replay>) {
    match definition.entry.replayed() {
        Some(recording) => {
            let (kind, replay) = play_back::defined(definition, &recording.value.0, world);
            (kind, Some(replay))
        }
        None => (defined_kind(definition, world), None),
    }
}

fn defined_kind(definition: Entry<'_, AgentEntry>, world: &dyn Surroundings) -> AgentKind {
    let entry = definition.entry;
    if !entry.is_direct_spawn() {
        let command = entry.command.as_ref().map_or(&definition.name.value, |name| &name.value.0);
        return program(command, env(entry), world);
    }
    let backend = entry.program();
    let command = world.agent_program(backend);
    AgentKind::Direct(DirectSpawn {
        backend,
        location: world.locate(&command),
        command,
        system_prompt: system_prompt(entry)
            .map_or(Sourced::default(Prompt::None), |(prompt, span)| {
                Sourced::new(prompt, Origin::file(definition.layer, span))
            }),
        mcp_config: entry.mcp_config.as_ref().map(|path| path.value.0.clone()),
        settings: entry.settings.as_ref().map(|path| path.value.0.clone()),
        model: entry.model.as_ref().map(|model| model.value.0.clone()),
        max_turns: entry.max_turns.as_ref().map(|turns| turns.value),
        allowed_tools: entry.allowed_tools.as_ref().map(tool_names),
        disallowed_tools: entry.disallowed_tools.as_ref().map(tool_names),
        permissions: entry.permissions.as_ref().map(|asks| asks.value).unwrap_or_default(),
        billing: entry.billing.as_ref().map(|payer| payer.value).unwrap_or_default(),
        env: env(entry),
    })
}

fn tool_names(tools: &Spanned<Vec<Spanned<Tool>>>) -> Vec<String> {
    tools.value.iter().map(|tool| tool.value.0.clone()).collect()
}

fn program(command: &str, env: EnvVars, world: &dyn Surroundings) -> AgentKind {
    let location = world.locate(command);
    AgentKind::Program(Program { command: command.to_owned(), location, env })
}

fn env(entry: &AgentEntry) -> EnvVars {
    let pairs = entry.env.iter().flat_map(|env| env.value.0.iter());
    EnvVars(pairs.map(|(name, value)| (name.value.clone(), value.clone())).collect())
}

/// The system prompt as it is written, and where. The text takes priority, even if it is empty.
fn system_prompt(entry: &AgentEntry) -> Option<(Prompt, Span)> {
    let text = entry.system_prompt_text.as_ref();
    let file = entry.system_prompt.as_ref();
    text.map(|text| (Prompt::Text(text.value.clone()), text.span))
        .or_else(|| file.map(|file| (Prompt::File(file.value.0.clone()), file.span)))
}

impl Builder<'_> {
    /// Resolves the agent of a step.
    pub(super) fn agent(&mut self, draft: &Draft<'_>) -> Agent {
        let in_bin = self.agent_in_bin(draft.agent);
        let backend = self.request.backend;
        let mut agent =
            in_bin.unwrap_or_else(|| resolve_for(backend, draft.agent, self.layers, self.world));
        if let AgentKind::Direct(direct) = &mut agent.kind
            && self.request.skip_permissions
        {
            direct.permissions = Permissions::Skip;
        }
        match self.layers.agent(draft.agent).definition {
            Some(definition) => self.finish_definition(definition, &mut agent),
            None if agent.source == Origin::BuiltIn => {}
            None => self.look_for_a_misread_name(draft, &agent),
        }
        agent
    }

    /// The program of this name in `bin` of the working directory, where some look first. One that
    /// is there but may not be executed is meant too: another one of the same name is not.
    fn agent_in_bin(&self, name: &str) -> Option<Agent> {
        let is_configured = self.layers.agent(name).definition.is_some();
        if !self.request.habits.bin_first || is_configured || name.contains('/') {
            return None;
        }
        let kind = program(&format!("bin/{name}"), EnvVars::default(), self.world);
        match kind.location() {
            Location::Found(_) | Location::Missing(WhyNotRunnable::NotExecutable) => {
                Some(Agent { name: name.to_owned(), source: Origin::Bin, kind, replay: None })
            }
            Location::Missing(_) => None,
        }
    }

    /// Substitutes what may hold variables, and looks at files that were not looked at before.
    fn finish_definition(&mut self, definition: Entry<'_, AgentEntry>, agent: &mut Agent) {
        let AgentKind::Direct(direct) = &mut agent.kind else { return };
        let Entry { layer, entry, name } = definition;
        let Some((prompt, span)) = system_prompt(entry) else { return };
        let resolved = match &prompt {
            Prompt::Text(text) => {
                self.substitute(layer, (text, span), &name.value).map(Prompt::Text)
            }
            Prompt::File(path) => {
                self.substitute(layer, (path, span), &name.value).map(Prompt::File)
            }
            Prompt::None => None,
        };
        direct.system_prompt.value = resolved.unwrap_or(Prompt::None);
        if layer.kind == LayerKind::User || direct.system_prompt.value != prompt {
            self.check_agent_files(definition, &direct.system_prompt.value);
        }
    }

    /// A name that nothing has is probably that of a chain, or holds a mistyped or misplaced count.
    fn look_for_a_misread_name(&mut self, draft: &Draft<'_>, agent: &Agent) {
        use WhyNotRunnable::{NoSuchFile, NotOnPath};
        if !matches!(agent.kind.location(), Location::Missing(NotOnPath | NoSuchFile)) {
            return;
        }
        if self.layers.chain(draft.agent).is_some() {
            self.report(error::chain_taken_for_agent(draft.agent));
        }
        // What has a slash in it is part of a path and cannot be meant as a count.
        let parts = draft.agent.rsplit_once(':').filter(|(_, count)| !count.contains('/'));
        let Some((name, count)) = parts else { return };
        match draft.written {
            Written::Dsl { dsl, stage } if stage.iterations.is_none() => {
                self.report(error::neither_name_nor_count(draft.number, dsl, stage, (name, count)));
            }
            Written::Config { layer, step, .. } if Count::parse(count).is_ok() => {
                self.report(error::count_in_a_name(layer, step.agent.span, draft.agent, count));
            }
            Written::Dsl { .. } | Written::Config { .. } => {}
        }
    }
}
