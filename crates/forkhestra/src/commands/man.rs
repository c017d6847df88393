//! `forkhestra man`: manual pages, from the command lines themselves.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::words;
use tempfile::NamedTempFile;

use crate::args_setup::ManArgs;
use crate::error::CliError;
use crate::exit_code;
use crate::manual::{self, Page};
use crate::screen::Screen;

/// The section of the manual for programs.
const SECTION: &str = ".1";

/// Prints a page, or writes them all.
pub(crate) fn execute(args: &ManArgs, screen: &mut Screen) -> Result<u8, CliError> {
    match &args.dir {
        Some(dir) => write_all(dir, screen)?,
        None => print(args.page.as_deref().unwrap_or("forkhestra"), screen)?,
    }
    Ok(exit_code::COMPLETE)
}

/// A page is known by its name, by that of its file, and by the words of its command.
fn print(wanted: &str, screen: &mut Screen) -> Result<(), CliError> {
    let name = wanted.strip_suffix(SECTION).unwrap_or(wanted).replace(' ', "-");
    let pages = manual::pages();
    let found = pages.iter().find(|page| page.name == name);
    let ours = || pages.iter().find(|page| page.name == format!("forkhestra-{name}"));
    let page = found.or_else(ours).ok_or_else(|| unknown(wanted, &name, &pages))?;
    Ok(screen.print_data(&page.text)?)
}

fn unknown(wanted: &str, name: &str, pages: &[Page]) -> CliError {
    let names: Vec<&str> = pages.iter().map(|page| page.name.as_str()).collect();
    let ours = format!("forkhestra-{name}");
    let near = words::nearest(name, names.iter().copied());
    let near = near.or_else(|| words::nearest(&ours, names.iter().copied()));
    let error = Diagnostic::error(format!("there is no manual page `{wanted}`"))
        .maybe_hint(near.map(|near| format!("did you mean `{near}`?")));
    CliError::wrong(error.hint(format!("there are {}", names.join(", "))))
}

fn write_all(dir: &Path, screen: &mut Screen) -> Result<(), CliError> {
    let unusable = |path: &Path, error: &io::Error| {
        CliError::wrong(
            Diagnostic::error(format!("cannot write `{}`: {error}", path.display())).hint(
                "`--dir` takes a directory that you can write to, such as ~/.local/share/man/man1",
            ),
        )
    };
    fs::create_dir_all(dir).map_err(|error| unusable(dir, &error))?;
    let pages = manual::pages();
    for page in &pages {
        let path = dir.join(format!("{}{SECTION}", page.name));
        replace(dir, &path, &page.text).map_err(|error| unusable(&path, &error))?;
    }
    let count = words::count(pages.len(), "manual page");
    screen.remark(&format!("Wrote {count} to {}\n", dir.display()));
    Ok(())
}

/// Whoever reads a page meanwhile has the old one or the new one.
fn replace(dir: &Path, path: &Path, text: &str) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(dir)?;
    file.write_all(text.as_bytes())?;
    // Manual pages are for everybody; temporary files are not.
    file.as_file().set_permissions(Permissions::from_mode(0o644))?;
    file.persist(path)?;
    Ok(())
}
