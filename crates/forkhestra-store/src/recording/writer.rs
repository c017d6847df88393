//! Writing one try of an iteration.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use forkhestra_core::id::UnitId;

use super::chunks::{RecordedStream, TIMING, Timing};
use super::directory::{Recording, json};
use super::error::RecordingError;
use super::unit::UNIT;
use super::unit_record::UnitRecord;
use crate::disk::{Disk, DiskFile};
use crate::error::FileError;
use crate::files;
use crate::output_log::{Redactor, Secrets};

/// So much is kept in memory before it is written. Nothing is lost by that: a unit whose end was not
/// seen is not played.
const BUFFER: usize = 64 * 1024;

/// Records one try of an iteration.
#[derive(Debug)]
pub struct UnitWriter {
    disk: &'static dyn Disk,
    directory: PathBuf,
    began: Instant,
    stdout: Stream,
    stderr: Stream,
    timing: Buffered,
    /// What came last, to which more is added if it comes at the same time.
    last: Option<Timing>,
}

/// Files beside the record: their names, and what is in them.
pub type UnitFiles = Vec<(String, Vec<u8>)>;

#[derive(Debug)]
struct Stream {
    redactor: Option<Redactor>,
    file: Buffered,
}

/// A file that is created when there is something to write.
#[derive(Debug)]
struct Buffered {
    disk: &'static dyn Disk,
    path: PathBuf,
    file: Option<Box<dyn DiskFile>>,
    waiting: Vec<u8>,
}

impl UnitWriter {
    /// Begins to record a unit, now. What was left of it by somebody who was killed is written over.
    pub fn create(
        disk: &'static dyn Disk,
        recording: &Recording,
        unit: UnitId,
        secrets: &Arc<Secrets>,
    ) -> Result<Self, RecordingError> {
        let directory = recording.place_of(unit);
        files::create_directories(disk, &directory)?;
        let record = directory.join(UNIT);
        if record.exists() {
            disk.remove_file(&record).map_err(FileError::of("remove", &record))?;
        }
        let stream = |stream: RecordedStream| Stream {
            redactor: (!secrets.is_empty()).then(|| Redactor::new(Arc::clone(secrets))),
            file: Buffered::new(disk, directory.join(stream.file())),
        };
        Ok(Self {
            disk,
            began: Instant::now(),
            stdout: stream(RecordedStream::Stdout),
            stderr: stream(RecordedStream::Stderr),
            timing: Buffered::new(disk, directory.join(TIMING)),
            last: None,
            directory,
        })
    }

    /// Keeps bytes. If some may be the beginning of a secret they are held back until that is known.
    pub fn append(&mut self, stream: RecordedStream, bytes: &[u8]) -> io::Result<()> {
        let at_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let written = self.stream(stream).append(bytes)?;
        self.note(Timing { at_ms, stream, bytes: written })
    }

    /// Keeps what was held back of a stream, which is over.
    pub fn end_stream(&mut self, stream: RecordedStream) -> io::Result<()> {
        let at_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let written = self.stream(stream).finish()?;
        self.note(Timing { at_ms, stream, bytes: written })
    }

    /// Ends the recording of the unit: everything else first, and then the record, which makes it
    /// whole.
    pub fn finish(
        mut self,
        record: &UnitRecord,
        beside: &[(String, Vec<u8>)],
    ) -> Result<(), RecordingError> {
        for stream in [RecordedStream::Stdout, RecordedStream::Stderr] {
            let path = self.directory.join(stream.file());
            self.end_stream(stream).map_err(failed(&path))?;
            self.stream(stream).file.flush().map_err(failed(&path))?;
        }
        let path = self.directory.join(TIMING);
        self.write_last().and_then(|()| self.timing.flush()).map_err(failed(&path))?;
        for (name, content) in beside {
            files::write(self.disk, &self.directory.join(name), content)?;
        }
        files::replace(self.disk, &self.directory.join(UNIT), &json(record))?;
        Ok(())
    }

    const fn stream(&mut self, stream: RecordedStream) -> &mut Stream {
        match stream {
            RecordedStream::Stdout => &mut self.stdout,
            RecordedStream::Stderr => &mut self.stderr,
        }
    }

    fn note(&mut self, timing: Timing) -> io::Result<()> {
        if timing.bytes == 0 {
            return Ok(());
        }
        if let Some(last) = &mut self.last
            && (last.at_ms, last.stream) == (timing.at_ms, timing.stream)
        {
            last.bytes += timing.bytes;
            return Ok(());
        }
        self.write_last()?;
        self.last = Some(timing);
        Ok(())
    }

    fn write_last(&mut self) -> io::Result<()> {
        let Some(last) = self.last.take() else { return Ok(()) };
        let mut line = serde_json::to_vec(&last).expect("it has no keys but texts");
        line.push(b'\n');
        self.timing.append(&line)
    }
}

impl Stream {
    /// Writes what can be shown, and says how much that was.
    fn append(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let shown = match &mut self.redactor {
            Some(redactor) => redactor.feed(bytes),
            None => bytes,
        };
        self.file.append(shown)?;
        Ok(shown.len() as u64)
    }

    fn finish(&mut self) -> io::Result<u64> {
        let Some(redactor) = &mut self.redactor else { return Ok(0) };
        let shown = redactor.finish();
        self.file.append(shown)?;
        Ok(shown.len() as u64)
    }
}

impl Buffered {
    const fn new(disk: &'static dyn Disk, path: PathBuf) -> Self {
        Self { disk, path, file: None, waiting: Vec::new() }
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.waiting.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() > BUFFER {
            return self.open()?.write_all(bytes);
        }
        self.waiting.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let waiting = std::mem::take(&mut self.waiting);
        self.open()?.write_all(&waiting)
    }

    fn open(&mut self) -> io::Result<&dyn DiskFile> {
        if self.file.is_none() {
            self.file = Some(files::create(self.disk, &self.path)?);
        }
        Ok(&**self.file.as_ref().expect("it was opened just now"))
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> RecordingError {
    let path = path.to_owned();
    move |error| FileError { action: "write", path, source: error }.into()
}
