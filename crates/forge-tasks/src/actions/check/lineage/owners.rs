//! Whose a version of a file is.

use std::collections::HashMap;

use crate::database::Stored;
use crate::document::Front;

/// Whether a task is like a version in some way.
type Likeness<'a> = dyn Fn(&Stored<Front>) -> bool + 'a;

/// Tells whose a version of a file is, whatever the file was called then. Titles and shelves change, and
/// so do ids here; when a task was created stays.
pub(super) struct Owners<'a> {
    tasks: &'a [Stored<Front>],
    by_creation: HashMap<Option<&'a str>, Vec<usize>>,
}

impl<'a> Owners<'a> {
    pub(super) fn new(tasks: &'a [Stored<Front>]) -> Self {
        let mut by_creation: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
        for (place, task) in tasks.iter().enumerate() {
            by_creation.entry(task.content.created_at.as_deref()).or_default().push(place);
        }
        Self { tasks, by_creation }
    }

    /// The task that this is a version of; several if it could be any of them.
    pub(super) fn of(&self, path: &str, version: &Front) -> Vec<usize> {
        let created = version.created_at.as_deref();
        let like = self.by_creation.get(&created).map(Vec::as_slice).unwrap_or_default();
        if let ([only], Some(_)) = (like, created) {
            return vec![*only];
        }
        let likenesses: [&Likeness<'_>; 3] =
            [&|task| task.path() == path, &|task| task.content.title == version.title, &|task| {
                task.content.id == version.id
            }];
        for is_alike in likenesses {
            let alike = like.iter().filter(|place| is_alike(&self.tasks[**place]));
            let alike: Vec<usize> = alike.copied().collect();
            if !alike.is_empty() {
                return alike;
            }
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::testing::{With, task};

    #[test]
    fn a_version_belongs_to_the_task_that_was_created_then() {
        let titled =
            |line: &str, title: &str| task(line).with(|task| task.title = title.to_owned());
        let tasks = [
            titled("TASK-1", "a").created("10:00"),
            titled("TASK-9", "b").created("11:00"),
            titled("TASK-2", "c").created("a day"),
            titled("TASK-2", "d").created("a day"),
            titled("TASK-3", "e"),
        ];
        let owners = Owners::new(&tasks);
        let of = |version: Stored<Front>| owners.of("TASK-1 - old.md", &version.content);
        assert_eq!(of(titled("TASK-1", "old").created("10:00")), [0], "it was retitled");
        assert_eq!(of(titled("TASK-1", "old").created("11:00")), [1], "and renumbered");
        assert_eq!(of(titled("TASK-2", "d").created("a day")), [3], "the title can tell");
        assert_eq!(of(titled("TASK-2", "x").created("a day")), [2, 3], "nobody can tell");
        assert_eq!(of(titled("TASK-3", "old")), [4], "the id is all there is");
        assert_eq!(of(titled("TASK-1", "a").created("never")), [0; 0], "it was deleted");
    }
}
