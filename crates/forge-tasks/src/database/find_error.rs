//! What to say if a task is not found.

use std::path::PathBuf;

use super::{DatabaseError, Listing, Stored};
use crate::document::Front;
use crate::{IdQuery, TaskId, words};

/// Why there is no such task. Each is one line.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// There is none.
    #[error("there is no task {query}; {hint}")]
    Unknown {
        /// What was asked for.
        query: IdQuery,
        /// What there is instead.
        hint: String,
    },
    /// Two branches gave the same number, or somebody copied a file.
    #[error(
        "{query} is in {} files: {}; `forge-tasks check --fix` gives one another number",
        how_many(files),
        words::all_of(files)
    )]
    InSeveralFiles {
        /// What was asked for.
        query: IdQuery,
        /// The files, from the directory of tasks.
        files: Vec<String>,
    },
    /// There are several prefixes, and none was given.
    #[error("{query} can be {}; give the whole id", words::one_of(ids))]
    Ambiguous {
        /// What was asked for.
        query: IdQuery,
        /// What it can mean.
        ids: Vec<String>,
    },
    /// The file that should be it cannot be read.
    #[error("{} {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, as the end of a sentence that begins with its path.
        why: String,
    },
    /// The database cannot be read.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl FindError {
    /// Says that there are several, and which.
    pub(super) fn too_many(query: &IdQuery, tasks: &[&Stored<Front>]) -> Self {
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

    /// Says that there is none, and what there is instead.
    pub(super) fn unknown(query: &IdQuery, all: &Listing<Front>) -> Self {
        let ids = || all.tasks.iter().map(|task| task.content.id.as_str());
        let near = words::nearest(query.as_str(), ids());
        let hint = match (near, ids().next(), ids().next_back()) {
            (Some(near), ..) => format!("did you mean {near}?"),
            (None, Some(first), Some(last)) if first != last => {
                format!("the ids go from {first} to {last}")
            }
            (None, Some(only), _) => format!("there is only {only}"),
            _ => "there are no tasks".to_owned(),
        };
        Self::Unknown { query: query.clone(), hint }
    }

    /// What to say where there is not even a database.
    pub fn without_tasks(query: &IdQuery) -> Self {
        Self::Unknown { query: query.clone(), hint: "there are no tasks".to_owned() }
    }
}

fn how_many(files: &[String]) -> String {
    if files.len() == 2 { "two".to_owned() } else { files.len().to_string() }
}
