//! Tests that changes recorded in one of two equal repositories are reproduced in the other.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use forkhestra_core::recording::{RecordedEffects, RecordedState};

use super::apply::apply_within;
use super::{EffectsError, EffectsFiles, ReplayTarget, apply, capture, state_of};
use crate::process::ChildProcesses;
use crate::repository::git_program::GitProgram;
use crate::test_project::{git, inherited};
use crate::work_tree::own_paths::real_path;
use crate::work_tree::{WorkTree, WorkTreePaths};

/// Recorded changes with the files that they name.
#[derive(Debug)]
struct CapturedChanges {
    effects: RecordedEffects,
    files: EffectsFiles,
}

impl CapturedChanges {
    fn new((effects, files): (RecordedEffects, EffectsFiles)) -> Self {
        Self { effects, files }
    }

    fn file(&self, name: &str) -> Result<Vec<u8>, String> {
        let found = self.files.iter().find(|(file, _)| file == name);
        found.map(|(_, content)| content.clone()).ok_or_else(|| format!("there is no {name}"))
    }
}

impl std::ops::Deref for CapturedChanges {
    type Target = RecordedEffects;

    fn deref(&self) -> &RecordedEffects {
        &self.effects
    }
}

impl std::ops::DerefMut for CapturedChanges {
    fn deref_mut(&mut self) -> &mut RecordedEffects {
        &mut self.effects
    }
}

/// Two equal repositories.
struct RepositoryPair {
    directory: TempDir,
}

impl RepositoryPair {
    fn new(prepare: impl FnOnce(&Path)) -> Self {
        let directory = tempfile::tempdir().expect("there is room");
        let pair = Self { directory };
        fs::create_dir(pair.first()).expect("it is ours");
        git(&pair.first(), &["init", "--quiet", "--initial-branch=main"]);
        prepare(&pair.first());
        let copied = Command::new("cp").arg("-a").arg(pair.first()).arg(pair.other()).status();
        assert!(copied.expect("cp is there").success());
        pair
    }

    fn with_a_commit() -> Self {
        Self::new(|work| {
            write(work, "a.txt", "a\nb\nc\n");
            write(work, "dir/b.txt", "b\n");
            commit(work, "first");
        })
    }

    fn first(&self) -> PathBuf {
        real_path(self.directory.path()).join("one")
    }

    fn other(&self) -> PathBuf {
        real_path(self.directory.path()).join("other")
    }

    fn work_tree(&self, work: &Path) -> WorkTree {
        let name = work.file_name().expect("it has one");
        let scratch = real_path(self.directory.path()).join("scratch").join(name);
        let places = WorkTreePaths::new(work, &scratch, &scratch.join("kept"), &[]);
        WorkTree::new(
            places,
            GitProgram::new(&inherited(), Arc::new(ChildProcesses::default())),
            None,
            crate::secret_finder::SecretFinder::default(),
        )
    }

    fn mark(&self, work: &Path) -> RecordedState {
        state_of(&mut self.work_tree(work)).expect("git answers").expect("it is a repository")
    }

    /// Records the changes of an action in the first repository.
    fn record(&self, act: impl FnOnce(&Path)) -> CapturedChanges {
        let mut tree = self.work_tree(&self.first());
        let start = state_of(&mut tree).expect("git answers").expect("it is a repository");
        act(&self.first());
        let end = state_of(&mut tree).expect("git answers").expect("it is a repository");
        CapturedChanges::new(capture(&mut tree, start, end).expect("git answers"))
    }

    fn apply(&self, effects: &CapturedChanges) -> Result<(), EffectsError> {
        self.apply_to(effects, false)
    }

    fn apply_to(&self, effects: &CapturedChanges, again: bool) -> Result<(), EffectsError> {
        let (directory, environment) = (&self.other(), &inherited());
        let target = ReplayTarget { directory, own_paths: &[], environment, is_retry: again };
        apply(effects, &|name| effects.file(name), target)
    }

    fn apply_within(
        &self,
        lock_timeout: Duration,
        effects: &CapturedChanges,
    ) -> Result<(), EffectsError> {
        let (directory, environment) = (&self.other(), &inherited());
        let target = ReplayTarget { directory, own_paths: &[], environment, is_retry: false };
        apply_within(lock_timeout, effects, &|name| effects.file(name), target)
    }

    /// Checks that a change in one repository is reproduced exactly in the other.
    fn check(&self, name: &str, act: impl FnOnce(&Path)) -> CapturedChanges {
        let effects = self.record(act);
        self.apply(&effects).unwrap_or_else(|error| panic!("{name}: {error}\n{effects:?}"));
        let (one, other) = (self.first(), self.other());
        assert_eq!(self.mark(&one), self.mark(&other), "{name}");
        let status = ["status", "--porcelain=v1", "-z", "--untracked-files=all"];
        assert_eq!(git(&one, &status), git(&other, &status), "{name}");
        // Git does not track empty directories.
        let empty = ["-type", "d", "-empty", "-not", "-path", "*/.git/*", "-delete"];
        let tidied = Command::new("find").arg(&one).args(empty).status();
        assert!(tidied.expect("find is there").success());
        let compared = Command::new("diff")
            .args(["-r", "--no-dereference", "--exclude=.git"])
            .args([&one, &other])
            .output();
        let compared = compared.expect("diff is there");
        assert!(compared.status.success(), "{name}: {compared:?}");
        let left = fs::read_dir(other.join(".git")).expect("it is there");
        let left = left.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        assert!(!left.into_iter().any(|left| left.contains("forkhestra")), "{name}");
        effects
    }
}

fn write(work: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = work.join(name);
    fs::create_dir_all(path.parent().expect("it is below")).expect("it is ours");
    fs::write(path, text).expect("it is ours");
}

fn commit(work: &Path, message: &str) {
    git(work, &["add", "--all"]);
    git(work, &["commit", "--quiet", "--allow-empty", "-m", message]);
}

fn remove(work: &Path, name: &str) {
    fs::remove_file(work.join(name)).expect("it is ours");
}

type RepositoryAction = fn(&Path);

/// Actions on files.
const ACTIONS: [(&str, RepositoryAction); 14] = [
    ("nothing", |_| {}),
    ("a change", |work| write(work, "a.txt", "a\nB\nc\n")),
    ("no newline at the end", |work| write(work, "a.txt", "a\nb\nc")),
    ("a new file", |work| write(work, "new/c.txt", "c\n")),
    ("an empty file", |work| write(work, "empty", "")),
    ("a file less", |work| remove(work, "dir/b.txt")),
    ("another name", |work| {
        fs::rename(work.join("a.txt"), work.join("z.txt")).expect("it is ours");
    }),
    ("bytes", |work| write(work, "x.bin", (0..=255).collect::<Vec<u8>>().repeat(50))),
    ("a program", |work| {
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(work.join("a.txt"), mode).expect("it is ours");
    }),
    ("a link", |work| symlink("a.txt", work.join("link")).expect("it is ours")),
    ("a link in place of a file", |work| {
        remove(work, "a.txt");
        symlink("dir/b.txt", work.join("a.txt")).expect("it is ours");
    }),
    ("a directory in place of a file", |work| {
        remove(work, "a.txt");
        write(work, "a.txt/inside", "x\n");
    }),
    ("lines that end with a return", |work| write(work, "dos.txt", "a\r\nb\r\n")),
    ("odd names", |work| {
        for name in ["with space", "ünïcode ✓", "new\nline", "tab\t\"quote\"", "-dash", "a:b"] {
            write(work, name, name);
        }
        let name = OsStr::from_bytes(b"not \xff text");
        fs::write(work.join(name), "x").expect("it is ours");
    }),
];

#[test]
fn recorded_commits_are_repeated_with_the_same_ids() {
    for (name, action) in ACTIONS {
        let effects = RepositoryPair::with_a_commit().check(name, |work| {
            action(work);
            commit(work, "done\n\nwith a body");
        });
        assert_eq!((effects.commits.len(), &effects.rest), (1, &None), "{name}");
        assert_eq!(effects.inexact_because, None, "{name}");
    }
}

#[test]
fn uncommitted_changes_are_replayed_uncommitted() {
    for (name, action) in ACTIONS {
        let effects = RepositoryPair::with_a_commit().check(name, action);
        assert_eq!(effects.commits, [], "{name}");
    }
}

#[test]
fn staged_changes_are_replayed_beside_unstaged_ones() {
    for (name, action) in ACTIONS {
        RepositoryPair::with_a_commit().check(name, |work| {
            action(work);
            git(work, &["add", "--all"]);
            write(work, "later.txt", "not staged\n");
            write(work, "dir/c.txt", "neither\n");
        });
    }
}

#[test]
fn a_dirty_tree_may_stay_dirty() {
    for (name, action) in ACTIONS {
        let pair = RepositoryPair::new(|work| {
            write(work, "a.txt", "a\n");
            write(work, "dir/b.txt", "b\n");
            commit(work, "first");
            write(work, "a.txt", "not committed\n");
            write(work, "not known", "x");
        });
        pair.check(name, |work| {
            action(work);
            git(work, &["add", "dir"]);
            git(work, &["commit", "--quiet", "--allow-empty", "-m", "a part"]);
        });
    }
}

#[test]
fn several_commits_with_a_merge_among_them_are_made_again() {
    let effects = RepositoryPair::with_a_commit().check("a merge", |work| {
        git(work, &["checkout", "--quiet", "-b", "side"]);
        write(work, "side.txt", "side\n");
        commit(work, "side");
        git(work, &["checkout", "--quiet", "main"]);
        write(work, "main.txt", "main\n");
        commit(work, "main");
        git(work, &["merge", "--quiet", "--no-ff", "-m", "both", "side"]);
        git(work, &["branch", "--quiet", "-D", "side"]);
        write(work, "a.txt", "after\n");
        commit(work, "after");
    });
    assert_eq!(effects.commits.len(), 4);
    assert_eq!(effects.inexact_because, None);
}

#[test]
fn rewritten_history_is_replayed() {
    for (name, back) in [("amended", "HEAD~1"), ("an older commit", "HEAD~2")] {
        let pair = RepositoryPair::new(|work| {
            for number in ["1", "2", "3"] {
                write(work, "a.txt", number);
                commit(work, number);
            }
        });
        pair.check(name, |work| {
            git(work, &["reset", "--quiet", "--hard", back]);
            if name == "amended" {
                write(work, "a.txt", "other");
                commit(work, "other");
            }
        });
    }
}

#[test]
fn the_first_commit_of_all_is_made_again() {
    for (name, action) in ACTIONS {
        let pair = RepositoryPair::new(|work| {
            write(work, "a.txt", "a\n");
            write(work, "dir/b.txt", "b\n");
        });
        let effects = pair.check(name, |work| {
            action(work);
            commit(work, "first");
            write(work, "second", "x");
        });
        assert_eq!(effects.start.head, None, "{name}");
    }
    RepositoryPair::new(|_| {}).check("still none", |work| write(work, "a.txt", "a"));
}

#[test]
fn commits_go_on_top_of_another_history_with_the_same_files() {
    let pair = RepositoryPair::with_a_commit();
    git(&pair.other(), &["commit", "--quiet", "--amend", "-m", "another first"]);
    let before = git(&pair.other(), &["rev-parse", "HEAD"]);
    let effects = pair.record(|work| {
        write(work, "a.txt", "changed\n");
        commit(work, "second");
        write(work, "a.txt", "changed again\n");
        commit(work, "third");
    });
    pair.apply(&effects).expect("the files are the same");
    let format = ["log", "--format=%an %ae %at %cn %ce %ct %s %T", "-2"];
    assert_eq!(git(&pair.first(), &format), git(&pair.other(), &format));
    assert_eq!(git(&pair.other(), &["rev-parse", "HEAD~2"]), before);
    assert_eq!(git(&pair.other(), &["status", "--porcelain"]), "");
}

#[test]
fn the_settings_of_each_repository_hold_for_its_files() {
    let pair = RepositoryPair::new(|work| {
        git(work, &["config", "core.autocrlf", "true"]);
        write(work, "a.txt", "a\r\nb\r\n");
        commit(work, "first");
    });
    pair.check("with returns", |work| {
        write(work, "a.txt", "a\r\nB\r\n");
        commit(work, "second");
        write(work, "c.txt", "c\r\n");
    });
    let pair = RepositoryPair::with_a_commit();
    git(&pair.first(), &["config", "diff.noprefix", "true"]);
    git(&pair.first(), &["config", "diff.external", "false"]);
    git(&pair.first(), &["config", "color.ui", "always"]);
    git(&pair.other(), &["config", "apply.whitespace", "error"]);
    pair.check("odd settings", |work| {
        write(work, "a.txt", "a \n\n\nb\t \n");
        commit(work, "second");
        write(work, "a.txt", "a \n\n\nc\t \n");
    });
}

#[test]
fn ignored_files_are_no_effect_and_stay() {
    let pair = RepositoryPair::new(|work| {
        write(work, ".gitignore", "target/\n");
        commit(work, "first");
    });
    write(&pair.other(), "target/kept", "here");
    let effects = pair.record(|work| {
        write(work, "target/out", "x");
        write(work, "a.txt", "a");
    });
    pair.apply(&effects).expect("the files are the same");
    let other = pair.other();
    assert!(other.join("a.txt").exists() && other.join("target/kept").exists());
    assert!(!other.join("target/out").exists());
}

/// The state that must not change if a replay is refused.
fn whole_state(work: &Path) -> Vec<String> {
    let refs = git(work, &["for-each-ref"]);
    let head = fs::read_to_string(work.join(".git/HEAD")).expect("it is there");
    let listed = git(work, &["ls-files", "--stage"]);
    let files = Command::new("sh")
        .current_dir(work)
        .args(["-c", "find . -path ./.git -prune -o -type f -exec cksum {} + | sort"])
        .output();
    let files = files.expect("sh is there");
    vec![refs, head, listed, String::from_utf8_lossy(&files.stdout).into_owned()]
}

#[test]
fn another_work_tree_is_refused_with_the_files_that_differ_and_stays_as_it_is() {
    let pair = RepositoryPair::with_a_commit();
    let effects = pair.record(|work| {
        write(work, "a.txt", "changed\n");
        commit(work, "second");
    });
    write(&pair.other(), "a.txt", "mine\n");
    write(&pair.other(), "more.txt", "mine\n");
    let before = whole_state(&pair.other());
    let error = pair.apply(&effects).expect_err("the files differ").to_string();
    let (expected, found) = (&effects.start.tree, pair.mark(&pair.other()).tree);
    assert_eq!(
        error,
        format!(
            "the recording does not fit: the work tree is {found}, and was {expected} when it was recorded; the difference is \
             in 2 files: a.txt, more.txt"
        )
    );
    assert_eq!(whole_state(&pair.other()), before);
}

type RepositoryEdit = fn(&mut CapturedChanges);

#[test]
fn effects_that_do_not_fit_change_nothing() {
    let recorded = |pair: &RepositoryPair| {
        pair.record(|work| {
            write(work, "a.txt", "changed\n");
            commit(work, "second");
            write(work, "dir/b.txt", "not committed\n");
        })
    };
    let changes: [(&str, RepositoryEdit); 6] = [
        ("commit", |effects| effects.commits[0].patch = None),
        ("what was not committed", |effects| effects.rest = None),
        ("cannot be parsed", |effects| effects.commits[0].object = "rest.patch".to_owned()),
        ("is not in this repository", |effects| effects.end.head = Some("1".repeat(40))),
        ("git apply failed", |effects| effects.rest = effects.commits[0].patch.clone()),
        ("what was staged", |effects| effects.end.index = Some(effects.start.tree.clone())),
    ];
    for (expected, change) in changes {
        let pair = RepositoryPair::with_a_commit();
        let mut effects = recorded(&pair);
        change(&mut effects);
        let before = whole_state(&pair.other());
        let error = pair.apply(&effects).expect_err(expected).to_string();
        assert!(error.contains(expected), "{expected}: {error}");
        assert_eq!(whole_state(&pair.other()), before, "{expected}");
    }
}

#[test]
fn a_lock_of_another_git_process_is_named_and_nothing_stays_changed() {
    for name in ["index.lock", "refs/heads/main.lock", "HEAD.lock"] {
        let pair = RepositoryPair::with_a_commit();
        let effects = pair.record(|work| {
            write(work, "a.txt", "changed\n");
            write(work, "new.txt", "new\n");
            commit(work, "second");
            write(work, "dir/b.txt", "not committed\n");
        });
        let before = whole_state(&pair.other());
        let lock = pair.other().join(".git").join(name);
        fs::write(&lock, "").expect("it is ours");
        let error = pair.apply_within(Duration::ZERO, &effects).expect_err("it is locked");
        assert_eq!(
            error.to_string(),
            format!(
                "{} exists: another git process uses the repository, or one that crashed left the file",
                lock.display()
            )
        );
        assert_eq!(whole_state(&pair.other()), before, "{name}");
        fs::remove_file(&lock).expect("it is there");
        pair.apply(&effects).expect("it is not locked any more");
    }
}

#[test]
fn a_replay_waits_for_a_lock_that_is_released() {
    for name in ["index.lock", "refs/heads/main.lock"] {
        let pair = RepositoryPair::with_a_commit();
        let effects = pair.record(|work| {
            write(work, "a.txt", "changed\n");
            commit(work, "second");
        });
        let lock = pair.other().join(".git").join(name);
        fs::write(&lock, "").expect("it is ours");
        let entries = || {
            let entries = fs::read_dir(pair.other().join(".git")).expect("it is there");
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        };
        thread::scope(|scope| {
            let applied = scope.spawn(|| pair.apply_within(Duration::from_secs(120), &effects));
            // It has a scratch directory there while it works.
            while entries().all(|name| !name.starts_with("forkhestra-effects-"))
                && !applied.is_finished()
            {
                thread::yield_now();
            }
            fs::remove_file(&lock).expect("it is there");
            applied.join().expect("it does not panic").expect("it waits");
        });
        assert_eq!(git(&pair.other(), &["log", "--format=%s"]), "second\nfirst\n", "{name}");
    }
}

#[test]
fn an_ignored_file_in_the_way_is_not_written_over() {
    let pair = RepositoryPair::new(|work| {
        write(work, ".gitignore", "*.log\n");
        commit(work, "first");
    });
    write(&pair.other(), "x.log", "mine");
    let effects = pair.record(|work| {
        write(work, "x.log", "recorded");
        git(work, &["add", "--force", "x.log"]);
        git(work, &["commit", "--quiet", "-m", "a log"]);
    });
    let before = whole_state(&pair.other());
    let error = pair.apply(&effects).expect_err("a file is in the way").to_string();
    assert!(error.contains("x.log: already exists in working directory"), "{error}");
    assert_eq!(whole_state(&pair.other()), before);
}

#[test]
fn a_changed_branch_is_reported_and_the_files_are_kept() {
    let pair = RepositoryPair::with_a_commit();
    let effects = pair.record(|work| {
        git(work, &["checkout", "--quiet", "-b", "feature"]);
        write(work, "a.txt", "changed\n");
        commit(work, "second");
        write(work, "new.txt", "new\n");
    });
    let why = effects.inexact_because.as_deref().expect("it is not exact");
    assert!(why.contains("from main to feature"), "{why}");
    pair.apply(&effects).expect("the files are the same");
    assert_eq!(pair.mark(&pair.other()).tree, pair.mark(&pair.first()).tree);
    assert_eq!(git(&pair.other(), &["log", "--format=%s"]), "first\n");
}

#[test]
fn a_directory_without_a_repository_has_no_effects() {
    let directory = tempfile::tempdir().expect("there is room");
    let pair = RepositoryPair { directory };
    let work = pair.first();
    fs::create_dir(&work).expect("it is ours");
    assert_eq!(state_of(&mut pair.work_tree(&work)).expect("nothing is wrong"), None);
}

#[test]
fn an_object_that_is_only_staged_is_not_lost() {
    let pair = RepositoryPair::with_a_commit();
    let effects = pair.record(|work| {
        write(work, "new.txt", "new\n");
        commit(work, "second");
    });
    let other = pair.other();
    write(&other, "a.txt", "staged\n");
    git(&other, &["add", "a.txt"]);
    write(&other, "a.txt", "a\nb\nc\n");
    let before = whole_state(&other);
    let error = pair.apply(&effects).expect_err("something else is staged").to_string();
    assert!(error.contains("what is staged here"), "{error}");
    assert_eq!(whole_state(&other), before);
}

#[test]
fn an_ignored_file_in_place_of_a_directory_is_not_written_over() {
    let pair = RepositoryPair::new(|work| {
        write(work, ".gitignore", "build\n");
        commit(work, "first");
    });
    let effects = pair.record(|work| {
        write(work, "build/sub/x", "recorded");
        git(work, &["add", "--force", "build"]);
        git(work, &["commit", "--quiet", "-m", "a build"]);
    });
    let other = pair.other();
    write(&other, "build", "mine");
    let before = whole_state(&other);
    let error = pair.apply(&effects).expect_err("a file is in the way").to_string();
    assert!(error.contains("build"), "{error}");
    assert_eq!(whole_state(&other), before);
    remove(&other, "build");
    symlink("/", other.join("build")).expect("it is ours");
    let error = pair.apply(&effects).expect_err("a link is in the way").to_string();
    assert!(error.contains("beyond a symbolic link"), "{error}");
}

#[test]
fn changes_of_an_earlier_attempt_are_completed_and_not_repeated() {
    for history in ["same", "another"] {
        let pair = RepositoryPair::with_a_commit();
        let other = pair.other();
        if history == "another" {
            git(&other, &["commit", "--quiet", "--amend", "-m", "another first"]);
        }
        let start = git(&other, &["rev-parse", "HEAD"]);
        let effects = pair.record(|work| {
            write(work, "a.txt", "changed\n");
            commit(work, "second");
            write(work, "dir/b.txt", "not committed\n");
        });
        pair.apply(&effects).expect("the files are the same");
        let made = whole_state(&other);
        pair.apply_to(&effects, true).expect("everything is there already");
        assert_eq!(whole_state(&other), made, "{history}");
        // Simulates a first attempt that was killed before it moved the branch.
        git(&other, &["update-ref", "HEAD", start.trim()]);
        pair.apply_to(&effects, true).expect("the files are there already");
        assert_eq!(whole_state(&other), made, "{history}");
        pair.apply(&effects).expect_err("a first try finds other files");
    }
}
