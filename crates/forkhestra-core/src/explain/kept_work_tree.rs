//! The work trees that are kept as commits.

use crate::event::WorkTreeSnapshot;
use crate::id::RunId;
use crate::text::shell_word;

/// A command with more paths than this is too long to read.
const MAX_PATHS: usize = 5;

/// The git reference of a kept work tree.
pub fn reference(run: &RunId, number: u32) -> String {
    format!("refs/forkhestra/{run}/{number}")
}

/// The command that restores files. It has a placeholder if there are too many of them.
pub(super) fn restore(run: &RunId, snapshot: &WorkTreeSnapshot, paths: &[String]) -> String {
    let paths = match paths {
        few @ [_, ..] if few.len() <= MAX_PATHS => {
            few.iter().map(|path| shell_word(path)).collect::<Vec<_>>().join(" ")
        }
        _ => "PATH".to_owned(),
    };
    format!("git restore --source={} -- {paths}", reference(run, snapshot.number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_brought_back_by_name_unless_they_are_too_many() {
        let run = RunId::parse("q7w3k9zt").expect("it is an id");
        let snapshot = WorkTreeSnapshot { number: 3, commit: "c0ffee".to_owned() };
        let paths: Vec<String> = ["a.rs", "two words"].map(str::to_owned).to_vec();
        assert_eq!(
            restore(&run, &snapshot, &paths),
            "git restore --source=refs/forkhestra/q7w3k9zt/3 -- a.rs 'two words'"
        );
        let many: Vec<String> = (0..6).map(|number| number.to_string()).collect();
        for paths in [many.as_slice(), &[]] {
            let command = restore(&run, &snapshot, paths);
            assert_eq!(command, "git restore --source=refs/forkhestra/q7w3k9zt/3 -- PATH");
        }
    }
}
