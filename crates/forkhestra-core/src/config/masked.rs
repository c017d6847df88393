//! Secrets in a config file: messages show whole lines of it, so what may be a secret is masked in
//! the text that messages are made of.
//!
//! This looks at words and braces only, not at a parsed tree, so that it holds for a file that is
//! not JSON as well.

use std::ops::Range;

/// Replaces the value of every environment variable by as many stars as it has bytes, so that all
/// places in the text stay where they are.
pub(super) fn masked(text: &str) -> String {
    let mut masked = text.to_owned();
    for secret in secrets(text) {
        masked.replace_range(secret.clone(), &"*".repeat(secret.len()));
    }
    masked
}

/// The insides of the strings that are values in an object called `env`, in any case.
fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut secrets = Vec::new();
    // How deep we are in such an object; zero is outside.
    let mut depth = 0_usize;
    let mut last_key_is_env = false;
    let mut at = 0;
    while let Some(token) = next_token(text, at) {
        at = token.end().min(text.len());
        match token {
            Token::String(inside) => {
                let is_key = text[at..].trim_start().starts_with(':');
                if is_key {
                    last_key_is_env = text[inside].trim().eq_ignore_ascii_case("env");
                } else if depth > 0 {
                    secrets.push(inside);
                }
            }
            Token::Sign(_, '{') if depth > 0 || last_key_is_env => depth += 1,
            Token::Sign(_, '}') => depth = depth.saturating_sub(1),
            Token::Sign(_, ':') => {}
            Token::Sign(..) => last_key_is_env = false,
        }
    }
    secrets
}

/// What is left of JSON when only strings and signs matter.
enum Token {
    /// The inside of a string, which may end with its line instead of with a quote.
    String(Range<usize>),
    /// Any other character that is not white space, and where it is.
    Sign(usize, char),
}

impl Token {
    /// Where to go on reading.
    fn end(&self) -> usize {
        match self {
            Self::String(inside) => inside.end + 1,
            Self::Sign(at, sign) => at + sign.len_utf8(),
        }
    }
}

fn next_token(text: &str, from: usize) -> Option<Token> {
    let at = text.len() - skip_comments(&text[from..]).len();
    let sign = text[at..].chars().next()?;
    if sign != '"' {
        return Some(Token::Sign(at, sign));
    }
    let start = at + 1;
    let mut escaped = false;
    for (offset, character) in text[start..].char_indices() {
        match character {
            '\n' => return Some(Token::String(start..start + offset)),
            '"' if !escaped => return Some(Token::String(start..start + offset)),
            _ => escaped = character == '\\' && !escaped,
        }
    }
    Some(Token::String(start..text.len()))
}

/// What follows white space and comments, in which quotes mean nothing.
fn skip_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let end = match rest.get(..2) {
            Some("//") => "\n",
            Some("/*") => "*/",
            _ => return rest,
        };
        rest = rest[2..].split_once(end).map_or("", |(_, after)| after.trim_start());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_of_env_are_masked_and_nothing_else_is() {
        let table = [
            (
                r#"{"env": {"A": "b", "C": "é"}, "x": "y"}"#,
                r#"{"env": {"A": "*", "C": "**"}, "x": "y"}"#,
            ),
            (r#"{"env": {"A": "a\"b"}}"#, r#"{"env": {"A": "****"}}"#),
            (r#"{"Env": {"A": "b"}}"#, r#"{"Env": {"A": "*"}}"#),
            (
                r#"{"env": {"A": {"B": "c"}, "D": "e"}, "f": "g"}"#,
                r#"{"env": {"A": {"B": "*"}, "D": "*"}, "f": "g"}"#,
            ),
            (r#"{"env": "text", "x": {"y": "z"}}"#, r#"{"env": "text", "x": {"y": "z"}}"#),
            (r#"{"x": "env", "y": {"z": "w"}}"#, r#"{"x": "env", "y": {"z": "w"}}"#),
            (r#"{/* 5" */ "env": {"A": "b"}}"#, r#"{/* 5" */ "env": {"A": "*"}}"#),
            ("{// 5\"\n\"env\": {\"A\": \"b\"}}", "{// 5\"\n\"env\": {\"A\": \"*\"}}"),
            // What is not JSON.
            (r#"{"env": {"A": "b" "C": "d""#, r#"{"env": {"A": "*" "C": "*""#),
            ("{\"env\": {\"A\": \"open\n \"x\": 1", "{\"env\": {\"A\": \"****\n \"x\": 1"),
            (r#"{"env": {"A": "open"#, r#"{"env": {"A": "****"#),
        ];
        for (text, expected) in table {
            assert_eq!(masked(text), expected);
        }
    }

    proptest! {
        #[test]
        fn places_stay_where_they_are(text in "([\\[\\]{}:,\"a\\\\\nné ]|\"env\": \\{){0,40}") {
            let masked = masked(&text);
            prop_assert_eq!(masked.len(), text.len());
            for (at, character) in text.char_indices().filter(|(_, c)| !c.is_alphanumeric() && *c != '\\') {
                prop_assert!(masked.is_char_boundary(at), "{:?} {}", character, at);
            }
        }
    }
}
