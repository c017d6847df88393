//! What a person wants, as the text of `PLAN.md`.

/// What a person wants to have built. Only the idea is needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PlanDocument {
    /// What is to be built.
    pub(crate) idea: String,
    /// Who uses it, and what for.
    pub(crate) users: Option<String>,
    /// What must be true when it is done.
    pub(crate) done_when: Vec<String>,
    /// The command that tests it.
    pub(crate) test_command: Option<String>,
    /// What the work must respect.
    pub(crate) constraints: Vec<String>,
    /// What is not to be built.
    pub(crate) out_of_scope: Vec<String>,
}

impl PlanDocument {
    /// The whole file.
    pub(crate) fn file(&self) -> String {
        format!("# Plan\n\n{}", self.sections("##"))
    }

    /// A part to be added below what is there.
    pub(crate) fn addition(&self) -> String {
        format!("\n## Next\n\n{}", self.sections("###"))
    }

    /// The idea, and a section for each other thing that is known.
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
    fn what_was_not_answered_is_left_out() {
        let only = PlanDocument { idea: "A shop".to_owned(), ..PlanDocument::default() };
        assert_eq!(only.file(), "# Plan\n\nA shop\n");
        assert_eq!(only.addition(), "\n## Next\n\nA shop\n");
        let some = PlanDocument { constraints: vec!["Small".to_owned()], ..only };
        assert_eq!(some.addition(), "\n## Next\n\nA shop\n\n### Constraints\n\n- Small\n");
    }
}
