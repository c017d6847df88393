//! Decides which untracked files become part of a snapshot: none that looks like a secret, and not
//! too many bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::own_index::{IndexStamp, stamp};
use crate::secret_finder::SecretFinder;

/// The bytes of untracked files that the snapshots of a run may add to the repository.
pub(crate) const MAX_UNTRACKED_BYTES: u64 = 100 * 1024 * 1024;

/// The beginning of a file in which secrets are searched.
const MAX_SEARCHED_BYTES: u64 = 1024 * 1024;

/// Names of files that hold nothing but secrets.
const SECRET_NAMES: [&str; 4] = [".env", ".git-credentials", ".pgpass", ".htpasswd"];

const SECRET_EXTENSIONS: [&str; 9] =
    [".pem", ".key", ".p12", ".pfx", ".kdbx", ".kdb", ".jks", ".keystore", ".ppk"];

/// The beginnings of names of private keys. The public key has the extension `.pub`.
const KEY_PREFIXES: [&str; 4] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// The beginnings of names of JSON files with credentials.
const CREDENTIAL_PREFIXES: [&str; 4] =
    ["credentials", "service-account", "service_account", "client_secret"];

/// Environment files that are made to be shared.
const SHARED_ENV_FILES: [&str; 4] = [".env.example", ".env.sample", ".env.template", ".env.dist"];

/// Settings of programs that may hold a password or a token, and the words before it.
const SETTINGS_WITH_LOGIN: [&str; 4] = [".npmrc", ".pypirc", ".netrc", "_netrc"];
const LOGIN_WORDS: [&str; 4] = ["_auth", "_password", "password", "token"];

/// The untracked files of a work tree and the decision about each.
#[derive(Debug, Clone)]
pub(crate) struct UntrackedFiles {
    secrets: SecretFinder,
    /// The decisions, each for one state of the file.
    decided: BTreeMap<PathBuf, (IndexStamp, UntrackedDecision)>,
    /// The bytes of all files that are kept, in all their states.
    kept_bytes: u64,
}

/// Whether an untracked file becomes part of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UntrackedDecision {
    Kept,
    /// It looks like a secret.
    Secret,
    /// It would exceed [`MAX_UNTRACKED_BYTES`].
    Excess,
}

/// Untracked files that are not part of a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WithheldFiles {
    pub(crate) secrets: BTreeSet<PathBuf>,
    pub(crate) excess: BTreeSet<PathBuf>,
}

impl UntrackedFiles {
    pub(crate) const fn new(secrets: SecretFinder) -> Self {
        Self { secrets, decided: BTreeMap::new(), kept_bytes: 0 }
    }

    /// Decides about a file. What is no file, or is gone, is kept by its name.
    pub(crate) fn decide(&mut self, path: &Path) -> UntrackedDecision {
        let Ok(metadata) = fs::symlink_metadata(path) else { return UntrackedDecision::Kept };
        let state = stamp(&metadata);
        if let Some((_, decision)) = self.decided.get(path).filter(|(known, _)| *known == state) {
            return *decision;
        }
        let bytes = if metadata.is_file() { metadata.len() } else { 0 };
        let decision = if self.is_secret(path, metadata.is_file()) {
            UntrackedDecision::Secret
        } else if self.kept_bytes.saturating_add(bytes) > MAX_UNTRACKED_BYTES {
            UntrackedDecision::Excess
        } else {
            self.kept_bytes += bytes;
            UntrackedDecision::Kept
        };
        self.decided.insert(path.to_owned(), (state, decision));
        decision
    }

    fn is_secret(&self, path: &Path, is_file: bool) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if is_secret_name(&name) || self.secrets.is_in(path.as_os_str().as_bytes()) {
            return true;
        }
        // A file that cannot be read cannot be added either.
        let beginning = if is_file { beginning(path).unwrap_or_default() } else { Vec::new() };
        self.secrets.is_in(&beginning)
            || has_private_key(&beginning)
            || SETTINGS_WITH_LOGIN.contains(&name.as_str()) && has_login(&beginning)
    }
}

impl WithheldFiles {
    /// Adds a file that is not kept. Returns whether it is one.
    pub(crate) fn add(&mut self, path: &Path, decision: UntrackedDecision) -> bool {
        match decision {
            UntrackedDecision::Kept => return false,
            UntrackedDecision::Secret => self.secrets.insert(path.to_owned()),
            UntrackedDecision::Excess => self.excess.insert(path.to_owned()),
        };
        true
    }

    /// A notice for each reason, with the files that are not in `reported`. Adds them to it.
    pub(crate) fn notices(&self, top: &Path, reported: &mut BTreeSet<PathBuf>) -> Vec<String> {
        let limit = MAX_UNTRACKED_BYTES / (1024 * 1024);
        let reasons = [
            (&self.secrets, "they look like secrets".to_owned()),
            (&self.excess, format!("untracked files of a run may have {limit} MiB in all")),
        ];
        let mut notices = Vec::new();
        for (files, reason) in reasons {
            let new: Vec<&PathBuf> =
                files.iter().filter(|path| !reported.contains(*path)).collect();
            if !new.is_empty() {
                let names = listed(&new, top);
                notices.push(format!("files are left out of snapshots, because {reason}: {names}"));
            }
            reported.extend(files.iter().cloned());
        }
        notices
    }
}

/// A list of files for a notice, relative to the top.
fn listed(files: &[&PathBuf], top: &Path) -> String {
    const MAX_NAMES: usize = 10;
    let names = files.iter().take(MAX_NAMES).map(|path| {
        let name = path.strip_prefix(top).unwrap_or(path);
        name.display().to_string()
    });
    let names = names.collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(MAX_NAMES) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// Whether the name of a file, in lower case, means that it holds a secret.
fn is_secret_name(name: &str) -> bool {
    let is_environment = name.starts_with(".env.") && !SHARED_ENV_FILES.contains(&name);
    let has_prefix = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    SECRET_NAMES.contains(&name)
        || is_environment
        || SECRET_EXTENSIONS.iter().any(|extension| name.ends_with(extension))
        || has_prefix(&KEY_PREFIXES) && !name.ends_with(".pub")
        || has_prefix(&CREDENTIAL_PREFIXES) && name.ends_with(".json")
}

/// The beginning of a file.
fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_SEARCHED_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a line begins like a private key in PEM format. Source code has such a text as well, but
/// not at the start of a line.
fn has_private_key(bytes: &[u8]) -> bool {
    const BEGIN: &[u8] = b"-----BEGIN ";
    const END: &[u8] = b"PRIVATE KEY-----";
    memmem::find_iter(bytes, BEGIN).any(|start| {
        let line = bytes[start + BEGIN.len()..].split(|byte| *byte == b'\n').next();
        let is_key = line.is_some_and(|line| line.trim_ascii_end().ends_with(END));
        is_key && (start == 0 || bytes[start - 1] == b'\n')
    })
}

fn has_login(bytes: &[u8]) -> bool {
    let text = bytes.to_ascii_lowercase();
    LOGIN_WORDS.iter().any(|word| memmem::find(&text, word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_recognised() {
        for name in [
            ".env",
            ".env.local",
            ".env.production",
            "a.pem",
            "tls.key",
            "id_rsa",
            "id_rsa_work",
            "id_ed25519",
            "x.p12",
            "x.pfx",
            "credentials.json",
            "credentials-prod.json",
            "service-account.json",
            "pass.kdbx",
            ".git-credentials",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            ".env.example",
            ".environment",
            "env",
            "key.rs",
            "id_rsa.pub",
            "credentials.rs",
            "my-credentials.json",
            ".npmrc",
            "pem",
            "keys",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn contents_of_secrets_are_recognised() {
        for text in [
            "-----BEGIN PRIVATE KEY-----\nabc",
            "a\n-----BEGIN RSA PRIVATE KEY-----\r\nabc",
            "-----BEGIN OPENSSH PRIVATE KEY-----",
        ] {
            assert!(has_private_key(text.as_bytes()), "{text}");
        }
        for text in ["", "-----BEGIN PUBLIC KEY-----\n", "x = \"-----BEGIN PRIVATE KEY-----\n"] {
            assert!(!has_private_key(text.as_bytes()), "{text}");
        }
        assert!(
            has_login(b"//registry.npmjs.org/:_authToken=x") && has_login(b"machine a PASSWORD b")
        );
        assert!(!has_login(b"engine-strict=true\n"));
    }

    #[test]
    fn a_changed_file_is_decided_again_and_counts_again() {
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("a.txt");
        let secrets = SecretFinder::new(|bytes| memmem::find(bytes, b"hunter2").is_some());
        let mut files = UntrackedFiles::new(secrets);
        fs::write(&path, "harmless").expect("it is ours");
        assert_eq!(files.decide(&path), UntrackedDecision::Kept);
        assert_eq!(files.decide(&path), UntrackedDecision::Kept);
        assert_eq!(files.kept_bytes, 8);
        fs::write(&path, "it is hunter2").expect("it is ours");
        assert_eq!(files.decide(&path), UntrackedDecision::Secret);
        fs::write(&path, "harmless again").expect("it is ours");
        assert_eq!(files.decide(&path), UntrackedDecision::Kept);
        assert_eq!(files.kept_bytes, 22);
        files.kept_bytes = MAX_UNTRACKED_BYTES;
        fs::write(&path, "one more state").expect("it is ours");
        assert_eq!(files.decide(&path), UntrackedDecision::Excess);
    }

    #[test]
    fn a_file_is_reported_once() {
        let mut withheld = WithheldFiles::default();
        let mut reported = BTreeSet::new();
        let top = Path::new("/work");
        assert_eq!(withheld.notices(top, &mut reported), [""; 0]);
        withheld.add(&top.join("a/.env"), UntrackedDecision::Secret);
        let expected = "files are left out of snapshots, because they look like secrets: a/.env";
        assert_eq!(withheld.notices(top, &mut reported), [expected]);
        withheld.add(&top.join("big"), UntrackedDecision::Excess);
        let expected = "files are left out of snapshots, because untracked files of a run may have 100 \
                        MiB in all: big";
        assert_eq!(withheld.notices(top, &mut reported), [expected]);
    }
}
