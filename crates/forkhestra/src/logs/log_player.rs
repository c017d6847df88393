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
use crate::report::logs::{AttemptLabel, nothing_kept, nothing_started, title};

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
    pub(crate) fn play(&mut self, story: &RunAttempts) -> Result<bool, CommandError> {
        let mut has_played = false;
        while let Some(attempt) = story.tries.get(self.place) {
            let starts = self.start.stream_starts(self.place);
            let Some(starts) = starts.filter(|_| self.selection.includes(attempt.unit)) else {
                self.place += 1;
                continue;
            };
            if self.playing.is_none() {
                self.start(attempt, starts, story)?;
                has_played = true;
            }
            let label = label(attempt, story);
            for strand in self.playing.iter_mut().flatten() {
                has_played |= strand.advance(label, &mut self.writer)?;
            }
            if !attempt.is_over {
                break;
            }
            self.stop(attempt, story)?;
            self.place += 1;
        }
        Ok(has_played)
    }

    /// Prints the output that was held back for an unfinished attempt.
    pub(crate) fn close(&mut self, story: &RunAttempts) -> Result<(), CommandError> {
        if let Some(attempt) = story.tries.get(self.place) {
            self.stop(attempt, story)?;
        }
        if story.tries.is_empty() && !self.writer.is_raw() {
            self.writer.write_line(OutputStream::Stdout, &nothing_started())?;
        }
        Ok(())
    }

    fn start(
        &mut self,
        attempt: &AgentAttempt,
        starts: [u64; 2],
        story: &RunAttempts,
    ) -> Result<(), CommandError> {
        let strand = |stream, start| {
            let kept = StreamLog::of(self.run, attempt.unit, stream);
            let reading = self.writer.rendering(stream, story.direct(attempt.unit.step));
            StreamCursor::new(kept, stream, start, reading)
        };
        let ([out, err], [from_out, from_err]) = (STREAMS, starts);
        self.playing = Some([strand(out, from_out), strand(err, from_err)]);
        if !self.writer.is_raw() {
            self.writer.write_line(OutputStream::Stdout, &title(label(attempt, story)))?;
        }
        Ok(())
    }

    fn stop(&mut self, attempt: &AgentAttempt, story: &RunAttempts) -> Result<(), CommandError> {
        let Some(mut strands) = self.playing.take() else { return Ok(()) };
        let OutputSummary { stdout, stderr } = attempt.printed;
        let is_kept = strands.iter().any(StreamCursor::is_kept);
        if !is_kept && stdout + stderr > 0 && !self.writer.is_raw() {
            return Ok(self
                .writer
                .write_line(OutputStream::Stdout, &nothing_kept(stdout + stderr))?);
        }
        let label = label(attempt, story);
        for (strand, printed) in strands.iter_mut().zip([stdout, stderr]) {
            strand.finish(printed, label, &mut self.writer)?;
        }
        Ok(())
    }
}

fn label<'s>(attempt: &AgentAttempt, story: &'s RunAttempts) -> AttemptLabel<'s> {
    let AgentAttempt { unit, most, .. } = *attempt;
    AttemptLabel { unit, agent: story.state.plan.agent_name(unit.step), most, steps: story.steps() }
}
