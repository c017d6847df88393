//! The tool calls that Claude Code may come back to.

use std::collections::VecDeque;

/// So many calls are remembered. A denial follows its call closely.
const REMEMBERED: usize = 64;

/// What the last calls were to do, and which of them were denied.
#[derive(Debug, Default)]
pub(super) struct ClaudeCalls {
    briefs: VecDeque<(String, String)>,
    denied: VecDeque<String>,
}

impl ClaudeCalls {
    /// Remembers what a call is to do.
    pub(super) fn record(&mut self, id: &str, brief: &str) {
        remember(&mut self.briefs, (id.to_owned(), brief.to_owned()));
    }

    /// What a call was to do.
    pub(super) fn summary_of(&self, id: &str) -> Option<&str> {
        let (_, brief) = self.briefs.iter().rev().find(|(known, _)| known == id)?;
        Some(brief)
    }

    /// Takes note of a denial, and says whether it is news.
    pub(super) fn deny(&mut self, id: &str) -> bool {
        let is_new = !self.denied.iter().any(|known| known == id);
        if is_new {
            remember(&mut self.denied, id.to_owned());
        }
        is_new
    }
}

fn remember<T>(things: &mut VecDeque<T>, thing: T) {
    if things.len() == REMEMBERED {
        things.pop_front();
    }
    things.push_back(thing);
}
