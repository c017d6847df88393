//! The `--color` option.

use std::borrow::Cow;
use std::ffi::OsString;

use anstream::adapter::strip_str;
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::character_set::CharacterSet;

/// When to use colours: the value of `--color`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ColorMode {
    /// Depends on the environment and the stream.
    #[default]
    Auto,
    /// Also in files and pipes.
    Always,
    Never,
}

impl ColorMode {
    /// Decides by the option, then the environment (`NO_COLOR` and others), then the stream.
    pub fn is_wanted_on(self, stream: &impl RawStream) -> bool {
        match self {
            Self::Auto => AutoStream::choice(stream) != ColorChoice::Never,
            Self::Always => true,
            Self::Never => false,
        }
    }

    /// The style for a stream.
    pub fn style_for(self, stream: &impl RawStream) -> PrintStyle {
        let letters = CharacterSet::of_locale(|name| std::env::var_os(name));
        PrintStyle { colored: self.is_wanted_on(stream), letters }
    }

    /// Parses `--color` from raw arguments, for errors that occur before the parser has read it.
    /// The first argument is the name of the program.
    pub fn from_arguments(arguments: &[OsString]) -> Self {
        let typed = arguments.iter().skip(1).filter_map(|word| word.to_str());
        let mut words = typed.take_while(|word| *word != "--");
        while let Some(word) = words.next() {
            let value = match word.strip_prefix("--color") {
                Some("") => words.next(),
                Some(rest) => rest.strip_prefix('='),
                None => continue,
            };
            return value.and_then(|value| Self::from_str(value, false).ok()).unwrap_or_default();
        }
        Self::Auto
    }
}

// Not derived, since help would then list the documentation of each value.
impl ValueEnum for ColorMode {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Auto, Self::Always, Self::Never]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }))
    }
}

/// How text for people is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PrintStyle {
    pub colored: bool,
    pub letters: CharacterSet,
}

impl PrintStyle {
    /// Unicode, with or without colours.
    pub const fn new(colored: bool) -> Self {
        Self { colored, letters: CharacterSet::Unicode }
    }
}

/// Removes colours, and replaces symbols that cannot be shown.
pub fn painted(text: &str, ink: PrintStyle) -> Cow<'_, str> {
    let spelt = ink.letters.transliterate(text);
    if ink.colored { spelt } else { without_colors(&spelt).into() }
}

/// A text without escape sequences. Most lines have none, and a search is faster than a parser.
fn without_colors(text: &str) -> String {
    // The second byte of a C1 control character follows 0xC2.
    let is_plain = |byte: u8| !matches!(byte, 0..0x20 | 0x7f | 0xc2) || byte == b'\n';
    let mut stripped = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.bytes().all(is_plain) {
            stripped.push_str(line);
        } else {
            stripped.extend(strip_str(line));
        }
    }
    stripped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{BAD, paint};

    #[test]
    fn wrong_use_has_the_colours_that_were_asked_for() {
        for (words, color) in [
            (&["lst"][..], ColorMode::Auto),
            (&["lst", "--color", "always"], ColorMode::Always),
            (&["--color=never", "lst"], ColorMode::Never),
            (&["lst", "--color=blue"], ColorMode::Auto),
            (&["lst", "--color"], ColorMode::Auto),
            (&["lst", "--", "--color=never"], ColorMode::Auto),
        ] {
            let arguments: Vec<OsString> =
                ["program"].iter().chain(words).map(OsString::from).collect();
            assert_eq!(ColorMode::from_arguments(&arguments), color, "{words:?}");
        }
    }

    #[test]
    fn a_person_decides_before_the_stream_does() {
        let stream: Box<dyn std::io::Write> = Box::new(Vec::new());
        for (color, expected) in [(ColorMode::Always, true), (ColorMode::Never, false)] {
            assert_eq!(color.is_wanted_on(&stream), expected);
        }
    }

    #[test]
    fn help_says_the_names_and_no_more() {
        let help = |color: &ColorMode| {
            let value = color.to_possible_value().expect("each can be typed");
            (value.get_name().to_owned(), value.get_help().is_some())
        };
        let shown: Vec<(String, bool)> = ColorMode::value_variants().iter().map(help).collect();
        assert_eq!(shown, ["auto", "always", "never"].map(|name| (name.to_owned(), false)));
    }

    #[test]
    fn colours_are_taken_out_and_nothing_else_is() {
        let text = format!("a {} é\n", paint(BAD, "b"));
        assert_eq!(painted(&text, PrintStyle::new(true)), text);
        assert_eq!(painted(&text, PrintStyle::new(false)), "a b é\n");
        for text in
            ["", "a", "a\n\nb\tc", "§ 1\n", "\u{1b}[1mbold\nmore\u{1b}[0m\n", "\r\u{7}\u{9b}x"]
        {
            let whole = strip_str(text).to_string();
            assert_eq!(painted(text, PrintStyle::new(false)), whole, "{text:?}");
        }
    }
}
