//! Writes one attempt of an iteration.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;

use super::error::RecordingError;
use super::recorded_chunks::{TIMING_FILE, TimingLine};
use super::recording_directory::{Recording, json};
use super::unit_recording::{UNIT_FILE, UnitRecord};
use crate::disk::file_error::FileError;
use crate::disk::files;
use crate::disk::{Disk, DiskFile};
use crate::output_log::{Redactor, Secrets};

/// The size of a write buffer. An interrupted unit is never played back, so buffering is safe.
const BUFFER_BYTES: usize = 64 * 1024;

/// Records one attempt of an iteration.
#[derive(Debug)]
pub struct UnitRecordingWriter {
    disk: &'static dyn Disk,
    directory: PathBuf,
    began: Instant,
    /// The files of both streams, each with its redactor.
    streams: [(Redactor, BufferedFile); 2],
    timing: BufferedFile,
}

/// A file that is created by the first write.
#[derive(Debug)]
struct BufferedFile {
    disk: &'static dyn Disk,
    path: PathBuf,
    file: Option<Box<dyn DiskFile>>,
    buffer: Vec<u8>,
}

impl UnitRecordingWriter {
    /// Begins to record a unit. It replaces an interrupted one.
    pub fn create(
        disk: &'static dyn Disk,
        recording: &Recording,
        unit: UnitId,
        secrets: &Arc<Secrets>,
    ) -> Result<Self, RecordingError> {
        let directory = recording.unit_directory(unit);
        files::create_directories(disk, &directory)?;
        let record = directory.join(UNIT_FILE);
        if record.exists() {
            disk.remove_file(&record).map_err(FileError::of("remove", &record))?;
        }
        let file = |name: &str| BufferedFile {
            disk,
            path: directory.join(name),
            file: None,
            buffer: Vec::new(),
        };
        let stream =
            |stream: OutputStream| (Redactor::new(Arc::clone(secrets)), file(stream.name()));
        Ok(Self {
            disk,
            began: Instant::now(),
            streams: OutputStream::ALL.map(stream),
            timing: file(TIMING_FILE),
            directory,
        })
    }

    /// Appends output. Bytes that may begin a secret are held back until that is known.
    pub fn append(&mut self, stream: OutputStream, bytes: &[u8]) -> io::Result<()> {
        self.keep(stream, |redactor| redactor.feed(bytes))
    }

    /// Ends the unit. The record is written last and makes the unit complete.
    pub fn finish(
        mut self,
        record: &UnitRecord,
        beside: &[(String, Vec<u8>)],
    ) -> Result<(), RecordingError> {
        for stream in OutputStream::ALL {
            let path = self.directory.join(stream.name());
            self.keep(stream, Redactor::finish).map_err(FileError::of("write", &path))?;
            self.streams[stream as usize].1.flush().map_err(FileError::of("write", &path))?;
        }
        let path = self.directory.join(TIMING_FILE);
        self.timing.flush().map_err(FileError::of("write", &path))?;
        for (name, content) in beside {
            files::write(self.disk, &self.directory.join(name), content)?;
        }
        files::replace(self.disk, &self.directory.join(UNIT_FILE), &json(record))?;
        Ok(())
    }

    fn keep(
        &mut self,
        stream: OutputStream,
        masked: impl FnOnce(&mut Redactor) -> &[u8],
    ) -> io::Result<()> {
        let at_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (redactor, file) = &mut self.streams[stream as usize];
        let bytes = masked(redactor);
        if bytes.is_empty() {
            return Ok(());
        }
        file.append(bytes)?;
        let timing = TimingLine { at_ms, stream, bytes: bytes.len() as u64 };
        let line = serde_json::to_string(&timing).expect("it has no keys but texts");
        self.timing.append(format!("{line}\n").as_bytes())
    }
}

impl BufferedFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < BUFFER_BYTES { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        if self.file.is_none() {
            self.file = Some(files::create(self.disk, &self.path)?);
        }
        let file = self.file.as_ref().expect("it was created just now");
        file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}
