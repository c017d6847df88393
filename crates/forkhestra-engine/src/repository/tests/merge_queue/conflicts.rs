//! Entries that do not fit.

use std::collections::BTreeSet;

use super::*;
use crate::repository::{ConflictedPath, LandedEntry, PathOrigin};

/// The conflicts of a lane that is merged after others.
#[track_caller]
fn conflicts(work: &QueueProject, lanes: &[&QueueLane]) -> Vec<ConflictedPath> {
    let batch = work.merge(lanes);
    match batch.entries.last() {
        Some(EntryMerge::Conflicted { paths }) => paths.clone(),
        other => panic!("{other:?}"),
    }
}

fn kinds(conflicts: &[ConflictedPath]) -> Vec<(String, Vec<String>)> {
    let path = |conflict: &ConflictedPath| {
        let kinds: Vec<String> = conflict.kinds.iter().cloned().collect();
        (conflict.path.display().to_string(), kinds)
    };
    conflicts.iter().map(path).collect()
}

fn listed(expected: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let entry = |(path, kinds): &(&str, &[&str])| {
        ((*path).to_owned(), kinds.iter().map(|kind| (*kind).to_owned()).collect())
    };
    expected.iter().map(entry).collect()
}

#[test]
fn a_conflict_names_who_changed_the_paths() {
    let work = QueueProject::new();
    let (one, two, three) = (work.lane(1), work.lane(2), work.lane(3));
    one.write("a.txt", "1").commit().write("a.txt", "2").commit().write("b", "b").commit();
    two.write("c", "c").commit();
    three.write("a.txt", "3").commit().write("c", "other").commit().write("d", "d").commit();
    let first = work.fetch_commits(&one).head;
    let landed_as = work.land(&[&one]);
    let landed = [LandedEntry { head: first.clone(), landed_as }];
    let heads = [&two, &three].map(|lane| work.fetch_commits(lane).head);
    let entries = heads.each_ref().map(|head| entry(head));
    let batch = work.queue().merge_batch(&work.tip(), &entries, &landed).expect("git answers");
    let EntryMerge::Merged { commit } = &batch.entries[0] else { panic!("{batch:?}") };
    assert_eq!(&batch.tip, commit);
    let EntryMerge::Conflicted { paths } = &batch.entries[1] else { panic!("{batch:?}") };
    let path = |path: &str, kind: &str, entry: &str, commits| ConflictedPath {
        path: path.into(),
        kinds: BTreeSet::from([kind.to_owned()]),
        origins: vec![PathOrigin { entry: Some(entry.to_owned()), commits }],
    };
    let expected = [path("a.txt", "contents", &first, 2), path("c", "contents", &heads[0], 1)];
    let mut paths = paths.clone();
    // Git calls a file that both have added by another name in some versions.
    paths[1].kinds = expected[1].kinds.clone();
    assert_eq!(paths, expected);
}

#[test]
fn a_change_of_the_user_is_nobodys_entry() {
    let work = QueueProject::new();
    let lane = work.lane(1);
    lane.write("a.txt", "1").commit();
    work.project.write("a.txt", "user").commit();
    let (tip, head) = (work.tip(), work.project.head());
    work.queue().integration_ref().advance(&tip, &head).expect("nobody moved it");
    let found = conflicts(&work, &[&lane]);
    assert_eq!(found[0].origins, [PathOrigin { entry: None, commits: 1 }]);
}

#[test]
fn an_entry_after_one_that_does_not_fit_is_merged() {
    let work = QueueProject::new();
    let lanes = [work.lane(1), work.lane(2), work.lane(3)];
    lanes[0].write("a.txt", "1").commit();
    lanes[1].write("a.txt", "2").commit();
    lanes[2].write("c", "c").commit();
    let batch = work.merge(&lanes.each_ref());
    assert!(matches!(batch.entries[1], EntryMerge::Conflicted { .. }), "{batch:?}");
    assert_eq!(work.show(&batch.tip, "a.txt") + &work.show(&batch.tip, "c"), "1c");
    let contained = work.queue().contains(&batch.tip, &lanes[1].head()).expect("git answers");
    assert!(!contained);
    // Once the agent has merged, its work fits.
    work.queue().integration_ref().advance(&work.tip(), &batch.tip).expect("nobody moved it");
    let reference = work.queue().integration_ref().name();
    lanes[1].git(&["fetch", "--quiet", "origin", &format!("{reference}:{reference}")]);
    lanes[1].git(&["merge", "--quiet", "-s", "ours", &reference]);
    assert_eq!(work.merge(&[&lanes[1]]).entries, [EntryMerge::FastForwarded]);
}

#[test]
fn removed_moved_and_replaced_files_conflict() {
    let work = QueueProject::new();
    let lines: String = (0..20).map(|number| format!("{number}\n")).collect();
    work.project.write("gone", &lines).write("moved", &lines.replace('1', "x")).commit();
    let (tip, head) = (work.tip(), work.project.head());
    work.queue().integration_ref().advance(&tip, &head).expect("nobody moved it");
    let (one, other) = (work.lane(1), work.lane(2));
    one.remove("gone").git(&["mv", "moved", "here"]);
    one.write("place", "a file").commit();
    other.write("gone", "changed").git(&["mv", "moved", "there"]);
    other.write("place/in", "a directory").commit();
    let found = kinds(&conflicts(&work, &[&one, &other]));
    let named = |path: &str, kind: &str| {
        found.iter().any(|(found, kinds)| found == path && kinds.iter().any(|known| known == kind))
    };
    assert!(named("gone", "modify/delete"), "{found:?}");
    assert!(named("moved", "rename/rename"), "{found:?}");
    assert!(found.iter().any(|(path, _)| path.starts_with("place")), "{found:?}");
}

#[test]
fn modes_links_and_submodules_conflict() {
    use std::os::unix::fs::symlink;
    let work = QueueProject::new();
    let (one, other) = (work.lane(1), work.lane(2));
    symlink("1", one.path.join("link")).expect("it is ours");
    symlink("2", other.path.join("link")).expect("it is ours");
    let ids = ["1", "2"].map(|digit| digit.repeat(40));
    for (lane, id) in [(&one, &ids[0]), (&other, &ids[1])] {
        lane.git(&["add", "--all"]);
        lane.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},sub")]);
        lane.git(&["commit", "--quiet", "-m", "x"]);
    }
    let found = conflicts(&work, &[&one, &other]);
    let paths: Vec<String> = found.iter().map(|it| it.path.display().to_string()).collect();
    assert_eq!(paths, ["link", "sub"]);
    assert!(found.iter().all(|it| it.origins.len() == 1), "{found:?}");
}

#[test]
fn any_name_of_a_file_is_reported() {
    let work = QueueProject::new();
    let name = "a \"b\"\n\tü";
    let (one, other) = (work.lane(1), work.lane(2));
    one.write(name, "1").commit();
    other.write(name, "2").commit();
    let found = conflicts(&work, &[&one, &other]);
    assert_eq!(kinds(&found), listed(&[(name, &["contents"])]));
    assert_eq!(found[0].origins.len(), 1);
}
