//! Where the directory of tasks is.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const DATABASE: &str = "forge/tasks";

/// Finds the directory of tasks from a working directory upwards, to the top of its repository.
///
/// Outside a repository only the working directory itself is searched: its parents may belong to
/// another user. A path that is not a directory or cannot be read is returned too, so that the
/// error is reported.
pub fn find(from: &Path) -> Option<PathBuf> {
    let top = repository_top(from).unwrap_or(from);
    let places = from.ancestors().take_while(|place| place.starts_with(top));
    places.map(|place| place.join(DATABASE)).find(|database| is_something_at(database))
}

/// Whether anything is at a path, or may be.
fn is_something_at(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => link_to_nothing(path).is_some(),
        Err(error) => error.kind() != ErrorKind::NotADirectory,
    }
}

/// The part of a path that is a broken link, if there is one.
pub(super) fn link_to_nothing(path: &Path) -> Option<&Path> {
    // A part below a broken link cannot be read, and the parts above it exist.
    let last = path.ancestors().find(|part| fs::symlink_metadata(part).is_ok())?;
    (last.is_symlink() && !last.exists()).then_some(last)
}

/// Where a new database belongs.
pub fn place_for_new(from: &Path) -> PathBuf {
    repository_top(from).unwrap_or(from).join(DATABASE)
}

/// The directory of the project that a database belongs to.
pub(super) fn project_of(database: &Path) -> Option<&Path> {
    if database.ends_with(DATABASE) { database.ancestors().nth(2) } else { database.parent() }
}

/// The top of the repository that a directory is in. Its `.git` is a file in a further work tree.
fn repository_top(from: &Path) -> Option<&Path> {
    from.ancestors().find(|place| place.join(".git").exists())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn place() -> tempfile::TempDir {
        tempfile::tempdir().expect("there is a place for temporary files")
    }

    fn create(path: &Path) {
        fs::create_dir_all(path).expect("it can be created");
    }

    #[test]
    fn the_nearest_database_of_the_repository_is_found() {
        let place = place();
        let (top, inner) = (place.path().join("top"), place.path().join("top/a/b"));
        create(&top.join(".git"));
        create(&inner);
        assert_eq!(find(&inner), None);
        create(&place.path().join(DATABASE));
        assert_eq!(find(&inner), None, "what is above the repository is not ours");
        create(&top.join(DATABASE));
        assert_eq!(find(&inner), Some(top.join(DATABASE)));
        assert_eq!(find(&top), Some(top.join(DATABASE)));
        create(&top.join("a").join(DATABASE));
        assert_eq!(find(&inner), Some(top.join("a").join(DATABASE)));
    }

    #[test]
    fn a_file_called_git_is_the_top_of_a_work_tree_too() {
        let place = place();
        create(&place.path().join(DATABASE));
        let inner = place.path().join("tree");
        create(&inner);
        fs::write(inner.join(".git"), "gitdir: elsewhere").expect("it can be written");
        assert_eq!(find(&inner), None);
        assert_eq!(place_for_new(&inner), inner.join(DATABASE));
    }

    #[test]
    fn outside_a_repository_only_the_working_directory_counts() {
        let place = place();
        create(&place.path().join(DATABASE));
        let inner = place.path().join("a");
        create(&inner);
        assert_eq!(find(&inner), None);
        assert_eq!(place_for_new(&inner), inner.join(DATABASE));
        assert_eq!(find(place.path()), Some(place.path().join(DATABASE)));
    }

    #[test]
    fn a_new_database_belongs_to_the_top_of_the_repository() {
        let place = place();
        create(&place.path().join(".git"));
        let inner = place.path().join("a/b");
        create(&inner);
        assert_eq!(place_for_new(&inner), place.path().join(DATABASE));
    }

    #[test]
    fn a_dangling_link_counts_as_the_database() {
        for link in ["forge/tasks", "forge"] {
            let place = place();
            create(&place.path().join(".git"));
            let inner = place.path().join("inner");
            create(&inner);
            let link = place.path().join(link);
            create(link.parent().expect("it is in the place"));
            symlink("nothing", &link).expect("it can be created");
            let database = place.path().join(DATABASE);
            assert_eq!(find(&inner), Some(database.clone()));
            assert_eq!(link_to_nothing(&database), Some(&*link));
        }
    }

    #[test]
    fn an_inaccessible_path_counts_as_the_database() {
        let place = place();
        symlink("forge", place.path().join("forge")).expect("it can be created");
        assert_eq!(find(place.path()), Some(place.path().join(DATABASE)));
    }

    #[test]
    fn a_file_called_forge_is_no_database() {
        let place = place();
        fs::write(place.path().join("forge"), "").expect("it can be written");
        assert_eq!(find(place.path()), None);
    }

    #[test]
    fn a_file_called_forge_tasks_counts_as_the_database() {
        let place = place();
        create(&place.path().join("forge"));
        fs::write(place.path().join(DATABASE), "").expect("it can be written");
        assert_eq!(find(place.path()), Some(place.path().join(DATABASE)));
    }
}
