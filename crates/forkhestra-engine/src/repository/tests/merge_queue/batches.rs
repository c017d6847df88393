//! Merging what waits in the queue.

use proptest::prelude::*;

use super::*;
use crate::repository::{OverlayContent, OverlayFile};

#[test]
fn the_first_entry_moves_forward_and_the_others_are_merged() {
    let work = QueueProject::new();
    let (one, other) = (work.lane(1), work.lane(2));
    one.write("b", "b").commit();
    other.write("c", "c").commit();
    let batch = work.merge(&[&one, &other]);
    assert_eq!(batch.entries[0], EntryMerge::FastForwarded);
    assert_eq!(batch.entries[1], EntryMerge::Merged { commit: batch.tip.clone() });
    let expected = format!(
        "Land TASK-007: Rename the cart\n\nForkhestra-Run: {RUN}\nForkhestra-Unit: 1-2-1\n\
         author author@x 1700000000 +0000\ncommitter committer@x 1700000000 +0000\n{} {}\n",
        one.head(),
        other.head()
    );
    let format = "--format=%B%an %ae %ad%n%cn %ce %cd%n%P";
    let shown = work.project.git(&["log", "-1", "--date=raw", format, &batch.tip]);
    assert_eq!(shown, expected);
    let keys = work.project.git(&["log", "-1", "--format=%(trailers:keyonly)", &batch.tip]);
    assert_eq!(keys, "Forkhestra-Run\nForkhestra-Unit\n\n");
    // No ref is moved, and the same inputs make the same commits.
    assert_eq!(work.tip(), work.project.head());
    assert_eq!(work.merge(&[&one, &other]), batch);
}

#[test]
fn an_entry_that_has_landed_is_not_merged_again() {
    let work = QueueProject::new();
    let lane = work.lane(1);
    lane.write("b", "b").commit();
    let tip = work.land(&[&lane]);
    let batch = work.queue().merge_batch(&tip, &[entry(&lane.head())], &[]).expect("git answers");
    assert_eq!((batch.tip, batch.entries), (tip, vec![EntryMerge::Contained]));
}

#[test]
fn files_from_elsewhere_are_put_into_the_landing() {
    let work = QueueProject::new();
    work.project.write("old", "old").write("d/x", "x").commit();
    let (tip, head) = (work.tip(), work.project.head());
    work.queue().integration_ref().advance(&tip, &head).expect("nobody moved it");
    let (one, other) = (work.lane(1), work.lane(2));
    one.write("tasks/1.md", "of lane 1").write("b", "b").commit();
    other.write("tasks/1.md", "of lane 2").write("c", "c").commit();
    work.land(&[&one]);
    let file = |path: &str, text: &str, is_executable| OverlayFile {
        path: path.into(),
        content: OverlayContent::File { bytes: text.as_bytes().to_vec(), is_executable },
    };
    let removed = |path: &str| OverlayFile { path: path.into(), content: OverlayContent::Removed };
    let overlay = vec![
        file("tasks/1.md", "live\r\n", false),
        file("run \"me\"\n", "#!", true),
        removed("old"),
        removed("absent"),
        file("d", "a file now", false),
    ];
    // A conflict in a file that comes from elsewhere is none.
    let head = work.fetch_commits(&other).head;
    let landing = MergeEntry { overlay: overlay.clone(), ..entry(&head) };
    let batch = work.queue().merge_batch(&work.tip(), &[landing], &[]).expect("git answers");
    let tip = batch.tip;
    assert_eq!(batch.entries, [EntryMerge::Merged { commit: tip.clone() }]);
    assert_eq!(work.show(&tip, "tasks/1.md"), "live\r\n");
    let files = work.project.git(&["ls-tree", "-r", "-z", &tip]);
    let listed = |line: &str| {
        line.split_once('\t').map(|(entry, path)| (entry[..6].to_owned(), path.to_owned()))
    };
    let files: Vec<(String, String)> = files.split('\0').filter_map(listed).collect();
    let names = ["a.txt", "b", "c", "d", "run \"me\"\n", "tasks/1.md"];
    let mode = |name: &str| if name.contains("me\"") { "100755" } else { "100644" };
    let expected = names.map(|name| (mode(name).to_owned(), name.to_owned()));
    assert_eq!(files, expected);
    // It makes a commit where the branch could be moved forward, and where there is nothing to merge.
    let lane = work.lane(3);
    lane.write("e", "e").commit();
    let head = work.fetch_commits(&lane).head;
    let landing = |commit: &str, text: &str| MergeEntry {
        overlay: vec![file("tasks/1.md", text, false)],
        ..entry(commit)
    };
    let from = work.tip();
    let entries = [landing(&head, "1"), landing(&head, "2"), landing(&head, "2")];
    let batch = work.queue().merge_batch(&from, &entries, &[]).expect("git answers");
    let made = |merge: &EntryMerge| matches!(merge, EntryMerge::Merged { .. });
    assert!(made(&batch.entries[0]) && made(&batch.entries[1]), "{batch:?}");
    assert_eq!(batch.entries[2], EntryMerge::Contained);
    let parents = work.project.git(&["log", "--format=%p", "-2", "--first-parent", &batch.tip]);
    let counts: Vec<usize> = parents.lines().map(|line| line.split(' ').count()).collect();
    assert_eq!(counts, [1, 2]);
    let outside = MergeEntry { overlay: vec![file("../x", "", false)], ..entry(&head) };
    let error = work.queue().merge_batch(&from, &[outside], &[]).expect_err("it is outside");
    assert!(error.to_string().starts_with("`../x` cannot be added to a landing"), "{error}");
}

#[test]
fn merge_drivers_get_no_secrets_and_run_elsewhere() {
    let work = QueueProject::new();
    let seen = work.project.beside("seen");
    let driver = work.project.beside("driver");
    script(&driver, &format!("{{ env; pwd; }} > '{}'; cat $2 >> $1", seen.display()));
    let command = format!("'{}' %A %B", driver.display());
    work.project.git(&["config", "merge.mine.driver", &command]);
    work.project.write("list", "").write(".gitattributes", "list merge=mine\n").commit();
    let (tip, head) = (work.tip(), work.project.head());
    work.queue().integration_ref().advance(&tip, &head).expect("nobody moved it");
    let (one, other) = (work.lane(1), work.lane(2));
    one.write("list", "1\n").commit();
    other.write("list", "2\n").commit();
    other.git(&["config", "merge.mine.driver", "false"]);
    // The attributes are those of the commit, and not of the work tree.
    work.project.remove(".gitattributes");
    let mut environment = inherited();
    environment.push(("API_KEY".into(), "secret".into()));
    let heads = [&one, &other].map(|lane| work.fetch_commits(lane).head);
    let queue = work.queue_in(&environment);
    let batch = queue.merge_batch(&head, &heads.map(|head| entry(&head)), &[]);
    let batch = batch.expect("git answers");
    assert_eq!(work.show(&batch.tip, "list"), "1\n2\n");
    let seen = fs::read_to_string(seen).expect("it ran");
    assert!(!seen.contains("secret"), "{seen}");
    let place = work.project.beside("queue/merge");
    assert_eq!(seen.lines().last(), Some(&*place.to_string_lossy()));
    assert_eq!(fs::read_dir(place).expect("it is there").count(), 0);
}

#[test]
fn line_ends_renames_modes_and_links_are_merged() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let project = TestProject::new();
    project.git(&["init", "--quiet"]);
    project.git(&["config", "merge.renormalize", "true"]);
    let lines: String = (0..20).map(|number| format!("{number}\n")).collect();
    project.write("old", &lines).write("tool", "t").write("text", &lines).commit();
    let work = QueueProject::of(project);
    let (one, other) = (work.lane(1), work.lane(2));
    one.git(&["mv", "old", "new"]);
    one.write(".gitattributes", "text text eol=lf\n").write("text", &lines.replace("15\n", "x\n"));
    fs::set_permissions(one.path.join("tool"), fs::Permissions::from_mode(0o755)).expect("ours");
    one.commit();
    other.write("old", &lines.replace("7\n", "seven\n")).write("tool", "other");
    other.write("text", &lines.replace('\n', "\r\n").replace("7\r", "seven\r"));
    symlink("tool", other.path.join("link")).expect("it is ours");
    other.commit();
    let tip = work.land(&[&one, &other]);
    assert_eq!(work.show(&tip, "new"), lines.replace("7\n", "seven\n"));
    let text = lines.replace("15\n", "x\n").replace("7\n", "seven\n");
    assert_eq!(work.show(&tip, "text"), text);
    assert_eq!(work.show(&tip, "tool"), "other");
    let listed = work.project.git(&["ls-tree", "--format=%(objectmode) %(path)", &tip]);
    let expected = "100644 .gitattributes\n120000 link\n100644 new\n100644 text\n100755 tool\n";
    assert_eq!(listed, expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    /// Lanes edit some of a few files, and land in any order and in batches of any size.
    #[test]
    fn what_fits_lands_exactly_once_and_nothing_is_lost(
        edits in prop::collection::vec((1_u32..4, 0_u8..3, 0_u8..6), 1..10),
        batch_size in 1_usize..4,
    ) {
        let work = QueueProject::new();
        let lines: String = (0..60).map(|line| format!("line {line}\n")).collect();
        for file in 0..3 {
            work.project.write(&format!("f{file}"), &lines);
        }
        work.project.commit();
        let (tip, head) = (work.tip(), work.project.head());
        work.queue().integration_ref().advance(&tip, &head).expect("nobody moved it");
        let lanes: Vec<QueueLane> = (1..4).map(|number| work.lane(number)).collect();
        let mut waiting: Vec<u32> = Vec::new();
        for (number, (lane, file, place)) in edits.iter().enumerate() {
            let lane = &lanes[*lane as usize - 1];
            let path = format!("f{file}");
            let text = fs::read_to_string(lane.path.join(&path)).expect("it is there");
            let marker = format!("line {}\n", place * 10);
            lane.write(&path, &text.replace(&marker, &format!("{marker}edit {number}\n")));
            lane.commit();
            waiting.retain(|waiting| *waiting != lane.number);
            waiting.push(lane.number);
        }
        let mut landed = Vec::new();
        for batch in waiting.chunks(batch_size) {
            let from = work.tip();
            let lanes = batch.iter().map(|number| &lanes[*number as usize - 1]);
            let heads: Vec<String> = lanes.map(|lane| work.fetch_commits(lane).head).collect();
            let entries: Vec<MergeEntry> = heads.iter().map(|head| entry(head)).collect();
            let merged = work.queue().merge_batch(&from, &entries, &[]).expect("git answers");
            let again = work.queue().merge_batch(&from, &entries, &[]).expect("git answers");
            prop_assert_eq!(&merged, &again);
            work.queue().integration_ref().advance(&from, &merged.tip).expect("nobody moved it");
            for (head, merge) in heads.iter().zip(&merged.entries) {
                match merge {
                    EntryMerge::FastForwarded | EntryMerge::Merged { .. } => landed.push(head.clone()),
                    EntryMerge::Conflicted { paths } => prop_assert!(!paths.is_empty()),
                    other => prop_assert!(false, "{:?}", other),
                }
            }
        }
        let tip = work.tip();
        let all = work.project.git(&["rev-list", &tip]);
        let commits: Vec<&str> = all.lines().collect();
        for lane in &lanes {
            let head = lane.head();
            let is_landed = landed.contains(&head);
            prop_assert_eq!(commits.contains(&head.as_str()), is_landed || head == lane.base);
            // What did not land is still there.
            if head != lane.base {
                work.project.git(&["cat-file", "-e", &head]);
            }
        }
        // Each edit of a landed lane is there exactly once.
        let text: String = (0..3).map(|file| work.show(&tip, &format!("f{file}"))).collect();
        for (number, (lane, _, _)) in edits.iter().enumerate() {
            let is_landed = landed.contains(&lanes[*lane as usize - 1].head());
            let found = text.matches(&format!("edit {number}\n")).count();
            prop_assert_eq!(found, usize::from(is_landed));
        }
    }
}
