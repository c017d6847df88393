//! One pass over many names, for a directory in which all is as it should be.
//!
//! Every `create` asks for the highest number, so nothing is copied and no file is opened here.

use std::ffi::CStr;

use super::highest::FEW;
use crate::database::DatabaseError;
use crate::database::files::directory_handle::DirectoryHandle;
use crate::database::files::file_name::{id_of, is_usual, number_of};
use crate::database::files::list_files::is_for_a_task;
use crate::database::stored::ARCHIVE;
use crate::{IdPrefix, TaskId};

/// The id with the highest number, if there are many tasks, all have their usual names, and no two
/// share a number. Otherwise names are not reliable.
pub(crate) fn highest(
    folder: &DirectoryHandle,
    prefix: &IdPrefix,
) -> Result<Option<TaskId>, DatabaseError> {
    let mut glance = HighestId::default();
    let archive = folder.folder(ARCHIVE)?;
    for folder in [Some(folder), archive.as_ref()].into_iter().flatten() {
        let listed = folder.each_entry(|name, _| glance.see(name, prefix));
        listed.map_err(DatabaseError::of("read", folder.path()))?;
    }
    Ok(glance.highest())
}

#[derive(Debug, Default)]
struct HighestId {
    numbers: Vec<u64>,
    /// The highest so far, and the name of its file.
    top: Option<(u64, String)>,
    is_unclear: bool,
}

impl HighestId {
    fn see(&mut self, name: &CStr, prefix: &IdPrefix) {
        if !is_for_a_task(name) {
            return;
        }
        let name = name.to_str().ok().filter(|name| is_usual(name));
        let Some((name, number)) = name.and_then(|name| Some((name, number_of(name, prefix)?)))
        else {
            self.is_unclear = true;
            return;
        };
        self.numbers.push(number);
        if self.top.as_ref().is_none_or(|(top, _)| number > *top) {
            self.top = Some((number, name.to_owned()));
        }
    }

    fn highest(mut self) -> Option<TaskId> {
        if self.is_unclear || self.numbers.len() <= FEW {
            return None;
        }
        self.numbers.sort_unstable();
        let has_twins = self.numbers.windows(2).any(|pair| pair[0] == pair[1]);
        let (_, name) = self.top.filter(|_| !has_twins)?;
        id_of(&name)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use super::*;

    fn seen(more: &[&str]) -> Option<String> {
        let mut glance = HighestId::default();
        let many = (1..=FEW + 1).map(|number| format!("TASK-{number:03} - Title.md"));
        for name in many.chain(more.iter().map(|name| (*name).to_owned())) {
            let name = CString::new(name).expect("there is no zero in it");
            glance.see(&name, &IdPrefix::default());
        }
        glance.highest().map(|id| id.to_string())
    }

    #[test]
    fn the_highest_of_many_is_seen_if_all_is_as_it_should_be() {
        assert_eq!(seen(&[]).as_deref(), Some("TASK-201"));
        let fine = ["TASK-900 - x.md", "task-0999.md", "TASK-500 - y.md", "config.json", ".x.md"];
        assert_eq!(seen(&fine).as_deref(), Some("task-0999"));
    }

    #[test]
    fn one_strange_name_is_enough_to_look_closer() {
        for strange in ["README.md", "BUG-1 - x.md", "TASK-300 x.md", "TASK-007 - copy.md", "x.MD"]
        {
            assert_eq!(seen(&[strange]), None, "{strange}");
        }
        assert_eq!(HighestId::default().highest(), None, "so few are read as a whole");
    }
}
