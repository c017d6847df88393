//! Moves of the user's work tree that fail or are killed.

use super::forward::landed;
use super::*;
use crate::repository::{ForwardOutcome, HeldReason};

/// A project with three landed changes, and a git that misbehaves.
fn project() -> QueueProject {
    landed(|lane| lane.write("a.txt", "new").write("b", "b").remove("d/x"))
}

/// A queue whose git runs a script after commands whose arguments match a pattern.
fn disturbed(work: &QueueProject, pattern: &str, then: &str) -> QueueRepository {
    let git = work.project.beside("bin/git");
    script(
        &git,
        &format!(
            "PATH=/usr/local/bin:/usr/bin:/bin\nexport PATH\ncase \"$*\" in {pattern}) {then} ;; esac\n\
             exec git \"$@\""
        ),
    );
    let mut environment = inherited();
    environment.retain(|(name, _)| name != "PATH");
    let path = format!("{}:/usr/bin:/bin", work.project.beside("bin").display());
    environment.push(("PATH".into(), path.into()));
    work.queue_in(&environment)
}

#[test]
fn a_failure_leaves_everything_as_it_was() {
    for (pattern, then) in [
        ("*\"checkout-index\"*", "echo fatal: full >&2; exit 128"),
        ("*\"read-tree -m\"*", "echo fatal: full >&2; exit 128"),
        ("*\"bring forward\"*", "echo fatal: locked >&2; exit 128"),
    ] {
        let work = project();
        work.project.write("mine", "edited").git(&["add", "mine"]);
        let (before, tip) = (work.state(), work.tip());
        let queue = disturbed(&work, pattern, then);
        let error = queue.bring_forward(&work.request(&tip, &[])).expect_err("it fails");
        assert!(error.to_string().contains("fatal: "), "{error}");
        assert_eq!(work.state(), before, "{pattern}");
        assert!(!work.project.work.join(".git/index.lock").exists());
        work.moved();
        assert_eq!(work.status(), "M  mine\n");
    }
}

#[test]
fn a_file_or_branch_that_changes_meanwhile_is_not_replaced() {
    let work = project();
    let (before, tip) = (work.state(), work.tip());
    let edit = format!("echo edited >> '{}'", work.project.work.join("d/x").display());
    let queue = disturbed(&work, "*\"read-tree -m\"*", &edit);
    let outcome = queue.bring_forward(&work.request(&tip, &[])).expect("git answers");
    let reasons = vec![HeldReason::ChangedMeanwhile("d/x".to_owned())];
    assert_eq!(outcome, ForwardOutcome::Held { reasons });
    assert_eq!(work.read("d/x"), "xedited\n");
    work.project.write("d/x", "x");
    assert_eq!(work.state(), before);
    // Somebody moves the branch without the lock of the index.
    let commit = "git -c user.name=x -c user.email=x commit-tree -m x -p HEAD HEAD^{tree}";
    let other = format!("git update-ref refs/heads/main $({commit})");
    let queue = disturbed(&work, "*\"bring forward\"*", &other);
    let outcome = queue.bring_forward(&work.request(&tip, &[])).expect("git answers");
    let reasons = vec![HeldReason::ChangedMeanwhile("the branch".to_owned())];
    assert_eq!(outcome, ForwardOutcome::Held { reasons });
    let after = work.state();
    assert_eq!((after.files, work.status()), (before.files, String::new()));
    work.moved();
    assert_eq!(work.read("a.txt"), "new");
}

/// Leaves what a process leaves that is killed: its directory, its lock and its record.
fn killed(work: &QueueProject) {
    let git_dir = work.project.work.join(".git");
    let directory = git_dir.join("forkhestra-forward");
    fs::create_dir(&directory).expect("it is ours");
    fs::write(directory.join("token"), "").expect("it is ours");
    fs::hard_link(directory.join("token"), git_dir.join("index.lock")).expect("it is free");
    let record = format!(
        r#"{{"version":1,"branch":"refs/heads/main","from":"{}","to":"{}"}}"#,
        work.project.head(),
        work.tip()
    );
    fs::write(directory.join("record.json"), record).expect("it is ours");
}

#[test]
fn a_move_that_was_killed_is_completed() {
    for steps in 0..5 {
        let work = project();
        work.project.write("mine", "edited").git(&["add", "mine"]);
        killed(&work);
        let (first, tip) = (work.project.head(), work.tip());
        // What the killed process did after the record, in its order.
        if steps > 0 {
            work.project.remove("d/x");
            fs::remove_dir(work.project.work.join("d")).expect("it is empty");
        }
        if steps > 1 {
            work.project.write("a.txt", "new");
        }
        if steps > 2 {
            work.project.write("b", "b");
        }
        if steps > 3 {
            let lock = work.project.work.join(".git/index.lock");
            fs::remove_file(&lock).expect("it is there");
            work.project.git(&["read-tree", "-m", "-i", &first, &tip]);
            let token = work.project.work.join(".git/forkhestra-forward/token");
            fs::hard_link(token, lock).expect("it is free");
        }
        // More has landed meanwhile.
        let lane = work.lane(2);
        lane.write("a.txt", "newer").write("c", "c").commit();
        work.land(&[&lane]);
        work.moved();
        assert_eq!(
            (work.project.head(), work.status()),
            (work.tip(), "M  mine\n".into()),
            "{steps}"
        );
        assert_eq!((work.read("a.txt"), work.read("b")), ("newer".into(), "b".into()));
        let git_dir = work.project.work.join(".git");
        assert!(!git_dir.join("index.lock").exists());
        assert!(!git_dir.join("forkhestra-forward").exists());
    }
}

#[test]
fn a_move_that_was_killed_keeps_later_edits() {
    let work = project();
    killed(&work);
    work.project.remove("d/x").write("a.txt", "new").write("b", "edited after the kill");
    let before = work.state();
    let ForwardOutcome::Held { reasons } = work.bring_forward() else { panic!("it is edited") };
    assert_eq!(reasons, [HeldReason::InTheWay(vec!["b".into()])]);
    assert_eq!(work.state(), before);
    assert!(!work.project.work.join(".git/index.lock").exists());
    // The user commits everything by hand, and nothing is lost.
    work.project.commit();
    work.project.write("untracked", "u");
    let ForwardOutcome::Held { reasons } = work.bring_forward() else { panic!("it conflicts") };
    assert_eq!(reasons, [HeldReason::Conflict(vec!["b".into()])]);
    work.project.write("b", "b").git(&["commit", "--quiet", "--all", "-m", "x"]);
    work.moved();
    assert_eq!((work.read("b"), work.status()), ("b".into(), "?? untracked\n".into()));
}

/// Git removes its locks if it is killed in any other way than at once.
#[test]
fn locks_that_a_killed_move_left_are_removed() {
    let work = project();
    killed(&work);
    let git_dir = work.project.work.join(".git");
    let locks = ["HEAD.lock", "refs/heads/main.lock"].map(|name| git_dir.join(name));
    locks.iter().for_each(|lock| fs::write(lock, "").expect("it is free"));
    work.moved();
    assert_eq!((work.project.head(), work.status()), (work.tip(), String::new()));
    assert!(!locks.iter().any(|lock| lock.exists()));
}

/// A lock that is older than the move is not ours.
#[test]
fn a_lock_of_another_process_stays() {
    let work = project();
    let lock = work.project.work.join(".git/HEAD.lock");
    fs::write(&lock, "").expect("it is free");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let file = fs::File::options().write(true).open(&lock).expect("it is ours");
    file.set_modified(old).expect("it is ours");
    killed(&work);
    let tip = work.tip();
    let error = work.queue().bring_forward(&work.request(&tip, &[])).expect_err("it is locked");
    assert!(error.to_string().contains("HEAD.lock"), "{error}");
    assert!(lock.exists());
}
