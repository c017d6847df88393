//! The work tree that the processes of a sandbox write.

use std::fs;
use std::path::{Path, PathBuf};

use super::agent_sandbox::add_work_tree;
use super::git_directories::GitDirectories;
use super::sandbox_paths::{ProcessVariables, SandboxPaths, real};

/// The most repositories whose objects a clone can share, each with the next. Git allows five.
const MAX_ALTERNATES: usize = 5;

/// The work tree that the processes of a sandbox write.
pub(super) enum WrittenTree<'a> {
    /// The user's own.
    OfUser,
    /// That of a clone, with this working directory.
    OfClone(&'a Path),
}

impl WrittenTree<'_> {
    /// The working directory, given that of the user.
    pub(super) fn directory<'a>(&'a self, user: &'a Path) -> &'a Path {
        match self {
            Self::OfUser => user,
            Self::OfClone(directory) => directory,
        }
    }

    /// Makes the work tree writable. What a clone shares with other repositories can be read.
    pub(super) fn add_to(
        &self,
        paths: &mut SandboxPaths,
        user: &Path,
        variables: &ProcessVariables<'_>,
    ) {
        match self {
            Self::OfUser => add_work_tree(paths, user, variables),
            Self::OfClone(directory) => {
                // Variables of the user that name another repository are not passed on.
                add_work_tree(paths, directory, &ProcessVariables(&[]));
                shared_objects(directory).iter().for_each(|objects| paths.show(objects));
            }
        }
    }

    /// Makes a path writable that the user has listed. Agents in a clone do not write the user's own
    /// work tree, whatever is listed: they have a copy of it.
    pub(super) fn allow_listed(&self, paths: &mut SandboxPaths, path: PathBuf, user: &Path) {
        let is_in_tree =
            || real(user).zip(real(&path)).is_some_and(|(user, path)| path.starts_with(user));
        if matches!(self, Self::OfUser) || !is_in_tree() {
            paths.allow_write(path);
        }
    }
}

/// The directories with objects that the repository around a directory shares.
fn shared_objects(directory: &Path) -> Vec<PathBuf> {
    let Some(git) = GitDirectories::around(directory) else { return Vec::new() };
    let mut found = vec![git.common.join("objects")];
    let mut next = 0;
    while let Some(objects) = found.get(next).filter(|_| next < MAX_ALTERNATES) {
        let list = fs::read_to_string(objects.join("info/alternates")).unwrap_or_default();
        let paths = list.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        // Relative paths begin at the directory of the objects.
        let others: Vec<PathBuf> = paths.map(|path| objects.join(path)).collect();
        found.extend(others);
        next += 1;
    }
    found.split_off(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_objects_of_all_repositories_on_the_way_are_shared() {
        let place = tempfile::tempdir().expect("there is room");
        let create = |name: &str, alternates: &str| {
            let objects = place.path().join(name).join(".git/objects");
            fs::create_dir_all(objects.join("info")).expect("the place is ours");
            fs::write(objects.join("info/alternates"), alternates).expect("the place is ours");
            fs::write(objects.join("../HEAD"), "ref: refs/heads/main\n")
                .expect("the place is ours");
            fs::create_dir_all(objects.join("../refs")).expect("the place is ours");
            objects
        };
        let first = create("first", "");
        let second = create("second", &format!("# a comment\n{}\n", first.display()));
        create("lane", &format!("{}\n", second.display()));
        assert_eq!(shared_objects(&place.path().join("lane")), [second, first]);
        assert!(shared_objects(&place.path().join("first")).is_empty());
    }

    #[test]
    fn the_work_tree_of_the_user_cannot_be_written_from_a_clone() {
        let place = tempfile::tempdir().expect("there is room");
        let place = place.path().canonicalize().expect("it exists");
        let (user, clone, other) = (place.join("user"), place.join("clone"), place.join("other"));
        for path in [user.join("build"), clone.clone(), other.clone()] {
            fs::create_dir_all(path).expect("the place is ours");
        }
        let variables = ProcessVariables(&[]);
        let writable = |tree: &WrittenTree<'_>| {
            let mut paths = SandboxPaths::default();
            tree.add_to(&mut paths, &user, &variables);
            tree.allow_listed(&mut paths, user.join("build"), &user);
            tree.allow_listed(&mut paths, other.clone(), &user);
            Vec::from_iter(paths.writable)
        };
        assert_eq!(writable(&WrittenTree::OfClone(&clone)), [clone.clone(), other.clone()]);
        let of_user = writable(&WrittenTree::OfUser);
        assert_eq!(of_user, [other.clone(), user.clone(), user.join("build")]);
    }
}
