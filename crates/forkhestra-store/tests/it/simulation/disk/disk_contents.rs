//! The contents of a disk, before a test and after a power failure.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::change_fate::ChangeFate;
use super::disk_history::{DiskChange, Inode, InodeKind};

/// The root directory.
pub(crate) const TOP: Inode = 0;

/// All directories, and all files with their bytes, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct DiskContents(pub(crate) BTreeMap<PathBuf, Option<Vec<u8>>>);

impl DiskContents {
    /// Reads the contents of a directory.
    pub(crate) fn read(directory: &Path) -> Self {
        let mut contents = Self::default();
        contents.add(directory, Path::new(""));
        contents
    }

    fn add(&mut self, directory: &Path, path: &Path) {
        for entry in fs::read_dir(directory.join(path)).expect("it is there") {
            let entry = entry.expect("it can be read");
            let path = path.join(entry.file_name());
            if entry.path().is_dir() {
                self.0.insert(path.clone(), None);
                self.add(directory, &path);
            } else {
                self.0.insert(path, Some(fs::read(entry.path()).expect("it can be read")));
            }
        }
    }

    /// The bytes of the only journal.
    pub(crate) fn journal(&mut self) -> &mut Vec<u8> {
        let journal = self.0.iter_mut().find(|(path, _)| path.ends_with("journal.jsonl"));
        journal.and_then(|(_, bytes)| bytes.as_mut()).expect("there is a journal")
    }

    /// Writes the contents to a directory.
    pub(crate) fn write(&self, directory: &Path) {
        fs::create_dir_all(directory).expect("there is room");
        for (path, bytes) in &self.0 {
            let path = directory.join(path);
            match bytes {
                Some(bytes) => fs::write(path, bytes).expect("there is room"),
                None => fs::create_dir(path).expect("there is room"),
            }
        }
    }
}

/// Directories and files, with or without a name.
#[derive(Debug, Clone, Default)]
pub(crate) struct DiskTree {
    names: BTreeMap<(Inode, OsString), Inode>,
    /// `None` for directories.
    bytes: BTreeMap<Inode, Option<Vec<u8>>>,
}

impl DiskTree {
    /// The number of the next inode.
    pub(crate) fn next_inode(&self) -> Inode {
        self.bytes.len() + TOP + 1
    }

    /// The inode at a path.
    pub(crate) fn find(&self, path: &Path) -> Option<Inode> {
        let name = |directory, name: &std::ffi::OsStr| {
            self.names.get(&(directory, name.to_owned())).copied()
        };
        path.iter().try_fold(TOP, name)
    }

    /// Applies a change, or the part of it that its fate leaves.
    pub(crate) fn apply(&mut self, change: &DiskChange, fate: ChangeFate) {
        match (change, fate) {
            (DiskChange::Written { file, offset, bytes }, fate) => {
                self.write(*file, *offset, bytes, fate);
            }
            (_, ChangeFate::Lost) => {}
            (DiskChange::Named { directory, name, inode, what }, _) => {
                self.names.insert((*directory, name.clone()), *inode);
                if *what == InodeKind::Directory {
                    self.bytes.insert(*inode, None);
                } else {
                    self.file(*inode);
                }
            }
            (DiskChange::Removed { directory, name }, _) => {
                self.names.remove(&(*directory, name.clone()));
            }
            (DiskChange::Renamed { directory, from, to }, _) => {
                // If the change that created the old name was lost, there is nothing to rename.
                if let Some(inode) = self.names.remove(&(*directory, from.clone())) {
                    self.names.insert((*directory, to.clone()), inode);
                }
            }
            (DiskChange::Resized { file, length }, _) => self.file(*file).resize(*length, 0),
        }
    }

    fn write(&mut self, file: Inode, offset: usize, bytes: &[u8], fate: ChangeFate) {
        let length = bytes.len();
        let kept = match fate {
            ChangeFate::Kept => 0..length,
            ChangeFate::Lost => return,
            ChangeFate::Length => 0..0,
            ChangeFate::First(count) => 0..count,
            ChangeFate::Last(count) => length - count..length,
        };
        let end = offset + if fate == ChangeFate::Length { length } else { kept.end };
        let file = self.file(file);
        file.resize(file.len().max(end), 0);
        file[offset + kept.start..offset + kept.end].copy_from_slice(&bytes[kept]);
    }

    /// The bytes of a file, with or without a name.
    fn file(&mut self, file: Inode) -> &mut Vec<u8> {
        let bytes = self.bytes.entry(file).or_insert_with(|| Some(Vec::new()));
        bytes.as_mut().expect("it is a file")
    }

    /// Everything that has a name.
    pub(crate) fn contents(&self) -> DiskContents {
        let mut contents = DiskContents::default();
        self.add(&mut contents, TOP, Path::new(""));
        contents
    }

    fn add(&self, contents: &mut DiskContents, directory: Inode, path: &Path) {
        let inside = self.names.range((directory, OsString::new())..);
        for ((_, name), inode) in inside.take_while(|((inside, _), _)| *inside == directory) {
            let path = path.join(name);
            let bytes = &self.bytes[inode];
            contents.0.insert(path.clone(), bytes.clone());
            if bytes.is_none() {
                self.add(contents, *inode, &path);
            }
        }
    }
}

/// A tree with these contents, all durable.
impl From<&DiskContents> for DiskTree {
    fn from(contents: &DiskContents) -> Self {
        let mut tree = Self::default();
        for (path, bytes) in &contents.0 {
            let parent = path.parent().and_then(|parent| tree.find(parent));
            let directory = parent.expect("directories come before what is in them");
            let name = path.file_name().expect("it has a name").to_owned();
            let inode = tree.next_inode();
            tree.names.insert((directory, name), inode);
            tree.bytes.insert(inode, bytes.clone());
        }
        tree
    }
}
