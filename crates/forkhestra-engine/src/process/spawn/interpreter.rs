//! Finds what a file needs to be run: the interpreter of a script, the loader of a binary.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

use super::spawn_error::InterpreterFault;

/// The system reads this many bytes of a file for a `#!` line.
const HEADER_BYTES: usize = 256;

/// The longest chain of scripts that are interpreters of scripts.
const MAX_DEPTH: usize = 5;

enum InterpreterNeed {
    Nothing,
    Interpreter(PathBuf),
    Loader(PathBuf),
}

/// The fault of a file's interpreter or loader. Relative names are resolved in `directory`; without
/// one they are not checked.
pub(crate) fn fault(program: &Path, directory: Option<&Path>) -> Option<InterpreterFault> {
    let mut file = program.to_owned();
    for _ in 0..MAX_DEPTH {
        // A file that is executable but not readable cannot be checked.
        let need = interpreter_need(&file).unwrap_or(InterpreterNeed::Nothing);
        match need {
            InterpreterNeed::Nothing => return None,
            InterpreterNeed::Interpreter(interpreter) => {
                let path = absolute(&interpreter, directory)?;
                match runnable(&path) {
                    Runnable::Yes => file = path,
                    Runnable::No => {
                        return Some(InterpreterFault::NotRunnable { interpreter });
                    }
                    Runnable::Missing => return Some(InterpreterFault::Missing { interpreter }),
                }
            }
            InterpreterNeed::Loader(loader) => {
                let path = absolute(&loader, directory)?;
                return match runnable(&path) {
                    Runnable::Yes => None,
                    Runnable::No => Some(InterpreterFault::LoaderNotRunnable { loader }),
                    Runnable::Missing => Some(InterpreterFault::LoaderMissing { loader }),
                };
            }
        }
    }
    None
}

/// Whether a file can be run, as far as its metadata show.
pub(crate) enum Runnable {
    Yes,
    No,
    Missing,
}

pub(crate) fn runnable(path: &Path) -> Runnable {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Runnable::No,
        Ok(_) => match accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS) {
            Ok(()) => Runnable::Yes,
            Err(_) => Runnable::No,
        },
        Err(error) if is_missing(&error) => Runnable::Missing,
        Err(_) => Runnable::No,
    }
}

/// Whether an error means that there is no such file.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn absolute(path: &Path, directory: Option<&Path>) -> Option<PathBuf> {
    if path.is_absolute() { Some(path.to_owned()) } else { Some(directory?.join(path)) }
}

fn interpreter_need(path: &Path) -> io::Result<InterpreterNeed> {
    let file = File::open(path)?;
    let mut start = [0; HEADER_BYTES];
    let length = file.read_at(&mut start, 0)?;
    let start = &start[..length];
    if let Some(line) = start.strip_prefix(b"#!") {
        return Ok(
            named_interpreter(line).map_or(InterpreterNeed::Nothing, InterpreterNeed::Interpreter)
        );
    }
    Ok(elf_loader(&file, start)?.map_or(InterpreterNeed::Nothing, InterpreterNeed::Loader))
}

/// The first word after `#!`.
fn named_interpreter(line: &[u8]) -> Option<PathBuf> {
    let line = line.split(|byte| *byte == b'\n').next()?;
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t'));
    let word = words.find(|word| !word.is_empty())?;
    Some(PathBuf::from(OsString::from_vec(word.to_owned())))
}

/// The loader that a dynamic 64-bit little-endian binary names.
fn elf_loader(file: &File, header: &[u8]) -> io::Result<Option<PathBuf>> {
    const ELF_MAGIC_LE64: &[u8] = b"\x7fELF\x02\x01";
    const PT_INTERP: u64 = 3;
    if cfg!(target_endian = "big") || header.len() < 64 || !header.starts_with(ELF_MAGIC_LE64) {
        return Ok(None);
    }
    let table = number(header, 32, 8);
    let (entry_size, entries) = (number(header, 54, 2), number(header, 56, 2));
    if entry_size < 56 {
        return Ok(None);
    }
    for index in 0..entries {
        let mut entry = [0; 56];
        file.read_exact_at(&mut entry, table.saturating_add(index * entry_size))?;
        if number(&entry, 0, 4) != PT_INTERP {
            continue;
        }
        let length = number(&entry, 32, 8).min(4096);
        let mut name = vec![0; usize::try_from(length).unwrap_or(0)];
        file.read_exact_at(&mut name, number(&entry, 8, 8))?;
        name.truncate(name.iter().position(|byte| *byte == 0).unwrap_or(name.len()));
        return Ok(Some(PathBuf::from(OsString::from_vec(name))));
    }
    Ok(None)
}

/// A little-endian number at an offset of a header that is long enough.
fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    bytes[at..at + length].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interpreter_is_the_first_word_after_the_shebang() {
        let table: [(&[u8], Option<&str>); 6] = [
            (b"/bin/sh\n", Some("/bin/sh")),
            (b" \t/usr/bin/env -S node\nx", Some("/usr/bin/env")),
            (b"/bin/sh\r\necho", Some("/bin/sh\r")),
            (b"relative/x", Some("relative/x")),
            (b"\n/bin/sh", None),
            (b"", None),
        ];
        for (line, expected) in table {
            assert_eq!(named_interpreter(line), expected.map(PathBuf::from), "{line:?}");
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    #[cfg(target_endian = "little")]
    fn a_dynamic_binary_names_its_loader() {
        let Ok(InterpreterNeed::Loader(loader)) = interpreter_need(Path::new("/proc/self/exe"))
        else {
            panic!("we have a loader");
        };
        assert!(loader.exists(), "{}", loader.display());
    }
}
