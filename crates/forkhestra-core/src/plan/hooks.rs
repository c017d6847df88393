//! The hooks of a plan.

use super::check::plan_check::PlanHook;
use super::plan_builder::PlanBuilder;
use super::value_origin::{Sourced, ValueOrigin};
use crate::config::{ChainEntry, ConfigEntry, HookEntry, OnHookError};
use crate::hook::HookPoint;
use crate::limit::{HumanDuration, Limit};

const HOOK_TIMEOUT: HumanDuration = HumanDuration::from_secs(60);

impl PlanBuilder<'_> {
    /// The hooks of the chain, then those of the command line, each hook point in this order.
    pub(super) fn hooks(
        &self,
        chain: Option<ConfigEntry<'_, ChainEntry>>,
    ) -> Vec<Sourced<PlanHook>> {
        let written =
            chain.and_then(|chain| Some((chain.layer, &chain.entry.hooks.as_ref()?.value)));
        let mut hooks = Vec::new();
        if let Some((layer, table)) = written {
            for (point, entries) in &table.0 {
                hooks.extend(entries.iter().map(|entry| {
                    let entry = &entry.value.0;
                    Sourced::new(
                        configured(*point, entry),
                        ValueOrigin::file(layer, entry.run.span),
                    )
                }));
            }
        }
        let typed = self.request.hooks.iter().map(|(point, command)| PlanHook {
            on: *point,
            run: self.request.typed_command(command),
            timeout: Limit::At(HOOK_TIMEOUT),
            on_error: OnHookError::Continue,
        });
        hooks.extend(typed.map(|hook| Sourced::new(hook, ValueOrigin::Flag("--hook".into()))));
        hooks
    }
}

fn configured(point: HookPoint, entry: &HookEntry) -> PlanHook {
    PlanHook {
        on: point,
        run: entry.run.value.0.clone(),
        timeout: entry.timeout.as_ref().map_or(Limit::At(HOOK_TIMEOUT), |time| time.value),
        on_error: entry.on_error.as_ref().map_or(OnHookError::Continue, |word| word.value),
    }
}
