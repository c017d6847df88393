//! Entries of lists of tools.

/// An entry of a list of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agent) struct ListedTool<'a> {
    pub(in crate::agent) name: &'a str,
    /// The pattern in the syntax of the agent program.
    pub(in crate::agent) pattern: Option<&'a str>,
}

/// The entries of a list; none if there is no list.
pub(in crate::agent) fn tools(list: &Option<Vec<String>>) -> impl Iterator<Item = ListedTool<'_>> {
    list.iter().flatten().map(|entry| {
        let (name, rest) = entry.split_once('(').unwrap_or((entry, ""));
        ListedTool { name, pattern: rest.strip_suffix(')') }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_a_name_that_a_pattern_may_follow() {
        let list = Some(["read", "bash(a (b) c)"].map(str::to_owned).to_vec());
        let found: Vec<_> = tools(&list).map(|tool| (tool.name, tool.pattern)).collect();
        assert_eq!(found, [("read", None), ("bash", Some("a (b) c"))]);
        assert_eq!(tools(&None).count(), 0);
    }
}
