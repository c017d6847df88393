//! The warning about a model of another agent program.

use super::overlay;
use crate::config::{AgentSetting, Backend, program_of_model};
use crate::diagnostic::Diagnostic;
use crate::plan::agent::plan_agent::{AgentKind, PlanAgent};
use crate::plan::plan_builder::PlanBuilder;

impl PlanBuilder<'_> {
    /// Warns about a model that is known to belong to another agent program.
    pub(crate) fn warn_of_a_foreign_model(&mut self, agent: &PlanAgent) {
        let AgentKind::Direct(direct) = &agent.kind else { return };
        let Some(model) = direct.model.as_deref().filter(|_| agent.replay.is_none()) else {
            return;
        };
        let Some(other) = owner_of_model(model, direct.backend) else { return };
        let (title, other) = (direct.backend.title(), other.title());
        let entries = overlay::entries(agent, self.layers, self.host);
        let written = entries.nearest_first().find(|entry| entry.entry.model.is_some());
        let warning = match written.filter(|_| self.request.model.is_none()) {
            Some(written) => {
                let path = overlay::path_of(&written.name.value, AgentSetting::Model.key());
                let message = format!(
                    "`{path}` is a model of {other}, and `{}` is run by {title}",
                    agent.name
                );
                let span = written.entry.model.as_ref().map(|model| model.span);
                let span = span.unwrap_or(written.name.span);
                let label = format!("not a model of {title}");
                Diagnostic::warning(message).at(&written.layer.source, span, label)
            }
            None => Diagnostic::warning(format!(
                "`{model}` is a model of {other}, and `{}` is run by {title}",
                agent.name
            )),
        };
        self.report(warning.hint(format!("name a model of {title}, or none to use its default")));
    }
}

/// The agent program that a model belongs to, if it is another one.
fn owner_of_model(model: &str, backend: Backend) -> Option<Backend> {
    if backend.facts().models.has_providers && model.contains('/') {
        return None;
    }
    program_of_model(model).filter(|program| *program != backend)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_belong_to_one_agent_program() {
        use Backend::{Claude, Codex, Gemini, Opencode};
        for (model, backend, expected) in [
            ("opus", Codex, Some(Claude)),
            ("opus", Gemini, Some(Claude)),
            ("opus", Opencode, Some(Claude)),
            ("opus", Claude, None),
            ("claude-opus-4-5-20251101", Codex, Some(Claude)),
            ("anthropic/claude-opus-4-5", Opencode, None),
            ("anthropic/claude-opus-4-5", Codex, Some(Claude)),
            ("gpt-5", Claude, Some(Codex)),
            ("gpt-5", Codex, None),
            ("gemini-2.5-pro", Codex, Some(Gemini)),
            ("gemini-2.5-pro", Gemini, None),
            ("my-own-model", Codex, None),
            ("gpt-of-a-gateway", Claude, None),
        ] {
            assert_eq!(owner_of_model(model, backend), expected, "{model} {backend:?}");
        }
    }
}
