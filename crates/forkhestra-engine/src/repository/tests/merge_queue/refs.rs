//! The refs of a run.

use super::*;
use crate::repository::{IntegrationRefError, RefUpdate, forget_snapshots};

#[test]
fn the_integration_ref_moves_only_from_where_it_is_expected() {
    let work = QueueProject::of(TestProject::repository());
    let queue = work.queue();
    let reference = queue.integration_ref();
    assert_eq!(reference.name(), format!("refs/forkhestra/{RUN}/integration"));
    let first = work.project.head();
    assert_eq!(reference.read().expect("git answers"), Some(first.clone()));
    assert_eq!(reference.create(&first).expect("it is there"), RefUpdate::AlreadyThere);
    work.project.write("b", "b").commit();
    let second = work.project.head();
    work.project.write("c", "c").commit();
    let third = work.project.head();
    assert_eq!(reference.advance(&first, &second).expect("it is there"), RefUpdate::Moved);
    assert_eq!(reference.advance(&first, &second).expect("as before"), RefUpdate::AlreadyThere);
    let error = reference.advance(&first, &third).expect_err("it is at the second");
    let IntegrationRefError::Moved { expected, found, .. } = &error else { panic!("{error}") };
    assert_eq!((expected.as_ref(), found.as_ref()), (Some(&first), Some(&second)));
    assert!(error.to_string().contains(&format!("should be at {first}, and is at {second}")));
    let error = reference.create(&third).expect_err("it exists");
    assert!(matches!(error, IntegrationRefError::Moved { expected: None, .. }), "{error}");
    assert_eq!(reference.read().expect("git answers"), Some(second));
}

#[test]
fn the_integration_ref_never_loses_what_has_landed() {
    let work = QueueProject::new();
    let queue = work.queue();
    let first = work.project.head();
    work.project.write("b", "b").commit();
    let second = work.project.head();
    queue.integration_ref().advance(&first, &second).expect("it is there");
    let error = queue.integration_ref().advance(&second, &first).expect_err("it goes back");
    assert!(matches!(error, IntegrationRefError::NotDescendant { .. }), "{error}");
    let error = queue.integration_ref().create("nothing").expect_err("there is no such commit");
    assert_eq!(error.to_string(), "`nothing` is not a commit of this repository");
}

#[test]
fn parked_commits_are_numbered_and_listed() {
    let work = QueueProject::new();
    let queue = work.queue();
    assert_eq!(queue.parked().expect("git answers"), []);
    let lane = work.lane(1);
    lane.write("b", "b").git(&["add", "--all"]);
    lane.git(&["commit", "--quiet", "-m", "Add b\n\nMore"]);
    let head = work.fetch_commits(&lane).head;
    let parked = queue.park(&head).expect("there is room");
    assert_eq!((parked.number, parked.subject.as_str()), (1, "Add b"));
    assert_eq!(parked.reference, format!("refs/forkhestra/{RUN}/parked/1"));
    assert_eq!(queue.park(&head).expect("it is parked already"), parked);
    let first = queue.park(&work.tip()).expect("there is room");
    assert_eq!((first.number, first.is_merged), (2, true));
    assert_eq!(queue.parked().expect("git answers"), [parked.clone(), first]);
    work.project.git(&["merge", "--quiet", &parked.reference]);
    assert!(queue.parked().expect("git answers")[0].is_merged);
    assert!(matches!(queue.park("nothing"), Err(MergeQueueError::NoCommit(_))));
}

#[test]
fn an_old_git_is_refused_with_its_version() {
    let project = TestProject::repository().with_git(
        "case \"$*\" in *version*) echo git version 2.34.1; exit;; esac\nexec /usr/bin/env -u PATH \
         PATH=/usr/local/bin:/usr/bin:/bin git \"$@\"",
    );
    let path = format!("{}:/usr/bin:/bin", project.beside("bin").display());
    let run = RunId::parse(RUN).expect("it is an id");
    let (kept, scratch) = (project.beside("run/kept"), project.beside("queue"));
    let snapshots = SnapshotLocation {
        run: &run,
        directory: &project.work,
        persistent_directory: &kept,
        environment: &[("PATH".into(), path.into())],
    };
    let location = QueueLocation { snapshots, own_paths: &[], scratch: &scratch };
    let error = QueueRepository::open(location).expect_err("it is too old");
    assert!(error.to_string().contains("needs git 2.38 or newer, and this is 2.34.1"), "{error}");
}

#[test]
fn the_refs_of_a_removed_run_stay_as_long_as_only_they_have_the_work() {
    let work = QueueProject::new();
    let names = |kept: Vec<String>| -> Vec<String> {
        let short = |name: &String| {
            name.strip_prefix(&format!("refs/forkhestra/{RUN}/")).unwrap_or(name).to_owned()
        };
        kept.iter().map(short).collect()
    };
    let forget = || {
        let kept = forget_snapshots(&work.project.work, RUN, &inherited()).expect("git answers");
        let listed = work.project.git(&["for-each-ref", "--format=%(refname)", "refs/forkhestra/"]);
        assert_eq!(kept.len(), listed.lines().count());
        names(kept)
    };
    let lanes = [work.lane(1), work.lane(2), work.lane(3)];
    for lane in &lanes {
        lane.write(&lane.number.to_string(), "x").commit();
        work.fetch_commits(lane);
    }
    let landed = work.land(&[&lanes[0]]);
    work.queue().park(&lanes[1].head()).expect("there is room");
    // A snapshot that has nothing to do with the queue.
    work.project.git(&["update-ref", &format!("refs/forkhestra/{RUN}/0"), "HEAD"]);
    assert_eq!(forget(), ["integration", "parked/1", "lane/3"]);
    work.project.git(&["merge", "--quiet", &landed]);
    work.project.git(&["branch", "mine", &format!("refs/forkhestra/{RUN}/parked/1")]);
    assert_eq!(forget(), ["lane/3"]);
    work.project.git(&["update-ref", "-d", &format!("refs/forkhestra/{RUN}/lane/3")]);
    assert_eq!(forget(), [""; 0]);
}
