//! The commands that a run calls at certain moments.

use super::build::Builder;
use super::origin::{Origin, Sourced};
use super::types::Hook;
use crate::config::{ChainEntry, Entry, HookEntry, OnError};
use crate::hook::HookPoint;
use crate::limit::{Limit, Time};

const HOOK_TIMEOUT: Time = Time::from_secs(60);

impl Builder<'_> {
    /// The hooks of the chain, then those of the command line, each at its moment in this order.
    pub(super) fn hooks(&self, chain: Option<Entry<'_, ChainEntry>>) -> Vec<Sourced<Hook>> {
        let written =
            chain.and_then(|chain| Some((chain.layer, &chain.entry.hooks.as_ref()?.value)));
        let mut hooks = Vec::new();
        if let Some((layer, table)) = written {
            for (point, entries) in &table.0 {
                hooks.extend(entries.iter().map(|entry| {
                    let entry = &entry.value.0;
                    Sourced::new(configured(*point, entry), Origin::file(layer, entry.run.span))
                }));
            }
        }
        let typed = self.request.hooks.iter().map(|(point, command)| Hook {
            on: *point,
            run: self.request.typed_command(command),
            timeout: Limit::At(HOOK_TIMEOUT),
            on_error: OnError::Continue,
        });
        hooks.extend(typed.map(|hook| Sourced::new(hook, Origin::Flag("--hook".into()))));
        hooks
    }
}

fn configured(point: HookPoint, entry: &HookEntry) -> Hook {
    Hook {
        on: point,
        run: entry.run.value.0.clone(),
        timeout: entry.timeout.as_ref().map_or(Limit::At(HOOK_TIMEOUT), |time| time.value),
        on_error: entry.on_error.as_ref().map_or(OnError::Continue, |word| word.value),
    }
}
