//! Playing: printing in time, and making effects at the right moment.

use std::io::{self, Write};
use std::time::Duration;

use forkhestra_store::recording::{Chunk, RecordedStream, RecordingError};

use super::score::Score;
use super::trouble::Trouble;

/// Where something is played.
pub(super) struct Stage<'a> {
    pub(super) stdout: &'a mut dyn Write,
    pub(super) stderr: &'a mut dyn Write,
    /// Waits for the time of what came so long after the start.
    pub(super) wait_until: &'a mut dyn FnMut(Duration),
    /// Makes of the work tree what the agent made of it.
    pub(super) effects: &'a mut dyn FnMut() -> Result<(), Trouble>,
}

/// Where the playing stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    /// There is nothing more.
    AtEnd,
    /// A fault has it so. Nothing was made of the work tree.
    AtFault,
}

/// Plays what was printed, as the score says.
pub(super) fn perform(
    chunks: impl Iterator<Item = Result<Chunk, RecordingError>>,
    score: &Score,
    stage: &mut Stage<'_>,
) -> Result<Stopped, Trouble> {
    let mut printed = 0;
    let mut is_made = false;
    for chunk in chunks {
        let Chunk { at, stream, bytes } = chunk?;
        (stage.wait_until)(at);
        if stream == RecordedStream::Stderr {
            stage.print(b"", &bytes)?;
            continue;
        }
        let end = printed + bytes.len() as u64;
        // How far into the chunk something is, if it is in there.
        let inside = |place: u64| {
            let is_inside = (printed..end).contains(&place);
            is_inside.then(|| usize::try_from(place - printed).unwrap_or(usize::MAX))
        };
        if let Some(stop) = score.stop_at.and_then(inside) {
            stage.print(&bytes[..stop], b"")?;
            return Ok(Stopped::AtFault);
        }
        let mut rest = &bytes[..];
        if score.stop_at.is_none()
            && let Some(place) = inside(score.effects_at)
        {
            stage.print(&bytes[..place], b"")?;
            (stage.effects)()?;
            is_made = true;
            rest = &bytes[place..];
        }
        stage.print(rest, b"")?;
        printed = end;
    }
    if !is_made && score.stop_at.is_none() {
        (stage.effects)()?;
    }
    Ok(Stopped::AtEnd)
}

impl Stage<'_> {
    /// Prints something at once.
    pub(super) fn print(&mut self, stdout: &[u8], stderr: &[u8]) -> io::Result<()> {
        if !stdout.is_empty() {
            self.stdout.write_all(stdout)?;
            self.stdout.flush()?;
        }
        if !stderr.is_empty() {
            self.stderr.write_all(stderr)?;
        }
        Ok(())
    }
}
