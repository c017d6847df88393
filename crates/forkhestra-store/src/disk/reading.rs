//! Opens and reads files that may have been replaced.
//!
//! Opening a pipe or reading a device can block forever. So files are opened without waiting, and only regular files are
//! read. The flag stays set: some files below `/proc` claim to be regular, and reading them would wait.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::untrusted_path::{open_error, require_regular};

/// The most that is read of a file that is read as a whole and is not a journal.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Opens a regular file. A link is not followed.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = opened.map_err(|error| open_error(path, error))?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a small file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_open(open(path)?)
}

/// Reads a small open file.
pub(crate) fn read_open(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it has more than {} MiB", MAX_BYTES >> 20)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn only_regular_files_are_read_and_nothing_waits() {
        let directory = tempfile::tempdir().expect("there is room");
        let at = |name: &str| directory.path().join(name);
        fs::write(at("file"), "text").expect("it is ours");
        symlink("file", at("link")).expect("it is ours");
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RWXU, 0).expect("it is ours");
        let _listener = UnixListener::bind(at("socket")).expect("the path is short");
        assert_eq!(read(&at("file")).expect("it is regular"), b"text");
        for (name, why) in [
            ("link", "is a symbolic link, which is not followed"),
            ("pipe", "it is a named pipe, not a regular file"),
            ("socket", "it is a socket, not a regular file"),
            (".", "it is a directory, not a regular file"),
        ] {
            let error = read(&at(name)).expect_err(why).to_string();
            assert!(error.ends_with(why), "{name}: {error}");
        }
    }

    #[test]
    fn a_huge_file_is_an_error() {
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("huge");
        let file = File::create(&path).expect("it is ours");
        file.set_len(1 << 40).expect("it is sparse");
        assert_eq!(read(&path).expect_err("it is huge").to_string(), "it has more than 64 MiB");
    }
}
