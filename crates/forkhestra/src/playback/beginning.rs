//! Where to begin, if only the last lines are wanted.

use std::collections::BTreeMap;
use std::io;

use forkhestra_core::id::UnitId;
use forkhestra_store::RunDir;
use forkhestra_store::output_log::OutputLog;

use super::strand::{Kept, STREAMS};
use crate::error::CliError;

/// How much is searched for line breaks at once.
const BLOCK: u64 = 64 * 1024;

/// Where in each try to begin. The default is at the beginning of everything.
#[derive(Debug, Default)]
pub(crate) struct Beginning {
    /// The first try of which nothing is left out, by its place among all tries.
    whole_from: usize,
    /// Earlier tries of which something is shown, and from which offsets on.
    parts: BTreeMap<usize, [u64; 2]>,
}

impl Beginning {
    /// Begins so many lines before the end of each stream. `tries` are those that are wanted, with
    /// their places among all; `all` is how many there are.
    pub(crate) fn before_end(
        lines: u64,
        tries: &[(usize, UnitId)],
        all: usize,
        run: &RunDir,
    ) -> Result<Self, CliError> {
        let mut parts = BTreeMap::new();
        let mut wanted = [lines; 2];
        for (place, unit) in tries.iter().rev() {
            let mut offsets = [0; 2];
            let mut is_empty = true;
            for ((stream, wanted), offset) in STREAMS.iter().zip(&mut wanted).zip(&mut offsets) {
                let kept = Kept::of(run, *unit, *stream);
                let (start, end) = go_back(&kept.log, wanted).map_err(kept.unreadable())?;
                *offset = start;
                is_empty &= start == end;
            }
            // Whoever asks for the end wants to know which one it is, even if nothing was printed.
            if !is_empty || parts.is_empty() {
                parts.insert(*place, offsets);
            }
            if wanted == [0; 2] {
                break;
            }
        }
        Ok(Self { whole_from: all, parts })
    }

    /// From which offsets on the streams of a try are shown; none if nothing of it is.
    pub(super) fn offsets(&self, place: usize) -> Option<[u64; 2]> {
        let part = self.parts.get(&place).copied();
        part.or((place >= self.whole_from).then_some([0; 2]))
    }
}

/// Where the last lines of a log begin, and where it ends. Those that are there are not wanted any
/// more. A last line without a line break is one, too.
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
                // Dropped while we looked. What is behind it is all there is.
                return Ok((until, end));
            };
            let breaks = (from..).zip(&block).filter(|(_, byte)| **byte == b'\n');
            for (place, _) in breaks.collect::<Vec<_>>().into_iter().rev() {
                // The last line break ends a line instead of beginning one.
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

/// The bytes between two offsets, unless some of them are not kept any more.
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
