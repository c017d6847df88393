//! The tail file: a ring of the last bytes.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::reader::OutputChunk;
use super::tail_header::{TailLayout, read_end, write_end};
use crate::disk::file_error::found;
use crate::disk::files;
use crate::disk::reading;
use crate::disk::{Disk, DiskFile};

/// Appends to a tail file.
#[derive(Debug)]
pub(super) struct TailWriter {
    file: Box<dyn DiskFile>,
    layout: TailLayout,
    end: u64,
}

impl TailWriter {
    pub(super) fn create(disk: &dyn Disk, path: &Path, layout: TailLayout) -> io::Result<Self> {
        Self::new(files::create(disk, path)?, layout)
    }

    pub(super) fn new(file: Box<dyn DiskFile>, layout: TailLayout) -> io::Result<Self> {
        layout.write(&*file)?;
        Ok(Self { file, layout, end: layout.from })
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let at_once = usize::try_from(self.layout.spare).unwrap_or(usize::MAX);
        for bytes in bytes.chunks(at_once) {
            self.put(bytes)?;
            self.end += bytes.len() as u64;
            write_end(&*self.file, self.end)?;
        }
        Ok(())
    }

    /// Writes bytes after the end, without updating the header.
    pub(super) fn put(&self, bytes: &[u8]) -> io::Result<()> {
        let (place, room) = self.layout.position(self.end);
        let (here, around) = bytes.split_at(index(room).min(bytes.len()));
        self.file.write_all_at(here, place)?;
        if !around.is_empty() {
            let (start, _) = self.layout.position(self.layout.from);
            self.file.write_all_at(around, start)?;
        }
        Ok(())
    }
}

/// Reads a tail file, also while it is written.
#[derive(Debug)]
pub(super) struct TailReader {
    file: File,
    layout: TailLayout,
}

impl TailReader {
    /// Opens the file, if it exists.
    pub(super) fn open(path: &Path) -> io::Result<Option<Self>> {
        let Some(file) = found(reading::open(path))? else { return Ok(None) };
        let layout = TailLayout::read(&file)?;
        Ok(layout.map(|layout| Self { file, layout }))
    }

    /// The range of bytes that are valid now.
    pub(super) fn kept(&self) -> io::Result<Range<u64>> {
        Ok(self.layout.kept(read_end(&self.file)?.max(self.layout.from)))
    }

    /// Reads bytes from an offset on, or from the next one that is kept.
    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<OutputChunk> {
        loop {
            let kept = self.kept()?;
            let offset = offset.max(kept.start);
            let (place, room) = self.layout.position(offset);
            let length = buffer.len().min(index(room)).min(index(kept.end.saturating_sub(offset)));
            self.file.read_exact_at(&mut buffer[..length], place)?;
            // The writer may have overwritten the oldest of these bytes during the read, or, if
            // there were none, written and overwritten more than the file keeps.
            let lost = index(self.kept()?.start.saturating_sub(offset));
            if lost < length || (length == 0 && lost == 0) {
                buffer.copy_within(lost..length, 0);
                return Ok(OutputChunk { offset: offset + lost as u64, length: length - lost });
            }
        }
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
