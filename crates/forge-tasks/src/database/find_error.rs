//! Why a task was not found.

use std::path::PathBuf;

use super::{DatabaseError, DirectoryListing, StoredFile};
use crate::document::FrontMatter;
use crate::{IdQuery, TaskId, words};

const NO_TASKS: &str = "there are no tasks";

/// Why a task was not found. Each message is one line.
#[derive(Debug, thiserror::Error)]
pub enum FindTaskError {
    #[error("there is no task {query}; {hint}")]
    Unknown {
        query: IdQuery,
        /// A similar id, or the ids that exist.
        hint: String,
    },
    /// Two branches gave the same number, or a file was copied.
    #[error(
        "{query} is in {} files: {}; `forge-tasks check --fix` gives one another number",
        how_many(files),
        words::all_of(files)
    )]
    InSeveralFiles {
        query: IdQuery,
        /// The files, from the directory of tasks.
        files: Vec<String>,
    },
    /// There are several prefixes, and the query has none.
    #[error("{query} can be {}; give the whole id", words::one_of(ids))]
    Ambiguous { query: IdQuery, ids: Vec<String> },
    /// The file that should be it cannot be read.
    #[error("{} {why}", path.display())]
    Broken {
        path: PathBuf,
        /// The end of a sentence that begins with the path.
        why: String,
    },
    /// The database cannot be read.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl FindTaskError {
    /// Says that there are several, and which.
    pub(super) fn too_many(query: &IdQuery, tasks: &[&StoredFile<FrontMatter>]) -> Self {
        let query = query.clone();
        let mut ids: Vec<&TaskId> = tasks.iter().map(|task| &task.content.id).collect();
        ids.dedup();
        match ids[..] {
            [_] => {
                let files = tasks.iter().map(|task| task.path()).collect();
                Self::InSeveralFiles { query, files }
            }
            _ => Self::Ambiguous { query, ids: ids.iter().map(ToString::to_string).collect() },
        }
    }

    /// The error for an unknown id, with a hint at a similar id or at the ids that exist.
    pub(super) fn unknown(query: &IdQuery, all: &DirectoryListing<FrontMatter>) -> Self {
        let mut ids: Vec<&TaskId> = all.tasks.iter().map(|task| &task.content.id).collect();
        ids.dedup();
        let hint = match (meant(query, &ids), &ids[..]) {
            (Some(meant), _) => format!("did you mean {meant}?"),
            (None, []) => NO_TASKS.to_owned(),
            (None, [only]) => format!("the only task is {only}"),
            (None, [first, .., last]) => format!("the ids go from {first} to {last}"),
        };
        Self::Unknown { query: query.clone(), hint }
    }

    /// The error where there is no database.
    pub fn without_tasks(query: &IdQuery) -> Self {
        Self::Unknown { query: query.clone(), hint: NO_TASKS.to_owned() }
    }
}

/// The id that may have been meant: the number with another prefix, or else the only id whose
/// number is one typo away.
fn meant(query: &IdQuery, ids: &[&TaskId]) -> Option<String> {
    let same: Vec<&str> =
        ids.iter().filter(|id| id.number() == query.number()).map(|id| id.as_str()).collect();
    if !same.is_empty() {
        return Some(words::one_of(&same));
    }
    let mut near = ids.iter().filter(|id| is_one_slip(query.number(), id.number()));
    near.next().filter(|_| near.next().is_none()).map(ToString::to_string)
}

/// Whether one surplus, missing, wrong or swapped digit turns one number into the other. Numbers of
/// one digit never count: each is that close to every other.
fn is_one_slip(typed: u64, there: u64) -> bool {
    let (typed, there) = (typed.to_string(), there.to_string());
    typed.len().max(there.len()) > 1 && strsim::damerau_levenshtein(&typed, &there) == 1
}

fn how_many(files: &[String]) -> String {
    if files.len() == 2 { "two".to_owned() } else { files.len().to_string() }
}
