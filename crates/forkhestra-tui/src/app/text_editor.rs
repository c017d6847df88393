//! A text editor.

/// A text of one or several lines with a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextEditor {
    lines: Vec<String>,
    /// Line of the cursor.
    row: usize,
    /// Position of the cursor in its line, in bytes.
    place: usize,
    has_lines: bool,
}

/// Replacement for a tab.
const TAB: &str = "    ";

impl TextEditor {
    /// Creates an empty editor for several lines.
    pub(crate) fn multi_line() -> Self {
        Self { lines: vec![String::new()], row: 0, place: 0, has_lines: true }
    }

    /// Creates an editor for a single line with initial text.
    pub(crate) fn single_line(text: &str) -> Self {
        Self { lines: vec![text.to_owned()], row: 0, place: text.len(), has_lines: false }
    }

    pub(crate) fn text(&self) -> String {
        self.lines.join("\n")
    }

    pub(crate) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Line and byte position of the cursor.
    pub(crate) const fn cursor(&self) -> (usize, usize) {
        (self.row, self.place)
    }

    /// Size of the text in bytes.
    pub(crate) fn size(&self) -> usize {
        self.lines.iter().map(|line| line.len() + 1).sum::<usize>() - 1
    }

    /// Inserts typed or pasted text without control characters.
    pub(crate) fn insert(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', TAB);
        for letter in text.chars() {
            match letter {
                '\n' => self.break_line(),
                letter if typeset::text::is_control_character(letter) => {}
                letter => {
                    self.lines[self.row].insert(self.place, letter);
                    self.place += letter.len_utf8();
                }
            }
        }
    }

    pub(crate) fn break_line(&mut self) {
        if !self.has_lines {
            return self.insert(" ");
        }
        let rest = self.lines[self.row].split_off(self.place);
        self.row += 1;
        self.place = 0;
        self.lines.insert(self.row, rest);
    }

    pub(crate) fn backspace(&mut self) {
        if self.go_left() {
            self.delete();
        }
    }

    pub(crate) fn delete(&mut self) {
        if self.place < self.lines[self.row].len() {
            self.lines[self.row].remove(self.place);
        } else if self.row + 1 < self.lines.len() {
            let next = self.lines.remove(self.row + 1);
            self.lines[self.row].push_str(&next);
        }
    }

    /// Removes the word before the cursor.
    pub(crate) fn delete_word(&mut self) {
        let before = &self.lines[self.row][..self.place];
        let word = before.trim_end();
        let start = word.rfind(' ').map_or(0, |blank| blank + 1);
        self.lines[self.row].replace_range(start..self.place, "");
        self.place = start;
    }

    /// Removes the text before the cursor in its line.
    pub(crate) fn clear_line(&mut self) {
        self.lines[self.row].replace_range(..self.place, "");
        self.place = 0;
    }

    /// Moves left. Returns false at the start of the text.
    pub(crate) fn go_left(&mut self) -> bool {
        let before = self.lines[self.row][..self.place].chars().next_back();
        match before {
            Some(letter) => self.place -= letter.len_utf8(),
            None if self.row > 0 => {
                self.row -= 1;
                self.place = self.lines[self.row].len();
            }
            None => return false,
        }
        true
    }

    pub(crate) fn go_right(&mut self) {
        let after = self.lines[self.row][self.place..].chars().next();
        match after {
            Some(letter) => self.place += letter.len_utf8(),
            None if self.row + 1 < self.lines.len() => (self.row, self.place) = (self.row + 1, 0),
            None => {}
        }
    }

    pub(crate) fn go_up(&mut self) {
        self.go_to_row(self.row.saturating_sub(1));
    }

    pub(crate) fn go_down(&mut self) {
        self.go_to_row((self.row + 1).min(self.lines.len() - 1));
    }

    pub(crate) fn go_home(&mut self) {
        self.place = 0;
    }

    pub(crate) fn go_end(&mut self) {
        self.place = self.lines[self.row].len();
    }

    /// Moves to a row and keeps the column, counted in characters.
    fn go_to_row(&mut self, row: usize) {
        let letters = self.lines[self.row][..self.place].chars().count();
        self.row = row;
        let line = &self.lines[row];
        self.place = line.char_indices().nth(letters).map_or(line.len(), |(place, _)| place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_text_becomes_lines_without_control_characters() {
        let mut editor = TextEditor::multi_line();
        editor.insert("one\r\ntwo\u{1b}[2J\rthree\t\u{202e}é");
        assert_eq!(editor.lines(), ["one", "two[2J", "three    é"]);
        let mut single = TextEditor::single_line("a");
        single.insert("b\nc");
        assert_eq!(single.text(), "ab c");
    }

    #[test]
    fn letters_are_removed_as_they_were_typed() {
        let mut editor = TextEditor::multi_line();
        editor.insert("ein Ä\nzwei drei");
        editor.delete_word();
        assert_eq!(editor.text(), "ein Ä\nzwei ");
        editor.clear_line();
        editor.backspace();
        editor.backspace();
        assert_eq!((editor.text().as_str(), editor.cursor()), ("ein ", (0, 4)));
        assert_eq!(editor.size(), 4);
    }

    #[test]
    fn the_cursor_stays_inside_the_text() {
        let mut editor = TextEditor::multi_line();
        editor.insert("äb\nc");
        editor.go_up();
        assert_eq!(editor.cursor(), (0, 2));
        editor.go_end();
        editor.go_right();
        assert_eq!(editor.cursor(), (1, 0));
        editor.go_right();
        editor.go_right();
        assert_eq!(editor.cursor(), (1, 1));
        editor.go_home();
        assert!(editor.go_left());
        editor.go_home();
        assert!(!editor.go_left());
        editor.delete();
        assert_eq!(editor.text(), "b\nc");
    }
}
