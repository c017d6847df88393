//! Repairs unpaired surrogates in JSON.
//!
//! JavaScript programs cut texts between the two surrogates of a character and print each as an
//! escape of its own, which is invalid. It must not invalidate a whole event.

use std::borrow::Cow;

use memchr::memmem;

/// The length of `\uXXXX`.
const ESCAPE_BYTES: usize = 6;

/// The line with every unpaired surrogate replaced by the replacement character.
pub(crate) fn replace_lone_surrogates(line: &str) -> Cow<'_, str> {
    let has = |escape| memmem::find(line.as_bytes(), escape).is_some();
    if !has(br"\ud") && !has(br"\uD") {
        return Cow::Borrowed(line);
    }
    let mut whole = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &line.as_bytes()[at..]) {
        let escape = at + found;
        let next = line.as_bytes().get(escape + 1..escape + 2);
        at = match (surrogate_at(line, escape), surrogate_at(line, escape + ESCAPE_BYTES)) {
            (Some(SurrogateHalf::High), Some(SurrogateHalf::Low)) => escape + 2 * ESCAPE_BYTES,
            (Some(_), _) => {
                whole.push_str(&line[kept..escape]);
                whole.push_str(r"\ufffd");
                kept = escape + ESCAPE_BYTES;
                kept
            }
            // Skips the escaped character, so that an escaped backslash does not start an escape.
            (None, _) => escape + 1 + next.map_or(0, |next| usize::from(next.is_ascii())),
        };
    }
    if kept == 0 {
        return Cow::Borrowed(line);
    }
    whole.push_str(&line[kept..]);
    Cow::Owned(whole)
}

#[derive(Clone, Copy)]
enum SurrogateHalf {
    High,
    Low,
}

/// The surrogate that an escape stands for.
fn surrogate_at(line: &str, at: usize) -> Option<SurrogateHalf> {
    let digits = line.get(at..at + ESCAPE_BYTES)?.strip_prefix(r"\u")?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..0xdc00 => Some(SurrogateHalf::High),
        0xdc00..0xe000 => Some(SurrogateHalf::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (line, expected) in [
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\udE00 x""#, r#""\ufffd x""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ud83d\n""#, r#""\ufffd\n""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""\ud83"#, r#""\ud83"#),
            (r#""\ué\ud8"#, r#""\ué\ud8"#),
            (r#""plain é""#, r#""plain é""#),
        ] {
            assert_eq!(replace_lone_surrogates(line), expected, "{line}");
        }
    }
}
