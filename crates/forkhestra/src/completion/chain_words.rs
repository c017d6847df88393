//! The agent at the end of a chain that is being typed.

/// What stands before the agent, and what there is of the agent.
pub(super) fn last_agent(typed: &str) -> (&str, &str) {
    let behind_arrow = typed.rfind("->").map_or(0, |arrow| arrow + "->".len());
    let rest = &typed[behind_arrow..];
    let blanks = rest.len() - rest.trim_start().len();
    typed.split_at(behind_arrow + blanks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_stands_behind_the_last_arrow_and_its_blanks() {
        for (typed, expected) in [
            ("", ("", "")),
            ("pla", ("", "pla")),
            ("planner:3 -> bu", ("planner:3 -> ", "bu")),
            ("planner:3 -> ", ("planner:3 -> ", "")),
            ("a->b->", ("a->b->", "")),
            ("a -", ("", "a -")),
            ("fk:pl", ("", "fk:pl")),
            ("ä ->  ö", ("ä ->  ", "ö")),
        ] {
            assert_eq!(last_agent(typed), expected, "{typed}");
        }
    }
}
