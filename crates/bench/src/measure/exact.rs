//! Compares the output of forkhestra with that of the agent.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::thread;
use std::time::Duration;

use devkit::error::{Error, Result};
use devkit::files;

/// The prefix of forkhestra's own lines. The agent prints no such line.
const OUR_PREFIX: &[u8] = b"[forkhestra] ";

/// The number of bytes that are read slowly.
const SLOW_BYTES: usize = 64_000_000;
const CHUNK_BYTES: usize = 64 * 1024;
const READ_PAUSE: Duration = Duration::from_millis(1);

/// Reads all output, slowly at first, and compares the part between forkhestra's own lines with a
/// file.
pub(crate) fn read_slowly(output: impl Read, printed: &Path) -> Result<()> {
    let file = File::open(printed).map_err(files::failing("read", printed))?;
    let slow = SlowReader { reader: output, left: SLOW_BYTES };
    let mut output = BufReader::with_capacity(CHUNK_BYTES, slow);
    match compare(&mut output, file) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::Unmet("bytes that an agent printed were changed or lost".into())),
        Err(source) => Err(files::failing("read", printed)(source)),
    }
}

/// A reader that waits before each of the first reads.
struct SlowReader<R> {
    reader: R,
    left: usize,
}

impl<R: Read> Read for SlowReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left > 0 {
            thread::sleep(READ_PAUSE);
        }
        let length = self.reader.read(buffer)?;
        self.left = self.left.saturating_sub(length);
        Ok(length)
    }
}

/// Whether the output is own lines, the whole file, and own lines again.
fn compare(output: &mut impl BufRead, mut file: impl Read) -> io::Result<bool> {
    // One byte suffices to recognise an own line, and is available if the line is.
    while output.fill_buf()?.first() == OUR_PREFIX.first() {
        output.read_until(b'\n', &mut Vec::new())?;
    }
    let (mut expected, mut found) = (vec![0; CHUNK_BYTES], vec![0; CHUNK_BYTES]);
    loop {
        let length = file.read(&mut expected)?;
        if length == 0 {
            break;
        }
        match output.read_exact(&mut found[..length]) {
            Ok(()) if found[..length] == expected[..length] => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    let mut rest = Vec::new();
    output.read_to_end(&mut rest)?;
    Ok(rest.strip_prefix(b"\n").unwrap_or(&rest).starts_with(OUR_PREFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_bytes_between_lines_of_ours_are_the_same() {
        let is_same = |mut output: &[u8]| {
            compare(&mut output, b"one\ntwo".as_slice()).expect("memory can be read")
        };
        assert!(is_same(b"[forkhestra] a\n[forkhestra] b\none\ntwo\n[forkhestra] c\n"));
        assert!(is_same(b"one\ntwo[forkhestra] c\n"));
        for output in [
            b"[forkhestra] a\none\ntw0\n[forkhestra] c\n".as_slice(),
            b"[forkhestra] a\none\n[forkhestra] c\n",
            b"[forkhestra] a\none\ntwo and more\n[forkhestra] c\n",
            b"[forkhestra] a\none\n",
            b"",
        ] {
            assert!(!is_same(output), "{}", String::from_utf8_lossy(output));
        }
    }
}
