//! Checks of the files that agents need, before anything runs.

use crate::config::{AgentEntry, ConfigEntry, ConfigLayerKind, ConfigLayers, FileName};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::Spanned;
use crate::plan::error;
use crate::plan::host_environment::{FileState, HostEnvironment};
use crate::plan::plan_builder::PlanBuilder;
use crate::plan::types::Prompt;
use crate::text::variables::has_variables;

/// Checks every file that the project's agents name, used or not, so that a wrong config fails at
/// once. Agents of the user's own config may be meant for other projects; their files are checked
/// when the agent is used.
pub(crate) fn check_files(layers: &ConfigLayers, host: &dyn HostEnvironment) -> Vec<Diagnostic> {
    let project = layers.files.iter().filter(|layer| layer.kind == ConfigLayerKind::Project);
    project
        .flat_map(|layer| {
            layer.config.agents().map(move |(name, entry)| ConfigEntry { layer, name, entry })
        })
        // Entries that adjust an agent are checked when the agent is used.
        .filter(|agent| agent.entry.defines_agent())
        .flat_map(|agent| definition_problems(agent, host))
        .collect()
}

/// Problems with the files of an entry without a prompt.
pub(crate) fn overlay_file_problems(
    overlay: ConfigEntry<'_, AgentEntry>,
    host: &dyn HostEnvironment,
) -> Vec<Diagnostic> {
    agent_file_problems(overlay, None, host)
}

/// Problems with an agent's files, as far as they are known without variables.
pub(crate) fn definition_problems(
    agent: ConfigEntry<'_, AgentEntry>,
    host: &dyn HostEnvironment,
) -> Vec<Diagnostic> {
    let prompt = agent.entry.system_prompt.as_ref();
    let fixed = prompt.map(|path| path.value.0.as_str()).filter(|path| !has_variables(path));
    agent_file_problems(agent, fixed, host)
}

impl PlanBuilder<'_> {
    /// Checks the files of one agent whose system prompt is resolved.
    pub(crate) fn check_agent_files(
        &mut self,
        agent: ConfigEntry<'_, AgentEntry>,
        system_prompt: &Prompt,
    ) {
        let path = match system_prompt {
            Prompt::File(path) => Some(path.as_str()),
            Prompt::Text(_) | Prompt::None => None,
        };
        for problem in agent_file_problems(agent, path, self.host) {
            self.report(problem);
        }
    }
}

/// Problems with an agent's files, including the system prompt's where its path is known.
fn agent_file_problems(
    agent: ConfigEntry<'_, AgentEntry>,
    system_prompt: Option<&str>,
    host: &dyn HostEnvironment,
) -> Vec<Diagnostic> {
    let ConfigEntry { entry, .. } = agent;
    let mut problems = Vec::new();
    let mut look = |key: &str, file: &Spanned<FileName>, path: &str, state: &FileState| {
        let Some(problem) = file_problem(state) else { return };
        let message =
            format!("Agent '{}' references {key} '{path}' which {problem}", agent.name.value);
        let error = Diagnostic::error(message).at(&agent.layer.source, file.span, problem);
        problems.push(error.maybe_hint(error::path_base_hint(state)));
    };
    let is_hidden = entry.system_prompt_text.is_some();
    if let Some((file, path)) =
        entry.system_prompt.as_ref().zip(system_prompt).filter(|_| !is_hidden)
    {
        look("systemPrompt", file, path, &host.prompt_file(path));
    }
    for (key, file) in [("mcpConfig", &entry.mcp_config), ("settings", &entry.settings)] {
        if let Some(file) = file {
            look(key, file, &file.value.0, &host.file(&file.value.0));
        }
    }
    if let Some(recording) = entry.replayed()
        && let Err(why) = host.recording(&recording.value.0)
    {
        problems.push(recording_problem(agent, recording, &why));
    }
    problems
}

/// The diagnostic for a recording that cannot be replayed.
pub(crate) fn recording_problem(
    agent: ConfigEntry<'_, AgentEntry>,
    recording: &Spanned<FileName>,
    why: &str,
) -> Diagnostic {
    let message = format!("Agent '{}' plays back '{}': {why}", agent.name.value, recording.value.0);
    Diagnostic::error(message)
        .at(&agent.layer.source, recording.span, "cannot be played back")
        .hint("paths are relative to the working directory (`--cwd`), not to the config file")
}

/// What is wrong with a file, to follow "which".
pub(crate) fn file_problem(state: &FileState) -> Option<String> {
    match state {
        FileState::Readable => None,
        FileState::Missing => Some("does not exist".to_owned()),
        FileState::Directory => Some("is a directory".to_owned()),
        FileState::Unusable(why) => Some(why.clone()),
    }
}
