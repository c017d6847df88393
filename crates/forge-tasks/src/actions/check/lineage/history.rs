//! What git knows of the tasks.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::Mention;
use super::git::Git;
use super::graph::Graph;
use super::log::{self, Change};
use super::owners::Owners;
use crate::TaskId;
use crate::database::Stored;
use crate::document::{Document, Front};

/// Others wait for the lock while git is asked. If it takes longer, the times must do.
const PATIENCE: Duration = Duration::from_secs(15);

/// Every version of every task that was ever committed.
pub(super) struct History {
    graph: Graph,
    versions: HashMap<usize, Vec<Version>>,
}

struct Version {
    commit: usize,
    front: Rc<Front>,
}

impl History {
    /// Asks git; none if there is none to ask, or no time to wait for it.
    pub(super) fn read(directory: &Path, tasks: &[Stored<Front>]) -> Option<Self> {
        let git = Git { directory, until: Instant::now() + PATIENCE };
        let log = log::read(&git)?;
        let fronts = fronts(&git, &log.changes)?;
        let owners = Owners::new(tasks);
        let mut versions: HashMap<usize, Vec<Version>> = HashMap::new();
        for Change { commit, path, blob } in &log.changes {
            let Some(front) = fronts.get(blob) else { continue };
            for place in owners.of(path, front) {
                let version = Version { commit: *commit, front: Rc::clone(front) };
                versions.entry(place).or_default().push(version);
            }
        }
        Some(Self { graph: log.graph, versions })
    }

    /// The only task that those had who wrote a reference; none if that is not clear.
    pub(super) fn meant(&self, mention: Mention<'_>, candidates: &[usize]) -> Option<usize> {
        let written = self.first(mention.place, |front| mention.is_in(front));
        let mut meant = written.into_iter().filter_map(|at| self.had(at, mention.id, candidates));
        let first = meant.next()?;
        meant.all(|other| other == first).then_some(first)
    }

    /// The only one of several tasks that a commit has. A reference that was written first, for a task
    /// that was to come, means the only one that came after it.
    fn had(&self, commit: usize, id: &TaskId, candidates: &[usize]) -> Option<usize> {
        let created = |place: &usize| self.first(*place, |front| front.id == *id);
        let had = |place: &&usize| created(place).iter().any(|at| self.graph.has(commit, *at));
        let came = |place: &&usize| created(place).iter().any(|at| self.graph.has(*at, commit));
        match candidates.iter().filter(had).collect::<Vec<_>>()[..] {
            [] => match candidates.iter().filter(came).collect::<Vec<_>>()[..] {
                [only] => Some(*only),
                _ => None,
            },
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The commits in which a task first was like this. Branches may have them more than once.
    fn first(&self, place: usize, is_it: impl Fn(&Front) -> bool) -> Vec<usize> {
        let versions = self.versions.get(&place).map(Vec::as_slice).unwrap_or_default();
        let like_this = versions.iter().filter(|version| is_it(&version.front));
        let mut commits: Vec<usize> = like_this.map(|version| version.commit).collect();
        commits.sort_unstable();
        commits.dedup();
        self.graph.first(&commits)
    }
}

/// What the blobs say that were tasks.
fn fronts(git: &Git<'_>, changes: &[Change]) -> Option<HashMap<String, Rc<Front>>> {
    let mut blobs: Vec<&str> = changes.iter().map(|change| change.blob.as_str()).collect();
    blobs.sort_unstable();
    blobs.dedup();
    let mut fronts = HashMap::new();
    git.blobs(&blobs, |blob, content| {
        let front = Document::from_bytes(content.to_vec()).and_then(|document| document.front());
        if let Ok(front) = front {
            fronts.insert(blob.to_owned(), Rc::new(front));
        }
    })?;
    Some(fronts)
}
