//! Masking of secrets in a config file: diagnostics show whole lines of it, so possible secrets are
//! masked in the text they quote.
//!
//! Each masked character is replaced by one of the same number of bytes, so that all positions stay
//! valid for carets and columns.

use jsonc_parser::ast::Value;

use super::decoder::{key_of, span_of};
use crate::diagnostic::source::Span;

/// Whether the values below a key may be secrets: `env`, `url`, and likely misspellings. The
/// address of a service is a secret because it grants write access.
pub(crate) fn may_hold_secrets(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.contains("env") || key.contains("url")
}

/// Whether a file that is not valid JSON may hold secrets.
fn may_have_secrets(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["env", "notif", "\"url"].iter().any(|word| text.contains(word))
}

/// Masks the values of all environment variables and URLs in a valid file.
pub(crate) fn masked_json(text: &str, root: &Value<'_>) -> String {
    let mut secrets = Vec::new();
    // The keys of these objects are names chosen by the user, such as an agent named `env`.
    for member in root.as_object().into_iter().flat_map(|root| &root.properties) {
        match (key_of(member), &member.value) {
            ("agents" | "chains" | "prices", Value::Object(table)) => {
                table.properties.iter().for_each(|entry| collect(&entry.value, &mut secrets));
            }
            (key, value) if may_hold_secrets(key) => collect_all(value, &mut secrets),
            ("$schema", _) => {}
            (_, value) => collect_addresses(value, &mut secrets),
        }
    }
    secrets.sort();
    secrets.dedup();
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for secret in secrets {
        masked.push_str(&text[done..secret.start]);
        masked.extend(text[secret.range()].chars().map(mask));
        done = secret.end;
    }
    masked + &text[done..]
}

/// Masks everything but the structure of an invalid file that may hold secrets: its keys and values
/// cannot be distinguished.
pub(crate) fn masked_text(text: &str) -> String {
    if !may_have_secrets(text) {
        return text.to_owned();
    }
    let is_structure = |c: char| c.is_whitespace() || "{}[]:,\"'/*".contains(c);
    text.chars().map(|c| if is_structure(c) { c } else { mask(c) }).collect()
}

/// Collects the values below keys that may hold secrets.
fn collect(value: &Value<'_>, secrets: &mut Vec<Span>) {
    match value {
        Value::Object(object) => {
            for member in &object.properties {
                if may_hold_secrets(key_of(member)) {
                    collect_all(&member.value, secrets);
                } else {
                    collect(&member.value, secrets);
                }
            }
        }
        Value::Array(array) => array.elements.iter().for_each(|value| collect(value, secrets)),
        _ => {}
    }
}

/// Collects the same, and every URL, wherever it was written by mistake.
fn collect_addresses(value: &Value<'_>, secrets: &mut Vec<Span>) {
    match value {
        Value::Object(object) => {
            for member in &object.properties {
                if may_hold_secrets(key_of(member)) {
                    collect_all(&member.value, secrets);
                } else {
                    collect_addresses(&member.value, secrets);
                }
            }
        }
        Value::Array(array) => {
            array.elements.iter().for_each(|value| collect_addresses(value, secrets));
        }
        Value::StringLit(literal) if literal.value.contains("://") => collect_all(value, secrets),
        _ => {}
    }
}

/// Collects all values of a tree, whatever their type.
fn collect_all(value: &Value<'_>, secrets: &mut Vec<Span>) {
    let span = span_of(value);
    match value {
        Value::Object(object) => {
            object.properties.iter().for_each(|member| collect_all(&member.value, secrets));
        }
        Value::Array(array) => array.elements.iter().for_each(|value| collect_all(value, secrets)),
        // The quotes stay, so that the line still looks like JSON.
        Value::StringLit(_) => secrets.push(Span::new(span.start + 1, span.end - 1)),
        _ => secrets.push(span),
    }
}

/// A character with the same number of bytes, one column wide.
fn mask(character: char) -> char {
    match character.len_utf8() {
        1 => '*',
        2 => '·',
        3 => '•',
        _ => '\u{1d7f6}',
    }
}

#[cfg(test)]
mod tests {
    use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
    use proptest::prelude::*;

    use super::*;

    fn masked(text: &str) -> String {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        let root = parsed.expect("the test's text is JSON").value.expect("it is not empty");
        masked_json(text, &root)
    }

    #[test]
    fn all_values_below_env_are_masked_and_no_others() {
        let table = [
            (
                r#"{"env": {"A": "b", "C": "é€𝄞"}, "x": "y"}"#,
                "{\"env\": {\"A\": \"*\", \"C\": \"·•\u{1d7f6}\"}, \"x\": \"y\"}",
            ),
            (r#"{"a": {"env": {"A": "a\"b"}}}"#, r#"{"a": {"env": {"A": "****"}}}"#),
            (
                r#"{"Env": "A=b", "environment": ["A=b"]}"#,
                r#"{"Env": "***", "environment": ["***"]}"#,
            ),
            (
                r#"{"\u0065nv": {"A": {"B": 12}, "C": true}}"#,
                r#"{"\u0065nv": {"A": {"B": **}, "C": ****}}"#,
            ),
            ("{\"env\": {\"A\": \"b\nc\"}}", "{\"env\": {\"A\": \"***\"}}"),
            (r#"{"x": "env", "y": {"z": "w"}}"#, r#"{"x": "env", "y": {"z": "w"}}"#),
            (
                r#"{"agents": {"env": {"command": "x"}}}"#,
                r#"{"agents": {"env": {"command": "x"}}}"#,
            ),
            (r#"{"chains": {"env": {"env": "x"}}}"#, r#"{"chains": {"env": {"env": "*"}}}"#),
            (
                r#"{"notify": [{"to": "slack", "url": "h.example/x"}, "a://b"]}"#,
                r#"{"notify": [{"to": "slack", "url": "***********"}, "*****"]}"#,
            ),
            (
                r#"{"$schema": "a://b", "notfy": ["a://b"], "x": {"link": "a://b"}}"#,
                r#"{"$schema": "a://b", "notfy": ["*****"], "x": {"link": "*****"}}"#,
            ),
        ];
        for (text, expected) in table {
            assert_eq!(masked(text), expected);
        }
    }

    #[test]
    fn of_a_file_that_is_not_json_only_the_structure_is_shown() {
        assert_eq!(masked_text(r#"{'env': {"K": sk-1 "#), r#"{'***': {"*": **** "#);
        assert_eq!(masked_text(r#"{"a": b "#), r#"{"a": b "#);
        assert_eq!(masked_text(r#"{"notify": [a://b "#), r#"{"******": [*://* "#);
    }

    proptest! {
        #[test]
        fn places_stay_where_they_are(text in "(env|[{}:\"'aé€𝄞\n ]){0,30}") {
            let masked = masked_text(&text);
            let places = |text: &str| text.char_indices().map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert_eq!(places(&masked), places(&text));
        }
    }
}
