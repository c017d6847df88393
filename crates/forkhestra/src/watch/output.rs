//! What one agent printed, read as it goes on.

use std::io;

use forkhestra_core::id::UnitId;
use forkhestra_core::output_stream::OutputStream;
use forkhestra_core::plan::DirectSpawn;
use forkhestra_store::RunDir;
use forkhestra_tui::{Chunk, OutputFeed, Portion};
use typeset::color::Ink;

use crate::playback::{Kept, Reading};
use crate::report::dry_run::Detail;

/// How much is read at once.
const BUFFER: usize = 64 * 1024;

/// Both streams of one agent.
pub(super) struct ReadOutput {
    strands: [Strand; 2],
}

struct Strand {
    stream: OutputStream,
    kept: Kept,
    /// Up to where it was read.
    offset: u64,
    reading: Reading,
}

impl ReadOutput {
    /// The output of an agent; in words if it is one whose stream we understand and its words are
    /// wanted.
    pub(super) fn open(run: &RunDir, unit: UnitId, agent: Option<&DirectSpawn>, ink: Ink) -> Self {
        let out = match agent {
            Some(direct) => Reading::understood(direct, Detail::Normal, ink),
            None => Reading::Raw,
        };
        let strand = |stream, kept, reading| Strand { stream, kept, offset: 0, reading };
        Self {
            strands: [
                strand(OutputStream::Stdout, Kept::of(run, unit, OutputStream::Stdout), out),
                strand(
                    OutputStream::Stderr,
                    Kept::of(run, unit, OutputStream::Stderr),
                    Reading::Raw,
                ),
            ],
        }
    }
}

impl OutputFeed for ReadOutput {
    fn more(&mut self, at_most: usize) -> Result<Portion, String> {
        let mut portion = Portion::default();
        let mut left = at_most as u64;
        for strand in &mut self.strands {
            let complaint = strand.kept.complaint();
            strand.advance(&mut left, &mut portion).map_err(complaint)?;
        }
        Ok(portion)
    }

    fn finish(&mut self) -> Vec<Chunk> {
        let held = self.strands.iter_mut().map(|strand| {
            let shown = strand.reading.finish();
            Chunk { stream: strand.stream, bytes: shown.bytes.into_owned(), missing: 0 }
        });
        held.filter(|chunk| !chunk.bytes.is_empty()).collect()
    }
}

impl Strand {
    /// Reads what is there by now, but not more than what is left.
    fn advance(&mut self, left: &mut u64, portion: &mut Portion) -> io::Result<()> {
        let end = self.kept.log.kept()?.end();
        let mut buffer = vec![0; if self.offset < end { BUFFER } else { 0 }];
        while self.offset < end {
            if *left == 0 {
                portion.has_more = true;
                break;
            }
            let read = self.kept.log.read_at(self.offset, &mut buffer)?;
            if read.length == 0 {
                break;
            }
            let missing = read.offset - self.offset;
            if missing > 0 {
                // What stands before a gap does not go on behind it.
                let held = self.reading.finish().bytes.into_owned();
                self.tell(held, 0, portion);
            }
            let shown = self.reading.feed(&buffer[..read.length]).bytes.into_owned();
            self.tell(shown, missing, portion);
            self.offset = read.offset + read.length as u64;
            *left = left.saturating_sub(read.length as u64);
        }
        Ok(())
    }

    fn tell(&self, bytes: Vec<u8>, missing: u64, portion: &mut Portion) {
        if !bytes.is_empty() || missing > 0 {
            portion.chunks.push(Chunk { stream: self.stream, bytes, missing });
        }
    }
}
