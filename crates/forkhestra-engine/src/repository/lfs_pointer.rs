//! The committed form of a file in Git LFS.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use forkhestra_core::text::digest::ContentHasher;

/// Pointers are smaller than this.
const MAX_POINTER_BYTES: usize = 1024;

/// The size of one read.
const CHUNK_BYTES: usize = 64 * 1024;

/// The committed form of a file in Git LFS: digest and size of its content.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LfsPointer {
    digest: String,
    size: u64,
}

impl LfsPointer {
    /// Parses a pointer. Returns `None` for any other content.
    pub(crate) fn parse(content: &[u8]) -> Option<Self> {
        let text = str::from_utf8(content).ok().filter(|text| text.len() < MAX_POINTER_BYTES)?;
        // Nothing else may be committed with a pointer.
        let is_known = |line: &str| {
            ["version ", "oid sha256:", "size ", "ext-"].iter().any(|key| line.starts_with(key))
        };
        let is_pointer = text.starts_with("version https://git-lfs.github.com/spec/")
            && text.lines().all(is_known);
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
        let digest = value("oid sha256:").filter(|_| is_pointer)?.to_owned();
        Some(Self { digest, size: value("size ")?.parse().ok()? })
    }

    pub(crate) const fn new(digest: String, size: u64) -> Self {
        Self { digest, size }
    }

    /// Reads the pointer that a file is, if it is one.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut content = Vec::new();
        File::open(path)?.take(MAX_POINTER_BYTES as u64).read_to_end(&mut content)?;
        Ok(Self::parse(&content))
    }

    /// Where git-lfs stores the content, below its own directory.
    pub(crate) fn stored_at(&self) -> PathBuf {
        let digits = |range| self.digest.get(range).unwrap_or_default();
        Path::new("objects").join(digits(0..2)).join(digits(2..4)).join(&self.digest)
    }

    /// Whether a file has the content that the pointer describes.
    pub(crate) fn describes(&self, path: &Path) -> bool {
        digest(path, self.size).is_ok_and(|digest| digest == self.digest)
    }
}

fn digest(path: &Path, size: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() != size {
        return Ok(String::new());
    }
    let mut hasher = ContentHasher::default();
    let mut piece = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hasher.finish().as_str().to_owned()),
            read => hasher.update(&piece[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_describes_its_file_only() {
        // The digest of `abc`.
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let text =
            format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 3\n");
        let pointer = LfsPointer::parse(text.as_bytes()).expect("it is one");
        assert_eq!(pointer, LfsPointer { digest: digest.to_owned(), size: 3 });
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("file");
        for (content, expected) in [("abc", true), ("abd", false), ("abcd", false)] {
            std::fs::write(&path, content).expect("it is ours");
            assert_eq!(pointer.describes(&path), expected, "{content}");
        }
        assert_eq!(LfsPointer::parse(b"oid sha256:aa\nsize 3\n"), None);
        assert_eq!(LfsPointer::parse(format!("{text}exit 0\n").as_bytes()), None);
    }
}
