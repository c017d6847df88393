//! The release archive: programs, completions, man pages, licences and documents.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use devkit::command;
use devkit::error::Result;
use devkit::files;
use devkit::release::BuildTarget;
use devkit::workspace::Workspace;

use super::PROGRAMS;

/// Files of the repository that are in every archive.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// The completions of each shell, with the file names that the shell expects.
const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "forkhestra.bash"), ("zsh", "_forkhestra"), ("fish", "forkhestra.fish")];

/// An archive and its checksum file.
pub(super) struct Archive {
    pub(super) path: PathBuf,
    pub(super) checksums: PathBuf,
}

impl Archive {
    /// Packs the programs in this folder and everything else.
    pub(super) fn make(workspace: &Workspace, folder: &Path, target: &BuildTarget) -> Result<Self> {
        let forkhestra = folder.join("forkhestra");
        let name = format!("{}-{}", version(&forkhestra)?, target.name);
        let staging = folder.join(&name);
        remove_folder(&staging)?;
        files::make_folder(&staging.join("completions"))?;
        for program in PROGRAMS {
            files::copy(&folder.join(program), &staging.join(program))?;
        }
        for document in DOCUMENTS {
            files::copy(&workspace.root.join(document), &staging.join(document))?;
        }
        for (shell, file) in COMPLETIONS {
            let script =
                command::stdout_of(Command::new(&forkhestra).args(["completions", shell]))?;
            files::write(&staging.join("completions").join(file), &script)?;
        }
        let man = staging.join("man/man1");
        command::run(Command::new(&forkhestra).args(["man", "--dir"]).arg(&man))?;
        let file = format!("{name}.tar.gz");
        command::run(Command::new("tar").current_dir(folder).args(["-czf", &file, &name]))?;
        remove_folder(&staging)?;
        let checksums = folder.join("SHA256SUMS");
        files::write(&checksums, &sums(folder, &file)?)?;
        Ok(Self { path: folder.join(file), checksums })
    }
}

/// The name and version that a program prints, as in `forkhestra-0.1.0`.
fn version(program: &Path) -> Result<String> {
    let output = command::stdout_of(Command::new(program).arg("--version"))?;
    Ok(output.trim().replace(' ', "-"))
}

/// The checksums of the archive and the programs, in the form that `sha256sum --check` reads.
fn sums(folder: &Path, archive: &str) -> Result<String> {
    let is_there = command::answers(Command::new("sha256sum").arg("--version"));
    let (program, options): (&str, &[&str]) =
        if is_there { ("sha256sum", &[]) } else { ("shasum", &["-a", "256"]) };
    let mut command = Command::new(program);
    command.current_dir(folder).args(options).arg(archive).args(PROGRAMS);
    command::stdout_of(&mut command)
}

fn remove_folder(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(files::failing("remove", path)(error))
        }
        _ => Ok(()),
    }
}
