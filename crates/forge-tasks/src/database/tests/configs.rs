//! Reading and changing the text of `config.json`.

use proptest::prelude::*;

use crate::database::config::{
    HIGHEST_NUMBER, LAST_ID_NUMBER, last_number_in, read_config, with_value,
};
use crate::database::{IdSettings, TasksConfig, merged};
use crate::git::BranchScope;
use crate::{IdPrefix, Priority, TaskId};

fn config(text: &str) -> TasksConfig {
    read_config(text).expect("it can be read").config
}

fn error(text: &str) -> String {
    read_config(text).expect_err("something is wrong with it").to_string()
}

fn counted(text: &str, number: u64) -> String {
    with_value(text, LAST_ID_NUMBER, &number.to_string()).expect("it can be changed")
}

#[test]
fn every_key_is_read() {
    let text = r#"{
      // Comments are fine.
      "prefix": "BUG", "zeroPadding": 4, "projectName": "a project", "other": {"deep": [1]},
      "defaultPriority": "High", "defaultLabels": ["a", "b"], "lastIdNumber": 12,
    }"#;
    let expected = TasksConfig {
        ids: None,
        prefix: IdPrefix::parse("BUG").expect("it is one"),
        zero_padding: 4,
        project_name: Some("a project".to_owned()),
        default_priority: Some(Priority::High),
        default_labels: vec!["a".to_owned(), "b".to_owned()],
        last_id_number: 12,
    };
    assert_eq!(config(text), expected);
    assert!(read_config(text).expect("it can be read").has_counter);
}

#[test]
fn every_key_can_be_missing_or_null() {
    let nulls = r#"{"prefix": null, "zeroPadding": null, "projectName": null,
        "defaultPriority": null, "defaultLabels": null, "lastIdNumber": null}"#;
    for text in ["{}", nulls, "\u{feff}{ }\r\n", r#"{"defaultPriority": "", "projectName": ""}"#] {
        assert_eq!(config(text), TasksConfig::default(), "{text}");
        assert!(!read_config(text).expect("it can be read").has_counter, "{text}");
    }
}

#[test]
fn every_mistake_is_reported_with_its_position() {
    let end = "; correct it, or let `forge-tasks init --force` write a new one";
    for (text, expected) in [
        ("", ":1:1: it is empty"),
        ("[1]", ":1:1: this is not an object {…}"),
        ("{\n  \"prefix\": 1\n}", ":2:3: `prefix` must be a text in double quotes"),
        (
            "{\r\n\"ä\": 1, \"zeroPadding\": 10}",
            ":2:9: `zeroPadding` must be a whole number from 0 to 9",
        ),
        ("{\"zeroPadding\": 1.5}", ":1:2: `zeroPadding` must be a whole number from 0 to 9"),
        ("{\"zeroPadding\": -1}", ":1:2: `zeroPadding` must be a whole number from 0 to 9"),
        ("{\"projectName\": []}", ":1:2: `projectName` must be a text in double quotes"),
        ("{\"defaultLabels\": \"a\"}", ":1:2: `defaultLabels` must be a list of texts"),
        ("{\"defaultLabels\": [1]}", ":1:2: `defaultLabels` must be a list of texts"),
        (
            "{\"defaultPriority\": \"urgent\"}",
            ":1:2: `defaultPriority` is wrong: `urgent` is not a priority; there are high, medium and low",
        ),
        (
            "{\"lastIdNumber\": \"5\"}",
            ":1:2: `lastIdNumber` must be a whole number from 0 to 999999999999999",
        ),
        (
            "{\"lastIdNumber\": 1000000000000000}",
            ":1:2: `lastIdNumber` must be a whole number from 0 to 999999999999999",
        ),
        ("{\"lastIdNumber\": 1, \"lastIdNumber\": 2}", ":1:21: `lastIdNumber` is there twice"),
    ] {
        assert_eq!(error(text), format!("{expected}{end}"), "{text}");
    }
    assert!(
        error("{\"prefix\": \"../x\"}").starts_with(":1:2: `prefix` is wrong: `../x` is not a")
    );
    assert!(error("{\n\"a\": 1").starts_with(":1:1: it is not JSON: unterminated object"));
    assert!(!error("{\n  'a': 1}").contains('\n'));
}

#[test]
fn the_highest_number_is_the_largest_valid_id() {
    let highest = TaskId::new(&IdPrefix::default(), HIGHEST_NUMBER, 3);
    assert!(TaskId::parse(highest.as_str()).is_ok());
    assert!(TaskId::parse(&format!("TASK-{}", HIGHEST_NUMBER + 1)).is_err());
}

#[test]
fn setting_the_number_changes_no_other_byte() {
    for (text, expected) in [
        ("{\"lastIdNumber\": 5}", "{\"lastIdNumber\": 6}"),
        (
            "{ // a\r\n\t\"lastIdNumber\" : 5 , // b\r\n}",
            "{ // a\r\n\t\"lastIdNumber\" : 6 , // b\r\n}",
        ),
        ("\u{feff}{\"lastIdNumber\": null}", "\u{feff}{\"lastIdNumber\": 6}"),
        ("{}", "{\"lastIdNumber\": 6}"),
        ("{ /* none */ }\n", "{\"lastIdNumber\": 6 /* none */ }\n"),
        ("{\"a\": 1}", "{\"a\": 1, \"lastIdNumber\": 6}"),
        ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"lastIdNumber\": 6\n}\n"),
        ("{\r\n\t\"a\": 1, // x\r\n}", "{\r\n\t\"a\": 1,\r\n\t\"lastIdNumber\": 6, // x\r\n}"),
    ] {
        assert_eq!(counted(text, 6), expected);
        assert_eq!(config(expected).last_id_number, 6);
    }
}

const BRANCHES: &str = "{\n  \"prefix\": \"TASK\",\n<<<<<<< HEAD\n  \"lastIdNumber\": 12\n\
    =======\n  \"lastIdNumber\": 14\n>>>>>>> other\n}\n";

#[test]
fn a_merge_conflict_has_a_message_of_its_own() {
    let expected = " has a merge conflict; resolve it, or run `forge-tasks check --fix`";
    assert_eq!(error(BRANCHES), expected);
}

#[test]
fn the_higher_number_settles_a_merge_conflict() {
    let merged_text = "{\n  \"prefix\": \"TASK\",\n  \"lastIdNumber\": 14\n}\n";
    assert_eq!(merged(BRANCHES).as_deref(), Some(merged_text));
    let with_base = BRANCHES.replace("=======", "||||||| base\n  \"lastIdNumber\": 9\n=======");
    assert_eq!(merged(&with_base).as_deref(), Some(merged_text));
    let ours_is_higher = BRANCHES.replace("14", "3").replace("12", "14");
    assert_eq!(merged(&ours_is_higher).as_deref(), Some(merged_text));
    let windows = BRANCHES.replace('\n', "\r\n");
    assert_eq!(merged(&windows), Some(merged_text.replace('\n', "\r\n")));
}

#[test]
fn any_other_conflict_is_left_to_the_user() {
    let other_key = BRANCHES.replace("\n=======", ",\n\"zeroPadding\": 4\n=======");
    let broken_side = BRANCHES.replace("12", "twelve");
    let without_end = BRANCHES.replace(">>>>>>> other\n", "");
    let twisted = BRANCHES.replace("=======\n", "");
    for text in [&other_key, &broken_side, &without_end, &twisted, "{}", ""] {
        assert_eq!(merged(text), None, "{text}");
    }
}

#[test]
fn the_number_of_a_damaged_config_is_read() {
    assert_eq!(last_number_in(BRANCHES), Some(14));
    assert_eq!(last_number_in("{\"lastIdNumber\" :\t7"), Some(7));
    assert_eq!(last_number_in("{\"lastIdNumber\": \"8\", "), Some(8));
    assert_eq!(last_number_in("{'lastIdNumber':\r\n\n9"), Some(9));
    for text in ["", "lastIdNumber", "{\"lastIdNumber\": x}", "lastIdNumber: 1000000000000000"] {
        assert_eq!(last_number_in(text), None, "{text}");
    }
}

/// Something that may be between two parts of JSON.
fn filling() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just(" ".into()),
        Just("\r\n\t".into()),
        Just("/* ä */".into())
    ]
}

proptest! {
    #[test]
    fn any_config_with_a_new_number_reads_back_and_is_otherwise_unchanged(
        blanks in prop::collection::vec(filling(), 5),
        (has_other, has_last, has_comma) in any::<(bool, bool, bool)>(),
        number in 0..=HIGHEST_NUMBER,
    ) {
        let [a, b, c, d, e] = &blanks[..] else { unreachable!("there are five") };
        let other = if has_other { format!("{a}\"x\"{b}: [\"lastIdNumber\"]") } else { String::new() };
        let between = if has_other && has_last { "," } else { "" };
        let last = if has_last { format!("{c}\"lastIdNumber\":{d}77") } else { String::new() };
        let comma = if has_comma && (has_other || has_last) { "," } else { "" };
        let text = format!("{a}{{{other}{between}{last}{e}{comma}}}{b}");
        let changed = counted(&text, number);
        prop_assert_eq!(config(&changed).last_id_number, number);
        if has_last {
            prop_assert_eq!(changed, text.replace("77", &number.to_string()));
        } else {
            let without = changed.replacen(&format!("\"lastIdNumber\": {number}"), "", 1);
            let bare = |text: &str| text.replace([',', ' ', '\r', '\n', '\t'], "");
            prop_assert_eq!(bare(&without), bare(&text));
        }
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_message(text in ".{0,60}") {
        if let Err(error) = read_config(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
        let _ = merged(&text);
        let _ = last_number_in(&text);
    }
}

#[test]
fn numbers_are_looked_up_where_the_config_says() {
    for (text, look) in [
        ("{}", BranchScope::Local),
        (r#"{"ids": {}}"#, BranchScope::Local),
        (r#"{"ids": {"look": "branches"}}"#, BranchScope::Local),
        (r#"{"ids": {"look": "remotes"}}"#, BranchScope::Remotes),
    ] {
        assert_eq!(config(text).ids.unwrap_or_default().look, look, "{text}");
    }
    for text in [r#"{"ids": 1}"#, r#"{"ids": {"look": "all"}}"#, r#"{"ids": {"loko": "remotes"}}"#]
    {
        let said = error(text);
        let expected = "`ids` must be {\"look\": \"branches\"} or {\"look\": \"remotes\"}";
        assert!(said.contains(expected), "{said}");
    }
    let remotes = TasksConfig {
        ids: Some(IdSettings { look: BranchScope::Remotes }),
        ..TasksConfig::default()
    };
    let written = crate::database::config::render_config(&remotes);
    assert!(written.contains(r#""look": "remotes""#), "{written}");
    assert_eq!(config(&written), remotes);
}
