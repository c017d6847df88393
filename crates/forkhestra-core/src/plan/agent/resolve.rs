//! Resolution of agent names: the project's config, the user's config, a program, a built-in agent.
//! The first match decides. In built-in chains a name without a config definition means the
//! built-in agent, never a program.

use super::built_in;
use super::overlay;
use crate::config::{AgentEntry, Backend, ConfigEntry, ConfigLayerKind, ConfigLayers, Permissions};
use crate::diagnostic::source::Span;
use crate::dsl::{Dsl, DslPartKind};
use crate::plan::agent::plan_agent::{AgentKind, AgentProgram, DirectSpawn, EnvVars, PlanAgent};
use crate::plan::error;
use crate::plan::host_environment::{HostEnvironment, NotRunnableReason, ProgramLocation};
use crate::plan::plan_builder::{PlanBuilder, StepDraft, StepOrigin};
use crate::plan::replay::Replay;
use crate::plan::replay_steps;
use crate::plan::types::Prompt;
use crate::plan::value_origin::{Sourced, ValueOrigin};
use crate::text::count::Count;

/// Directories of system programs. Agents are not installed there, and system programs may have
/// names such as `planner`.
const SYSTEM_DIRECTORIES: [&str; 4] = ["/bin", "/sbin", "/usr/bin", "/usr/sbin"];

/// Where a name was written, which decides whether it can mean a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AgentNameOrigin {
    /// The command line or a config file.
    User,
    /// A built-in chain, whose names mean built-in agents.
    BuiltInChain,
}

/// Resolves an agent's name; variables in its system prompt are not substituted.
pub fn resolve_agent(name: &str, layers: &ConfigLayers, host: &dyn HostEnvironment) -> PlanAgent {
    resolve_for(None, AgentNameOrigin::User, name, layers, host)
}

/// Whether a program is in a system directory.
pub fn is_system_program(path: &str) -> bool {
    let directory = path.rsplit_once('/').map(|(directory, _)| directory);
    directory.is_some_and(|directory| SYSTEM_DIRECTORIES.contains(&directory))
}

/// The same with an optional requested agent program for built-in agents.
pub(crate) fn resolve_for(
    backend: Option<Backend>,
    named_by: AgentNameOrigin,
    name: &str,
    layers: &ConfigLayers,
    host: &dyn HostEnvironment,
) -> PlanAgent {
    let mut entries = layers.agent(name);
    let mut agent = match entries.definition {
        Some(definition) => {
            let (kind, replay) = defined(definition, host);
            let source = ValueOrigin::file(definition.layer, definition.name.span);
            PlanAgent { replay, ..PlanAgent::new(name, source, kind) }
        }
        None => {
            let is_program = named_by == AgentNameOrigin::User && means_program(name, host);
            let of_built_in = || overlay::entries_of_built_in(name, layers, host);
            let built_in = (!is_program).then(of_built_in).and_then(|of_built_in| {
                let backend = backend.or_else(|| overlay::backend(&of_built_in));
                let agent = built_in::agent(name, backend, layers, host)?;
                entries = of_built_in;
                Some(agent)
            });
            let source =
                if name.contains('/') { ValueOrigin::GivenPath } else { ValueOrigin::Path };
            let kind = || program(name, EnvVars::default(), host);
            built_in.unwrap_or_else(|| PlanAgent::new(name, source, kind()))
        }
    };
    overlay::apply(&mut agent, &entries, host);
    agent
}

/// Whether a name would be another form than an agent in a chain in one line.
fn is_form(name: &str) -> bool {
    let is_agent = |dsl: &Dsl| {
        let kind = dsl.chain.only_part().map(|part| &part.kind);
        matches!(kind, Some(DslPartKind::Agent(agent)) if name.starts_with(&agent.value))
    };
    name == "else" || Dsl::parse(name).is_ok_and(|dsl| !is_agent(&dsl))
}

/// Whether a name without a config definition means a program, even if a built-in agent has it.
pub(crate) fn means_program(name: &str, host: &dyn HostEnvironment) -> bool {
    match host.locate(name) {
        ProgramLocation::Found(path) => !is_system_program(&path),
        // A file of that name without execute permission is meant too, and is reported.
        ProgramLocation::Missing(why) => why != NotRunnableReason::NotOnPath,
    }
}

/// The agent, or the recording of one, that a config entry defines.
fn defined(
    definition: ConfigEntry<'_, AgentEntry>,
    host: &dyn HostEnvironment,
) -> (AgentKind, Option<Replay>) {
    match definition.entry.replayed() {
        Some(recording) => {
            let (kind, replay) = replay_steps::defined(definition, &recording.value.0, host);
            (kind, Some(replay))
        }
        None => (defined_kind(definition, host), None),
    }
}

fn defined_kind(definition: ConfigEntry<'_, AgentEntry>, host: &dyn HostEnvironment) -> AgentKind {
    let entry = definition.entry;
    if !entry.is_direct_spawn() {
        let command = entry.command.as_ref().map_or(&definition.name.value, |name| &name.value.0);
        return program(command, overlay::env(entry), host);
    }
    let backend = entry.program();
    let command = host.agent_program(backend);
    let location = host.locate(&command);
    let mut direct = DirectSpawn::new(backend, command, location);
    if let Some((prompt, span)) = system_prompt(entry) {
        direct.system_prompt = Sourced::new(prompt, ValueOrigin::file(definition.layer, span));
    }
    direct.env = overlay::env(entry);
    overlay::adjust_settings(&mut direct, entry);
    AgentKind::Direct(direct)
}

fn program(command: &str, env: EnvVars, host: &dyn HostEnvironment) -> AgentKind {
    let location = host.locate(command);
    AgentKind::Program(AgentProgram { command: command.to_owned(), location, env })
}

/// The system prompt and its position. The text takes priority, even if it is empty.
fn system_prompt(entry: &AgentEntry) -> Option<(Prompt, Span)> {
    let text = entry.system_prompt_text.as_ref();
    let file = entry.system_prompt.as_ref();
    text.map(|text| (Prompt::Text(text.value.clone()), text.span))
        .or_else(|| file.map(|file| (Prompt::File(file.value.0.clone()), file.span)))
}

/// The other name of a built-in agent, if this is the one that a program may have too.
fn built_in_alias(name: &str) -> Option<&'static str> {
    let alias = crate::built_in::agent(name)?.alias;
    (alias != name).then_some(alias)
}

/// The program on PATH that shares the name of a built-in agent, if the name can mean either.
pub(crate) fn program_of_same_name(
    agent: &PlanAgent,
    layers: &ConfigLayers,
    host: &dyn HostEnvironment,
) -> Option<String> {
    let is_undefined = matches!(agent.source, ValueOrigin::BuiltIn | ValueOrigin::Path);
    let is_ours = layers.has_built_ins() && crate::built_in::agent(&agent.name).is_some();
    match host.locate(&agent.name) {
        ProgramLocation::Found(program) if is_undefined && is_ours => Some(program),
        ProgramLocation::Found(_) | ProgramLocation::Missing(_) => None,
    }
}

impl PlanBuilder<'_> {
    /// Resolves the agent of a step.
    pub(crate) fn agent(&mut self, draft: &StepDraft<'_>) -> PlanAgent {
        let in_bin = self.agent_in_bin(draft.agent).or_else(|| self.agent_below(draft));
        let backend = self.request.backend;
        let named_by = draft.agent_name_origin();
        let mut agent = in_bin
            .unwrap_or_else(|| resolve_for(backend, named_by, draft.agent, self.layers, self.host));
        if let AgentKind::Direct(direct) = &mut agent.kind
            && self.request.skip_permissions
        {
            direct.permissions = Permissions::Skip;
        }
        match self.layers.agent(draft.agent).definition {
            Some(definition) => self.finish_definition(definition, &mut agent),
            None if agent.source == ValueOrigin::BuiltIn => {}
            None => self.report_misread_name(draft, &agent),
        }
        self.warn_of_a_name_of_two(&agent, named_by);
        self.report_settings_without_effect(&agent);
        self.use_requested_model(&mut agent);
        agent
    }

    /// Warns about a name that both a program and a built-in agent have.
    fn warn_of_a_name_of_two(&mut self, agent: &PlanAgent, named_by: AgentNameOrigin) {
        let Some(program) = program_of_same_name(agent, self.layers, self.host) else { return };
        if agent.source == ValueOrigin::BuiltIn {
            let is_built_in_chain = named_by == AgentNameOrigin::BuiltInChain;
            self.report(error::program_not_used(&agent.name, &program, is_built_in_chain));
        } else if built_in_alias(&agent.name).is_some() {
            let both = (agent.name.clone(), program);
            if !self.programs_before_built_ins.contains(&both) {
                self.programs_before_built_ins.push(both);
            }
        }
    }

    /// Reports in one warning which names mean programs although built-in agents have them too.
    pub(crate) fn warn_of_programs_before_built_ins(&mut self) {
        let programs = std::mem::take(&mut self.programs_before_built_ins);
        if !programs.is_empty() {
            self.report(error::programs_before_built_ins(&programs));
        }
    }

    /// The program of this name in `bin` of the working directory, where `ralph-runner`
    /// searches first. A file without execute permission is meant too; no other program of the same
    /// name is used then.
    fn agent_in_bin(&self, name: &str) -> Option<PlanAgent> {
        let is_configured = self.layers.agent(name).definition.is_some();
        if !self.request.defaults.bin_first || is_configured || name.contains('/') {
            return None;
        }
        let kind = program(&format!("bin/{name}"), EnvVars::default(), self.host);
        match kind.location() {
            Some(
                ProgramLocation::Found(_)
                | ProgramLocation::Missing(NotRunnableReason::NotExecutable),
            ) => {
                let mut agent = PlanAgent::new(name, ValueOrigin::Bin, kind);
                overlay::apply(&mut agent, &self.layers.agent(name), self.host);
                Some(agent)
            }
            Some(ProgramLocation::Missing(_)) | None => None,
        }
    }

    /// The program that a path of a typed chain means, where typed paths begin below the working
    /// directory.
    fn agent_below(&self, draft: &StepDraft<'_>) -> Option<PlanAgent> {
        let is_path = draft.in_config().is_none() && draft.agent.contains('/');
        let is_configured = self.layers.agent(draft.agent).definition.is_some();
        self.request.typed_prefix.as_ref().filter(|_| is_path && !is_configured)?;
        let command = self.request.typed_path(draft.agent);
        let kind = program(&command, EnvVars::default(), self.host);
        let mut agent = PlanAgent::new(draft.agent, ValueOrigin::GivenPath, kind);
        overlay::apply(&mut agent, &self.layers.agent(draft.agent), self.host);
        Some(agent)
    }

    /// Substitutes variables, and checks files that were not checked before.
    fn finish_definition(
        &mut self,
        definition: ConfigEntry<'_, AgentEntry>,
        agent: &mut PlanAgent,
    ) {
        let AgentKind::Direct(direct) = &mut agent.kind else { return };
        let ConfigEntry { layer, entry, name } = definition;
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
        if layer.kind == ConfigLayerKind::User || direct.system_prompt.value != prompt {
            self.check_agent_files(definition, &direct.system_prompt.value);
        }
    }

    /// Reports an unresolved name that is probably a chain's, or holds a mistyped or misplaced
    /// count.
    fn report_misread_name(&mut self, draft: &StepDraft<'_>, agent: &PlanAgent) {
        use NotRunnableReason::{NoSuchFile, NotOnPath};
        if !matches!(agent.kind.location(), Some(ProgramLocation::Missing(NotOnPath | NoSuchFile)))
        {
            return;
        }
        if self.layers.chain(draft.agent).is_some() {
            self.report(error::chain_taken_for_agent(draft.agent));
        }
        if let StepOrigin::Config { layer, step, .. } = draft.written
            && is_form(draft.agent)
        {
            self.report(error::form_in_a_name(layer, &step.agent));
            return;
        }
        // A part with a slash belongs to a path and cannot be a count.
        let parts = draft.agent.rsplit_once(':').filter(|(_, count)| !count.contains('/'));
        let Some((name, count)) = parts else { return };
        match draft.written {
            StepOrigin::Dsl { dsl, agent } if draft.iterations.is_none() => {
                self.report(error::ambiguous_count(draft.number, dsl, agent, (name, count)));
            }
            StepOrigin::Config { layer, step, .. } if Count::parse(count).is_ok() => {
                self.report(error::count_in_a_name(layer, step.agent.span, draft.agent, count));
            }
            StepOrigin::Dsl { .. } | StepOrigin::Config { .. } | StepOrigin::Recorded => {}
        }
    }
}
