//! `docs/performance.md`: the table is between two markers, the rest is written by hand.

use std::env::consts;
use std::thread;

use devkit::error::{Error, Result};
use devkit::files;
use devkit::workspace::Workspace;

const PATH: &str = "docs/performance.md";
const BEGIN: &str = "<!-- written by `cargo xtask bench --write` -->";
const END: &str = "<!-- end of what `cargo xtask bench --write` wrote -->";

pub(crate) fn update(workspace: &Workspace, table: &str) -> Result<()> {
    let path = workspace.root.join(PATH);
    let document = files::read_text_if_any(&path)?.unwrap_or_else(template);
    let section = format!("{table}\n\nMeasured on {}.", machine());
    let updated = replaced(&document, &section).ok_or_else(|| {
        Error::Unmet(format!("{PATH} lacks the line `{BEGIN}`, followed by `{END}`"))
    })?;
    files::write(&path, &updated)?;
    println!("{PATH}: written");
    Ok(())
}

fn machine() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    format!("{} {} with {cores} cores", consts::OS, consts::ARCH)
}

/// The document with new text between the markers.
fn replaced(document: &str, section: &str) -> Option<String> {
    let (before, rest) = document.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{section}\n\n{END}{after}"))
}

fn template() -> String {
    format!("# What it costs\n\n{BEGIN}\n{END}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_part_between_the_markers_changes() {
        let document = format!("# Title\n\nBefore.\n\n{BEGIN}\nold\n{END}\n\nAfter.\n");
        let once = replaced(&document, "new").expect("the markers are there");
        assert_eq!(once, format!("# Title\n\nBefore.\n\n{BEGIN}\n\nnew\n\n{END}\n\nAfter.\n"));
        assert_eq!(replaced(&once, "new"), Some(once.clone()), "and stays");
    }

    #[test]
    fn a_document_without_markers_in_order_is_left_alone() {
        assert_eq!(replaced("# Title\n", "new"), None);
        assert_eq!(replaced(&format!("{END}\n{BEGIN}\n"), "new"), None);
        assert!(replaced(&template(), "new").is_some(), "ours has them");
    }
}
