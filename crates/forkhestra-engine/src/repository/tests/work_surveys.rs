//! Tests of surveys of the work in a step.

use forkhestra_core::event::{Observation, WorkSummary};

use crate::repository::RepositoryReader;
use crate::test_project::{TestProject, inherited, keep, work_tree_query};

fn begin(project: &mut TestProject) -> Observation {
    let seen = project.observe(&keep(0));
    Observation { signals: seen.signals, snapshot: seen.snapshot, ..Observation::default() }
}

fn survey(project: &mut TestProject, before: &Observation) -> WorkSummary {
    project.observe(&keep(1));
    project.tree.survey(before).expect("git answers").expect("it is a repository")
}

fn subjects(work: &WorkSummary) -> Vec<&str> {
    work.commits.iter().map(|commit| commit.subject.as_str()).collect()
}

#[test]
fn commits_and_changed_lines_are_counted() {
    for mut project in [TestProject::repository(), TestProject::kept_repository()] {
        let before = begin(&mut project);
        project.write("a.txt", "b\nc\n").git(&["commit", "--quiet", "-am", "first"]);
        project.git(&["commit", "--quiet", "--allow-empty", "-m", "sec\x1b[31mond\n\nmore"]);
        project.write("not committed.txt", "x\n");
        let work = survey(&mut project, &before);
        assert_eq!(subjects(&work), ["first", "sec\u{fffd}[31mond"]);
        assert_eq!(work.commits[1].id, project.git(&["rev-parse", "HEAD"]).trim());
        assert_eq!((work.more_commits, work.files, work.insertions, work.deletions), (0, 2, 3, 1));
    }
}

#[test]
fn the_initial_tree_is_not_counted_if_it_is_kept() {
    let mut project = TestProject::kept_repository();
    project.write("before.txt", "x\n");
    let before = begin(&mut project);
    let work = survey(&mut project, &before);
    assert_eq!(work, WorkSummary::default());
}

#[test]
fn changed_uncommitted_files_are_named() {
    let mut project = TestProject::kept_repository();
    project.write("before.txt", "x\n").write("dirty.txt", "x\n");
    let before = begin(&mut project);
    project.write("done.txt", "x\n").git(&["add", "done.txt"]);
    project.git(&["commit", "--quiet", "-m", "done"]);
    project.write("dirty.txt", "y\n").write("a.txt", "other\n").write("b/new.txt", "x\n");
    let work = survey(&mut project, &before);
    assert_eq!(work.uncommitted.listed, ["a.txt", "b/new.txt", "dirty.txt"]);
    assert_eq!(work.uncommitted.first_names_text(2), "a.txt, b/new.txt and 1 more");
}

#[test]
fn many_commits_are_listed_by_the_last_ones() {
    let mut project = TestProject::repository();
    let before = begin(&mut project);
    for number in 1..=WorkSummary::MAX_COMMITS + 2 {
        project.git(&["commit", "--quiet", "--allow-empty", "-m", &number.to_string()]);
    }
    let work = survey(&mut project, &before);
    assert_eq!((work.commits.len(), work.more_commits), (WorkSummary::MAX_COMMITS, 2));
    assert_eq!((subjects(&work)[0], subjects(&work)[49]), ("3", "52"));
}

#[test]
fn history_may_begin_or_be_rewritten_in_a_step() {
    let mut project = TestProject::new();
    project.git(&["init", "--quiet"]);
    let before = begin(&mut project);
    assert_eq!(survey(&mut project, &before), WorkSummary::default());
    project.write("a.txt", "a\n").commit();
    let work = survey(&mut project, &before);
    assert_eq!((subjects(&work), work.files, work.insertions), (vec!["x"], 1, 1));
    let before = begin(&mut project);
    project.git(&["commit", "--quiet", "--amend", "-m", "rewritten"]);
    assert_eq!(subjects(&survey(&mut project, &before)), ["rewritten"]);
}

#[test]
fn a_step_without_an_observation_since_its_resume_can_be_surveyed() {
    let mut project = TestProject::repository();
    let signals = project.observe(&work_tree_query()).signals;
    let before = Observation { signals, ..Observation::default() };
    project.write("a.txt", "b\n");
    project.work_in("", None);
    let work = project.tree.survey(&before).expect("git answers").expect("it is a repository");
    assert_eq!(work.files, 1);
}

#[test]
fn the_changes_of_an_iteration_can_be_read_later() {
    for mut project in [TestProject::repository(), TestProject::kept_repository()] {
        let look = |project: &mut TestProject, number| {
            let seen = project.observe(&keep(number));
            Observation { signals: seen.signals, snapshot: seen.snapshot, ..Observation::default() }
        };
        let before = look(&mut project, 0);
        project.write("a.txt", "b\nc\n").git(&["commit", "--quiet", "-am", "first"]);
        project.write("new.txt", "x\n").git(&["add", "."]);
        project.git(&["commit", "--quiet", "-m", "second"]);
        let between = look(&mut project, 1);
        project.git(&["commit", "--quiet", "--allow-empty", "-m", "third"]);
        let after = look(&mut project, 2);
        let reader = RepositoryReader::open(&project.work, &inherited());
        let reader = reader.expect("git answers").expect("it is a repository");
        let read = |before, after| {
            let changes = reader.changes(before, after).expect("git answers").expect("it is known");
            let subjects: Vec<String> =
                changes.commits.into_iter().map(|commit| commit.subject).collect();
            (subjects, changes.files)
        };
        let lines = |path: &str, added, removed| (path.to_owned(), Some((added, removed)));
        let first = read(&before, &between);
        assert_eq!(first.0, ["first", "second"]);
        assert_eq!(first.1, [lines("a.txt", 2, 1), lines("new.txt", 1, 0)]);
        assert_eq!(read(&between, &after), (vec!["third".to_owned()], Vec::new()));
        assert_eq!(reader.changes(&before, &Observation::default()), Ok(None));
    }
}
