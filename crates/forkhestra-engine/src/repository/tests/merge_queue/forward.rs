//! Bringing the user's work tree forward.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::repository::{ForwardOutcome, ForwardRequest, HeadRelation, HeldReason};

/// Everything of a user: files except git's, with mode and content, the index and the commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UserState {
    pub(super) files: BTreeMap<String, String>,
    index: String,
    head: String,
}

impl QueueProject {
    pub(super) fn request<'a>(&self, commit: &'a str, live: &'a [PathBuf]) -> ForwardRequest<'a> {
        let message = entry("").message;
        let branch = "refs/heads/main";
        ForwardRequest { commit, branch, live_paths: live, message, signature: signature() }
    }

    pub(super) fn bring_forward(&self) -> ForwardOutcome {
        let tip = self.tip();
        self.queue().bring_forward(&self.request(&tip, &[])).expect("git answers")
    }

    /// Brings the user forward and asserts that it is done.
    #[track_caller]
    pub(super) fn moved(&self) -> String {
        match self.bring_forward() {
            ForwardOutcome::Moved { to, .. } => to,
            other => panic!("{other:?}"),
        }
    }

    /// Asserts that nothing is changed, and returns the reasons.
    #[track_caller]
    fn held(&self) -> Vec<HeldReason> {
        let before = self.state();
        let ForwardOutcome::Held { reasons } = self.bring_forward() else { panic!("it moved") };
        assert_eq!(self.state(), before);
        assert!(!self.project.work.join(".git/forkhestra-forward").exists());
        reasons
    }

    pub(super) fn state(&self) -> UserState {
        let mut files = BTreeMap::new();
        let mut todo = vec![self.project.work.clone()];
        while let Some(place) = todo.pop() {
            for entry in fs::read_dir(place).expect("it is there").flatten() {
                let path = entry.path();
                let metadata = fs::symlink_metadata(&path).expect("it is there");
                let name = path.strip_prefix(&self.project.work).expect("it is below");
                let name = name.to_string_lossy().into_owned();
                if name == ".git" || name == "state of runs" {
                    continue;
                }
                if metadata.is_dir() {
                    todo.push(path);
                } else if metadata.is_symlink() {
                    let target = fs::read_link(&path).expect("it is a link");
                    files.insert(name, format!("-> {}", target.display()));
                } else {
                    let text = fs::read(&path).expect("it can be read");
                    let text = String::from_utf8_lossy(&text).into_owned();
                    files.insert(name, format!("{:o} {text}", metadata.permissions().mode()));
                }
            }
        }
        let index = self.project.git(&["ls-files", "--stage", "-v"]);
        let head = self.project.git(&["rev-parse", "--symbolic-full-name", "HEAD"]);
        UserState { files, index, head: head + &self.project.head() }
    }

    pub(super) fn status(&self) -> String {
        self.project.git(&["status", "--porcelain", "--untracked-files=all"])
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project.work.join(name)).unwrap_or_else(|error| error.to_string())
    }
}

/// A project on the branch `main`, with files that a lane changes, and one that it does not.
pub(super) fn landed(change: impl FnOnce(&QueueLane) -> &QueueLane) -> QueueProject {
    let project = TestProject::repository();
    project.git(&["branch", "-M", "main"]);
    project.write(".gitignore", "ignored*\n").write("mine", "mine").write("d/x", "x").commit();
    let work = QueueProject::of(project);
    let lane = work.lane(1);
    change(&lane);
    lane.commit();
    work.land(&[&lane]);
    work
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

#[test]
fn a_clean_work_tree_gets_what_has_landed() {
    let work = landed(|lane| {
        lane.write("a.txt", "new").write("e/f", "f").remove("d/x").write("d", "a file now");
        symlink("a.txt", lane.path.join("link")).expect("it is ours");
        script(&lane.path.join("run"), "true");
        lane
    });
    let tip = work.tip();
    assert_eq!(work.moved(), tip);
    assert_eq!((work.project.head(), work.status()), (tip.clone(), String::new()));
    let checked_out = work.project.beside("other");
    work.project.git(&[
        "worktree",
        "add",
        "--quiet",
        "--detach",
        &checked_out.to_string_lossy(),
        &tip,
    ]);
    let mut files = work.state().files;
    for (name, text) in &mut files {
        let path = checked_out.join(name);
        let expected = match fs::read_link(&path) {
            Ok(target) => format!("-> {}", target.display()),
            Err(_) => {
                let mode = fs::metadata(&path).expect("it is there").permissions().mode();
                format!("{mode:o} {}", fs::read_to_string(&path).expect("it is there"))
            }
        };
        assert_eq!(*text, expected, "{name}");
    }
    assert_eq!(files.len(), 7);
    assert_eq!(work.bring_forward(), ForwardOutcome::UpToDate);
    let log = work.project.git(&["reflog", "-1", "--format=%gs"]);
    assert_eq!(log, format!("forkhestra: bring forward ({RUN})\n"));
}

#[test]
fn what_is_not_committed_is_carried_over() {
    let work = landed(|lane| lane.write("a.txt", "new").write("new", "n").commit());
    let project = &work.project;
    project.write("mine", "edited").write("d/x", "staged").write("added", "added");
    project.git(&["add", "d/x", "added"]);
    project.write("d/x", "staged and edited").write("untracked", "u").write("ignored", "i");
    project.write("intent", "to add").git(&["add", "--intent-to-add", "intent"]);
    project.git(&["update-index", "--assume-unchanged", ".gitignore"]);
    fs::set_permissions(project.work.join("untracked"), fs::Permissions::from_mode(0o600))
        .expect("");
    let (before, status) = (work.state(), work.status());
    let staged = project.git(&["diff", "--cached"]);
    work.moved();
    let mut after = work.state();
    assert_eq!((work.read("a.txt"), work.read("new")), ("new".into(), "n".into()));
    assert_eq!(work.status(), status);
    assert_eq!(project.git(&["diff", "--cached"]), staged);
    assert!(project.git(&["ls-files", "-v"]).contains("h .gitignore"));
    after.files.remove("new");
    after.files.insert("a.txt".into(), before.files["a.txt"].clone());
    assert_eq!(after.files, before.files);
}

#[test]
fn a_staged_rename_stays_staged() {
    let work = landed(|lane| lane.write("a.txt", "new"));
    work.project.git(&["mv", "mine", "yours"]);
    work.moved();
    assert_eq!(work.status(), "R  mine -> yours\n");
    assert_eq!(work.read("a.txt"), "new");
}

#[test]
fn an_edited_file_is_not_replaced() {
    let work = landed(|lane| lane.write("a.txt", "new").write("new", "n"));
    work.project.write("a.txt", "edited");
    assert_eq!(work.held(), [HeldReason::Edited(paths(&["a.txt"]))]);
    // Marks in the index do not hide it.
    work.project.git(&["update-index", "--assume-unchanged", "a.txt"]);
    assert_eq!(work.held(), [HeldReason::Edited(paths(&["a.txt"]))]);
    work.project.git(&["update-index", "--no-assume-unchanged", "a.txt"]);
    work.project.remove("a.txt");
    assert_eq!(work.held(), [HeldReason::Edited(paths(&["a.txt"]))]);
    fs::create_dir(work.project.work.join("a.txt")).expect("it is ours");
    work.project.write("a.txt/in", "x");
    let reasons = work.held();
    assert!(reasons.iter().any(|reason| reason.paths()[0].starts_with("a.txt")), "{reasons:?}");
    fs::remove_dir_all(work.project.work.join("a.txt")).expect("it is ours");
    // The same change as the one that has landed.
    work.project.write("a.txt", "new");
    work.moved();
    assert_eq!((work.read("a.txt"), work.status()), ("new".into(), String::new()));
}

#[test]
fn permissions_and_links_are_edits_too() {
    let work = landed(|lane| {
        lane.write("a.txt", "new").remove("d/x");
        fs::create_dir(lane.path.join("d")).expect("it is ours");
        symlink("a.txt", lane.path.join("d/x")).expect("it is ours");
        lane
    });
    let file = work.project.work.join("a.txt");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("it is ours");
    assert_eq!(work.held(), [HeldReason::Edited(paths(&["a.txt"]))]);
    // Permissions that git does not know are kept.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("it is ours");
    work.moved();
    assert_eq!(work.state().files["a.txt"], "100600 new");
    assert_eq!(work.state().files["d/x"], "-> a.txt");
    let lane = work.lane(2);
    lane.remove("d/x").write("d/x", "a file again").commit();
    work.land(&[&lane]);
    work.project.remove("d/x");
    symlink("mine", work.project.work.join("d/x")).expect("it is ours");
    assert_eq!(work.held(), [HeldReason::Edited(paths(&["d/x"]))]);
    work.project.remove("d/x");
    symlink("a.txt", work.project.work.join("d/x")).expect("it is ours");
    work.moved();
    assert_eq!(work.read("d/x"), "a file again");
}

#[test]
fn files_that_git_does_not_know_are_not_replaced() {
    let work = landed(|lane| {
        lane.write("new", "n").write("ignored.txt", "i").write("place/in", "p");
        lane.git(&["add", "--force", "ignored.txt"]);
        lane
    });
    work.project.write("new", "mine");
    assert_eq!(work.held(), [HeldReason::InTheWay(paths(&["new"]))]);
    work.project.remove("new").write("ignored.txt", "mine").write("place", "mine");
    assert_eq!(work.held(), [HeldReason::InTheWay(paths(&["ignored.txt", "place"]))]);
    work.project.remove("place").write("ignored.txt", "i");
    // An untracked directory is none of ours, but one with a repository is.
    work.project.write("place/other", "o").write("new", "n");
    git(&work.project.work, &["init", "--quiet", "place"]);
    assert_eq!(work.held(), [HeldReason::InTheWay(paths(&["place"]))]);
    fs::remove_dir_all(work.project.work.join("place/.git")).expect("it is ours");
    work.moved();
    assert_eq!((work.read("place/in"), work.status()), ("p".into(), "?? place/other\n".into()));
}

#[test]
fn a_directory_with_unknown_files_does_not_become_a_file() {
    let work = landed(|lane| lane.remove("d/x").write("d", "a file now"));
    work.project.write("d/ignored", "i");
    assert_eq!(work.held(), [HeldReason::InTheWay(paths(&["d/ignored"]))]);
    work.project.remove("d/ignored");
    fs::remove_dir_all(work.project.work.join("d")).expect("it is ours");
    let outside = work.project.beside("outside");
    fs::create_dir(&outside).expect("it is ours");
    fs::write(outside.join("x"), "x").expect("it is ours");
    symlink(&outside, work.project.work.join("d")).expect("it is ours");
    let reasons = work.held();
    assert_eq!(fs::read_dir(&outside).expect("it is ours").count(), 1, "{reasons:?}");
}

#[test]
fn staged_entries_where_landings_are_stay() {
    let work = landed(|lane| lane.write("a.txt", "new").write("p/in", "p").write("q", "q"));
    work.project.write("a.txt", "staged").git(&["add", "a.txt"]);
    // The file is as in the commit, and only the index differs.
    work.project.write("a.txt", "a");
    assert_eq!(work.held(), [HeldReason::Staged(paths(&["a.txt"]))]);
    work.project.git(&["reset", "--quiet"]);
    // Directories in place of files and the other way round, in the index only.
    work.project.write("p", "p").git(&["add", "p"]);
    work.project.remove("p").write("q/in", "q").git(&["add", "q/in"]);
    work.project.remove("q/in");
    fs::remove_dir(work.project.work.join("q")).expect("it is empty");
    assert_eq!(work.held(), [HeldReason::Staged(paths(&["p", "q/in"]))]);
    work.project.git(&["reset", "--quiet"]);
    work.project.write("a.txt", "new").git(&["add", "a.txt"]);
    work.moved();
    assert_eq!(work.status(), "");
}

#[test]
fn nothing_is_done_while_something_else_is_in_progress() {
    let work = landed(|lane| lane.write("a.txt", "new"));
    let git_dir = work.project.work.join(".git");
    fs::write(git_dir.join("index.lock"), "").expect("it is ours");
    let lock = git_dir.join("index.lock");
    assert_eq!(work.held(), [HeldReason::IndexLocked(lock.clone())]);
    assert!(lock.exists(), "the lock is not ours");
    fs::remove_file(lock).expect("it is there");
    for (file, what) in [("MERGE_HEAD", "a merge"), ("rebase-merge", "a rebase")] {
        fs::write(git_dir.join(file), "").expect("it is ours");
        assert_eq!(work.held(), [HeldReason::Operation(what.to_owned())]);
        fs::remove_file(git_dir.join(file)).expect("it is there");
    }
    fs::create_dir(git_dir.join("forkhestra-rewind")).expect("it is ours");
    fs::write(git_dir.join("forkhestra-rewind/run"), RUN).expect("it is ours");
    assert_eq!(work.held(), [HeldReason::Operation("a rewind".to_owned())]);
    fs::remove_dir_all(git_dir.join("forkhestra-rewind")).expect("it is there");
    work.project.git(&["checkout", "--quiet", "-b", "other"]);
    let [HeldReason::OtherBranch { found, .. }] = &work.held()[..] else { panic!("it is another") };
    assert_eq!(found, "refs/heads/other");
    work.project.git(&["checkout", "--quiet", "--detach"]);
    assert_eq!(work.held(), [HeldReason::DetachedHead]);
    work.project.git(&["checkout", "--quiet", "main"]);
    // Conflicts in the index without a merge.
    let blob = work.project.git(&["hash-object", "-w", "mine"]);
    let stages: String =
        (1..4).map(|stage| format!("100644 {} {stage}\tmine\n", blob.trim())).collect();
    fs::write(work.project.beside("stages"), stages).expect("it is ours");
    let info =
        format!("git update-index --index-info < '{}'", work.project.beside("stages").display());
    let mut shell = std::process::Command::new("sh");
    assert!(
        shell.args(["-c", &info]).current_dir(&work.project.work).status().expect("").success()
    );
    assert_eq!(work.held(), [HeldReason::Unmerged(paths(&["mine"]))]);
    work.project.git(&["reset", "--quiet"]);
    work.moved();
}

#[test]
fn commits_of_the_user_are_merged() {
    let work = landed(|lane| lane.write("a.txt", "new"));
    work.project.write("mine", "committed").commit();
    work.project.write("untracked", "u");
    let (user, tip) = (work.project.head(), work.tip());
    let to = work.moved();
    let parents = work.project.git(&["log", "-1", "--format=%P%n%cn %ct", &to]);
    assert_eq!(parents, format!("{user} {tip}\ncommitter 1700000000\n"));
    assert_eq!((work.read("a.txt"), work.read("mine")), ("new".into(), "committed".into()));
    assert_eq!(
        (work.status(), work.bring_forward()),
        ("?? untracked\n".into(), ForwardOutcome::UpToDate)
    );
    // The next landing does not have the user's commit, and is merged as well.
    let lane = work.lane(2);
    lane.write("a.txt", "newer").commit();
    work.land(&[&lane]);
    work.moved();
    assert_eq!((work.read("a.txt"), work.read("mine")), ("newer".into(), "committed".into()));
    // One that conflicts is held.
    let lane = work.lane(3);
    lane.write("a.txt", "of the lane").commit();
    work.land(&[&lane]);
    work.project.write("a.txt", "of the user").git(&["commit", "--quiet", "--all", "-m", "x"]);
    assert_eq!(work.held(), [HeldReason::Conflict(paths(&["a.txt"]))]);
    assert_eq!(work.bring_forward().paths(), paths(&["a.txt"]));
    work.project.git(&["checkout", "--quiet", "--orphan", "unrelated"]);
    work.project.commit();
    work.project.git(&["branch", "-M", "main"]);
    assert_eq!(work.held(), [HeldReason::Unrelated]);
}

#[test]
fn submodules_and_filtered_files_are_left_to_the_user() {
    let work = landed(|lane| {
        lane.git(&["add", "--all"]);
        let entry = format!("160000,{},sub", "1".repeat(40));
        lane.git(&["update-index", "--add", "--cacheinfo", &entry]);
        lane.git(&["commit", "--quiet", "-m", "x"]);
        fs::create_dir(lane.path.join("sub")).expect("it is ours");
        lane
    });
    assert_eq!(work.held(), [HeldReason::Submodules(paths(&["sub"]))]);
    let work = landed(|lane| lane.write(".gitattributes", "big filter=lfs\n").commit());
    work.moved();
    work.project.git(&["config", "filter.lfs.clean", "false"]);
    let lane = work.lane(2);
    lane.write("big", "pointer").commit();
    work.land(&[&lane]);
    assert_eq!(work.held(), [HeldReason::Filtered(paths(&["big"]))]);
}

#[test]
fn line_ends_are_those_of_a_checkout() {
    let work = landed(|lane| lane.write("a.txt", "1\n2\n").write("mine", "1\n"));
    work.project.git(&["config", "core.autocrlf", "true"]);
    work.moved();
    assert_eq!((work.read("a.txt"), work.status()), ("1\r\n2\r\n".into(), String::new()));
    let lane = work.lane(2);
    lane.write("a.txt", "1\n2\n3\n").commit();
    work.land(&[&lane]);
    // Both line ends are the same content for git.
    work.project.write("a.txt", "1\n2\n");
    work.moved();
    assert_eq!(work.read("a.txt"), "1\r\n2\r\n3\r\n");
}

#[test]
fn live_files_stay_as_they_are() {
    let work = landed(|lane| lane.write("tasks/1", "landed").write("a.txt", "new"));
    work.project.write("tasks/1", "live").write("tasks/2", "live");
    let (tip, live) = (work.tip(), paths(&["tasks"]));
    let outcome = work.queue().bring_forward(&work.request(&tip, &live)).expect("git answers");
    assert!(matches!(outcome, ForwardOutcome::Moved { files: 1, .. }), "{outcome:?}");
    assert_eq!((work.read("tasks/1"), work.read("a.txt")), ("live".into(), "new".into()));
    assert_eq!(work.status(), " M tasks/1\n?? tasks/2\n");
}

#[test]
fn sparse_and_linked_work_trees_move() {
    let work = landed(|lane| lane.write("a.txt", "new").write("d/x", "new"));
    work.project.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/d/"]);
    work.moved();
    assert_eq!((work.read("a.txt"), work.status()), ("new".into(), String::new()));
    assert!(!work.project.work.join("d").exists());
    assert!(work.project.git(&["ls-files", "-v", "d"]).starts_with("S "));
    let mut work = landed(|lane| lane.write("a.txt", "new"));
    let linked = work.project.beside("linked");
    work.project.git(&["checkout", "--quiet", "--detach"]);
    work.project.git(&["worktree", "add", "--quiet", &linked.to_string_lossy(), "main"]);
    work.project.work = linked;
    work.project.write("mine", "edited");
    work.moved();
    assert_eq!((work.read("a.txt"), work.status()), ("new".into(), " M mine\n".into()));
}

#[test]
fn changes_of_others_are_noticed() {
    let work = landed(|lane| lane.write("a.txt", "new"));
    let queue = work.queue();
    let recorded = queue.user_head().expect("git answers");
    assert_eq!(recorded.branch.as_deref(), Some("refs/heads/main"));
    let since = || queue.user_head_since(&recorded).expect("git answers");
    assert_eq!(since(), HeadRelation::Same);
    work.project.write("mine", "committed").commit();
    let HeadRelation::Ahead { commits, more } = since() else { panic!("there is a commit") };
    assert_eq!((commits.len(), more), (1, 0));
    work.project.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    assert_eq!(since(), HeadRelation::Diverged);
    work.project.git(&["checkout", "--quiet", "-b", "other"]);
    assert_eq!(since(), HeadRelation::OtherBranch("main".to_owned()));
}
