//! The characters that a terminal can show: Unicode or ASCII.

use std::borrow::Cow;
use std::ffi::OsString;

/// The characters that can be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CharacterSet {
    #[default]
    Unicode,
    Ascii,
}

/// The ASCII replacements of our symbols.
const SYMBOLS: [(char, &str); 22] = [
    ('●', "*"),
    ('○', "o"),
    ('◐', "~"),
    ('✗', "x"),
    ('✓', "+"),
    ('▌', "#"),
    ('▲', "!"),
    ('→', ">"),
    ('·', "-"),
    ('─', "-"),
    ('│', "|"),
    ('├', "|"),
    ('└', "`"),
    ('╰', "`"),
    ('╭', "."),
    ('━', "="),
    ('☑', "x"),
    ('☐', "-"),
    ('←', "<"),
    ('↻', "@"),
    ('↳', "`"),
    ('␛', "^"),
];

/// Marks omitted text.
const ELLIPSIS: char = '…';

impl CharacterSet {
    /// The character set of the locale. A locale with another character set than UTF-8 is ASCII;
    /// without a locale Unicode is assumed.
    pub fn of_locale(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let said = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| variable(name).filter(|value| !value.is_empty()));
        let Some(locale) = said else { return Self::Unicode };
        let locale = locale.to_string_lossy().to_lowercase();
        if locale.contains("utf-8") || locale.contains("utf8") {
            Self::Unicode
        } else {
            Self::Ascii
        }
    }

    /// Replaces symbols that cannot be shown. Other characters are kept.
    pub fn transliterate(self, text: &str) -> Cow<'_, str> {
        if self == Self::Unicode || text.is_ascii() {
            return text.into();
        }
        let mut spelt = String::with_capacity(text.len());
        let mut rest = text.chars();
        while let Some(letter) = rest.next() {
            let symbol = SYMBOLS.iter().find(|(symbol, _)| *symbol == letter);
            match symbol {
                Some((_, ascii)) => spelt.push_str(ascii),
                None if letter == ELLIPSIS => spelt.push_str(left_out(&spelt, rest.as_str())),
                None => spelt.push(letter),
            }
        }
        spelt.into()
    }
}

/// A cut table cell must not become wider.
fn left_out(before: &str, after: &str) -> &'static str {
    let ends_cell = after.is_empty() || after.starts_with('\n') || after.starts_with("  ");
    if ends_cell && before.ends_with(|c: char| !c.is_whitespace()) { "~" } else { "..." }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_says_which_letters_there_are() {
        let table: [(&[(&str, &str)], CharacterSet); 9] = [
            (&[], CharacterSet::Unicode),
            (&[("LANG", "")], CharacterSet::Unicode),
            (&[("LANG", "en_GB.UTF-8")], CharacterSet::Unicode),
            (&[("LANG", "C.utf8")], CharacterSet::Unicode),
            (&[("LANG", "C")], CharacterSet::Ascii),
            (&[("LANG", "de_DE.ISO-8859-1")], CharacterSet::Ascii),
            (&[("LANG", "en_GB.UTF-8"), ("LC_ALL", "C")], CharacterSet::Ascii),
            (&[("LANG", "POSIX"), ("LC_CTYPE", "C.UTF-8")], CharacterSet::Unicode),
            (&[("LANG", "C"), ("LC_ALL", "")], CharacterSet::Ascii),
        ];
        for (variables, expected) in table {
            let letters = CharacterSet::of_locale(|wanted| {
                let found = variables.iter().find(|(name, _)| *name == wanted);
                found.map(|(_, value)| OsString::from(value))
            });
            assert_eq!(letters, expected, "{variables:?}");
        }
    }

    #[test]
    fn symbols_have_a_stand_in_and_other_letters_stay() {
        for (text, expected) in [
            ("plain", "plain"),
            ("● Bash  ls", "* Bash  ls"),
            ("├─ é\n└─ x", "|- é\n`- x"),
            ("[VAR=value…] …", "[VAR=value...] ..."),
            ("Set up eve…  To Do", "Set up eve~  To Do"),
            ("Set up eve…\n", "Set up eve~\n"),
        ] {
            assert_eq!(CharacterSet::Ascii.transliterate(text), expected);
            assert_eq!(CharacterSet::Unicode.transliterate(text), text);
        }
    }

    #[test]
    fn no_stand_in_is_wider_than_its_symbol() {
        for (symbol, ascii) in SYMBOLS {
            assert_eq!(ascii.len(), 1, "{symbol}");
        }
    }
}
