//! The prompt of each step: from the command line, the step, the chain or the agent's default. The
//! first level with a prompt decides; within a level the text wins over the file. A blank text
//! means "no prompt" and hides the levels behind it.

use super::agent_files::file_problem;
use crate::config::{AgentEntry, ConfigEntry, ConfigLayer, FileName};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::Spanned;
use crate::plan::error;
use crate::plan::host_environment::FileState;
use crate::plan::plan_builder::{PlanBuilder, StepDraft};
use crate::plan::plan_request::RequestedPrompt;
use crate::plan::types::Prompt;
use crate::plan::value_origin::{Sourced, ValueOrigin};

/// A level of a config file that may hold a prompt.
struct PromptLevel<'a> {
    layer: &'a ConfigLayer,
    text: Option<&'a Spanned<String>>,
    file: Option<&'a Spanned<FileName>>,
}

impl PlanBuilder<'_> {
    /// Resolves the prompt of a step.
    pub(crate) fn prompt(
        &mut self,
        draft: &StepDraft<'_>,
        defaults: Option<ConfigEntry<'_, AgentEntry>>,
    ) -> Sourced<Prompt> {
        if let Some(requested) = &self.request.prompt {
            return self.requested_prompt(requested);
        }
        let levels = config_levels(draft, defaults);
        let Some(level) = levels.iter().find(|level| level.text.is_some() || level.file.is_some())
        else {
            return Sourced::default(Prompt::None);
        };
        self.prompt_of(level, draft.agent)
    }

    /// The prompt of the command line.
    pub(crate) fn requested_prompt(&mut self, requested: &RequestedPrompt) -> Sourced<Prompt> {
        match requested {
            RequestedPrompt::Text(text) => {
                Sourced::new(text_or_none(text.clone()), ValueOrigin::Flag("--prompt".into()))
            }
            RequestedPrompt::File(path) => {
                if let Some((error, _)) = self.prompt_file_error(path) {
                    self.report(error);
                }
                Sourced::new(Prompt::File(path.clone()), ValueOrigin::Flag("--prompt-file".into()))
            }
        }
    }

    fn prompt_of(&mut self, level: &PromptLevel<'_>, agent: &str) -> Sourced<Prompt> {
        let layer = level.layer;
        if let Some(text) = level.text {
            let value = self.substitute(layer, (&text.value, text.span), agent).unwrap_or_default();
            return Sourced::new(text_or_none(value), ValueOrigin::file(layer, text.span));
        }
        let file = level.file.expect("a level that was chosen has a text or a file");
        let source = ValueOrigin::file(layer, file.span);
        let Some(path) = self.substitute(layer, (&file.value.0, file.span), agent) else {
            return Sourced::new(Prompt::None, source);
        };
        if let Some((error, problem)) = self.prompt_file_error(&path) {
            self.report(error.at(&layer.source, file.span, problem));
        }
        Sourced::new(Prompt::File(path), source)
    }

    /// What is wrong with a prompt file: the diagnostic, and a short form.
    fn prompt_file_error(&self, path: &str) -> Option<(Diagnostic, String)> {
        let state = self.host.prompt_file(path);
        let problem = file_problem(&state)?;
        let message = match state {
            FileState::Missing => format!("Prompt file not found: {path}"),
            _ => format!("Prompt file {problem}: {path}"),
        };
        let error = Diagnostic::error(message).maybe_hint(error::path_base_hint(&state));
        Some((error, problem))
    }
}

/// The levels of the config files, the nearest first.
fn config_levels<'a>(
    draft: &StepDraft<'a>,
    defaults: Option<ConfigEntry<'a, AgentEntry>>,
) -> Vec<PromptLevel<'a>> {
    let mut levels = Vec::new();
    if let Some((layer, chain, step)) = draft.in_config() {
        levels.push(PromptLevel {
            layer,
            text: step.prompt.as_ref(),
            file: step.prompt_file.as_ref(),
        });
        levels.push(PromptLevel {
            layer,
            text: chain.prompt.as_ref(),
            file: chain.prompt_file.as_ref(),
        });
    }
    if let Some(ConfigEntry { layer, entry, .. }) = defaults {
        let (text, file) = (entry.default_prompt.as_ref(), entry.default_prompt_file.as_ref());
        levels.push(PromptLevel { layer, text, file });
    }
    levels
}

fn text_or_none(text: String) -> Prompt {
    if text.trim().is_empty() { Prompt::None } else { Prompt::Text(text) }
}
