//! The baseline of a step: names of files with fingerprints of their states. It is stored on disk,
//! since a run may be killed and resumed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use forkhestra_core::text::digest::ContentDigest;

use crate::work_tree::file_content::{ContentHash, open_regular};

/// The length of hashes of older versions.
const OLDER_HASH_DIGITS: usize = 32;

/// Digests of files by their names.
pub(crate) type ProtectedBaseline = BTreeMap<String, String>;

/// Writes a baseline atomically and durably. Returns its digest, by which a change by another process
/// is noticed.
pub(crate) fn write(path: &Path, remembered: &ProtectedBaseline) -> io::Result<String> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory)?;
    let new = path.with_extension("new");
    let content = serde_json::to_vec(remembered)?;
    let mut file = File::create(&new)?;
    file.write_all(&content)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    File::open(directory)?.sync_all()?;
    Ok(ContentDigest::of(&content).as_str().to_owned())
}

/// Reads a baseline. One with another digest than when it was written is an error; the digest is
/// unknown if an older version wrote it.
pub(crate) fn read(path: &Path, digest: Option<&str>) -> io::Result<ProtectedBaseline> {
    let mut content = Vec::new();
    open_regular(path)?.read_to_end(&mut content)?;
    if digest.is_some_and(|digest| ContentDigest::of(&content).as_str() != digest) {
        return Err(io::Error::other("another process changed it"));
    }
    Ok(serde_json::from_slice(&content)?)
}

/// The hash of the states of a baseline.
pub(crate) fn hash_of(baseline: &ProtectedBaseline) -> ContentHash {
    match baseline.values().any(|state| has_older_hash(state)) {
        true => ContentHash::Fnv,
        false => ContentHash::Sha256,
    }
}

/// Whether the state of a file ends with the hash of versions before 2.2 of the journal's format, which was shorter.
fn has_older_hash(state: &str) -> bool {
    let hash = state.rsplit(' ').next().unwrap_or_default();
    hash.len() == OLDER_HASH_DIGITS && hash.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// A printable name for any path.
pub(crate) fn name_of(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter.is_control() {
                name.extend(letter.escape_default());
            } else {
                name.push(letter);
            }
        }
        name.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    name
}

/// The relative path from a directory to a path, both of which are real paths.
pub(crate) fn from(directory: &Path, path: &Path) -> PathBuf {
    let shared = directory.components().zip(path.components());
    let shared = shared.take_while(|(one, other)| one == other).count();
    let up = directory.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn the_baseline_file_reads_back() {
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("deep/x.json");
        let remembered = ProtectedBaseline::from([("a\"b".to_owned(), "1".to_owned())]);
        let digest = write(&path, &remembered).expect("it is ours");
        for digest in [None, Some(digest.as_str())] {
            assert_eq!(read(&path, digest).expect("it was written"), remembered);
        }
        fs::write(&path, "{}").expect("it is ours");
        let error = read(&path, Some(&digest)).expect_err("it was forged").to_string();
        assert_eq!(error, "another process changed it");
    }

    #[test]
    fn the_length_of_a_hash_shows_its_version() {
        let older = "d228cb696f1a8caf78912b704e4a8964";
        for (state, expected) in [
            (format!("file 3 {older}"), ContentHash::Fnv),
            (format!("? link {older} to file 3 {older}"), ContentHash::Fnv),
            (format!("file 3 {older}{older}"), ContentHash::Sha256),
            ("no file 40755".to_owned(), ContentHash::Sha256),
        ] {
            let baseline = ProtectedBaseline::from([("a".to_owned(), state.clone())]);
            assert_eq!(hash_of(&baseline), expected, "{state}");
        }
    }

    #[test]
    fn every_name_can_be_shown() {
        let name = OsStr::from_bytes(b"a \xff\n\x1b[0m\xc3\xa4");
        assert_eq!(name_of(Path::new(name)), "a \\xff\\n\\u{1b}[0mä");
    }

    #[test]
    fn a_relative_path_may_lead_up() {
        for (directory, path, expected) in
            [("/a/b", "/a/b/c", "c"), ("/a/b", "/a/c/d", "../c/d"), ("/a/b/c", "/a", "../..")]
        {
            assert_eq!(from(Path::new(directory), Path::new(path)), Path::new(expected));
        }
    }
}
