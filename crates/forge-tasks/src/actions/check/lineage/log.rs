//! The commits that changed tasks.

use std::collections::HashMap;

use super::git::Git;
use super::graph::Graph;

/// Where history begins. While a merge, a rebase or the like is not finished, the other side is only to
/// be found by one of the names behind the first; after a rebase, the commits as they were made are.
const STARTS: [&str; 5] = ["HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "ORIG_HEAD"];

/// Every commit that changed a task, and which of them come before which.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) graph: Graph,
    pub(super) changes: Vec<Change>,
}

/// A version of a file, and the commit that it came with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) commit: usize,
    /// From the directory of tasks.
    pub(super) path: String,
    pub(super) blob: String,
}

/// Asks git for all of them. Renames are not looked for: two short files are easily alike.
pub(super) fn read(git: &Git<'_>) -> Option<Log> {
    let prefix = git.ask(&["rev-parse", "--show-prefix"])?;
    let mut arguments = vec!["-c", "log.follow=false", "-c", "log.showSignature=false"];
    arguments.extend(["-c", "diff.relative=false", "log", "-z", "--ignore-missing"]);
    arguments.extend(["--full-history", "--parents", "--format=%H %P"]);
    // With what a merge has that is on neither side (-c): that came with it.
    arguments.extend(["--raw", "--no-abbrev", "--no-renames", "--root", "-c"]);
    arguments.extend(STARTS);
    arguments.extend(["--", "."]);
    let said = git.ask(&arguments)?;
    Some(parse(&said, prefix.trim_end_matches('\n')))
}

fn parse(said: &str, prefix: &str) -> Log {
    let mut ids: HashMap<&str, usize> = HashMap::new();
    let mut parents: Vec<Vec<&str>> = Vec::new();
    let mut changes = Vec::new();
    let mut parts = said.split('\0').map(|part| part.trim_start_matches('\n'));
    while let Some(part) = parts.next() {
        if part.starts_with(':') {
            let path = parts.next().unwrap_or_default();
            let commit = parents.len().saturating_sub(1);
            changes.extend(change(commit, part, path, prefix));
        } else if let Some((id, of_it)) = part.split_once(' ') {
            ids.insert(id, parents.len());
            parents.push(of_it.split(' ').collect());
        }
    }
    let known = |of_one: Vec<&str>| of_one.iter().filter_map(|id| ids.get(id).copied()).collect();
    let graph = Graph::new(parents.into_iter().map(known).collect());
    Log { graph, changes }
}

/// Reads `:MODE MODE BLOB BLOB STATUS`; of a merge there are more of each.
fn change(commit: usize, line: &str, path: &str, prefix: &str) -> Option<Change> {
    let sides = line.bytes().take_while(|byte| *byte == b':').count();
    let words: Vec<&str> = line[sides..].split(' ').collect();
    let (mode, blob) = (words.get(sides)?, words.get(2 * sides + 1)?);
    let path = path.strip_prefix(prefix)?;
    let is_file = mode.starts_with("100") && path.ends_with(".md");
    is_file.then(|| Change { commit, path: path.to_owned(), blob: (*blob).to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_merges_and_their_files_are_read() {
        let said = "c3 c1 c2\0\0::100644 000000 100644 a b m MA\0d/evil.md\0\
                    c2 c0\0\n:000000 100644 z b A\0d/b.md\0:100644 000000 a z D\0d/gone.md\0\
                    c1 c0\0\n:100644 100644 z a M\0d/c.json\0\
                    c0 \0\n:000000 120000 z l A\0d/link.md\0:000000 100644 z 0 A\0d/archive/0.md\0";
        let Log { graph, changes } = parse(said, "d/");
        let found: Vec<(usize, &str, &str)> =
            changes.iter().map(|one| (one.commit, one.path.as_str(), one.blob.as_str())).collect();
        assert_eq!(found, [(0, "evil.md", "m"), (1, "b.md", "b"), (3, "archive/0.md", "0")]);
        assert!(graph.has(0, 1) && graph.has(1, 3) && !graph.has(1, 2));
    }

    #[test]
    fn nonsense_is_no_history() {
        for said in ["", ":", "x", ":::\0", "a b\0:1 2\0", "::a b\0p"] {
            assert_eq!(parse(said, "").changes, []);
        }
    }
}
