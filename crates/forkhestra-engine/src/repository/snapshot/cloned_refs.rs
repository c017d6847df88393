//! The branches, tags and remote branches of a repository, for a clone of it.

use crate::repository::GitSession;
use crate::repository::git_program::GitError;

/// The refs that a clone has as well.
const REFS: [&str; 3] = ["refs/heads", "refs/tags", "refs/remotes"];

/// Branches, tags and remote branches.
#[derive(Debug, Default)]
pub(in crate::repository) struct ClonedRefs {
    /// Each with its object, as in a file of packed refs.
    pub(in crate::repository) direct: Vec<(String, String)>,
    /// Each with the ref that it names.
    pub(in crate::repository) symbolic: Vec<(String, String)>,
}

impl ClonedRefs {
    pub(in crate::repository) fn read(session: &GitSession<'_>) -> Result<Self, GitError> {
        let format = "--format=%(objectname) %(refname) %(symref)";
        let args: Vec<&str> = ["for-each-ref", format].into_iter().chain(REFS).collect();
        let listed = session.require(&args)?;
        let mut refs = Self::default();
        // Only a name in UTF-8 can be passed on as text.
        for line in listed.split(|byte| *byte == b'\n').filter_map(|line| str::from_utf8(line).ok())
        {
            let mut words = line.split(' ');
            let (Some(object), Some(name), target) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            match target.filter(|target| !target.is_empty()) {
                Some(target) => refs.symbolic.push((name.to_owned(), target.to_owned())),
                None => refs.direct.push((object.to_owned(), name.to_owned())),
            }
        }
        Ok(refs)
    }
}
