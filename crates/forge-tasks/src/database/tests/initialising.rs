//! `init`, and mending `config.json`.

use std::os::unix::fs::symlink;

use super::{TestDirectory, text};
use crate::IdPrefix;
use crate::database::{DatabaseError, DatabaseWriter, ExistingConfig, InitSettings};

fn settings(prefix: Option<&str>, name: Option<&str>) -> InitSettings {
    InitSettings {
        prefix: prefix.map(|prefix| IdPrefix::parse(prefix).expect("it is one")),
        project_name: name.map(str::to_owned),
    }
}

fn init(
    place: &TestDirectory,
    settings: &InitSettings,
    force: ExistingConfig,
) -> Result<Vec<String>, DatabaseError> {
    let mut writer = DatabaseWriter::open_leniently(place.path()).expect("it can be opened");
    writer.init(settings, force)
}

#[test]
fn a_new_config_has_every_key() {
    let place = TestDirectory::new();
    let settings = settings(Some("BUG"), Some("A \"project\""));
    assert_eq!(init(&place, &settings, ExistingConfig::No).expect("it is new"), [""; 0]);
    let expected = "{\n  \"prefix\": \"BUG\",\n  \"zeroPadding\": 3,\n  \
        \"projectName\": \"A \\\"project\\\"\",\n  \"defaultPriority\": null,\n  \
        \"defaultLabels\": [],\n  \"lastIdNumber\": 0\n}\n";
    assert_eq!(place.read("config.json"), expected);
}

#[test]
fn a_new_config_continues_after_the_highest_task() {
    let place = TestDirectory::new();
    place.write("BUG-007 - x.md", text("BUG-007", "x"));
    let notes = init(&place, &InitSettings::default(), ExistingConfig::No).expect("it is new");
    assert_eq!(notes, ["config.json was missing; the new one continues after BUG-007"]);
    let writer = place.writer();
    assert_eq!(writer.database().config().project_name.as_deref(), Some("project"));
    assert_eq!(writer.next_id().expect("there is one").as_str(), "BUG-008");
}

#[test]
fn a_config_is_not_overwritten_without_force() {
    for content in ["{}", "damaged"] {
        let place = TestDirectory::new();
        place.write("config.json", content);
        let error =
            init(&place, &settings(Some("X"), None), ExistingConfig::No).expect_err("it is there");
        assert_eq!(place.shortened(&error), "HERE/config.json already exists; --force changes it");
        assert_eq!(place.read("config.json"), content);
    }
}

#[test]
fn force_changes_only_the_named_settings() {
    let place = TestDirectory::new();
    place.write("TASK-012 - x.md", text("TASK-012", "x"));
    place.write(
        "config.json",
        "{\n  // mine\n  \"lastIdNumber\": 3, \"prefix\": \"A\", \"x\": 1\n}",
    );
    init(&place, &settings(None, Some("ä")), ExistingConfig::Yes).expect("it can be changed");
    let expected = "{\n  // mine\n  \"lastIdNumber\": 12, \"prefix\": \"A\", \"x\": 1, \
        \"projectName\": \"ä\"\n}";
    assert_eq!(place.read("config.json"), expected);
    place.write("config.json", "{\"lastIdNumber\": 40}");
    init(&place, &settings(Some("B"), None), ExistingConfig::Yes).expect("it can be changed");
    assert_eq!(place.read("config.json"), "{\"lastIdNumber\": 40, \"prefix\": \"B\"}");
}

#[test]
fn a_damaged_config_is_kept_and_its_number_continues() {
    let place = TestDirectory::new();
    place.write("TASK-012 - x.md", text("TASK-012", "x"));
    let without = "it had no lastIdNumber that could be read; the new one continues after TASK-012";
    for (number, (damaged, last, continues)) in [
        ("{\"lastIdNumber\": 30, oops", 30, "the new one continues after TASK-030"),
        ("{\"lastIdNumber\":\n  31, oops", 31, "the new one continues after TASK-031"),
        ("{\"lastIdNumber\": 3, oops", 12, "the new one continues after TASK-012"),
        ("", 12, without),
    ]
    .into_iter()
    .enumerate()
    {
        place.write("config.json", damaged);
        let notes = init(&place, &InitSettings::default(), ExistingConfig::Yes)
            .expect("it can be replaced");
        let kept = format!("config.json.damaged-{}", number + 1);
        let first = format!(
            "config.json was damaged and is kept as {kept}; its settings are not in the new one"
        );
        assert_eq!(notes, [&first, continues]);
        assert_eq!(place.read(&kept), damaged);
        assert_eq!(place.writer().database().config().last_id_number, last);
    }
}

#[test]
fn a_config_that_is_a_link_is_put_aside_as_a_link() {
    let outside = TestDirectory::with(&[]);
    let place = TestDirectory::new();
    symlink(outside.at("config.json"), place.at("config.json")).expect("it can be created");
    init(&place, &settings(Some("B"), None), ExistingConfig::Yes).expect("it can be replaced");
    assert_eq!(outside.read("config.json"), "{\"lastIdNumber\": 0}\n");
    assert!(place.at("config.json.damaged-1").is_symlink());
    assert_eq!(place.writer().database().config().prefix.as_str(), "B");
}

#[test]
fn a_merge_conflict_about_the_number_is_settled() {
    let place = TestDirectory::new();
    let conflict =
        "{\n<<<<<<< a\n\"lastIdNumber\": 3\n=======\n\"lastIdNumber\": 5\n>>>>>>> b\n}\n";
    place.write("config.json", conflict);
    let mut writer = DatabaseWriter::open_leniently(place.path()).expect("it can be opened");
    writer.next_id().expect_err("the number is unknown");
    let said = writer.resolve_config_conflict().expect("it can be written");
    let expected = "config.json: settled the merge conflict; the last number is 5";
    assert_eq!(said.as_deref(), Some(expected));
    assert_eq!(place.read("config.json"), "{\n\"lastIdNumber\": 5\n}\n");
    assert_eq!(writer.next_id().expect("there is one").as_str(), "TASK-006");
    assert_eq!(writer.resolve_config_conflict().expect("nothing is wrong"), None);
}

#[test]
fn a_conflict_in_other_settings_is_left_alone() {
    let place = TestDirectory::new();
    let conflict = "{\n<<<<<<< a\n\"prefix\": \"A\"\n=======\n\"prefix\": \"B\"\n>>>>>>> b\n}\n";
    place.write("config.json", conflict);
    let mut writer = DatabaseWriter::open_leniently(place.path()).expect("it can be opened");
    assert_eq!(writer.resolve_config_conflict().expect("nothing is written"), None);
    assert_eq!(place.read("config.json"), conflict);
}
