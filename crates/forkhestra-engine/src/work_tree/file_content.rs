//! Hashes the content of a file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use forkhestra_core::text::digest::ContentHasher;
use rustix::fs::OFlags;

use crate::fnv_hasher::FnvHasher;

/// The size of one read.
const CHUNK_BYTES: usize = 64 * 1024;

/// The hash of a content. Old states can be compared only with states of the same hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ContentHash {
    Sha256,
    /// That of versions before 2.2 of the journal's format.
    Fnv,
}

/// A digest of a file's content or of a link's target, and of the executable bit. `None` if the file
/// does not exist.
pub(crate) fn content(path: &Path) -> Option<String> {
    content_by(path, ContentHash::Sha256)
}

/// As [`content`], with this hash.
pub(crate) fn content_by(path: &Path, hash: ContentHash) -> Option<String> {
    let read = match hash {
        ContentHash::Sha256 => try_to_read(path, &mut ContentHasher::default()),
        ContentHash::Fnv => try_to_read(path, &mut FnvHasher::new()),
    };
    match read {
        Ok(content) => Some(content),
        Err(error) if is_missing(&error) => None,
        Err(error) => Some(format!("not readable: {error}")),
    }
}

/// Whether an error means that the file does not exist.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Opens a file for reading. A special file is refused, and does not block.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular(path)) }
}

/// The error for a special file or a directory.
pub(crate) fn not_regular(path: &Path) -> io::Error {
    io::Error::other(format!("{} is not a regular file", path.display()))
}

/// A hash that is computed piece by piece.
trait PieceHasher {
    fn add(&mut self, bytes: &[u8]);
    fn hex(&self) -> String;
}

impl PieceHasher for ContentHasher {
    fn add(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }

    fn hex(&self) -> String {
        self.clone().finish().to_string()
    }
}

impl PieceHasher for FnvHasher {
    fn add(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }

    fn hex(&self) -> String {
        self.finish()
    }
}

fn try_to_read(path: &Path, hasher: &mut impl PieceHasher) -> io::Result<String> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_symlink() {
        hasher.add(fs::read_link(path)?.as_os_str().as_bytes());
        return Ok(format!("link {}", hasher.hex()));
    }
    if !metadata.is_file() {
        return Ok(format!("no file {:o}", metadata.mode()));
    }
    let mut file = open_regular(path)?;
    let mut piece = vec![0; CHUNK_BYTES];
    let mut size = 0_u64;
    loop {
        let read = match file.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            break;
        }
        hasher.add(&piece[..read]);
        size += u64::try_from(read).unwrap_or_default();
    }
    let kind = if metadata.mode() & 0o111 == 0 { "file" } else { "program" };
    Ok(format!("{kind} {size} {}", hasher.hex()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn contents_links_and_programs_are_distinguished() {
        let directory = tempfile::tempdir().expect("there is room");
        let path = |name: &str| directory.path().join(name);
        fs::write(path("a"), "a").expect("it is ours");
        fs::write(path("b"), "b").expect("it is ours");
        fs::write(path("c"), "a").expect("it is ours");
        fs::set_permissions(path("c"), fs::Permissions::from_mode(0o755)).expect("it is ours");
        symlink("a", path("d")).expect("it is ours");
        let mut all: Vec<_> = ["a", "b", "c", "d"].map(|name| content(&path(name))).into();
        all.sort();
        all.dedup();
        assert_eq!((all.len(), content(&path("e"))), (4, None));
    }
}
