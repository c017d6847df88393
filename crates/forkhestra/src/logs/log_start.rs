//! Determines where to start if only the last lines are wanted.

use std::collections::BTreeMap;
use std::io;

use forkhestra_store::RunDir;
use forkhestra_store::output_log::OutputLog;

use super::last_lines::LastLines;
use super::log_rendering::LogRendering;
use super::log_writer::LogWriter;
use super::run_attempts::{AgentAttempt, RunAttempts};
use super::stream_cursor::{STREAMS, StreamLog, StreamStart};
use crate::cli::command_error::CommandError;

/// Bytes searched for line breaks in one read.
const BLOCK: u64 = 64 * 1024;

/// Where printing starts in each attempt. The default is the start of every attempt.
#[derive(Debug, Default)]
pub(crate) struct LogStart {
    /// Index of the first attempt that is printed completely.
    whole_from: usize,
    /// Earlier attempts that are printed in part, with their starts.
    parts: BTreeMap<usize, [StreamStart; 2]>,
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
        let LogSource { run, attempts: story, writer: voice } = source;
        let mut parts = BTreeMap::new();
        let mut wanted = [lines; 2];
        for (place, attempt) in tries.iter().rev() {
            let mut starts = [StreamStart::default(); 2];
            let mut is_empty = true;
            for ((stream, wanted), start) in STREAMS.iter().zip(&mut wanted).zip(&mut starts) {
                let kept = StreamLog::of(run, attempt.unit, *stream);
                let reading = voice.rendering(*stream, story.direct(attempt.unit.step));
                let is_over = attempt.is_over;
                let found = before_end(&kept.log, reading, is_over, wanted);
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
        Ok(Self { whole_from: story.tries.len(), parts })
    }

    /// The starts of an attempt's streams; `None` if nothing of it is printed.
    pub(super) fn stream_starts(&self, place: usize) -> Option<[StreamStart; 2]> {
        let part = self.parts.get(&place).copied();
        part.or((place >= self.whole_from).then_some([StreamStart::default(); 2]))
    }
}

/// The start of the last lines of a log as rendered, and whether there are any.
fn before_end(
    log: &OutputLog,
    reading: LogRendering,
    is_over: bool,
    wanted: &mut u64,
) -> io::Result<(StreamStart, bool)> {
    if let LogRendering::Rendered(_) = reading {
        return go_through(log, reading, is_over, wanted);
    }
    let (offset, end) = go_back(log, wanted)?;
    Ok((StreamStart { offset, unwanted: 0 }, offset < end))
}

/// The same for a rendering that changes lines: the whole log has to be read.
fn go_through(
    log: &OutputLog,
    mut reading: LogRendering,
    is_over: bool,
    wanted: &mut u64,
) -> io::Result<(StreamStart, bool)> {
    let mut lines = LastLines::new(*wanted);
    let (end, mut offset) = (log.kept()?.end(), 0);
    let mut buffer = vec![0; usize::try_from(BLOCK).unwrap_or(usize::MAX)];
    while offset < end {
        let chunk = log.read_at(offset, &mut buffer)?;
        if chunk.length == 0 {
            break;
        }
        if chunk.offset > offset {
            lines.add(&reading.finish().bytes);
        }
        lines.add(&reading.feed(&buffer[..chunk.length]).bytes);
        offset = chunk.offset + chunk.length as u64;
    }
    if is_over {
        lines.add(&reading.finish().bytes);
    }
    *wanted -= lines.number();
    let unwanted = lines.begin();
    Ok((StreamStart { offset: 0, unwanted }, unwanted < lines.length()))
}

/// Offsets of the last lines and of the end of a log. Reduces `wanted` by the lines found. A last
/// line without a line break counts as a line.
fn go_back(log: &OutputLog, wanted: &mut u64) -> io::Result<(u64, u64)> {
    let kept = log.kept()?;
    let end = kept.end();
    if *wanted == 0 || end == 0 {
        return Ok((end, end));
    }
    for range in [kept.tail, kept.head] {
        let mut until = range.end;
        while until > range.start {
            let from = until.saturating_sub(BLOCK).max(range.start);
            let Some(block) = read(log, from, until)? else {
                // The bytes were dropped meanwhile. Only what follows them is available.
                return Ok((until, end));
            };
            let breaks = (from..).zip(&block).filter(|(_, byte)| **byte == b'\n');
            for (place, _) in breaks.collect::<Vec<_>>().into_iter().rev() {
                // The final line break ends the last line and does not start another.
                if place + 1 < end {
                    *wanted -= 1;
                }
                if *wanted == 0 {
                    return Ok((place + 1, end));
                }
            }
            until = from;
        }
    }
    *wanted -= 1;
    Ok((0, end))
}

/// The bytes between two offsets; `None` if some of them were dropped.
fn read(log: &OutputLog, from: u64, until: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0; usize::try_from(until - from).unwrap_or(usize::MAX)];
    let mut filled = 0;
    while filled < bytes.len() {
        let offset = from + filled as u64;
        let chunk = log.read_at(offset, &mut bytes[filled..])?;
        if chunk.length == 0 || chunk.offset != offset {
            return Ok(None);
        }
        filled += chunk.length;
    }
    Ok(Some(bytes))
}
