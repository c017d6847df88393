//! Reads the output of one agent while it is written.

use std::io;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::DirectSpawn;
use forkhestra_store::RunDir;
use forkhestra_tui::{FeedChunk, OutputFeed, OutputPortion};
use typeset::color_mode::PrintStyle;

use crate::logs::{LogRendering, StreamLog};
use crate::report::plan::dry_run::Verbosity;

/// Bytes per read.
const BUFFER: usize = 64 * 1024;

/// Reader for both streams of one agent.
pub(super) struct AgentOutputReader {
    streams: [AgentStreamFile; 2],
}

struct AgentStreamFile {
    stream: OutputStream,
    log: StreamLog,
    /// Offset of the next byte to read.
    offset: u64,
    rendering: LogRendering,
}

impl AgentOutputReader {
    /// Opens the output of an agent. It is rendered as text if the stream format of the agent is
    /// supported and rendering is requested.
    pub(super) fn open(
        run: &RunDir,
        unit: UnitId,
        agent: Option<&DirectSpawn>,
        style: PrintStyle,
    ) -> Self {
        let out = match agent {
            Some(direct) => LogRendering::understood(direct, Verbosity::Normal, style),
            None => LogRendering::Raw,
        };
        let stream_file = |stream, kept, reading| AgentStreamFile {
            stream,
            log: kept,
            offset: 0,
            rendering: reading,
        };
        Self {
            streams: [
                stream_file(
                    OutputStream::Stdout,
                    StreamLog::of(run, unit, OutputStream::Stdout),
                    out,
                ),
                stream_file(
                    OutputStream::Stderr,
                    StreamLog::of(run, unit, OutputStream::Stderr),
                    LogRendering::Raw,
                ),
            ],
        }
    }
}

impl OutputFeed for AgentOutputReader {
    fn read(&mut self, at_most: usize) -> Result<OutputPortion, String> {
        let mut portion = OutputPortion::default();
        let mut left = at_most as u64;
        for stream_file in &mut self.streams {
            let read_error = stream_file.log.complaint();
            stream_file.advance(&mut left, &mut portion).map_err(read_error)?;
        }
        Ok(portion)
    }

    fn finish(&mut self) -> Vec<FeedChunk> {
        let held = self.streams.iter_mut().map(|stream_file| {
            let shown = stream_file.rendering.finish();
            FeedChunk { stream: stream_file.stream, bytes: shown.bytes.into_owned(), missing: 0 }
        });
        held.filter(|chunk| !chunk.bytes.is_empty()).collect()
    }
}

impl AgentStreamFile {
    /// Reads the available bytes, up to the remaining budget `left`.
    fn advance(&mut self, left: &mut u64, portion: &mut OutputPortion) -> io::Result<()> {
        let end = self.log.log.kept()?.end();
        let mut buffer = vec![0; if self.offset < end { BUFFER } else { 0 }];
        while self.offset < end {
            if *left == 0 {
                portion.has_more = true;
                break;
            }
            let read = self.log.log.read_at(self.offset, &mut buffer)?;
            if read.length == 0 {
                break;
            }
            let missing = read.offset - self.offset;
            if missing > 0 {
                // A line before a gap does not continue after it.
                let held = self.rendering.finish().bytes.into_owned();
                self.add_chunk(held, 0, portion);
            }
            let shown = self.rendering.feed(&buffer[..read.length]).bytes.into_owned();
            self.add_chunk(shown, missing, portion);
            self.offset = read.offset + read.length as u64;
            *left = left.saturating_sub(read.length as u64);
        }
        Ok(())
    }

    fn add_chunk(&self, bytes: Vec<u8>, missing: u64, portion: &mut OutputPortion) {
        if !bytes.is_empty() || missing > 0 {
            portion.chunks.push(FeedChunk { stream: self.stream, bytes, missing });
        }
    }
}
