//! Keeps a damaged `config.json` under another name, since it may hold other data.

use rustix::fs::{AtFlags, linkat};
use rustix::io::Errno;

use super::CONFIG;
use crate::database::files::directory_handle::DirectoryHandle;
use crate::database::files::temporary_file::move_to_free;
use crate::database::{ConfigState, DatabaseError, DatabaseWriter};

/// What happened to the damaged file.
enum DamagedConfigBackup {
    /// It is still there, and has two names.
    Copied,
    /// It is gone from there.
    Moved,
}

impl DatabaseWriter {
    /// Keeps it as `config.json.damaged-1`, or with the next free number, and returns the name.
    ///
    /// If possible, it stays in place until the new file exists: a reader that finds no file has to
    /// guess which numbers were assigned.
    pub(crate) fn keep_damaged_config(&mut self) -> Result<String, DatabaseError> {
        let path = self.folder().path_of(CONFIG);
        let is_readable = self.database().config.is_readable();
        let mut number = 1;
        loop {
            let name = format!("{CONFIG}.damaged-{number}");
            match keep(self.folder(), &name, is_readable) {
                Err(Errno::EXIST) => number += 1,
                Err(Errno::NOENT) => return Err(DatabaseError::Changed { path }),
                Err(error) => return Err(DatabaseError::of("rename", &path)(error)),
                Ok(DamagedConfigBackup::Copied) => return Ok(name),
                Ok(DamagedConfigBackup::Moved) => {
                    self.reread_config();
                    let is_gone = *self.database().config_state() == ConfigState::Missing;
                    return is_gone.then_some(name).ok_or(DatabaseError::Changed { path });
                }
            }
        }
    }
}

fn keep(
    folder: &DirectoryHandle,
    name: &str,
    is_readable: bool,
) -> Result<DamagedConfigBackup, Errno> {
    if is_readable {
        match linkat(folder, CONFIG, folder, name, AtFlags::empty()) {
            // Some file systems do not support hard links.
            Err(Errno::PERM | Errno::NOSYS | Errno::NOTSUP) => {}
            linked => return linked.map(|()| DamagedConfigBackup::Copied),
        }
    }
    move_to_free((folder, CONFIG), (folder, name)).map(|()| DamagedConfigBackup::Moved)
}
