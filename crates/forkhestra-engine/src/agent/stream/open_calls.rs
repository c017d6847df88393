//! Tool calls without a result.

/// The maximum of kept calls. The oldest one is dropped first.
const MAX_OPEN_CALLS: usize = 64;

/// Tool calls without a result, by id.
#[derive(Debug, Default)]
pub(crate) struct OpenCalls {
    calls: Vec<OpenCall>,
    /// Whether a call may stay open while the model answers again.
    outlive_answers: bool,
}

#[derive(Debug)]
struct OpenCall {
    id: String,
    /// Whether a subagent made it.
    nested: bool,
}

impl OpenCalls {
    pub(crate) fn new(outlive_answers: bool) -> Self {
        Self { outlive_answers, ..Self::default() }
    }

    pub(crate) fn begin(&mut self, id: &str, nested: bool) {
        if self.calls.len() == MAX_OPEN_CALLS {
            self.calls.remove(0);
        }
        self.calls.push(OpenCall { id: id.to_owned(), nested });
    }

    pub(crate) fn end(&mut self, id: &str) {
        self.calls.retain(|open| open.id != id);
    }

    /// The main agent answers again: its own calls have results, even if they were not reported.
    /// Those of subagents may go on.
    pub(crate) fn answer(&mut self) {
        if !self.outlive_answers {
            self.calls.retain(|open| open.nested);
        }
    }

    /// Closes all calls, since the agent has finished.
    pub(crate) fn end_all(&mut self) {
        self.calls.clear();
    }

    pub(crate) const fn count(&self) -> usize {
        self.calls.len()
    }
}
