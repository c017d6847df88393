//! `cargo xtask dist`: the release binaries, ready to be copied to another machine.

mod linkage;

use crate::error::Result;
use crate::files;
use crate::release;
use crate::workspace::Workspace;

use self::linkage::Linkage;

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let folder = workspace.target.join("dist");
    files::make_folder(&folder)?;
    for program in release::build(workspace)? {
        let copy = folder.join(&program.name);
        files::copy(&program.path, &copy)?;
        let bytes = files::size(&copy)?;
        let linkage = Linkage::of(&files::read(&copy)?);
        println!("{}: {}, {linkage}", copy.display(), size(bytes));
    }
    Ok(())
}

fn size(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / (1024.0 * 1024.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_in_mebibytes() {
        assert_eq!(size(3_565_158), "3.4 MiB");
    }
}
