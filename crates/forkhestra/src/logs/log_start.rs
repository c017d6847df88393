//! Determines where to start if only the last lines are wanted.

use std::collections::BTreeMap;
use std::io;

use forkhestra_store::RunDir;
use forkhestra_store::output_log::OutputLog;

use super::last_lines::LastLines;
use super::log_rendering::LogRendering;
use super::log_writer::LogWriter;
use super::run_attempts::{AgentAttempt, RunAttempts};
use super::stream_cursor::{CHUNK_BYTES, STREAMS, StreamLog};
use crate::cli::command_error::CommandError;

/// Where printing starts in each attempt. The default is the start of every attempt.
#[derive(Debug, Default)]
pub(crate) struct LogStart {
    /// Index of the first attempt that is printed completely.
    whole_from: usize,
    /// Earlier attempts that are printed in part, with their starts.
    parts: BTreeMap<usize, [u64; 2]>,
}

/// The logs and how they are rendered.
pub(crate) struct LogSource<'a> {
    pub(crate) run: &'a RunDir,
    pub(crate) attempts: &'a RunAttempts,
    pub(crate) writer: &'a LogWriter,
}

impl LogStart {
    /// Starts this many lines before the end of each stream. `tries` are the selected attempts,
    /// each with its index.
    pub(crate) fn before_end(
        lines: u64,
        tries: &[(usize, &AgentAttempt)],
        source: &LogSource<'_>,
    ) -> Result<Self, CommandError> {
        let LogSource { run, attempts, writer } = source;
        let mut parts = BTreeMap::new();
        let mut wanted = [lines; 2];
        for (place, attempt) in tries.iter().rev() {
            let mut starts = [0; 2];
            let mut is_empty = true;
            for ((stream, wanted), start) in STREAMS.iter().zip(&mut wanted).zip(&mut starts) {
                let kept = StreamLog::of(run, attempt.unit, *stream);
                let rendering = writer.rendering(*stream, attempt.direct.as_ref());
                let is_over = attempt.is_over;
                let found = before_last_lines(&kept.log, rendering, is_over, wanted);
                let (from, shows) = found.map_err(kept.unreadable())?;
                *start = from;
                is_empty &= !shows;
            }
            // The last attempt is always included, so that its heading is printed even without
            // output.
            if !is_empty || parts.is_empty() {
                parts.insert(*place, starts);
            }
            if wanted == [0; 2] {
                break;
            }
        }
        Ok(Self { whole_from: attempts.tries.len(), parts })
    }

    /// The starts of an attempt's streams; `None` if nothing of it is printed.
    pub(super) fn stream_starts(&self, place: usize) -> Option<[u64; 2]> {
        let part = self.parts.get(&place).copied();
        part.or((place >= self.whole_from).then_some([0; 2]))
    }
}

/// The number of rendered bytes before the last lines of a log, and whether there are such lines.
/// Reduces `wanted` by the lines found. A rendering changes lines, so the whole log is read.
fn before_last_lines(
    log: &OutputLog,
    mut rendering: LogRendering,
    is_over: bool,
    wanted: &mut u64,
) -> io::Result<(u64, bool)> {
    let mut lines = LastLines::new(*wanted);
    let (end, mut offset) = (log.kept()?.end(), 0);
    let mut buffer = vec![0; CHUNK_BYTES];
    while offset < end {
        let chunk = log.read_at(offset, &mut buffer)?;
        if chunk.length == 0 {
            break;
        }
        if chunk.offset > offset {
            lines.add(&rendering.finish().bytes);
        }
        lines.add(&rendering.feed(&buffer[..chunk.length]).bytes);
        offset = chunk.offset + chunk.length as u64;
    }
    if is_over {
        lines.add(&rendering.finish().bytes);
    }
    *wanted -= lines.number();
    let unwanted = lines.begin();
    Ok((unwanted, unwanted < lines.length()))
}
