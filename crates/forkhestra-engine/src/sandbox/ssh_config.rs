//! The system's settings of ssh inside a user namespace.
//!
//! The namespace of bubblewrap maps only the user's id. Files of root have the owner `nobody` there, and
//! ssh rejects settings with another owner than the user or root ("Bad owner or permissions"). So the
//! sandbox has copies that the user owns.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use forkhestra_core::plan::{SandboxMechanism, StepSandbox};
use rustix::process::geteuid;

use super::agent_sandbox::scratch_directory;
use super::sandbox_paths::{SandboxPaths, real};
use crate::regular_file;

/// The directory whose files ssh verifies.
const DIRECTORY: &str = "/etc/ssh/ssh_config.d";

/// Replaces the settings by copies, if there are any that ssh would refuse.
pub(super) fn replace(
    paths: &mut SandboxPaths,
    sandbox: &StepSandbox,
    scratch: &Path,
) -> io::Result<()> {
    let user = geteuid();
    // Root stays root.
    if user.is_root() || sandbox.mechanism != Some(SandboxMechanism::Bubblewrap) {
        return Ok(());
    }
    let directory = Path::new(DIRECTORY);
    let files = files_of_others(directory, user.as_raw());
    if files.is_empty() {
        return Ok(());
    }
    let copies = scratch_directory(scratch, "ssh_config.d")?;
    copy(directory, &copies)?;
    let included = included_files(&copies);
    paths.replaced.insert(directory.to_owned(), copies);
    let places = scratch_directory(scratch, "ssh_included")?;
    for (number, file) in included.into_iter().enumerate() {
        let Ok(content) = regular_file::read(&file) else { continue };
        let place = places.join(number.to_string());
        write_private(&place, &content)?;
        paths.replaced.insert(file, place);
    }
    Ok(())
}

/// The canonical paths of the files that these files include: some systems keep their list of ciphers
/// in one.
fn included_files(directory: &Path) -> BTreeSet<PathBuf> {
    let files = fs::read_dir(directory).into_iter().flatten().flatten();
    let texts = files.filter_map(|file| regular_file::read_text(&file.path()).ok());
    let mut included = BTreeSet::new();
    for text in texts {
        for line in text.lines() {
            let mut words = line.split_whitespace();
            if words.next().is_some_and(|word| word.eq_ignore_ascii_case("include")) {
                let absolute = words.map(Path::new).filter(|path| path.is_absolute());
                included.extend(absolute.filter_map(real));
            }
        }
    }
    included
}

/// The files in a directory that belong to another user.
fn files_of_others(directory: &Path, user: u32) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path());
    files.filter(|path| fs::metadata(path).is_ok_and(|found| found.uid() != user)).collect()
}

/// Copies the files of a directory that can be read.
fn copy(directory: &Path, copies: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let Ok(content) = regular_file::read(&entry.path()) else { continue };
        write_private(&copies.join(entry.file_name()), &content)?;
    }
    Ok(())
}

fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(content)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn settings_of_others_are_copied_for_the_user() {
        let temporary = tempfile::tempdir().expect("there is room");
        let at = |name: &str| temporary.path().join(name);
        for name in ["system", "copies", "system/directory.conf"] {
            fs::create_dir(at(name)).expect("it is ours");
        }
        fs::write(at("ciphers"), "Ciphers x\n").expect("it is ours");
        let included = format!("Match final all\n  Include {}\n", at("ciphers").display());
        fs::write(at("system/10-a.conf"), included).expect("it is ours");
        symlink("10-a.conf", at("system/20-b.conf")).expect("it is ours");
        symlink("missing", at("system/30-c.conf")).expect("it is ours");
        let user = geteuid().as_raw();
        assert_eq!(files_of_others(&at("system"), user), Vec::<PathBuf>::new());
        assert_eq!(files_of_others(&at("system"), user + 1).len(), 3);
        assert_eq!(files_of_others(&at("missing"), user).len(), 0);
        // A second agent finds the copies of the first one.
        for _ in 0..2 {
            copy(&at("system"), &at("copies")).expect("both are ours");
        }
        let ciphers = at("ciphers").canonicalize().expect("it is there");
        assert_eq!(included_files(&at("copies")), [ciphers].into());
        let names = fs::read_dir(at("copies")).expect("it is ours").flatten();
        let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, ["10-a.conf", "20-b.conf"]);
        let copied = fs::symlink_metadata(at("copies/20-b.conf")).expect("it is copied");
        assert!(copied.is_file() && copied.mode() & 0o022 == 0);
    }
}
