//! The questions that `forkhestra plan` asks in a terminal.

use std::io::{self, BufRead, Write};

use crate::project::plan_document::PlanDocument;

const INTRODUCTION: &str =
    "A few questions. Enter skips one; Ctrl-C leaves, and nothing is written.\n";

/// Printed on a separate line: after a question it would exceed 80 columns.
const LIST_HINT: &str = "One answer a line; an empty line ends.";

/// Asks for missing answers, line by line.
pub(crate) struct Questionnaire<'a> {
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
}

/// Why the questions were not answered.
#[derive(Debug)]
pub(crate) enum QuestionnaireError {
    /// The input ended, as by Ctrl-D.
    Aborted,
    NotText,
    /// Reading or writing the terminal failed.
    Failed(io::Error),
}

impl<'a> Questionnaire<'a> {
    /// Asks through the given streams.
    pub(crate) fn new(input: &'a mut dyn BufRead, output: &'a mut dyn Write) -> Self {
        Self { input, output }
    }

    /// Asks for everything that `known` lacks. `usual_test` is offered as the test command.
    pub(crate) fn complete(
        &mut self,
        known: PlanDocument,
        usual_test: Option<&str>,
    ) -> Result<PlanDocument, QuestionnaireError> {
        let mut plan = known;
        self.print(INTRODUCTION)?;
        if plan.idea.trim().is_empty() {
            plan.idea = self.idea()?;
        }
        if plan.users.is_none() {
            plan.users = self.line("Who uses it, and what for?")?;
        }
        if plan.done_when.is_empty() {
            plan.done_when = self.list("What must be true when it is done?")?;
        }
        if plan.test_command.is_none() {
            let question = match usual_test {
                Some(usual) => format!("Which command tests it? [{usual}]"),
                None => "Which command tests it?".to_owned(),
            };
            let answer = self.line(&question)?;
            plan.test_command = answer.or_else(|| usual_test.map(str::to_owned));
        }
        if plan.constraints.is_empty() {
            let question = "What must it respect: languages, libraries, files not to change?";
            plan.constraints = self.list(question)?;
        }
        if plan.out_of_scope.is_empty() {
            plan.out_of_scope = self.list("What is out of scope?")?;
        }
        self.print("\n")?;
        Ok(plan)
    }

    /// Asks for the idea until one is given: it is required.
    fn idea(&mut self) -> Result<String, QuestionnaireError> {
        let mut question = "What do you want to build?";
        loop {
            if let Some(idea) = self.line(question)? {
                return Ok(idea);
            }
            question = "This answer is needed. What do you want to build?";
        }
    }

    fn line(&mut self, question: &str) -> Result<Option<String>, QuestionnaireError> {
        self.print(&format!("\n{question}\n> "))?;
        self.read()
    }

    fn list(&mut self, question: &str) -> Result<Vec<String>, QuestionnaireError> {
        self.print(&format!("\n{question}\n{LIST_HINT}\n"))?;
        let mut items = Vec::new();
        loop {
            self.print("> ")?;
            match self.read()? {
                Some(item) => items.push(item),
                None => return Ok(items),
            }
        }
    }

    fn read(&mut self) -> Result<Option<String>, QuestionnaireError> {
        let mut bytes = Vec::new();
        if self.input.read_until(b'\n', &mut bytes).map_err(QuestionnaireError::Failed)? == 0 {
            return Err(QuestionnaireError::Aborted);
        }
        let text = String::from_utf8(bytes).map_err(|_| QuestionnaireError::NotText)?;
        let answer = without_keys(&text);
        let answer = answer.trim();
        Ok((!answer.is_empty()).then(|| answer.to_owned()))
    }

    fn print(&mut self, text: &str) -> Result<(), QuestionnaireError> {
        let written = self.output.write_all(text.as_bytes()).and_then(|()| self.output.flush());
        written.map_err(QuestionnaireError::Failed)
    }
}

/// Removes the escape sequences of arrow and function keys, which a terminal in line mode passes
/// on.
fn without_keys(line: &str) -> String {
    let mut text = String::new();
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            if characters.next_if(|next| matches!(next, '[' | 'O')).is_some() {
                // Parameter bytes, then the final byte of the sequence.
                while characters.next_if(|next| matches!(next, ' '..='?')).is_some() {}
                characters.next();
            }
        } else if character == '\t' {
            text.push(' ');
        } else if !character.is_control() {
            text.push(character);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(
        known: PlanDocument,
        usual_test: Option<&str>,
        typed: &str,
    ) -> (Result<PlanDocument, QuestionnaireError>, String) {
        let (mut input, mut output) = (typed.as_bytes(), Vec::new());
        let plan = Questionnaire::new(&mut input, &mut output).complete(known, usual_test);
        (plan, String::from_utf8(output).expect("it is text"))
    }

    #[test]
    fn each_answer_sets_its_field_and_an_idea_is_required() {
        let typed =
            "\nA shop\nTea drinkers\nOrders work\nPayment works\n\nmake test\nSmall\n\nCoffee\n\n";
        let (plan, screen) = answered(PlanDocument::default(), Some("cargo test"), typed);
        let plan = plan.expect("all is answered");
        assert_eq!(plan.idea, "A shop");
        assert_eq!(plan.users.as_deref(), Some("Tea drinkers"));
        assert_eq!(plan.done_when, ["Orders work", "Payment works"]);
        assert_eq!(plan.test_command.as_deref(), Some("make test"));
        assert_eq!(plan.constraints, ["Small"]);
        assert_eq!(plan.out_of_scope, ["Coffee"]);
        assert!(screen.contains("This answer is needed."), "the first was empty: {screen}");
    }

    #[test]
    fn enter_skips_a_question_and_accepts_the_known_test_command() {
        let known = PlanDocument { idea: "A shop".to_owned(), ..PlanDocument::default() };
        let (plan, _) = answered(known.clone(), Some("cargo test"), "\n\n\n\n\n");
        let test_command = Some("cargo test".to_owned());
        assert_eq!(plan.expect("all is answered"), PlanDocument { test_command, ..known.clone() });
        let (plan, _) = answered(known.clone(), None, "\n\n\n\n\n");
        assert_eq!(plan.expect("all is answered"), known);
    }

    #[test]
    fn answered_questions_are_not_asked() {
        let known = PlanDocument {
            idea: "A shop".to_owned(),
            users: Some("Tea drinkers".to_owned()),
            done_when: vec!["Orders work".to_owned()],
            test_command: Some("make".to_owned()),
            constraints: vec!["Small".to_owned()],
            out_of_scope: vec!["Coffee".to_owned()],
        };
        let (plan, screen) = answered(known.clone(), None, "");
        assert_eq!(plan.expect("nothing is asked"), known);
        assert!(!screen.contains('>'), "{screen}");
    }

    #[test]
    fn the_end_of_the_input_cancels() {
        for typed in ["", "A shop\n", "A shop\nx\ny\n"] {
            let (plan, _) = answered(PlanDocument::default(), None, typed);
            assert!(matches!(plan, Err(QuestionnaireError::Aborted)), "{typed:?}");
        }
        let (mut input, mut output) = (&b"\xff\n"[..], Vec::new());
        let plan =
            Questionnaire::new(&mut input, &mut output).complete(PlanDocument::default(), None);
        assert!(matches!(plan, Err(QuestionnaireError::NotText)));
    }

    #[test]
    fn arrow_keys_leave_nothing_in_an_answer() {
        for (typed, text) in [
            ("a \u{1b}[Ashop", "a shop"),
            ("a\u{1b}[1;5Dshop", "ashop"),
            ("\u{1b}OPshop\u{7}", "shop"),
            ("a\tshop\r\n", "a shop"),
            ("\u{1b}", ""),
            ("ein Café", "ein Café"),
        ] {
            assert_eq!(without_keys(typed), text, "{typed:?}");
        }
    }
}
