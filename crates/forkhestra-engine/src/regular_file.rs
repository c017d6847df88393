//! Reads files that a user or an agent names: config files, prompts, plans.
//!
//! A pipe or a device in such a place could block forever, and some files never end. So only regular files are read,
//! without waiting and up to a bound. Links are followed: the user may keep a prompt elsewhere.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// The most that is read of one file.
pub const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Opens a regular file. Some files below `/proc` claim to be regular; reading them does not wait either.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(Errno::ISDIR.into());
    }
    if metadata.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

/// Reads a regular file as a whole.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let limit = MAX_FILE_BYTES >> 20;
        return Err(io::Error::other(format!("it has more than {limit} MiB")));
    }
    Ok(bytes)
}

/// Reads a regular file of UTF-8 text.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| {
        io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8")
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn only_regular_files_are_read_and_nothing_waits() {
        let directory = tempfile::tempdir().expect("there is room");
        let at = |name: &str| directory.path().join(name);
        fs::write(at("file"), "text").expect("it is ours");
        symlink("file", at("link")).expect("it is ours");
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RWXU, 0).expect("it is ours");
        File::create(at("huge")).and_then(|file| file.set_len(1 << 40)).expect("it is sparse");
        assert_eq!(read_text(&at("link")).expect("it is regular"), "text");
        for (path, why) in [
            (at("pipe"), "it is not a regular file"),
            ("/dev/zero".into(), "it is not a regular file"),
            (at("huge"), "it has more than 64 MiB"),
        ] {
            assert_eq!(read(&path).expect_err(why).to_string(), why);
        }
        assert_eq!(read(&at(".")).expect_err("a directory").kind(), io::ErrorKind::IsADirectory);
    }
}
