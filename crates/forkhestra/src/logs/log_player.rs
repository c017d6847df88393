//! Prints attempts one after the other.

use forkhestra_core::event::OutputSummary;
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_store::RunDir;

use super::log_selection::LogSelection;
use super::log_start::LogStart;
use super::log_writer::LogWriter;
use super::run_attempts::{AgentAttempt, RunAttempts};
use super::stream_cursor::{STREAMS, StreamCursor, StreamLog};
use crate::cli::command_error::CommandError;
use crate::report::logs::{AttemptLabel, dropped_output, no_agent_started, title};

/// Prints the selected attempts of a run from a given start.
pub(crate) struct LogPlayer<'a> {
    run: &'a RunDir,
    selection: LogSelection,
    start: LogStart,
    pub(crate) writer: LogWriter,
    /// Index of the next or current attempt.
    place: usize,
    playing: Option<[StreamCursor; 2]>,
}

impl<'a> LogPlayer<'a> {
    /// A player that has printed nothing yet.
    pub(crate) const fn new(
        run: &'a RunDir,
        selection: LogSelection,
        start: LogStart,
        writer: LogWriter,
    ) -> Self {
        Self { run, selection, start, writer, place: 0, playing: None }
    }

    /// Prints everything available. Returns whether there was anything.
    pub(crate) fn play(&mut self, attempts: &RunAttempts) -> Result<bool, CommandError> {
        let mut has_played = false;
        while let Some(attempt) = attempts.tries.get(self.place) {
            let starts = self.start.stream_starts(self.place);
            let Some(starts) = starts.filter(|_| self.selection.includes(attempt)) else {
                self.place += 1;
                continue;
            };
            if self.playing.is_none() {
                self.start(attempt, starts, attempts)?;
                has_played = true;
            }
            let label = label(attempt, attempts);
            for cursor in self.playing.iter_mut().flatten() {
                has_played |= cursor.advance(label, &mut self.writer)?;
            }
            if !attempt.is_over {
                break;
            }
            self.stop(attempt, attempts)?;
            self.place += 1;
        }
        Ok(has_played)
    }

    /// Prints the output that was held back for an unfinished attempt.
    pub(crate) fn close(&mut self, attempts: &RunAttempts) -> Result<(), CommandError> {
        if let Some(attempt) = attempts.tries.get(self.place) {
            self.stop(attempt, attempts)?;
        }
        if attempts.tries.is_empty() && !self.writer.is_raw() {
            self.writer.write_line(OutputStream::Stdout, &no_agent_started())?;
        }
        Ok(())
    }

    fn start(
        &mut self,
        attempt: &AgentAttempt,
        starts: [u64; 2],
        attempts: &RunAttempts,
    ) -> Result<(), CommandError> {
        let cursor = |stream, start| {
            let kept = StreamLog::of(self.run, attempt.unit, stream);
            let rendering = self.writer.rendering(stream, attempt.direct.as_ref());
            StreamCursor::new(kept, stream, start, rendering)
        };
        let ([out, err], [from_out, from_err]) = (STREAMS, starts);
        self.playing = Some([cursor(out, from_out), cursor(err, from_err)]);
        if !self.writer.is_raw() {
            self.writer.write_line(OutputStream::Stdout, &title(label(attempt, attempts)))?;
        }
        Ok(())
    }

    fn stop(&mut self, attempt: &AgentAttempt, attempts: &RunAttempts) -> Result<(), CommandError> {
        let Some(mut cursors) = self.playing.take() else { return Ok(()) };
        let OutputSummary { stdout, stderr } = attempt.printed;
        let is_kept = cursors.iter().any(StreamCursor::is_kept);
        if !is_kept && stdout + stderr > 0 && !self.writer.is_raw() {
            return Ok(self
                .writer
                .write_line(OutputStream::Stdout, &dropped_output(stdout + stderr))?);
        }
        let label = label(attempt, attempts);
        for (cursor, printed) in cursors.iter_mut().zip([stdout, stderr]) {
            cursor.finish(printed, label, &mut self.writer)?;
        }
        Ok(())
    }
}

fn label<'s>(attempt: &AgentAttempt, attempts: &'s RunAttempts) -> AttemptLabel<'s> {
    let AgentAttempt { unit, lane, position, .. } = *attempt;
    AttemptLabel {
        unit,
        agent: attempts.state.plan.agent_name(unit.step),
        lane,
        position,
        steps: attempts.steps(),
    }
}
