//! A clone that reads the objects of another repository and has everything else for itself: refs, stash,
//! settings, index. Nothing that is done in it changes the other repository.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::effective_config::EffectiveConfig;
use super::lane_error::{LaneError, file};
use crate::regular_file;
use crate::repository::clean_rooms::{object_format, run_isolated};
use crate::repository::git_program::config_text::add_entry;
use crate::repository::own_index::quoted;
use crate::repository::snapshot::ClonedRefs;
use crate::repository::{GitRepository, GitSession};

/// A clone to be made in an empty directory.
#[derive(Clone, Copy)]
pub(super) struct SharedClone<'a> {
    pub(super) source: GitSession<'a>,
    pub(super) directory: &'a Path,
    /// The full id of the commit to check out.
    pub(super) commit: &'a str,
    /// The full name of the branch to check out there; none for a detached `HEAD`.
    pub(super) branch: Option<&'a str>,
    pub(super) is_cancelled: &'a dyn Fn() -> bool,
}

impl SharedClone<'_> {
    /// Makes the clone. Submodules are empty directories.
    pub(super) fn make(&self) -> Result<GitRepository, LaneError> {
        let config = EffectiveConfig::read(&self.source)?;
        self.initialise(config.has_reftable())?;
        self.write_info()?;
        let found =
            GitRepository::find_nested(self.source.git, self.directory, self.source.deadline)?;
        let missing = || LaneError::Git("git finds no repository there".to_owned());
        let repository = found.ok_or_else(missing)?;
        let clone = GitSession { repository: &repository, ..self.source };
        self.write_config(&config, &EffectiveConfig::read(&clone)?)?;
        self.stop_if_cancelled()?;
        self.write_refs(&clone, config.has_reftable())?;
        self.stop_if_cancelled()?;
        let args = ["read-tree", "--reset", "-u", "--no-recurse-submodules", self.commit];
        clone.require(&args)?;
        self.stop_if_cancelled()?;
        Ok(repository)
    }

    pub(super) fn stop_if_cancelled(&self) -> Result<(), LaneError> {
        match (self.is_cancelled)() {
            true => Err(LaneError::Cancelled),
            false => Ok(()),
        }
    }

    fn in_git(&self, name: &str) -> PathBuf {
        self.directory.join(".git").join(name)
    }

    fn initialise(&self, has_reftable: bool) -> Result<(), LaneError> {
        let mut args = vec!["init", "--quiet", "--template=", object_format(self.commit)];
        if has_reftable {
            args.push("--ref-format=reftable");
        }
        let args: Vec<&OsStr> =
            args.iter().map(OsStr::new).chain([self.directory.as_os_str()]).collect();
        run_isolated(&self.source, self.directory, &[], &args)?;
        self.stop_if_cancelled()
    }

    /// Writes the files that no command of git writes.
    fn write_info(&self) -> Result<(), LaneError> {
        let GitRepository { common, git_dir, objects, .. } = self.source.repository;
        self.write("objects/info/alternates", &alternates(objects)?)?;
        for (place, name) in [
            (common, "shallow"),
            (common, "info/exclude"),
            (common, "info/attributes"),
            // Each linked work tree has patterns of its own.
            (git_dir, "info/sparse-checkout"),
        ] {
            let path = place.join(name);
            if path.exists() {
                self.write(name, &regular_file::read(&path).map_err(file(&path))?)?;
            }
        }
        Ok(())
    }

    fn write_config(
        &self,
        source: &EffectiveConfig,
        clone: &EffectiveConfig,
    ) -> Result<(), LaneError> {
        let GitRepository { top, common, .. } = self.source.repository;
        let path = self.in_git("config");
        let mut text = fs::read(&path).map_err(file(&path))?;
        let hooks = common.join("hooks");
        if !source.has_hooks_path() && has_hooks(&hooks) {
            let parts = (&b"core"[..], None, &b"hookspath"[..]);
            add_entry(&mut text, parts, hooks.as_os_str().as_bytes());
        }
        text.extend(source.missing_in(clone, top));
        fs::write(&path, text).map_err(file(&path))
    }

    fn write_refs(&self, clone: &GitSession<'_>, has_reftable: bool) -> Result<(), LaneError> {
        let mut refs = ClonedRefs::read(&self.source)?;
        if let Some(branch) = self.branch {
            refs.direct.retain(|(_, name)| name != branch);
            refs.direct.push((self.commit.to_owned(), branch.to_owned()));
        }
        match has_reftable {
            true => self.write_tables(clone, &refs),
            false => self.write_files(&refs),
        }
    }

    fn write_files(&self, refs: &ClonedRefs) -> Result<(), LaneError> {
        let packed = refs.direct.iter().map(|(object, name)| format!("{object} {name}\n"));
        self.write("packed-refs", packed.collect::<String>().as_bytes())?;
        for (name, target) in &refs.symbolic {
            self.write(name, format!("ref: {target}\n").as_bytes())?;
        }
        let head = match self.branch {
            Some(branch) => format!("ref: {branch}\n"),
            None => format!("{}\n", self.commit),
        };
        self.write("HEAD", head.as_bytes())
    }

    fn write_tables(&self, clone: &GitSession<'_>, refs: &ClonedRefs) -> Result<(), LaneError> {
        let created = refs.direct.iter().map(|(object, name)| format!("create {name} {object}\n"));
        let created: String = created.collect();
        clone.send_input(&[], &["update-ref", "--stdin"], created.as_bytes())?;
        for (name, target) in &refs.symbolic {
            clone.require(&["symbolic-ref", name, target])?;
        }
        match self.branch {
            Some(branch) => clone.require(&["symbolic-ref", "HEAD", branch])?,
            None => clone.require(&["update-ref", "--no-deref", "HEAD", self.commit])?,
        };
        Ok(())
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<(), LaneError> {
        let path = self.in_git(name);
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(file(&path))?;
        fs::write(&path, content).map_err(file(&path))
    }
}

/// The directory of objects and those that it names itself. Git follows only a few names in a row.
fn alternates(objects: &Path) -> Result<Vec<u8>, LaneError> {
    let mut text = line(objects);
    let path = objects.join("info/alternates");
    if !path.exists() {
        return Ok(text);
    }
    let listed = regular_file::read(&path).map_err(file(&path))?;
    for name in listed.split(|byte| *byte == b'\n').filter(|name| !name.is_empty()) {
        match name[0] {
            b'#' => {}
            // A quoted path; git finds a relative one through the first line.
            b'"' if name.get(1) == Some(&b'/') => text.extend([name, b"\n"].concat()),
            b'"' => {}
            _ => text.extend(line(&objects.join(OsStr::from_bytes(name)))),
        }
    }
    Ok(text)
}

fn line(objects: &Path) -> Vec<u8> {
    let mut line = quoted(objects).into_vec();
    line.push(b'\n');
    line
}

/// Whether there is a hook that git would run. Examples end with `.sample`.
fn has_hooks(directory: &Path) -> bool {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        let is_executable = fs::metadata(&path)
            .is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0);
        is_executable && path.extension().is_none_or(|extension| extension != "sample")
    })
}
