//! The rules against work that only looks done: the clean room for checks, protected files, and the
//! reaction to cycles.

use std::path::Path;

use crate::check::CheckSpec;
use crate::config::{
    ChainEntry, CleanRoomEntry, ConfigEntry, ConfigLayer, OnCycle, OnProtectedChange, PathGlob,
    RoomEntry, StepEntry,
};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::Spanned;
use crate::limit::{HumanDuration, Limit};
use crate::plan::check::plan_check::{CleanRoom, PlanCheck, Protection};
use crate::plan::error;
use crate::plan::plan_builder::{PlanBuilder, StepDraft};
use crate::plan::types::PlanStep;
use crate::plan::value_origin::{Sourced, ValueOrigin};

const NAMED_BY_CHECKS: &str = "a check runs it";

const SETUP_TIMEOUT: HumanDuration = HumanDuration::from_secs(10 * 60);

impl PlanBuilder<'_> {
    /// The clean room of a step. Without checks there is none.
    pub(crate) fn clean_room(
        &self,
        draft: &StepDraft<'_>,
        no_checks: bool,
    ) -> Option<Sourced<CleanRoom>> {
        if no_checks {
            return None;
        }
        let place = draft.in_config();
        let layer = place.map(|(layer, ..)| layer);
        let written = place.map(|(_, chain, step)| [&step.clean_room, &chain.clean_room]);
        self.chosen_clean_room(layer, written.into_iter().flatten().flatten())
    }

    /// The clean room of the first of some entries, unless the command line decides.
    pub(crate) fn chosen_clean_room<'e>(
        &self,
        layer: Option<&ConfigLayer>,
        mut written: impl Iterator<Item = &'e Spanned<CleanRoomEntry>>,
    ) -> Option<Sourced<CleanRoom>> {
        let chosen = if self.request.clean_room {
            // The flag turns the clean room on; its settings come from the config.
            written.find(|entry| entry.value.room().is_some())
        } else {
            written.next()
        };
        match (layer, chosen) {
            (Some(layer), Some(entry)) => clean_room_of(layer, entry),
            _ => self.request.clean_room.then(|| {
                let room =
                    CleanRoom { setup: None, timeout: Limit::At(SETUP_TIMEOUT), keep: Vec::new() };
                Sourced::new(room, ValueOrigin::Flag("--clean-room".into()))
            }),
        }
    }

    /// Protects the scripts that checks of the flow name from the agents that can change their result.
    pub(crate) fn protect_scripts_of_flow<'d>(
        &self,
        checks: &[Sourced<PlanCheck>],
        agents: impl Iterator<Item = &'d StepDraft<'d>>,
        steps: &mut [PlanStep],
    ) {
        let patterns = self.script_patterns(checks, None);
        if patterns.is_empty() {
            return;
        }
        for draft in agents.filter(|draft| !self.may_change_scripts(draft)) {
            let step = &mut steps[draft.number - 1];
            let on_change = OnProtectedChange::Refuse;
            let protection = Protection { patterns: patterns.clone(), on_change };
            let more = Sourced::new(protection, ValueOrigin::Implied(NAMED_BY_CHECKS.into()));
            step.protect = with_more_protection(step.protect.take(), Some(more));
        }
    }

    /// The protected files of a step: those of the step or else of the chain, those of the command line, and the scripts
    /// that its checks name.
    pub(crate) fn protect(
        &mut self,
        draft: &StepDraft<'_>,
        scripts: Vec<String>,
    ) -> Option<Sourced<Protection>> {
        let written = draft.in_config().and_then(|(layer, chain, step)| {
            Some((layer, step.protect.as_ref().or(chain.protect.as_ref())?))
        });
        let mut patterns: Vec<String> = Vec::new();
        let in_config = written.iter().flat_map(|(_, list)| &list.value);
        for pattern in in_config.map(|pattern| pattern.value.clone()).chain(self.typed_patterns()) {
            if !patterns.contains(&pattern.0) {
                patterns.push(pattern.0);
            }
        }
        let is_written = !patterns.is_empty();
        for script in scripts.into_iter().filter(|_| !self.may_change_scripts(draft)) {
            if !patterns.contains(&script) {
                patterns.push(script);
            }
        }
        if patterns.is_empty() {
            return None;
        }
        let source = match written.filter(|(_, list)| !list.value.is_empty()) {
            Some((layer, list)) => ValueOrigin::file(layer, list.span),
            None if is_written => ValueOrigin::Flag("--protect".into()),
            None => ValueOrigin::Implied(NAMED_BY_CHECKS.into()),
        };
        let on_change = draft.in_config().and_then(|(_, chain, step)| {
            step.on_protected_change.as_ref().or(chain.on_protected_change.as_ref())
        });
        let on_change = on_change.map_or(OnProtectedChange::Refuse, |word| word.value);
        Some(Sourced::new(Protection { patterns, on_change }, source))
    }

    fn typed_patterns(&mut self) -> Vec<PathGlob> {
        let mut patterns = Vec::new();
        for text in &self.request.protect {
            match PathGlob::parse(text) {
                Ok(pattern) => patterns.push(pattern),
                Err(why) => self.report(Diagnostic::error(format!("`--protect {text}` {why}"))),
            }
        }
        patterns
    }

    /// The reaction to a loop, or to rounds, whose work tree equals an earlier state, if one is
    /// configured.
    pub(crate) fn on_cycle(&self, draft: &StepDraft<'_>) -> Option<Sourced<OnCycle>> {
        if let Some(typed) = self.request.on_cycle {
            return Some(Sourced::new(typed, ValueOrigin::Flag("--on-cycle".into())));
        }
        let (layer, chain, step) = draft.in_config()?;
        let written = step.on_cycle.as_ref().or(chain.on_cycle.as_ref())?;
        Some(Sourced::new(written.value, ValueOrigin::file(layer, written.span)))
    }

    /// Warns about a clean room without checks and a reaction to changes without protected files.
    pub(crate) fn warn_of_ineffective_guards(
        &mut self,
        drafts: &[StepDraft<'_>],
        chain: Option<ConfigEntry<'_, ChainEntry>>,
        steps: &[PlanStep],
    ) {
        for draft in drafts {
            let step = &steps[draft.number - 1];
            if let Some((layer, _, entry)) = draft.in_config() {
                for idle in idle_guards_of_step(entry, step) {
                    self.report(error::ineffective_guard(
                        layer,
                        idle,
                        &format!("step '{}'", draft.agent),
                    ));
                }
            }
        }
        let no_checks = steps
            .iter()
            .all(|step| has_nothing_to_verify(&step.checks) && step.round_checks.is_empty());
        if self.request.clean_room && no_checks {
            self.report(error::clean_room_flag_without_checks());
        }
        if self.request.calibrate && steps.iter().all(|step| step.checks.is_empty()) {
            self.report(error::calibrate_flag_without_checks());
        }
        let Some(ConfigEntry { layer, entry, .. }) = chain else { return };
        let nothing_protected = steps.iter().all(|step| step.protect.is_none());
        let idle = idle_guards(
            (entry.clean_room.as_ref(), no_checks),
            (entry.on_protected_change.as_ref(), nothing_protected),
        );
        for idle in idle {
            self.report(error::ineffective_guard(layer, idle, "the chain"));
        }
    }
}

/// The clean room of an entry; none if it turns the clean room off.
fn clean_room_of(
    layer: &ConfigLayer,
    entry: &Spanned<CleanRoomEntry>,
) -> Option<Sourced<CleanRoom>> {
    let room = entry.value.room()?;
    Some(Sourced::new(configured(room), ValueOrigin::file(layer, entry.span)))
}

fn idle_guards_of_step(entry: &StepEntry, step: &PlanStep) -> Vec<error::IneffectiveGuard> {
    idle_guards(
        (
            entry.clean_room.as_ref(),
            has_nothing_to_verify(&step.checks) && step.round_checks.is_empty(),
        ),
        (entry.on_protected_change.as_ref(), step.protect.is_none()),
    )
}

/// Rules that are configured but have no effect.
fn idle_guards(
    (room, no_checks): (Option<&Spanned<CleanRoomEntry>>, bool),
    (on_change, nothing_protected): (Option<&Spanned<OnProtectedChange>>, bool),
) -> Vec<error::IneffectiveGuard> {
    let room = room.filter(|entry| no_checks && entry.value.room().is_some());
    let on_change = on_change.filter(|_| nothing_protected);
    let room = room.map(|entry| error::IneffectiveGuard::CleanRoom(entry.span));
    let on_change = on_change.map(|word| error::IneffectiveGuard::OnProtectedChange(word.span));
    room.into_iter().chain(on_change).collect()
}

fn configured(room: &RoomEntry) -> CleanRoom {
    let keep = room.keep.iter().flat_map(|keep| &keep.value);
    let keep: Vec<&str> = keep.map(|path| path.value.0.as_str()).collect();
    CleanRoom {
        setup: room.setup.as_ref().map(|setup| setup.value.0.clone()),
        timeout: room.timeout.as_ref().map_or(Limit::At(SETUP_TIMEOUT), |time| time.value),
        keep: without_nested_paths(&keep),
    }
}

/// Drops paths below another kept path.
pub(crate) fn without_nested_paths(paths: &[&str]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for path in paths {
        let is_below = |outer: &str| Path::new(path).starts_with(outer);
        if !kept.iter().any(|outer| is_below(outer)) {
            kept.retain(|inner| !Path::new(inner).starts_with(path));
            kept.push((*path).to_owned());
        }
    }
    kept
}

/// Whether no check verifies an agent's work in the work tree.
pub(crate) fn has_nothing_to_verify(checks: &[Sourced<PlanCheck>]) -> bool {
    checks.iter().all(|check| check.value.check == CheckSpec::Planned)
}

/// The protected files of a step and further ones.
pub(crate) fn with_more_protection(
    protection: Option<Sourced<Protection>>,
    more: Option<Sourced<Protection>>,
) -> Option<Sourced<Protection>> {
    let (mut protection, more) = match (protection, more) {
        (Some(protection), Some(more)) => (protection, more),
        (one, other) => return one.or(other),
    };
    for pattern in more.value.patterns {
        if !protection.value.patterns.contains(&pattern) {
            protection.value.patterns.push(pattern);
        }
    }
    Some(protection)
}
