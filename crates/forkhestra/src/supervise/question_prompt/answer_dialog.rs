//! The dialog about a question at a terminal: what a typed line means.

/// The dialog about one question. Only a whole line with an explicit word is an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnswerDialog {
    comment: Option<String>,
    is_commenting: bool,
}

/// What follows from a typed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerDialogOutcome {
    Answer {
        approves: bool,
        comment: Option<String>,
    },
    /// The user has to type another line.
    AskAgain(Option<DialogRemark>),
}

/// What the user is informed about before the next line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialogRemark {
    /// The line is not an answer.
    NotAnAnswer,
    /// The line asked how to watch the run.
    Watch,
    /// The terminal may have cut off the end of the line.
    CutOff,
}

/// The prompts, for a terminal that is wide enough and for a narrow one.
const CHOICES: [&str; 2] =
    ["Approve? [a]pprove  [d]eny  [c]omment  [w]atch: ", "[a]pprove [d]eny [c]omment [w]atch: "];
const CHOICES_AFTER_COMMENT: [&str; 2] =
    ["Approve, with this comment? [a]pprove  [d]eny  [c]hange it: ", "[a]pprove [d]eny [c]hange: "];
const COMMENT: &str = "Comment for the next agent, in one line: ";
const SHORT_COMMENT: &str = "Comment: ";

/// The words that approve.
const APPROVAL: [&str; 2] = ["a", "approve"];

/// The words that deny. `x` is the key of `forkhestra watch`.
const DENIAL: [&str; 3] = ["d", "x", "deny"];

/// Columns that stay free for the typed word.
const ROOM: usize = 8;

impl AnswerDialog {
    pub(crate) const fn new() -> Self {
        Self { comment: None, is_commenting: false }
    }

    /// The prompt for the next line.
    pub(crate) fn prompt(&self, columns: usize) -> &'static str {
        let [long, short] = match (self.is_commenting, &self.comment) {
            (true, _) => [COMMENT, SHORT_COMMENT],
            (false, Some(_)) => CHOICES_AFTER_COMMENT,
            (false, None) => CHOICES,
        };
        if long.len() + ROOM <= columns { long } else { short }
    }

    /// Asks again instead of a line whose end may be missing.
    pub(crate) const fn refuse_cut_off_line(&self) -> AnswerDialogOutcome {
        AnswerDialogOutcome::AskAgain(Some(DialogRemark::CutOff))
    }

    /// Takes a line without its end.
    pub(crate) fn take_line(&mut self, line: &str) -> AnswerDialogOutcome {
        let line = line.trim();
        if std::mem::replace(&mut self.is_commenting, false) {
            self.comment = Some(line.to_owned()).filter(|comment| !comment.is_empty());
            return AnswerDialogOutcome::AskAgain(None);
        }
        let is = |words: &[&str]| words.iter().any(|word| line.eq_ignore_ascii_case(word));
        if is(&APPROVAL) || is(&DENIAL) {
            // The run may refuse it, and ask again.
            let comment = self.comment.clone();
            return AnswerDialogOutcome::Answer { approves: is(&APPROVAL), comment };
        }
        self.is_commenting = is(&["c", "comment"]);
        AnswerDialogOutcome::AskAgain(match self.is_commenting {
            true => None,
            false if is(&["w", "watch"]) => Some(DialogRemark::Watch),
            false => Some(DialogRemark::NotAnAnswer),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(lines: &[&str]) -> AnswerDialogOutcome {
        let mut dialog = AnswerDialog::new();
        let outcomes: Vec<_> = lines.iter().map(|line| dialog.take_line(line)).collect();
        outcomes.last().expect("there is a line").clone()
    }

    fn answer(approves: bool, comment: Option<&str>) -> AnswerDialogOutcome {
        AnswerDialogOutcome::Answer { approves, comment: comment.map(str::to_owned) }
    }

    #[test]
    fn only_an_explicit_word_is_an_answer() {
        for word in ["a", "A", "approve", "APPROVE", " Approve \t", "a\r"] {
            assert_eq!(after(&[word]), answer(true, None), "{word:?}");
        }
        for word in ["d", "D", "x", "X", "deny", "Deny "] {
            assert_eq!(after(&[word]), answer(false, None), "{word:?}");
        }
        let no_answer = AnswerDialogOutcome::AskAgain(Some(DialogRemark::NotAnAnswer));
        for word in [
            "", " ", "y", "yes", "Y", "n", "no", "ok", "aa", "xx", "a d", "approved", "ap", "1",
            "\u{1b}", "\u{1b}[A", "а", "ä", "a\u{0}", "approve?", "-a", "da",
        ] {
            assert_eq!(after(&[word]), no_answer, "{word:?}");
        }
    }

    #[test]
    fn a_comment_goes_with_the_answer_and_is_no_answer() {
        assert_eq!(after(&["c"]), AnswerDialogOutcome::AskAgain(None));
        assert_eq!(after(&["c", "a"]), AnswerDialogOutcome::AskAgain(None));
        assert_eq!(after(&["c", "a", "d"]), answer(false, Some("a")));
        assert_eq!(after(&["C", " use the API ", "Approve"]), answer(true, Some("use the API")));
        assert_eq!(after(&["c", "one", "c", "two", "a"]), answer(true, Some("two")));
        assert_eq!(after(&["c", "one", "comment", "", "a"]), answer(true, None));
        assert_eq!(after(&["c", "one", "", "w", "q", "d"]), answer(false, Some("one")));
    }

    #[test]
    fn asking_how_to_watch_answers_nothing() {
        let watch = AnswerDialogOutcome::AskAgain(Some(DialogRemark::Watch));
        assert_eq!(after(&["w"]), watch);
        assert_eq!(after(&["Watch"]), watch);
    }

    #[test]
    fn the_prompt_says_what_is_expected_and_fits() {
        let mut dialog = AnswerDialog::new();
        assert!(dialog.prompt(80).starts_with("Approve? [a]pprove  [d]eny  [c]omment  [w]atch"));
        assert!(dialog.prompt(40).len() < 40, "{}", dialog.prompt(40));
        dialog.take_line("c");
        assert!(dialog.prompt(80).starts_with("Comment for the next agent"));
        assert!(dialog.prompt(40).len() < 40);
        dialog.take_line("text");
        assert!(dialog.prompt(80).starts_with("Approve, with this comment?"));
        assert!(dialog.prompt(40).len() < 40);
    }
}
