//! The header of a tail file.

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use crate::disk::DiskFile;

/// The first line of a tail file, with the version of its format.
const TITLE: &str = "forkhestra tail 1\n";

/// The length of every number in the header, enough for any `u64`.
const DIGITS: usize = 20;

/// The length of a line: name, number and line break.
const LINE_BYTES: usize = 6 + DIGITS + 1;

/// The offsets of the numbers in the last two lines.
const END_OFFSET: u64 = (TITLE.len() + 3 * LINE_BYTES + 6) as u64;
const END_COPY_OFFSET: u64 = END_OFFSET + LINE_BYTES as u64;

/// The offset of the data, which starts on a page of its own.
const DATA_OFFSET: u64 = 4096;

/// Maps offsets of the output to places in a tail file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TailLayout {
    /// The offset of the first byte that was ever kept here.
    pub(super) from: u64,
    /// The capacity in bytes.
    pub(super) size: u64,
    /// The maximum length of one write.
    pub(super) spare: u64,
}

impl TailLayout {
    /// Writes the header of an empty file.
    pub(super) fn write(&self, file: &dyn DiskFile) -> io::Result<()> {
        let Self { from, size, spare } = self;
        let header = format!(
            "{TITLE}from  {from:020}\nsize  {size:020}\nspare {spare:020}\nend   {from:020}\n\
             again {from:020}\n"
        );
        file.write_all_at(header.as_bytes(), 0)
    }

    /// Reads the header of a file. Returns `None` if the writer died before it was complete.
    pub(super) fn read(file: &File) -> io::Result<Option<Self>> {
        let mut header = [0; TITLE.len() + 3 * LINE_BYTES];
        match file.read_exact_at(&mut header, 0) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            result => result?,
        }
        let lines = header.strip_prefix(TITLE.as_bytes()).ok_or_else(not_a_tail)?;
        let number =
            |index: usize| number(&lines[index * LINE_BYTES + 6..(index + 1) * LINE_BYTES - 1]);
        let layout = Self { from: number(0)?, size: number(1)?, spare: number(2)? };
        if layout.spare > layout.size || layout.size == 0 {
            return Err(not_a_tail());
        }
        Ok(Some(layout))
    }

    /// The range of valid bytes when those up to `end` are in the file.
    pub(super) const fn kept(&self, end: u64) -> Range<u64> {
        let oldest = end.saturating_add(self.spare).saturating_sub(self.size);
        if oldest > self.from { oldest..end } else { self.from..end }
    }

    /// The place of a byte in the file, and the number of bytes from there to the end of the ring.
    pub(super) const fn position(&self, offset: u64) -> (u64, u64) {
        let place = (offset - self.from) % self.size;
        (DATA_OFFSET + place, self.size - place)
    }
}

/// Records that all bytes up to this offset are in the file.
pub(super) fn write_end(file: &dyn DiskFile, end: u64) -> io::Result<()> {
    let mut digits = [0; DIGITS];
    write!(&mut digits[..], "{end:020}")?;
    file.write_all_at(&digits, END_OFFSET)?;
    file.write_all_at(&digits, END_COPY_OFFSET)
}

/// The offset up to which bytes are in the file.
///
/// A reader may see a half-written number. But only one of the two numbers is written at a time.
/// Offsets grow and digits are written from left to right, so a half-written number is never
/// smaller than the previous one. So the smaller one of the two is always valid.
pub(super) fn read_end(file: &File) -> io::Result<u64> {
    let read = |place| {
        let mut digits = [0; DIGITS];
        file.read_exact_at(&mut digits, place)?;
        number(&digits)
    };
    Ok(read(END_OFFSET)?.min(read(END_COPY_OFFSET)?))
}

fn number(digits: &[u8]) -> io::Result<u64> {
    let text = str::from_utf8(digits).map_err(|_| not_a_tail())?;
    text.parse().map_err(|_| not_a_tail())
}

fn not_a_tail() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "is not the tail of an output log")
}
