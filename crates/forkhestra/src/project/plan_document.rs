//! The content of `PLAN.md`.

/// The user's answers about what to build. Only the idea is required.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PlanDocument {
    pub(crate) idea: String,
    pub(crate) users: Option<String>,
    pub(crate) done_when: Vec<String>,
    pub(crate) test_command: Option<String>,
    pub(crate) constraints: Vec<String>,
    pub(crate) out_of_scope: Vec<String>,
}

impl PlanDocument {
    /// The text of a new file.
    pub(crate) fn file(&self) -> String {
        format!("# Plan\n\n{}", self.sections("##"))
    }

    /// A section to append to an existing file.
    pub(crate) fn addition(&self) -> String {
        format!("\n## Next\n\n{}", self.sections("###"))
    }

    /// The idea, and a section for each other answer that is given.
    fn sections(&self, heading: &str) -> String {
        let test = self.test_command.as_ref().map(|command| format!("- `{command}` passes\n"));
        let sections = [
            ("Users", self.users.as_ref().map(|users| format!("{}\n", users.trim()))),
            ("Done when", list(&self.done_when)),
            ("Tests", test),
            ("Constraints", list(&self.constraints)),
            ("Out of scope", list(&self.out_of_scope)),
        ];
        let mut text = format!("{}\n", self.idea.trim());
        for (title, body) in sections {
            if let Some(body) = body {
                text.push_str(&format!("\n{heading} {title}\n\n{body}"));
            }
        }
        text
    }
}

fn list(items: &[String]) -> Option<String> {
    let lines: String = items.iter().map(|item| format!("- {}\n", item.trim())).collect();
    (!lines.is_empty()).then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> PlanDocument {
        PlanDocument {
            idea: " A shop for tea.\nIt sells by weight. \n".to_owned(),
            users: Some("People who drink tea".to_owned()),
            done_when: vec!["An order can be placed".to_owned(), "It is paid".to_owned()],
            test_command: Some("cargo test".to_owned()),
            constraints: vec!["No JavaScript".to_owned()],
            out_of_scope: vec!["Coffee".to_owned()],
        }
    }

    #[test]
    fn every_answer_has_a_section() {
        insta::assert_snapshot!(full().file(), @r"
        # Plan

        A shop for tea.
        It sells by weight.

        ## Users

        People who drink tea

        ## Done when

        - An order can be placed
        - It is paid

        ## Tests

        - `cargo test` passes

        ## Constraints

        - No JavaScript

        ## Out of scope

        - Coffee
        ");
    }

    #[test]
    fn unanswered_questions_are_left_out() {
        let only = PlanDocument { idea: "A shop".to_owned(), ..PlanDocument::default() };
        assert_eq!(only.file(), "# Plan\n\nA shop\n");
        assert_eq!(only.addition(), "\n## Next\n\nA shop\n");
        let some = PlanDocument { constraints: vec!["Small".to_owned()], ..only };
        assert_eq!(some.addition(), "\n## Next\n\nA shop\n\n### Constraints\n\n- Small\n");
    }
}
