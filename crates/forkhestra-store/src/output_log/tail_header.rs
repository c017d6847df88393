//! The beginning of a tail file.

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use crate::disk::DiskFile;

/// What a tail file begins with. Another number would be another format.
const TITLE: &str = "forkhestra tail 1\n";

/// The length of every number in the header: enough for any.
const DIGITS: usize = 20;

/// The length of a line: its name, its number and the line break.
const LINE: usize = 6 + DIGITS + 1;

/// Where the numbers of the last two lines stand.
const END_AT: u64 = (TITLE.len() + 3 * LINE + 6) as u64;
const AGAIN_AT: u64 = END_AT + LINE as u64;

/// Where the bytes begin: at a page of their own.
const DATA_AT: u64 = 4096;

/// Where which bytes stand in a tail file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TailLayout {
    /// The offset of the first byte that was ever kept here.
    pub(super) from: u64,
    /// How many bytes fit.
    pub(super) size: u64,
    /// The most that is written at once.
    pub(super) spare: u64,
}

impl TailLayout {
    /// Writes the header of a file in which nothing is kept yet.
    pub(super) fn write(&self, file: &dyn DiskFile) -> io::Result<()> {
        let Self { from, size, spare } = self;
        let header = format!(
            "{TITLE}from  {from:020}\nsize  {size:020}\nspare {spare:020}\nend   {from:020}\n\
             again {from:020}\n"
        );
        file.write_all_at(header.as_bytes(), 0)
    }

    /// Reads the header of a file. There is none if the writer died before it had written it.
    pub(super) fn read(file: &File) -> io::Result<Option<Self>> {
        let mut header = [0; TITLE.len() + 3 * LINE];
        match file.read_exact_at(&mut header, 0) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            result => result?,
        }
        let lines = header.strip_prefix(TITLE.as_bytes()).ok_or_else(not_a_tail)?;
        let number = |index: usize| number(&lines[index * LINE + 6..(index + 1) * LINE - 1]);
        let layout = Self { from: number(0)?, size: number(1)?, spare: number(2)? };
        if layout.spare > layout.size || layout.size == 0 {
            return Err(not_a_tail());
        }
        Ok(Some(layout))
    }

    /// Which bytes can be relied upon when those up to `end` are in the file.
    pub(super) const fn kept(&self, end: u64) -> Range<u64> {
        let oldest = end.saturating_add(self.spare).saturating_sub(self.size);
        if oldest > self.from { oldest..end } else { self.from..end }
    }

    /// Where in the file a byte stands, and how many stand behind it before the ring closes.
    pub(super) const fn place(&self, offset: u64) -> (u64, u64) {
        let place = (offset - self.from) % self.size;
        (DATA_AT + place, self.size - place)
    }
}

/// Says that all bytes up to this offset are in the file.
pub(super) fn write_end(file: &dyn DiskFile, end: u64) -> io::Result<()> {
    let mut digits = [0; DIGITS];
    write!(&mut digits[..], "{end:020}")?;
    file.write_all_at(&digits, END_AT)?;
    file.write_all_at(&digits, AGAIN_AT)
}

/// Up to which offset bytes are in the file.
///
/// A number may be half written while we read it, for as long as its writer is kept from going on.
/// But only one of the two is, and as offsets grow and digits are written from left to right, half
/// a number is larger than the one before. So the smaller one of the two is always one that was
/// meant.
pub(super) fn read_end(file: &File) -> io::Result<u64> {
    let read = |place| {
        let mut digits = [0; DIGITS];
        file.read_exact_at(&mut digits, place)?;
        number(&digits)
    };
    Ok(read(END_AT)?.min(read(AGAIN_AT)?))
}

fn number(digits: &[u8]) -> io::Result<u64> {
    let text = str::from_utf8(digits).map_err(|_| not_a_tail())?;
    text.parse().map_err(|_| not_a_tail())
}

fn not_a_tail() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "is not the tail of an output log")
}
