//! The room for the checks of landings.

use super::*;
use crate::repository::IntegrationRoom;

#[test]
fn a_room_has_one_commit_after_the_other() {
    let project = TestProject::repository();
    project.write(".gitignore", "target/\n").write("dir/in", "1").commit();
    let work = QueueProject::of(project);
    let place = work.project.beside("room");
    fs::create_dir(&place).expect("it is ours");
    let queue = work.queue();
    let mut room = IntegrationRoom::new(&place, &queue);
    let first = work.tip();
    let path = room.put(&queue, &first).expect("it can be made");
    assert_eq!(path, room.path());
    let read = |name: &str| fs::read_to_string(path.join(name)).ok();
    assert_eq!(git(&path, &["rev-parse", "HEAD"]).trim(), first);
    assert_eq!(git(&path, &["status", "--porcelain"]), "");
    // A check leaves build output, other files, and changes.
    fs::create_dir(path.join("target")).expect("it is ours");
    fs::write(path.join("target/warm"), "built").expect("it is ours");
    fs::write(path.join("left"), "left").expect("it is ours");
    fs::write(path.join("a.txt"), "changed").expect("it is ours");
    fs::remove_dir_all(path.join("dir")).expect("it is ours");
    git(&path, &["config", "core.hooksPath", "/tmp"]);
    let lane = work.lane(1);
    lane.write("b", "b").commit();
    let tip = work.land(&[&lane]);
    room.put(&queue, &tip).expect("it can be reset");
    assert_eq!(read("target/warm").as_deref(), Some("built"));
    assert_eq!(
        (read("left"), read("a.txt"), read("b")),
        (None, Some("a".into()), Some("b".into()))
    );
    assert_eq!(read("dir/in").as_deref(), Some("1"));
    assert_eq!(git(&path, &["rev-parse", "HEAD"]).trim(), tip);
    assert_eq!(git(&path, &["status", "--porcelain"]), "");
    assert_eq!(git(&path, &["log", "--format=%H"]).lines().count(), 3);
    // Back, as after a batch that was red.
    room.put(&queue, &first).expect("it can be reset");
    assert_eq!((read("b"), git(&path, &["rev-parse", "HEAD"]).trim().to_owned()), (None, first));
    let error = room.put(&queue, "nothing").expect_err("there is no such commit");
    assert!(matches!(error, MergeQueueError::NoCommit(_)), "{error}");
    assert!(room.objects().iter().all(|directory| directory.is_dir()));
    room.clear().expect("it is ours");
    assert!(!path.exists());
    // Nothing in the user's repository is changed.
    assert_eq!(work.project.git(&["status", "--porcelain"]), "");
}
