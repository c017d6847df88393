//! The home and temporary directory of checks in a clean room.
//!
//! An agent can write the user's home: a start-up file there would change every check. So a clean room has an empty one.
//! Package directories stay those of the user, since a check without them would download everything again.

use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use crate::launch::agent_command::set;
use crate::launch::tools_directory::create_private_directory;
use crate::package_caches::PACKAGE_DIRECTORIES;
use crate::repository::remove_tree;

/// Variables of the base directories, and their default places in a home.
const BASE_DIRECTORIES: [(&str, &str); 5] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_RUNTIME_DIR", ".run"),
];

const TEMPORARY_DIRECTORIES: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// Variables that would lead tools back to files in the user's home.
const HOME_OVERRIDES: [&str; 2] = ["GIT_CONFIG_GLOBAL", "PYTHONUSERBASE"];

/// A clean room that is ready for checks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CheckRoomDir {
    /// The directory in it that corresponds to the working directory of agents.
    pub(crate) path: PathBuf,
    pub(crate) home: RoomHome,
    /// The directories with the objects of its repository.
    pub(crate) objects: Vec<PathBuf>,
}

/// The home of a clean room. It exists as long as this value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RoomHome {
    path: PathBuf,
    variables: Vec<(&'static str, OsString)>,
    /// The user's package directories that checks use.
    shared: Vec<PathBuf>,
}

impl RoomHome {
    /// Creates the directories. Package directories are found by the environment of agents.
    pub(crate) fn create(scratch: &Path, environment: &[(OsString, OsString)]) -> io::Result<Self> {
        let path = create_private_directory(scratch, "room")?;
        let mut home = Self { path, variables: Vec::new(), shared: Vec::new() };
        let (own, temporary) = (home.path.join("home"), home.path.join("tmp"));
        create_directory(&own)?;
        create_directory(&temporary)?;
        home.variables.push(("HOME", own.clone().into()));
        for (variable, place) in BASE_DIRECTORIES {
            let directory = own.join(place);
            create_directory(&directory)?;
            home.variables.push((variable, directory.into()));
        }
        let temporaries = TEMPORARY_DIRECTORIES.map(|name| (name, temporary.clone().into()));
        home.variables.extend(temporaries);
        home.share_package_directories(&own, environment)?;
        Ok(home)
    }

    /// Leads package managers to the user's directories: by their variables, or else by links.
    fn share_package_directories(
        &mut self,
        own: &Path,
        environment: &[(OsString, OsString)],
    ) -> io::Result<()> {
        let value = |wanted: &str| {
            let known = environment.iter().find(|(name, _)| name == wanted);
            known.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
        };
        let users = value("HOME").map(Path::new);
        // The parts of a directory come with it.
        for package in PACKAGE_DIRECTORIES.iter().filter(|package| !package.is_part()) {
            let place = users.map(|home| home.join(package.default)).filter(|place| place.is_dir());
            match (package.variable, package.variable.and_then(value), place) {
                (Some(_), Some(chosen), _) if Path::new(chosen).is_dir() => self.share(chosen),
                (_, Some(_), _) | (_, None, None) => {}
                (Some(variable), None, Some(place)) => {
                    self.share(place.as_os_str());
                    self.variables.push((variable, place.into()));
                }
                (None, None, Some(place)) => {
                    self.share(place.as_os_str());
                    link(&place, &own.join(package.default))?;
                }
            }
        }
        Ok(())
    }

    fn share(&mut self, path: &OsStr) {
        let path = PathBuf::from(path);
        if !self.shared.contains(&path) {
            self.shared.push(path);
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the user's home in the environment of an aux job.
    pub(crate) fn apply(&self, environment: &mut Vec<(OsString, OsString)>) {
        environment.retain(|(name, _)| !HOME_OVERRIDES.iter().any(|other| name == other));
        for (name, value) in &self.variables {
            set(environment, name, value.clone());
        }
    }

    /// The notice about directories that agents could write and checks use, also those that are kept between rooms.
    pub(crate) fn notice(&self, kept: &[String]) -> Option<String> {
        let shared = self.shared.iter().map(|path| path.display().to_string());
        let kept = kept.iter().map(|name| format!("{name} (kept)"));
        let names: Vec<String> = shared.chain(kept).collect();
        (!names.is_empty()).then(|| {
            format!(
                "checks in the clean room use directories that agents could write: {}",
                names.join(", ")
            )
        })
    }
}

impl Drop for RoomHome {
    fn drop(&mut self) {
        // What cannot be removed now is removed with the scratch directory.
        let _ = remove_tree(&self.path);
    }
}

fn create_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn link(target: &Path, link: &Path) -> io::Result<()> {
    link.parent().map_or(Ok(()), create_directory)?;
    symlink(target, link)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn value<'a>(environment: &'a [(OsString, OsString)], name: &str) -> Option<&'a Path> {
        let known = environment.iter().find(|(known, _)| known == name);
        known.map(|(_, value)| Path::new(value))
    }

    #[test]
    fn a_room_has_an_empty_home_and_the_users_package_directories() {
        let temporary = tempfile::tempdir().expect("there is room");
        let user = temporary.path().join("user");
        for place in [".cargo/registry", ".m2/repository", ".npm", "go-cache"] {
            fs::create_dir_all(user.join(place)).expect("the place is ours");
        }
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("HOME".into(), user.clone().into()),
            ("GOCACHE".into(), user.join("go-cache").into()),
            ("GIT_CONFIG_GLOBAL".into(), user.join(".gitconfig").into()),
        ];
        let scratch = temporary.path().join("scratch");
        let home = RoomHome::create(&scratch, &environment).expect("the place is ours");
        home.apply(&mut environment);
        let own = value(&environment, "HOME").expect("it is set").to_owned();
        assert!(own.starts_with(&scratch));
        assert_eq!(value(&environment, "CARGO_HOME"), Some(&*user.join(".cargo")));
        assert_eq!(value(&environment, "npm_config_cache"), Some(&*user.join(".npm")));
        assert_eq!(value(&environment, "GOCACHE"), Some(&*user.join("go-cache")));
        assert_eq!(value(&environment, "GOMODCACHE"), None, "there is none");
        assert_eq!(value(&environment, "GIT_CONFIG_GLOBAL"), None);
        let linked = fs::read_link(own.join(".m2/repository")).expect("it is a link");
        assert_eq!(linked, user.join(".m2/repository"));
        assert!(!own.join(".cargo").exists(), "a variable leads to it");
        let notice = home.notice(&["target".to_owned()]).expect("there are some");
        assert!(
            notice.contains("/user/.cargo, ") && notice.ends_with(", target (kept)"),
            "{notice}"
        );
        assert!(!notice.contains(".cargo/registry"), "{notice}");
        let read_only = own.join("go/pkg");
        fs::create_dir_all(read_only.join("mod")).expect("the place is ours");
        fs::set_permissions(&read_only, fs::Permissions::from_mode(0o500)).expect("it is ours");
        drop(home);
        assert_eq!(fs::read_dir(&scratch).expect("it is there").count(), 0, "nothing is left");
        assert!(user.join(".m2/repository").exists(), "links are not followed");
    }
}
