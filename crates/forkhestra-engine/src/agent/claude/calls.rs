//! The latest tool calls of Claude Code, for denials that refer to them.

use std::collections::VecDeque;

/// The maximum of kept calls. A denial follows its call closely.
const MAX_CALLS: usize = 64;

/// Summaries of the latest calls, and the denied ones.
#[derive(Debug, Default)]
pub(super) struct ClaudeCalls {
    briefs: VecDeque<(String, String)>,
    denied: VecDeque<String>,
}

impl ClaudeCalls {
    /// Records the summary of a call.
    pub(super) fn record(&mut self, id: &str, brief: &str) {
        push_bounded(&mut self.briefs, (id.to_owned(), brief.to_owned()));
    }

    /// The summary of a call.
    pub(super) fn summary_of(&self, id: &str) -> Option<&str> {
        let (_, brief) = self.briefs.iter().rev().find(|(known, _)| known == id)?;
        Some(brief)
    }

    /// Records a denial, and returns whether it is new.
    pub(super) fn deny(&mut self, id: &str) -> bool {
        let is_new = !self.denied.iter().any(|known| known == id);
        if is_new {
            push_bounded(&mut self.denied, id.to_owned());
        }
        is_new
    }
}

fn push_bounded<T>(things: &mut VecDeque<T>, thing: T) {
    if things.len() == MAX_CALLS {
        things.pop_front();
    }
    things.push_back(thing);
}
