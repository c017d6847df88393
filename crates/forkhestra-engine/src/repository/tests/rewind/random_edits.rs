//! Rewinds and undos after random edits.

use super::*;

/// A change that an agent or a user makes.
#[derive(Debug, Clone)]
enum RandomEdit {
    Write(usize, usize),
    Remove(usize),
    Link(usize, usize),
    Mode(usize, u32),
    Rename(usize, usize),
    /// Attributes, or names that git ignores.
    Rules(usize),
    Stage,
    Commit,
    Snapshot,
}

const NAMES: [&str; 10] =
    ["a.txt", "b", "b/c", "b/c/d", "d e", "ü", "run.sh", "x\ny", "\"q", "a.txt\r"];

const CONTENTS: [&str; 6] =
    ["", "one\n", "two\r\nlines\r\n", "mixed\r\nends\n", "bin\0ary\r\n", "long"];

const RULES: [(&str, &str); 5] = [
    (".gitattributes", "* text=auto eol=crlf\n"),
    (".gitattributes", "*.txt text eol=lf\n"),
    (".gitattributes", "* -text\n"),
    (".gitignore", "d*\n"),
    (".gitignore", "\n"),
];

fn random_edit() -> impl Strategy<Value = RandomEdit> {
    prop_oneof![
        6 => (0..NAMES.len(), 0..CONTENTS.len()).prop_map(|(name, text)| RandomEdit::Write(name, text)),
        2 => (0..NAMES.len()).prop_map(RandomEdit::Remove),
        1 => (0..NAMES.len(), 0..NAMES.len()).prop_map(|(name, to)| RandomEdit::Link(name, to)),
        2 => (0..NAMES.len(), prop::sample::select(vec![0o755, 0o600, 0o654, 0o664]))
            .prop_map(|(name, mode)| RandomEdit::Mode(name, mode)),
        1 => (0..NAMES.len(), 0..NAMES.len()).prop_map(|(from, to)| RandomEdit::Rename(from, to)),
        1 => (0..RULES.len()).prop_map(RandomEdit::Rules),
        1 => Just(RandomEdit::Stage),
        1 => Just(RandomEdit::Commit),
        2 => Just(RandomEdit::Snapshot),
    ]
}

/// Makes an edit as far as it is possible.
fn edit(work: &mut RewindProject, change: &RandomEdit) {
    match change {
        RandomEdit::Write(name, text) => {
            let path = make_room(work, NAMES[*name]);
            fs::write(path, CONTENTS[*text]).expect("there is room");
        }
        RandomEdit::Remove(name) => remove_anything(&work.path(NAMES[*name])),
        RandomEdit::Link(name, to) => {
            let path = make_room(work, NAMES[*name]);
            symlink(NAMES[*to], path).expect("there is room");
        }
        RandomEdit::Mode(name, mode) => {
            let path = work.path(NAMES[*name]);
            if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
                fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).expect("it is ours");
            }
        }
        RandomEdit::Rename(from, to) => {
            let (from, to) = (NAMES[*from], NAMES[*to]);
            let is_file = fs::symlink_metadata(work.path(from)).is_ok_and(|it| !it.is_dir());
            if is_file && !Path::new(to).starts_with(from) && !Path::new(from).starts_with(to) {
                let to = make_room(work, to);
                // The place of the new name may have been that of the old one.
                let _ = fs::rename(work.path(from), to);
            }
        }
        RandomEdit::Rules(rule) => {
            let (name, text) = RULES[*rule];
            fs::write(work.path(name), text).expect("it is ours");
        }
        RandomEdit::Stage => {
            work.project.git(&["add", "--all"]);
        }
        RandomEdit::Commit => work.project.commit(),
        RandomEdit::Snapshot => {
            work.snapshot();
        }
    }
}

/// Removes what stands at a path or above it, and returns the path.
fn make_room(work: &RewindProject, name: &str) -> PathBuf {
    for above in Path::new(name).ancestors().skip(1).filter(|path| !path.as_os_str().is_empty()) {
        let path = work.project.work.join(above);
        if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_dir()) {
            fs::remove_file(&path).expect("it is ours");
        }
    }
    let path = work.path(name);
    remove_anything(&path);
    fs::create_dir_all(path.parent().expect("it is below")).expect("there is room");
    path
}

fn remove_anything(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path).expect("it is ours"),
        Ok(_) => fs::remove_file(path).expect("it is ours"),
        Err(_) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_rewind_reaches_its_snapshot_and_can_be_undone(
        edits in prop::collection::vec(random_edit(), 1..24),
        target in any::<prop::sample::Index>(),
    ) {
        let mut work = RewindProject::new();
        work.snapshot();
        for change in &edits {
            edit(&mut work, change);
        }
        let before = work.state();
        let to = target.index(work.snapshots.len());
        let mut rewinder = work.rewinder();
        let survey = work.survey(&mut rewinder, to);
        if !survey.obstacles.is_empty() {
            return Ok(());
        }
        rewinder.rewind(&survey, label(to)).expect("nothing is in the way");
        let (remaining, after) = (work.survey(&mut work.rewinder(), to), work.state());
        // What git ignored before the rewind was not touched, and git may not ignore it any more. What
        // it ignored at the target stays as well.
        for (path, effect) in remaining.files() {
            if effect == FileEffect::Changed && work.is_as_checked_out(&work.snapshots[to].tree, path) {
                continue;
            }
            prop_assert_eq!(effect, FileEffect::Removed, "{:?}", remaining);
            prop_assert_eq!(after.files.get(path), before.files.get(path));
        }
        prop_assert!(!remaining.moves_branch());
        work.undo();
        prop_assert_eq!(work.state(), before);
    }

    #[test]
    fn rewinds_and_undos_in_any_order_leave_a_state_that_is_expected(
        edits in prop::collection::vec(random_edit(), 1..16),
        moves in prop::collection::vec(prop::option::of(any::<prop::sample::Index>()), 1..10),
        last in any::<prop::sample::Index>(),
    ) {
        let mut work = RewindProject::new();
        work.snapshot();
        for change in &edits {
            edit(&mut work, change);
        }
        work.snapshot();
        for target in moves.into_iter().chain([Some(last)]) {
            let mut rewinder = work.rewinder();
            let Some(target) = target else {
                if rewinder.records().last_in_effect().expect("it can be read").is_some() {
                    work.undo();
                }
                continue;
            };
            let to = target.index(work.snapshots.len());
            let (snapshot, expected) = (work.snapshots[to].clone(), work.left(&mut rewinder));
            let survey = rewinder.survey(snapshot, &expected, RewindScope::Everything);
            let survey = survey.expect("git answers");
            prop_assert_eq!(&survey.head_relation, &HeadRelation::Same);
            prop_assert_eq!(&survey.changed_since, &Vec::<PathBuf>::new());
            if survey.obstacles.is_empty() && !survey.is_nothing() {
                rewinder.rewind(&survey, label(to)).expect("nothing is in the way");
            }
        }
    }
}

/// The snapshot stores `a.txt` as the attributes before wanted it, and the work tree as they are now.
#[test]
fn a_rewind_after_changed_attributes_keeps_the_bytes_of_the_work_tree() {
    let mut work = RewindProject::new();
    work.snapshot();
    for change in [
        RandomEdit::Write(0, 2),
        RandomEdit::Commit,
        RandomEdit::Rules(1),
        RandomEdit::Snapshot,
        RandomEdit::Rules(0),
        RandomEdit::Snapshot,
    ] {
        edit(&mut work, &change);
    }
    let before = work.state();
    let mut rewinder = work.rewinder();
    let survey = work.survey(&mut rewinder, 2);
    rewinder.rewind(&survey, label(2)).expect("nothing is in the way");
    assert_eq!(work.state().files, before.files);
    assert!(work.is_as_checked_out(&work.snapshots[2].tree, Path::new("a.txt")));
}
