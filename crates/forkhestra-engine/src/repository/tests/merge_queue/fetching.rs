//! Fetching what agents committed, whatever they did to the repository of their lane.

use super::*;

#[test]
fn the_commits_of_a_lane_are_fetched_and_counted() {
    let work = QueueProject::new();
    let lane = work.lane(3);
    lane.write("a.txt", "1\n2\n3\n").write("dir/new", "x\n").commit().remove("dir/new").commit();
    let fetched = work.fetch_commits(&lane);
    assert_eq!((fetched.count(), fetched.more_commits, fetched.is_rewritten), (2, 0, false));
    assert_eq!(fetched.head, lane.head());
    assert_eq!(fetched.commits.last().map(|commit| &commit.id), Some(&lane.head()));
    assert_eq!(fetched.paths, [PathBuf::from("a.txt")]);
    assert_eq!((fetched.added_lines, fetched.removed_lines), (3, 1));
    let reference = work.queue().lane_reference(3);
    assert_eq!(work.project.git(&["rev-parse", &reference]).trim(), lane.head());
    // The fetched commits do not depend on the lane.
    fs::remove_dir_all(&lane.path).expect("it is ours");
    work.project.git(&["fsck", "--connectivity-only", "--no-dangling"]);
    let count = work.project.git(&["rev-list", "--objects", "--count", &reference]);
    assert!(count.trim().parse::<u32>().expect("it is a number") > 3);
}

#[test]
fn a_lane_without_new_commits_has_nothing() {
    let work = QueueProject::new();
    let lane = work.lane(1);
    lane.write("uncommitted", "x");
    let nothing = FetchedLane::Nothing { head: work.tip() };
    assert_eq!(work.fetch(&lane).expect("it can be fetched"), nothing);
}

#[test]
fn many_commits_are_counted_and_few_are_named() {
    let work = QueueProject::new();
    let lane = work.lane(1);
    for number in 0..60 {
        lane.git(&["commit", "--quiet", "--allow-empty", "-m", &number.to_string()]);
    }
    let fetched = work.fetch_commits(&lane);
    assert_eq!((fetched.commits.len(), fetched.more_commits, fetched.count()), (50, 10, 60));
}

#[test]
fn a_rewritten_history_is_fetched_and_an_unrelated_one_is_told() {
    let work = QueueProject::new();
    let lane = work.lane(1);
    lane.write("b", "b").commit();
    work.land(&[&lane]);
    let mut lane = work.lane(2);
    lane.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    lane.write("c", "c").commit();
    assert!(work.fetch_commits(&lane).is_rewritten);
    // The rewritten history lands, and nothing that landed before is lost.
    let tip = work.land(&[&lane]);
    assert_eq!((work.show(&tip, "b"), work.show(&tip, "c")), ("b".into(), "c".into()));
    lane.base = work.tip();
    lane.git(&["checkout", "--quiet", "--orphan", "other"]);
    lane.commit();
    let head = lane.head();
    let unrelated = FetchedLane::Unrelated { head: head.clone() };
    assert_eq!(work.fetch(&lane).expect("it can be fetched"), unrelated);
    let batch = work.queue().merge_batch(&tip, &[entry(&head)], &[]).expect("git answers");
    assert_eq!((batch.tip, batch.entries), (tip, vec![EntryMerge::Unrelated]));
}

#[test]
fn a_lane_that_cannot_be_read_is_named() {
    let work = QueueProject::new();
    let lane = work.lane(4);
    fs::remove_dir_all(lane.path.join(".git")).expect("it is ours");
    let error = work.fetch(&lane).expect_err("it is gone").to_string();
    assert!(error.starts_with("the commits of lane 4 cannot be fetched: "), "{error}");
    let lane = work.lane(5);
    lane.git(&["symbolic-ref", "HEAD", "refs/heads/unborn"]);
    let error = work.fetch(&lane).expect_err("there is no commit").to_string();
    assert!(error.starts_with("the commits of lane 5 cannot be fetched: "), "{error}");
    // An object that has another content than its name says.
    let lane = work.lane(6);
    lane.write("b", "right").commit();
    let name = lane.git(&["rev-parse", "HEAD:b"]);
    lane.write("b", "wrong");
    let other = lane.git(&["hash-object", "-w", "b"]);
    let object = |id: &str| lane.path.join(".git/objects").join(&id[..2]).join(&id.trim()[2..]);
    fs::remove_file(object(&name)).expect("it is there");
    fs::copy(object(&other), object(&name)).expect("it is there");
    let before = work.tip();
    work.fetch(&lane).expect_err("the object is damaged");
    assert_eq!(work.tip(), before);
    assert_eq!(work.project.git(&["for-each-ref", &work.queue().lane_reference(6)]), "");
}

#[test]
fn no_setting_or_hook_of_a_lane_runs() {
    let work = QueueProject::new();
    let lane = work.lane(1);
    lane.write("b", "b").commit();
    let trace = work.project.beside("trace");
    let run = work.project.beside("evil");
    script(&run, &format!("echo \"$0 $*\" >> '{}'; cat", trace.display()));
    let evil = run.to_string_lossy().into_owned();
    for key in [
        "uploadpack.packObjectsHook",
        "core.fsmonitor",
        "core.alternateRefsCommand",
        "core.sshCommand",
        "core.pager",
        "core.gitProxy",
        "remote.origin.uploadpack",
        "gpg.program",
        "credential.helper",
        "filter.x.clean",
    ] {
        lane.git(&["config", key, &evil]);
    }
    lane.git(&["config", "uploadpack.allowFilter", "true"]);
    for hook in ["post-checkout", "reference-transaction", "pre-push", "post-index-change"] {
        script(&lane.path.join(".git/hooks").join(hook), &format!("touch '{}'", trace.display()));
    }
    work.fetch_commits(&lane);
    assert!(!trace.exists(), "{:?}", fs::read_to_string(&trace));
    // A remote that has missing objects is not asked for them.
    let blob = lane.git(&["rev-parse", "HEAD:b"]);
    let object = lane.path.join(".git/objects").join(&blob[..2]).join(&blob.trim()[2..]);
    fs::remove_file(object).expect("it is there");
    lane.git(&["config", "core.repositoryFormatVersion", "1"]);
    lane.git(&["config", "extensions.partialClone", "origin"]);
    lane.git(&["config", "remote.origin.promisor", "true"]);
    let other = QueueLane { path: lane.path.clone(), number: 2, base: lane.base.clone() };
    work.project.git(&["update-ref", "-d", &work.queue().lane_reference(1)]);
    work.project.git(&["gc", "--quiet", "--prune=now"]);
    work.fetch(&other).expect_err("an object is missing");
    assert!(!trace.exists(), "{:?}", fs::read_to_string(&trace));
}

#[test]
fn the_users_own_hooks_settings_and_tags_are_left_alone() {
    let work = QueueProject::new();
    let trace = work.project.hook("reference-transaction");
    work.project.git(&["config", "fetch.prune", "true"]);
    work.project.git(&["config", "fetch.writeCommitGraph", "true"]);
    let _ = fs::remove_file(&trace);
    let lane = work.lane(1);
    lane.write("b", "b").commit();
    lane.git(&["tag", "of-the-agent"]);
    let _ = fs::remove_file(&trace);
    work.land(&[&lane]);
    assert!(!trace.exists());
    assert_eq!(work.project.git(&["tag"]), "");
    assert!(!work.project.work.join(".git/FETCH_HEAD").exists());
    assert!(!work.project.work.join(".git/objects/info/commit-graphs").exists());
}

#[test]
fn shallow_and_linked_repositories_have_lanes() {
    let origin = TestProject::repository();
    origin.write("b", "b").commit();
    let project = TestProject::new();
    let url = format!("file://{}", origin.work.display());
    let shallow = project.beside("shallow");
    git(&origin.work, &["clone", "--quiet", "--depth=1", &url, &shallow.to_string_lossy()]);
    let mut project = project;
    project.work = shallow;
    let work = QueueProject::of(project);
    let lane = work.lane(1);
    fs::copy(work.project.work.join(".git/shallow"), lane.path.join(".git/shallow"))
        .expect("it is");
    lane.write("c", "c").commit();
    let other = work.lane(2);
    fs::copy(work.project.work.join(".git/shallow"), other.path.join(".git/shallow"))
        .expect("it is");
    other.write("d", "d").commit();
    let tip = work.land(&[&lane, &other]);
    assert_eq!((work.show(&tip, "c"), work.show(&tip, "d")), ("c".into(), "d".into()));
    // A lane that was made shallow by its agent.
    let work = QueueProject::new();
    work.project.write("b", "b").commit();
    let lane = work.lane(1);
    lane.write("c", "c").commit();
    fs::write(lane.path.join(".git/shallow"), lane.git(&["rev-parse", "HEAD"]))
        .expect("it is ours");
    assert_eq!(work.fetch_commits(&lane).count(), 1);
    assert!(!work.project.work.join(".git/shallow").exists());
}

#[test]
fn repositories_with_sha_256_have_lanes() {
    let project = TestProject::new();
    project.git(&["init", "--quiet", "--object-format=sha256"]);
    project.write("a.txt", "a").commit();
    let work = QueueProject::of(project);
    let (one, other) = (work.lane(1), work.lane(2));
    one.write("b", "b").commit();
    other.write("c", "c").commit();
    let tip = work.land(&[&one, &other]);
    assert_eq!((tip.len(), work.show(&tip, "b")), (64, "b".into()));
}
