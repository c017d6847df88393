//! Settings of a repository that name commands. Git would run them with our processes, so each is
//! replaced by one that runs nothing.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{GitError, GitProgram, GitQuery, GitSettings};
use crate::repository::own_index::{IndexStamp, refuse_special_files, stamp};
use crate::repository::{GitRepository, GitSession, names};

/// The replacements, for each group of settings with a name between section and variable.
const REPLACEMENTS: [CommandSettings; 3] = [
    CommandSettings {
        section: "filter",
        variables: &["clean", "smudge", "process"],
        replacements: &[("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")],
    },
    CommandSettings {
        section: "remote",
        variables: &["promisor"],
        replacements: &[("promisor", "false")],
    },
    CommandSettings {
        section: "hook",
        variables: &["command", "event"],
        replacements: &[("enabled", "false"), ("command", ":")],
    },
];

/// Settings that name commands, such as `filter.lfs.clean`.
struct CommandSettings {
    section: &'static str,
    variables: &'static [&'static str],
    replacements: &'static [(&'static str, &'static str)],
}

/// What we need to know of the settings of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RepositoryConfig {
    /// Replacements for settings that name commands.
    pub(crate) settings: GitSettings,
    /// The addresses of remotes: their keys and values.
    pub(crate) remotes: GitSettings,
    /// Whether a filter changes files between the work tree and a commit.
    pub(crate) has_filters: bool,
    /// Whether objects may be missing here, since a remote has them.
    pub(crate) is_partial: bool,
    /// Whether files may be left out of the checkout.
    pub(crate) is_sparse: bool,
}

impl RepositoryConfig {
    /// The names of filters.
    pub(crate) fn filters(&self) -> BTreeSet<String> {
        let name = |key: &OsString| {
            let name = key.as_bytes().strip_prefix(b"filter.")?.strip_suffix(b".clean")?;
            Some(String::from_utf8_lossy(name).into_owned())
        };
        self.settings.iter().filter_map(|(key, _)| name(key)).collect()
    }
}

/// Replacements for settings that name commands, read again whenever a config file changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConfigOverrides(Arc<Mutex<Option<KnownConfig>>>);

#[derive(Debug)]
struct KnownConfig {
    /// The files that were read or would be read, with their stamps.
    files: Vec<(PathBuf, Option<IndexStamp>)>,
    config: RepositoryConfig,
}

impl ConfigOverrides {
    pub(in crate::repository) fn read(
        &self,
        session: &GitSession<'_>,
    ) -> Result<RepositoryConfig, GitError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = |(path, then): &(PathBuf, Option<IndexStamp>)| file_stamp(path) == *then;
        if let Some(known) = known.as_ref().filter(|known| known.files.iter().all(is_current)) {
            return Ok(known.config.clone());
        }
        let GitSession { git, repository, deadline } = *session;
        refuse_special_files(repository)?;
        let mut files: Vec<_> = usual_files(git, repository).into_iter().map(stamped).collect();
        // Listing settings runs no command.
        let args = ["config", "--list", "--includes", "--show-origin", "-z"].map(OsStr::new);
        let (directory, variables) = (repository.top.as_path(), repository.leading.as_slice());
        let listed = git.require(&GitQuery {
            directory,
            args: &args,
            variables,
            settings: &[],
            input: &[],
            deadline,
        })?;
        let home = git.variable("HOME").map(Path::new);
        let found = FoundConfig::parse(&listed, directory, home);
        files.extend(found.files.into_iter().map(stamped));
        *known = Some(KnownConfig { files, config: found.config.clone() });
        Ok(found.config)
    }
}

/// The files in which git looks for settings, and the one on which conditional settings depend.
fn usual_files(git: &GitProgram, repository: &GitRepository) -> Vec<PathBuf> {
    let GitRepository { common, git_dir, .. } = repository;
    let mut files =
        vec![common.join("config"), git_dir.join("config.worktree"), git_dir.join("HEAD")];
    let place = |name: &str| git.variable(name).map(PathBuf::from);
    files.push(place("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into()));
    if let Some(global) = place("GIT_CONFIG_GLOBAL") {
        files.push(global);
        return files;
    }
    let home = place("HOME");
    let settings = place("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    files.extend(settings.map(|settings| settings.join("git/config")));
    files.extend(home.map(|home| home.join(".gitconfig")));
    files
}

fn stamped(path: PathBuf) -> (PathBuf, Option<IndexStamp>) {
    let stamp = file_stamp(&path);
    (path, stamp)
}

fn file_stamp(path: &Path) -> Option<IndexStamp> {
    fs::metadata(path).ok().map(|metadata| stamp(&metadata))
}

/// Settings as git lists them.
#[derive(Debug, Default)]
struct FoundConfig {
    config: RepositoryConfig,
    /// The files that contain them, and those that they include.
    files: BTreeSet<PathBuf>,
}

impl FoundConfig {
    /// Parses origins and entries by turns: `file:/a/config`, then the key, a line break and the value.
    fn parse(listed: &[u8], directory: &Path, home: Option<&Path>) -> Self {
        let mut found = Self::default();
        let mut parts = names(listed);
        let mut replaced = BTreeSet::new();
        while let (Some(origin), Some(entry)) = (parts.next(), parts.next()) {
            let origin = origin.strip_prefix(b"file:").map(|path| bytes_path(directory, path));
            found.files.extend(origin.clone());
            let end = entry.iter().position(|byte| *byte == b'\n').unwrap_or(entry.len());
            let (key, value) = (&entry[..end], entry.get(end + 1..).unwrap_or_default());
            let Some((section, name, variable)) = key_parts(key) else { continue };
            let is_include = matches!(section, b"include" | b"includeif") && variable == b"path";
            if is_include {
                let base = origin.as_deref().and_then(Path::parent).unwrap_or(directory);
                found.files.extend(included(base, value, home));
            }
            found.note(key, (section, name, variable), value);
            let known = REPLACEMENTS.iter().filter(|known| {
                known.section.as_bytes() == section
                    && known.variables.iter().any(|known| known.as_bytes() == variable)
            });
            for known in known.filter(|_| name.is_some()) {
                let name = name.unwrap_or_default();
                if replaced.insert((known.section, name.to_vec())) {
                    found.config.settings.extend(known.replace(name));
                }
            }
        }
        found
    }

    fn note(&mut self, key: &[u8], (section, name, variable): KeyParts<'_>, value: &[u8]) {
        match (section, name, variable) {
            (b"filter", Some(_), b"clean" | b"process") => self.config.has_filters = true,
            (b"core", None, b"sparsecheckout") => {
                let words = [&b""[..], b"true", b"yes", b"on", b"1"];
                self.config.is_sparse = words.iter().any(|word| value.eq_ignore_ascii_case(word));
            }
            (b"extensions", None, b"partialclone") => self.config.is_partial = true,
            (b"remote", Some(_), b"promisor") => self.config.is_partial = true,
            // An address with two colons names a program.
            (b"remote", Some(_), b"url") if !value.windows(2).any(|pair| pair == b"::") => {
                let pair = (OsString::from_vec(key.to_vec()), OsString::from_vec(value.to_vec()));
                self.config.remotes.push(pair);
            }
            _ => {}
        }
    }
}

impl CommandSettings {
    fn replace(&self, name: &[u8]) -> impl Iterator<Item = (OsString, OsString)> {
        let key = move |variable: &str| {
            let key = [self.section.as_bytes(), b".", name, b".", variable.as_bytes()].concat();
            OsString::from_vec(key)
        };
        self.replacements.iter().map(move |(variable, value)| (key(variable), value.into()))
    }
}

/// Section, name and variable of a key. The name may contain dots.
pub(in crate::repository) type KeyParts<'a> = (&'a [u8], Option<&'a [u8]>, &'a [u8]);

pub(in crate::repository) fn key_parts(key: &[u8]) -> Option<KeyParts<'_>> {
    let first = key.iter().position(|byte| *byte == b'.')?;
    let last = key.iter().rposition(|byte| *byte == b'.')?;
    let name = (first < last).then(|| &key[first + 1..last]);
    Some((&key[..first], name, &key[last + 1..]))
}

/// The file that a setting includes.
fn included(base: &Path, value: &[u8], home: Option<&Path>) -> Option<PathBuf> {
    match value.strip_prefix(b"~/") {
        Some(rest) => home.map(|home| bytes_path(home, rest)),
        None => Some(bytes_path(base, value)),
    }
}

fn bytes_path(base: &Path, path: &[u8]) -> PathBuf {
    base.join(OsStr::from_bytes(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(settings: &GitSettings) -> Vec<String> {
        let word = |(key, value): &(OsString, OsString)| {
            format!("{}={}", key.to_string_lossy(), value.to_string_lossy())
        };
        settings.iter().map(word).collect()
    }

    #[test]
    fn settings_that_name_commands_are_replaced() {
        let listed = b"file:.git/config\0core.bare\nfalse\0file:.git/config\0\
            filter.a=b.c.smudge\ncat\0file:.git/config\0filter.a=b.c.clean\ncat\0\
            file:/home/me/.gitconfig\0include.path\n~/more\0file:/home/me/.gitconfig\0\
            includeif.gitdir:/x/.path\nother\0file:.git/config\0remote.o.promisor\0\
            file:.git/config\0remote.o.url\n/srv/x.git\0file:.git/config\0\
            remote.evil.url\next::sh -c id\0command line:\0hook.h.command\nid\0";
        let found = FoundConfig::parse(listed, Path::new("/work"), Some(Path::new("/home/me")));
        assert_eq!(
            pairs(&found.config.settings),
            [
                "filter.a=b.c.clean=",
                "filter.a=b.c.smudge=",
                "filter.a=b.c.process=",
                "filter.a=b.c.required=false",
                "remote.o.promisor=false",
                "hook.h.enabled=false",
                "hook.h.command=:",
            ]
        );
        assert_eq!(pairs(&found.config.remotes), ["remote.o.url=/srv/x.git"]);
        assert!(found.config.has_filters && found.config.is_partial);
        assert_eq!(found.config.filters(), BTreeSet::from(["a=b.c".to_owned()]));
        let files: Vec<_> = found.files.iter().map(|file| file.display().to_string()).collect();
        let expected =
            ["/home/me/.gitconfig", "/home/me/more", "/home/me/other", "/work/.git/config"];
        assert_eq!(files, expected);
    }
}
