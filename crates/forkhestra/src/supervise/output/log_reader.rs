//! Reads the recorded output of an agent from its log.

use std::io::{self, Read};

use forkhestra_store::output_log::{OutputChunk, OutputLog};

/// Replaces bytes that were dropped from the log. The ellipses mark the lines before and after the
/// gap as incomplete, so that they are not taken for whole lines.
const GAP: &str = "…\n…";

/// Reads a log up to the length that it had when the reader was created.
pub(crate) struct LogReader {
    log: OutputLog,
    /// Offset of the next byte in the log.
    offset: u64,
    end: u64,
    /// Bytes that are read but not consumed.
    pending: Vec<u8>,
    taken: usize,
}

impl LogReader {
    /// Bytes per read.
    const CHUNK: usize = 64 * 1024;

    /// Returns `None` if the log is empty.
    pub(crate) fn new(log: OutputLog) -> io::Result<Option<Self>> {
        let end = log.kept()?.end();
        let recalled = Self { log, offset: 0, end, pending: Vec::new(), taken: 0 };
        Ok((end > 0).then_some(recalled))
    }

    /// Reads the next chunk, preceded by [`GAP`] if bytes are missing.
    fn refill(&mut self) -> io::Result<()> {
        self.taken = 0;
        self.pending.clear();
        if self.offset >= self.end {
            return Ok(());
        }
        self.pending.resize(Self::CHUNK, 0);
        let OutputChunk { offset, length } = self.log.read_at(self.offset, &mut self.pending)?;
        self.pending.truncate(length);
        if length > 0 && offset > self.offset {
            self.pending.splice(..0, GAP.bytes());
        }
        self.offset = offset + length as u64;
        Ok(())
    }
}

impl Read for LogReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.pending.len() {
            self.refill()?;
        }
        let rest = &self.pending[self.taken..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.taken += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use forkhestra_store::disk::SYSTEM;
    use forkhestra_store::output_log::{LogCapacity, OutputWriter, Secrets};

    use super::*;

    fn read_back(printed: &[u8], capacity: LogCapacity) -> Option<Vec<u8>> {
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("stdout");
        let secrets = Arc::new(Secrets::new([""]));
        let mut writer = OutputWriter::new(&SYSTEM, path.clone(), capacity, &secrets);
        for piece in printed.chunks(1000) {
            writer.append(piece).expect("there is room");
        }
        writer.finish().expect("there is room");
        let mut read = Vec::new();
        let recalled = LogReader::new(OutputLog::open(path)).expect("it is a log");
        recalled?.read_to_end(&mut read).expect("it can be read");
        Some(read)
    }

    #[test]
    fn all_recorded_chunks_are_read_back() {
        for length in [1, 64 * 1024, 300_000] {
            let printed: Vec<u8> = (0..length).map(|byte: u32| (byte % 251) as u8).collect();
            assert_eq!(read_back(&printed, LogCapacity::STDOUT), Some(printed), "{length}");
        }
        assert_eq!(read_back(b"", LogCapacity::STDOUT), None);
    }

    #[test]
    fn lines_cut_at_a_gap_are_distinguished_from_whole_ones() {
        let printed: String = (0..400_000).map(|number| format!("{number}\n")).collect();
        let capacity = LogCapacity { head: 10_000, tail: 10_000 };
        let read = read_back(printed.as_bytes(), capacity).expect("something is kept");
        let read = String::from_utf8(read).expect("it is text");
        let (head, tail) = read.split_once(GAP).expect("something is missing");
        assert_eq!(head, &printed[..10_000]);
        assert!(tail.len() >= 10_000 && printed.ends_with(tail), "{}", tail.len());
    }
}
