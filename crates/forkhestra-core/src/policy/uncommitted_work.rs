//! Work that a step leaves without a commit.

use crate::built_in;
use crate::event::Work;
use crate::plan::{AgentKind, Step};
use crate::words;

/// So many files are named.
const MOST_NAMED: usize = 3;

/// What to say about a step that was to commit its work and did not; none if there is nothing to say.
pub fn uncommitted_work(step: &Step, work: &Work) -> Option<String> {
    let paths = &work.uncommitted;
    if paths.is_empty() || !expects_commits(step) {
        return None;
    }
    let (number, name) = (step.number, &step.agent.name);
    let files = words::count(paths.count(), "file");
    let are = if paths.count() == 1 { "is" } else { "are" };
    let first = paths.first_in_words(MOST_NAMED);
    Some(format!(
        "step {number} ({name}) ends with uncommitted work: {files} {are} not committed: {first}"
    ))
}

/// Whether the agents of a step commit what they make: those that work through tasks, and those that
/// have the name of a built-in agent that does. A program of that name is the user's own.
pub fn expects_commits(step: &Step) -> bool {
    let is_direct = matches!(step.agent.kind, AgentKind::Direct(_));
    step.works_through_tasks || (is_direct && built_in::commits_work(&step.agent.name))
}
