//! Reading every file while others may be writing.

use std::collections::HashMap;
use std::time::Duration;

use super::folder::Folder;
use super::lock::{Lock, With};
use super::look::{Look, Name};
use super::read::Unread;
use super::{BrokenFile, DatabaseError, FileFault, Listing, Scope, Stored};

/// How often a changing directory is listed before the shared lock is taken.
pub(super) const ROUNDS: u32 = 8;

/// How long the shared lock is waited for. After that, reading continues without it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether other processes can write to a directory while it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// They can.
    MayWrite,
    /// We hold the lock.
    Wait,
}

/// Reads every file with one function, so that each task is seen exactly once however others rename
/// files meanwhile.
///
/// If a file was gone before it could be opened, or the directory changed during the listing, it is listed
/// again, until nothing is gone and the names stay the same. Files that were read are kept, so that
/// another round is cheap. The last round takes the shared lock.
pub(super) fn read_all<T>(
    tasks: &Folder,
    scope: Scope,
    others: Others,
    mut read: impl FnMut(&Folder, &Name) -> Result<T, Unread>,
) -> Result<Listing<T>, DatabaseError> {
    let mut known = HashMap::new();
    let mut was_whole = false;
    for _ in 0..ROUNDS {
        let round = Round::take(Look::at(tasks, scope)?, &mut known, &mut read);
        // After a round with a missing file, equal names prove nothing.
        let is_settled = others == Others::Wait || round.is_calm || (round.is_same && was_whole);
        if round.is_whole && is_settled {
            return Ok(round.listing());
        }
        was_whole = round.is_whole;
        known = round.files.into_iter().collect();
    }
    let _quiet = (others == Others::MayWrite).then(|| quiet(tasks));
    Ok(Round::take(Look::at(tasks, scope)?, &mut known, &mut read).listing())
}

/// What files were read as, or why they are broken.
type Known<T> = HashMap<Name, Result<T, FileFault>>;

/// What was found in one look.
struct Round<T> {
    files: Vec<(Name, Result<T, FileFault>)>,
    nameless: Vec<BrokenFile>,
    is_calm: bool,
    is_same: bool,
    is_whole: bool,
}

impl<T> Round<T> {
    /// Reads what is not known yet, and forgets what is no longer there.
    fn take(
        mut look: Look<'_>,
        known: &mut Known<T>,
        read: &mut impl FnMut(&Folder, &Name) -> Result<T, Unread>,
    ) -> Self {
        let names = std::mem::take(&mut look.names);
        let mut files = Vec::with_capacity(names.len());
        let (mut is_same, mut is_whole) = (true, true);
        for name in names {
            let folder = look.folder(name.shelf).expect("it is where the name was found");
            if let Some(outcome) = known.remove(&name) {
                files.push((name, outcome));
                continue;
            }
            is_same = false;
            match read(folder, &name) {
                Ok(content) => files.push((name, Ok(content))),
                Err(Unread::Broken(why)) => files.push((name, Err(why))),
                Err(Unread::Gone) => is_whole = false,
            }
        }
        is_same &= known.is_empty();
        Self { files, nameless: look.broken, is_calm: look.is_calm, is_same, is_whole }
    }

    fn listing(self) -> Listing<T> {
        let mut tasks = Vec::with_capacity(self.files.len());
        let mut broken = self.nameless;
        for (Name { shelf, file, .. }, outcome) in self.files {
            match outcome {
                Ok(content) => tasks.push(Stored { shelf, file, content }),
                Err(why) => broken.push(BrokenFile { shelf, file, why }),
            }
        }
        broken.sort_by(|a, b| (a.shelf, &a.file).cmp(&(b.shelf, &b.file)));
        Listing { tasks, broken }
    }
}

/// Takes the shared lock, if possible.
fn quiet(tasks: &Folder) -> Option<Lock> {
    let file = tasks.opened_again().ok()?;
    Lock::take(file, With::Readers, PATIENCE).ok()
}
