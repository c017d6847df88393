//! Marks lines of agents that look like lines of forkhestra.

use unicode_width::UnicodeWidthChar;

/// Put before a line of an agent that looks like one of ours. The same mark is before the output of
/// checks.
const MARK: &str = "| ";

/// The number of visible characters in which a line decides whether it looks like ours.
const MAX_HEAD_CHARS: usize = 32;

/// The same number with invisible characters. A line that has more of them before it is decided is
/// made to deceive.
const MAX_HELD_CHARS: usize = 4 * MAX_HEAD_CHARS;

/// The words in the brackets with which our lines begin.
const OUR_WORDS: [&str; 2] = ["forkhestra", "ralph"];

/// What begins a status line of ours, after the bracket.
const OUR_STATUS: &str = "agent:";

/// Puts [`MARK`] before each line of a text that looks like a line of forkhestra. So a line that
/// begins with `[forkhestra]` is ours.
///
/// The text arrives in pieces and has no control sequences except colours. Invisible characters and
/// colours do not hide an imitation.
#[derive(Debug, Default)]
pub(crate) struct ForgedLineMarker {
    /// The beginning of a line that is not known to be an imitation or none.
    held: String,
    /// Whether the beginning of the current line is already returned.
    is_inside_line: bool,
}

/// What the beginning of a line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineHead {
    Ours,
    Other,
    /// More characters are needed.
    Undecided,
}

impl ForgedLineMarker {
    /// Whether the beginning of a line was returned, and its end was not.
    pub(crate) const fn is_inside_line(&self) -> bool {
        self.is_inside_line
    }

    /// Returns the text, marked, as far as it is decided.
    pub(crate) fn feed(&mut self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            if self.is_inside_line {
                shown.push_str(line);
                self.is_inside_line = !line.ends_with('\n');
                continue;
            }
            self.held.push_str(line);
            if LineHead::of(&self.held) != LineHead::Undecided || line.ends_with('\n') {
                self.release(&mut shown);
            }
        }
        shown
    }

    /// Returns what was held back. The next text begins a new line.
    pub(crate) fn finish(&mut self) -> String {
        let mut shown = String::new();
        self.release(&mut shown);
        self.is_inside_line = false;
        shown
    }

    fn release(&mut self, shown: &mut String) {
        let held = std::mem::take(&mut self.held);
        if LineHead::of(&held) == LineHead::Ours {
            shown.push_str(MARK);
        }
        shown.push_str(&held);
        self.is_inside_line = !held.is_empty() && !held.ends_with('\n');
    }
}

/// Marks a whole text.
pub(super) fn marked(text: &str) -> String {
    let mut marker = ForgedLineMarker::default();
    marker.feed(text) + &marker.finish()
}

/// Marks the continuation of a line that another stream has interrupted: its end comes to the start
/// of a line on the screen, where it may look like a line of ours. More of it may follow, so one
/// bracket is enough.
pub(crate) fn marked_continuation(text: &str) -> String {
    match head(text).next() {
        Some('[') => format!("{MARK}{text}"),
        _ => text.to_owned(),
    }
}

impl LineHead {
    fn of(line: &str) -> Self {
        let is_over = line.ends_with('\n');
        let undecided = match line.chars().nth(MAX_HELD_CHARS) {
            Some(_) => Self::Ours,
            None if is_over => Self::Other,
            None => Self::Undecided,
        };
        let mut characters = head(line);
        match characters.next() {
            Some('[') => {}
            Some(_) => return Self::Other,
            None => return undecided,
        }
        let mut word = String::new();
        for character in characters.take(MAX_HEAD_CHARS) {
            // A letter of another script may look like one of ours.
            if character == ']' || !character.is_ascii() {
                let is_ours = !character.is_ascii() || OUR_WORDS.contains(&word.as_str());
                return if is_ours { Self::Ours } else { Self::Other };
            }
            word.push(character.to_ascii_lowercase());
            if word == OUR_STATUS {
                return Self::Ours;
            }
        }
        if word.len() < MAX_HEAD_CHARS { undecided } else { Self::Other }
    }
}

/// The visible characters of a line, without colours.
fn head(line: &str) -> impl Iterator<Item = char> {
    let mut is_inside_sequence = false;
    line.chars().take_while(|character| *character != '\n').filter(move |character| {
        if *character == '\u{1b}' {
            is_inside_sequence = true;
        }
        let is_visible = !is_inside_sequence && character.width().unwrap_or(0) > 0;
        is_inside_sequence &= *character != 'm';
        is_visible
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn in_pieces(text: &str, length: usize) -> String {
        let mut marker = ForgedLineMarker::default();
        let characters: Vec<char> = text.chars().collect();
        let pieces = characters.chunks(length).map(|piece| piece.iter().collect::<String>());
        let mut shown: String = pieces.map(|piece| marker.feed(&piece)).collect();
        shown.push_str(&marker.finish());
        shown
    }

    #[test]
    fn lines_like_ours_are_marked_however_they_come() {
        for line in [
            "[forkhestra] Chain complete",
            "[Forkhestra] Chain complete",
            "[ralph] Chain complete",
            "[Agent: builder] Iteration 1/20",
            "[forkhestra]",
            "\u{200b}[forkhestra] Chain complete",
            "[fork\u{200d}hestra] Chain complete",
            "\u{1b}[31m[forkhestra]\u{1b}[0m Chain complete",
            // A Cyrillic letter.
            "[f\u{43e}rkhestra] Chain complete",
        ] {
            for length in [1, 2, 5, 100] {
                assert_eq!(in_pieces(line, length), format!("| {line}"), "{length}");
                let two = format!("first\n{line}\nlast\n");
                assert_eq!(in_pieces(&two, length), format!("first\n| {line}\nlast\n"));
            }
        }
    }

    #[test]
    fn other_lines_are_unchanged() {
        for text in [
            "",
            "\n\n",
            "[x] done\n[ ] open\n",
            "see [forkhestra] for more",
            " [forkhestra] is indented",
            "[",
            "[forkhestra",
            "[a link](https://example.org) and more text than any head has",
            "{\"json\": []}\n",
        ] {
            for length in [1, 3, 100] {
                assert_eq!(in_pieces(text, length), text);
            }
        }
    }

    #[test]
    fn little_is_held_back() {
        let mut marker = ForgedLineMarker::default();
        for _ in 0..1000 {
            let _ = marker.feed("[\u{200b}\u{200b}");
            assert!(marker.held.chars().count() <= MAX_HELD_CHARS + 3, "{}", marker.held.len());
        }
    }

    #[test]
    fn a_continuation_at_the_start_of_a_line_is_marked() {
        assert_eq!(marked_continuation("[fork"), "| [fork");
        assert_eq!(marked_continuation("hestra]"), "hestra]");
    }

    proptest! {
        #[test]
        fn no_line_of_any_text_looks_like_ours(
            text in "(\\[forkhestra\\]|\\[Agent: |\\[ralph\\]|\n|\u{200b}|\u{1b}\\[1m|[a-z \\[\\]]){0,20}",
            length in 1..9_usize,
        ) {
            let shown = in_pieces(&text, length);
            prop_assert_eq!(&shown, &marked(&text));
            for line in shown.lines() {
                prop_assert_ne!(LineHead::of(line), LineHead::Ours);
            }
            prop_assert_eq!(shown.replace("| ", ""), text.replace("| ", ""));
        }
    }
}
