//! Repairs `NaN` and `Infinity` in JSON.
//!
//! JSON has no such numbers, but Python prints them. One of them must not invalidate a whole
//! report.

use memchr::memmem;

const NON_FINITE: [&str; 3] = ["NaN", "-Infinity", "Infinity"];

/// The text with these numbers in quotes, or `None` if there are none outside of strings.
pub(crate) fn quoted_non_finite(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    if ["NaN", "Infinity"].iter().all(|word| memmem::find(bytes, word.as_bytes()).is_none()) {
        return None;
    }
    let (mut quoted, mut kept, mut at) = (String::new(), 0, 0);
    let mut is_string = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if is_string => at += 1,
            b'"' => is_string = !is_string,
            b'N' | b'-' | b'I' if !is_string => {
                if let Some(word) = NON_FINITE.iter().find(|word| text[at..].starts_with(**word)) {
                    quoted.push_str(&text[kept..at]);
                    quoted.push_str(&format!("\"{word}\""));
                    at += word.len();
                    kept = at;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    (kept > 0).then(|| quoted + &text[kept..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_quoted_and_strings_stay_as_they_are() {
        for (text, expected) in [
            (r#"{"a":NaN}"#, Some(r#"{"a":"NaN"}"#)),
            (
                r#"{"a": -Infinity, "b":[Infinity]}"#,
                Some(r#"{"a": "-Infinity", "b":["Infinity"]}"#),
            ),
            (r#"{"a":"NaN \" NaN","b":NaN}"#, Some(r#"{"a":"NaN \" NaN","b":"NaN"}"#)),
            (r#"{"a":"ü NaN"}"#, None),
            (r#"{"a":1}"#, None),
            ("NaN", Some(r#""NaN""#)),
            (r#""\"#, None),
            (r#"NaN "\"#, Some(r#""NaN" "\"#)),
        ] {
            assert_eq!(quoted_non_finite(text).as_deref(), expected, "{text}");
        }
    }
}
