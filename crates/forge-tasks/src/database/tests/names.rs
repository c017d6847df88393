//! Tests of the names of task files.

use std::path::{Component, Path};

use proptest::prelude::*;

use super::id;
use crate::TaskId;
use crate::database::files::file_name::{FILE_SYSTEM_MAX, file_name, id_of, numbered};
use crate::database::is_named_after;

#[test]
fn characters_that_file_systems_refuse_are_removed() {
    for (title, expected) in [
        ("Fix the login", "TASK-001 - Fix the login.md"),
        ("a<b>c:d\"e/f\\g|h?i*j", "TASK-001 - abcdefghij.md"),
        ("../../etc/passwd", "TASK-001 - ....etcpasswd.md"),
        ("  many \t\r\n blanks\u{2028}here  ", "TASK-001 - many blanks here.md"),
        ("dots and blanks . . .", "TASK-001 - dots and blanks.md"),
        ("bell\u{7}, right to left \u{202e}txt", "TASK-001 - bell, right to left txt.md"),
        ("Größe für 日本 🎉", "TASK-001 - Größe für 日本 🎉.md"),
        ("", "TASK-001.md"),
        (" ?/. ", "TASK-001.md"),
    ] {
        assert_eq!(file_name(&id("TASK-001"), title), expected);
    }
}

#[test]
fn a_long_title_is_cut_between_characters() {
    let name = |title: &str| file_name(&id("TASK-001"), title);
    assert_eq!(name(&"x".repeat(186)).len(), 200);
    assert_eq!(name(&"x".repeat(187)).len(), 200);
    assert_eq!(name(&format!("x{}", "ä".repeat(100))).len(), 199);
    assert_eq!(name(&"ä".repeat(100)).len(), 200);
    assert_eq!(name(&"日".repeat(100)), format!("TASK-001 - {}.md", "日".repeat(62)));
    assert_eq!(
        name(&format!("{} yyy", "x".repeat(185))),
        format!("TASK-001 - {}.md", "x".repeat(185))
    );
}

#[test]
fn a_title_is_never_cut_inside_a_grapheme() {
    let name = |title: &str| file_name(&id("TASK-001"), title);
    let whole = "x".repeat(184);
    // The letter fits, but not its accent.
    assert_eq!(name(&format!("{whole}ye\u{301}z")), format!("TASK-001 - {whole}y.md"));
    assert_eq!(name(&format!("{whole}e\u{301}z")), format!("TASK-001 - {whole}.md"));
    // The first character of the family would be left alone.
    let family = "\u{1f469}\u{200d}\u{1f467}";
    let longest = "x".repeat(179);
    assert_eq!(name(&format!("{longest}{family}")), format!("TASK-001 - {longest}.md"));
    assert_eq!(name(&"\u{301}".repeat(200)), "TASK-001.md");
}

#[test]
fn the_name_of_a_file_has_an_id() {
    for (name, expected) in [
        ("TASK-001 - Title.md", Some("TASK-001")),
        ("TASK-001.md", Some("TASK-001")),
        ("task-1 - x.md", Some("task-1")),
        ("FE-TASK-12 (2).md", Some("FE-TASK-12")),
        ("TASK-001-title.md", None),
        ("TASK-001", None),
        ("TASK-001ä.md", None),
        ("notes.md", None),
        ("- 1.md", None),
        ("", None),
    ] {
        assert_eq!(id_of(name).as_ref().map(TaskId::as_str), expected, "{name}");
    }
    assert!(is_named_after("task-1 - x.md", &id("TASK-001")));
    assert!(!is_named_after("task-1 - x.md", &id("TASK-011")));
    assert!(!is_named_after("x.md", &id("TASK-011")));
}

#[test]
fn a_name_that_is_taken_gets_a_number() {
    assert_eq!(numbered("TASK-001 - x.md", 2), "TASK-001 - x (2).md");
    let longest = format!("{}.md", "ä".repeat(126));
    assert_eq!(longest.len(), FILE_SYSTEM_MAX);
    let name = numbered(&longest, 12);
    assert_eq!(numbered("TASK-001 - x.MD", 2), "TASK-001 - x (2).md");
    assert_eq!(numbered("ä", 2), "ä (2).md");
    assert!(name.ends_with("ä (12).md") && name.len() <= FILE_SYSTEM_MAX, "{name}");
}

fn any_title() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-zäé日🎉\u{301}\u{200d} ./\\\\:\n\u{202e}]{0,300}",
        "\\.{0,3}[/\\\\.]{0,9}[a-z]{0,200}[. ]{0,9}",
    ]
}

proptest! {
    #[test]
    fn any_title_makes_a_name_for_any_file_system(
        title in any_title(),
        number in 1_u64..=999_999_999_999_999,
    ) {
        let id = id(&format!("TASK-{number}"));
        let name = file_name(&id, &title);
        prop_assert!(name.len() <= 200, "{}", name);
        let parts: Vec<_> = Path::new(&name).components().collect();
        prop_assert_eq!(parts, [Component::Normal(name.as_ref())]);
        let is_refused = |c: char| c.is_control() || "<>:\"/\\|?*".contains(c);
        prop_assert!(!name.contains(is_refused), "{}", name);
        let stem = name.strip_suffix(".md").expect("that is how it ends");
        prop_assert!(!stem.ends_with([' ', '.']), "{}", name);
        prop_assert_eq!(id_of(&name), Some(id.clone()));
        prop_assert!(!name.contains("  "), "{}", name);
        // A name does not change when it is computed again.
        let kept = stem.strip_prefix(&format!("{id} - ")).unwrap_or_default();
        prop_assert_eq!(file_name(&id, kept), name);
    }
}
