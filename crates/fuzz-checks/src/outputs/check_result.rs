//! Checks the parser of check results.

use forkhestra_engine::fuzzing;

/// A message is one short line. The reported end of an output is short and controls no terminal.
pub fn check_result(data: &[u8]) {
    let output = String::from_utf8_lossy(data);
    let result = fuzzing::check_result(&output, &output);
    let message = result.message.unwrap_or_default();
    assert!(message.chars().count() <= 300 && !message.contains(char::is_control), "{message}");
    let tail = result.tail.unwrap_or_default();
    assert!(tail.len() <= 4 * 1024 && tail.lines().count() <= 40, "{tail}");
    let is_obeyed = |character: char| character.is_control() && character != '\n';
    assert!(!tail.contains(is_obeyed) && !tail.contains('\u{202e}'), "{tail:?}");
}
