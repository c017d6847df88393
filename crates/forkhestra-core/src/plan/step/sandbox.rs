//! The sandbox that is requested for a step.
//!
//! The user decides: by option, by variable, or in the user's own config file. A project's config
//! file may only request a stricter level.

use crate::config::{
    AgentEntries, ConfigLayer, ConfigLayerKind, SandboxChoice, SandboxEntry, SandboxSettings,
};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::Spanned;
use crate::plan::plan_builder::{PlanBuilder, StepDraft};
use crate::plan::sandbox::{SANDBOX_VARIABLE, StepSandbox};
use crate::plan::value_origin::{Sourced, ValueOrigin};

/// An entry of a config file with its file.
type PlacedEntry<'a> = (&'a ConfigLayer, &'a Spanned<SandboxEntry>);

impl PlanBuilder<'_> {
    /// The sandbox of a step; none if it is off.
    pub(crate) fn sandbox(
        &mut self,
        draft: &StepDraft<'_>,
        entries: &AgentEntries<'_>,
    ) -> Option<Sourced<StepSandbox>> {
        let written = self.written_entries(draft, entries);
        let (project, user): (Vec<PlacedEntry<'_>>, Vec<PlacedEntry<'_>>) =
            written.into_iter().partition(|(layer, _)| layer.kind == ConfigLayerKind::Project);
        let chosen = self.users_choice(&user);
        let chosen = self.tightened(chosen, &project);
        if chosen.value == SandboxChoice::Off {
            return None;
        }
        let mut sandbox = StepSandbox::requested(chosen.value);
        sandbox.writable.clone_from(&self.request.sandbox.writable);
        for (_, entry) in user.into_iter().chain(self.layers.sandbox(ConfigLayerKind::User)) {
            let SandboxSettings { writable, hosts, env, .. } = &entry.value.0;
            let writable = writable.iter().flat_map(|list| &list.value);
            sandbox.writable.extend(writable.map(|path| path.value.0.clone()));
            let texts = |list: &Option<Spanned<Vec<Spanned<String>>>>| -> Vec<String> {
                let list = list.iter().flat_map(|list| &list.value);
                list.map(|text| text.value.clone()).collect()
            };
            sandbox.hosts.extend(texts(hosts));
            sandbox.env.extend(texts(env));
        }
        Some(Sourced::new(sandbox, chosen.source))
    }

    /// All entries that concern a step, the most specific first.
    fn written_entries<'a>(
        &self,
        draft: &StepDraft<'a>,
        entries: &AgentEntries<'a>,
    ) -> Vec<PlacedEntry<'a>>
    where
        Self: 'a,
    {
        let mut written: Vec<PlacedEntry<'a>> = Vec::new();
        if let Some((layer, chain, step)) = draft.in_config() {
            let both = [step.sandbox.as_ref(), chain.sandbox.as_ref()];
            written.extend(both.into_iter().flatten().map(|entry| (layer, entry)));
        }
        let of_agent = entries.nearest_first();
        written.extend(of_agent.filter_map(|e| Some((e.layer, e.entry.sandbox.as_ref()?))));
        written
    }

    /// The level that the user chose: the option, the variable, or the user's own config.
    fn users_choice(&mut self, user: &[PlacedEntry<'_>]) -> Sourced<SandboxChoice> {
        if let Some(choice) = self.request.sandbox.level {
            return Sourced::new(choice, ValueOrigin::Flag("--sandbox".into()));
        }
        if let Some(text) = &self.request.sandbox.variable {
            match SandboxChoice::ALL.into_iter().find(|choice| choice.word() == text) {
                Some(choice) => {
                    return Sourced::new(choice, ValueOrigin::Flag(SANDBOX_VARIABLE.into()));
                }
                None => self.report(unknown_level(text)),
            }
        }
        let global = self.layers.sandbox(ConfigLayerKind::User);
        let mut written = user.iter().copied().chain(global);
        let level = written.find_map(|(layer, entry)| Some((layer, entry.value.level()?)));
        level.map_or_else(
            || Sourced::default(SandboxChoice::Auto),
            |(layer, level)| Sourced::new(level.value, ValueOrigin::file(layer, level.span)),
        )
    }

    /// The level after the project's requests. Whatever loosens is ignored with a warning.
    fn tightened(
        &mut self,
        chosen: Sourced<SandboxChoice>,
        project: &[PlacedEntry<'_>],
    ) -> Sourced<SandboxChoice> {
        let global = self.layers.sandbox(ConfigLayerKind::Project);
        let written: Vec<PlacedEntry<'_>> = project.iter().copied().chain(global).collect();
        for (layer, entry) in &written {
            for (key, span) in entry.value.exceptions() {
                let message = format!("`sandbox.{key}` of the project is ignored");
                self.report(
                    Diagnostic::warning(message)
                        .at(&layer.source, span, "a project cannot loosen the sandbox")
                        .hint("put it into your own config file, or use `--writable PATH`"),
                );
            }
        }
        let level = written.iter().find_map(|(layer, entry)| Some((*layer, entry.value.level()?)));
        let Some((layer, level)) = level else { return chosen };
        let Some(requested) = level.value.level() else { return chosen };
        let floor = chosen.value.floor();
        if requested > floor || (requested == floor && chosen.value == SandboxChoice::Auto) {
            return Sourced::new(level.value, ValueOrigin::file(layer, level.span));
        }
        if requested < floor {
            let word = level.value.word();
            let message = format!("the sandbox level `{word}` of the project is ignored");
            self.report(
                Diagnostic::warning(message)
                    .at(&layer.source, level.span, "a project cannot loosen the sandbox")
                    .hint(format!("to use it, run with `--sandbox {word}`")),
            );
        }
        chosen
    }
}

fn unknown_level(text: &str) -> Diagnostic {
    let words: Vec<&str> = SandboxChoice::ALL.into_iter().map(SandboxChoice::word).collect();
    let expected = crate::text::join_with_or(&crate::text::quoted(&words));
    Diagnostic::error(format!("{SANDBOX_VARIABLE}=`{text}` is not a sandbox level"))
        .hint(format!("expected {expected}"))
}
