//! Parses the output of a check program that has ended.

use forkhestra_core::event::AuxJobResult;
use forkhestra_core::scan::without_codes;
use serde_json::{Map, Value};

use crate::agent::one_line::one_line;

/// The maximum of reported lines.
const MAX_LINES: usize = 40;

/// The maximum of reported bytes.
const MAX_BYTES: usize = 4 * 1024;

/// The replacement for a tab.
const TAB: &str = "    ";

/// Parses the tail of standard output for a verdict, and formats the tail of both streams.
pub(crate) fn parse_program_result(stdout_tail: &str, both_tail: &str) -> AuxJobResult {
    let last = stdout_tail.lines().map(str::trim).rfind(|line| !line.is_empty());
    let verdict_json = last.and_then(verdict);
    let (passed, message) =
        verdict_json.map_or((None, None), |(passed, words)| (Some(passed), words));
    let verdict_line = last.filter(|_| passed.is_some());
    AuxJobResult { passed, message, tail: tail(both_tail, verdict_line) }
}

/// Parses a line that is a JSON object with a verdict.
fn verdict(line: &str) -> Option<(bool, Option<String>)> {
    let object: Map<String, Value> = serde_json::from_str(line).ok()?;
    let passed = object.get("passed")?.as_bool()?;
    let message = match object.get("message") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => displayed_line(text),
        Some(other) => other.to_string(),
    };
    Some((passed, Some(one_line(&message)).filter(|message| !message.is_empty())))
}

/// The tail of the output for display, without the verdict line.
fn tail(printed: &str, verdict_line: Option<&str>) -> Option<String> {
    let mut lines: Vec<&str> = printed.lines().collect();
    let verdict_index = verdict_line
        .and_then(|verdict_index| lines.iter().rposition(|line| line.trim() == verdict_index));
    if let Some(verdict_index) = verdict_index {
        lines.remove(verdict_index);
    }
    let mut lines: Vec<String> = lines.into_iter().map(sanitized_line).collect();
    lines.truncate(lines.iter().rposition(|line| !line.is_empty())? + 1);
    let mut text = lines.split_off(lines.len().saturating_sub(MAX_LINES)).join("\n");
    let excess = text.ceil_char_boundary(text.len().saturating_sub(MAX_BYTES));
    text.drain(..excess);
    let text = text.trim_start_matches('\n');
    Some(text.to_owned())
}

/// A line as a terminal would finally show it, with control characters escaped.
fn sanitized_line(line: &str) -> String {
    let line = displayed_line(line);
    let line = line.trim_end();
    // A carriage return overwrites the text before it.
    let line = line.rsplit('\r').next().unwrap_or(line);
    let mut text = String::with_capacity(line.len());
    for character in line.chars() {
        match character {
            '\t' => text.push_str(TAB),
            _ if is_obeyed(character) => text.extend(character.escape_default()),
            _ => text.push(character),
        }
    }
    text
}

fn displayed_line(line: &str) -> String {
    String::from_utf8_lossy(&without_codes(line.as_bytes())).into_owned()
}

/// Whether a character controls a terminal or changes the text direction.
fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reported tail of an output.
    fn reported_tail(printed: &str) -> String {
        parse_program_result("", printed).tail.expect("something was printed")
    }

    fn parse_result(stdout: &str) -> (Option<bool>, Option<String>) {
        let AuxJobResult { passed, message, .. } = parse_program_result(stdout, stdout);
        (passed, message)
    }

    #[test]
    fn the_last_line_decides_if_it_is_a_verdict() {
        let no = |message: &str| (Some(false), Some(message.to_owned()));
        for (stdout, expected) in [
            ("", (None, None)),
            ("all fine\n", (None, None)),
            ("{\"passed\": true}\n", (Some(true), None)),
            ("log\n{\"passed\":false,\"message\":\"3 failed\"}\n\n  \n", no("3 failed")),
            ("  {\"message\": \"two\\n lines\", \"passed\": false}\r\n", no("two lines")),
            ("{\"passed\": false, \"message\": \"\\u001b[31mred\\u001b[0m\"}", no("red")),
            ("{\"passed\": false, \"message\": 7}", no("7")),
            ("{\"passed\": true, \"message\": null}", (Some(true), None)),
            ("{\"passed\": \"yes\"}", (None, None)),
            ("{\"passed\": 1}", (None, None)),
            ("[true, \"x\"]", (None, None)),
            ("true", (None, None)),
            ("{\"passed\": true} trailing", (None, None)),
            ("{\"passed\": true}\nbut more came\n", (None, None)),
            ("{\"results\": {\"passed\": true}}", (None, None)),
        ] {
            assert_eq!(parse_result(stdout), expected, "{stdout:?}");
        }
    }

    #[test]
    fn a_message_is_one_short_line() {
        let long = format!("{{\"passed\": false, \"message\": \"{}\"}}", "é\\n".repeat(1000));
        let (_, message) = parse_result(&long);
        assert_eq!(message.expect("there is one").chars().count(), 300);
    }

    #[test]
    fn the_message_is_the_tail_of_the_output_without_our_line() {
        let ours = "{\"passed\": false}";
        let printed = parse_program_result(&format!("a\n{ours}\n"), &format!("a\n{ours}\nerr\n"));
        assert_eq!(printed.tail.as_deref(), Some("a\nerr"));
        assert_eq!(parse_program_result(ours, ours).tail, None, "nothing else was printed");
        assert_eq!(parse_program_result("", "").tail, None);
        assert_eq!(parse_program_result("", "\n \n\t\n").tail, None);
        assert_eq!(reported_tail("\n\na\n\nb\n\n"), "a\n\nb");
    }

    #[test]
    fn control_characters_are_escaped() {
        let printed = "\x1b[31mred\x1b[0m\tx\r\n 10%\r 99%\rdone\nbell\u{7}\0\u{202e}\x1b[";
        assert_eq!(reported_tail(printed), "red    x\ndone\nbell\\u{7}\\u{0}\\u{202e}\\u{1b}[");
    }

    #[test]
    fn the_message_of_a_check_is_bounded() {
        let numbers: Vec<String> = (1..=100).map(|number| number.to_string()).collect();
        let last = reported_tail(&numbers.join("\n"));
        assert_eq!(last.lines().count(), MAX_LINES);
        assert!(last.starts_with("61\n") && last.ends_with("\n100"), "{last}");
        let long = reported_tail(&"é".repeat(10_000));
        assert!(long.len() <= MAX_BYTES && long.len() > MAX_BYTES - 4, "{}", long.len());
    }
}
