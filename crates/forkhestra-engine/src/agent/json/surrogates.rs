//! Halves of characters in JSON.
//!
//! Programs in JavaScript cut texts between the two halves of an emoji and print each half as an
//! escape of its own, which is no text any more. A whole event must not be lost for it.

use std::borrow::Cow;

use memchr::memmem;

/// The length of `\uXXXX`.
const ESCAPE: usize = 6;

/// The line with every half that stands alone made a replacement character.
pub(crate) fn repaired(line: &str) -> Cow<'_, str> {
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
        at = match (half(line, escape), half(line, escape + ESCAPE)) {
            (Some(SurrogateHalf::High), Some(SurrogateHalf::Low)) => escape + 2 * ESCAPE,
            (Some(_), _) => {
                whole.push_str(&line[kept..escape]);
                whole.push_str(r"\ufffd");
                kept = escape + ESCAPE;
                kept
            }
            // Whatever is escaped is no backslash that escapes something.
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

/// The half of a character that an escape stands for.
fn half(line: &str, at: usize) -> Option<SurrogateHalf> {
    let digits = line.get(at..at + ESCAPE)?.strip_prefix(r"\u")?;
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
    fn halves_that_stand_alone_are_replaced_and_nothing_else() {
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
            assert_eq!(repaired(line), expected, "{line}");
        }
    }
}
