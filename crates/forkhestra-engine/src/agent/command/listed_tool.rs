//! The entries of lists of tools.

/// A tool in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListedTool<'a> {
    pub(super) name: &'a str,
    /// What it may do, or may not, in the words of the program.
    pub(super) pattern: Option<&'a str>,
}

/// The tools of a list. There are none in a list that is not there.
pub(super) fn tools(list: &Option<Vec<String>>) -> impl Iterator<Item = ListedTool<'_>> {
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
