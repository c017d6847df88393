//! Workflows run pinned actions with the permissions that they name.

use crate::workspace::finding::Finding;

pub(crate) fn is_workflow(path: &str) -> bool {
    path.starts_with(".github/workflows/") && path.ends_with(".yml")
}

pub(crate) fn findings(path: &str, text: &str) -> Vec<Finding> {
    let finding = |line, message| Finding { path: path.to_owned(), line, message };
    let actions = text.lines().enumerate().filter_map(|(index, line)| {
        let action = line.trim_start().trim_start_matches("- ").strip_prefix("uses: ")?;
        let message = format!("`{action}` must be `owner/name@commit # version`");
        (!is_pinned(action)).then(|| finding(index + 1, message))
    });
    let mut findings: Vec<Finding> = actions.collect();
    if !text.lines().any(|line| line == "permissions:") {
        let message = "the workflow must name its `permissions` for all jobs".to_owned();
        findings.push(finding(1, message));
    }
    findings
}

/// Whether an action is named by a full commit hash, with its version as a comment.
fn is_pinned(action: &str) -> bool {
    let Some((name, version)) = action.split_once(" # v") else {
        return false;
    };
    let hash = name.split_once('@').map(|(_, hash)| hash).unwrap_or_default();
    hash.len() == 40
        && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && version.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PINNED: &str = "owner/name@0123456789abcdef0123456789abcdef01234567 # v1.2.3";

    fn lines(action: &str) -> Vec<usize> {
        let text = format!("permissions:\n  contents: read\n    - uses: {action}\n");
        findings("w.yml", &text).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn an_action_without_hash_or_version_is_caught() {
        assert_eq!(lines(PINNED), [0; 0]);
        for action in [
            "owner/name@v1",
            "owner/name@main # v1.2.3",
            "owner/name@0123456789abcdef0123456789abcdef01234567",
            "owner/name@0123456789ABCDEF0123456789ABCDEF01234567 # v1.2.3",
            "owner/name # v1",
        ] {
            assert_eq!(lines(action), [3], "{action}");
        }
    }

    #[test]
    fn a_workflow_without_permissions_is_caught() {
        let text =
            format!("jobs:\n  a:\n    permissions: {{}}\n    steps:\n      - uses: {PINNED}\n");
        assert_eq!(findings("w.yml", &text).len(), 1);
    }
}
