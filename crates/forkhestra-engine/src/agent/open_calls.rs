//! The tool calls that have no result yet.

/// So many calls are told apart. One whose result never comes is forgotten with the next answer.
const MOST: usize = 64;

/// The tool calls that have no result yet, by their ids.
#[derive(Debug, Default)]
pub(super) struct OpenCalls(Vec<String>);

impl OpenCalls {
    pub(super) fn begin(&mut self, id: &str) {
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push(id.to_owned());
    }

    pub(super) fn end(&mut self, id: &str) {
        self.0.retain(|open| open != id);
    }

    pub(super) fn end_all(&mut self) {
        self.0.clear();
    }

    pub(super) const fn count(&self) -> usize {
        self.0.len()
    }
}
