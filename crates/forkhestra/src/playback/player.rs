//! Plays one try after the other.

use forkhestra_core::event::OutputSummary;
use forkhestra_core::output_stream::OutputStream;
use forkhestra_store::RunDir;

use super::beginning::Beginning;
use super::choice::Choice;
use super::story::{Story, Try};
use super::strand::{Kept, STREAMS, Start, Strand};
use super::voice::Voice;
use crate::error::CliError;
use crate::report::logs::{Label, nothing_kept, nothing_started, title};

/// Plays what was chosen of a run, from where it begins.
pub(crate) struct Player<'a> {
    run: &'a RunDir,
    choice: Choice,
    beginning: Beginning,
    pub(crate) voice: Voice,
    /// The place of the try that comes next, or is being played.
    place: usize,
    playing: Option<[Strand; 2]>,
}

impl<'a> Player<'a> {
    /// A player that has played nothing.
    pub(crate) const fn new(
        run: &'a RunDir,
        choice: Choice,
        beginning: Beginning,
        voice: Voice,
    ) -> Self {
        Self { run, choice, beginning, voice, place: 0, playing: None }
    }

    /// Plays everything that is there by now, and says whether that was anything.
    pub(crate) fn play(&mut self, story: &Story) -> Result<bool, CliError> {
        let mut has_played = false;
        while let Some(attempt) = story.tries.get(self.place) {
            let starts = self.beginning.starts(self.place);
            let Some(starts) = starts.filter(|_| self.choice.takes(attempt.unit)) else {
                self.place += 1;
                continue;
            };
            if self.playing.is_none() {
                self.start(attempt, starts, story)?;
                has_played = true;
            }
            let label = label(attempt, story);
            for strand in self.playing.iter_mut().flatten() {
                has_played |= strand.advance(label, &mut self.voice)?;
            }
            if !attempt.is_over {
                break;
            }
            self.stop(attempt, story)?;
            self.place += 1;
        }
        Ok(has_played)
    }

    /// Plays what was held back of a try that is not over.
    pub(crate) fn close(&mut self, story: &Story) -> Result<(), CliError> {
        if let Some(attempt) = story.tries.get(self.place) {
            self.stop(attempt, story)?;
        }
        if story.tries.is_empty() && !self.voice.is_raw() {
            self.voice.say(OutputStream::Stdout, &nothing_started())?;
        }
        Ok(())
    }

    fn start(&mut self, attempt: &Try, starts: [Start; 2], story: &Story) -> Result<(), CliError> {
        let strand = |stream, start| {
            let kept = Kept::of(self.run, attempt.unit, stream);
            let reading = self.voice.reading(stream, story.direct(attempt.unit.step));
            Strand::new(kept, stream, start, reading)
        };
        let ([out, err], [from_out, from_err]) = (STREAMS, starts);
        self.playing = Some([strand(out, from_out), strand(err, from_err)]);
        if !self.voice.is_raw() {
            self.voice.say(OutputStream::Stdout, &title(label(attempt, story)))?;
        }
        Ok(())
    }

    fn stop(&mut self, attempt: &Try, story: &Story) -> Result<(), CliError> {
        let Some(mut strands) = self.playing.take() else { return Ok(()) };
        let OutputSummary { stdout, stderr } = attempt.printed;
        let is_kept = strands.iter().any(Strand::is_kept);
        if !is_kept && stdout + stderr > 0 && !self.voice.is_raw() {
            return Ok(self.voice.say(OutputStream::Stdout, &nothing_kept(stdout + stderr))?);
        }
        let label = label(attempt, story);
        for (strand, printed) in strands.iter_mut().zip([stdout, stderr]) {
            strand.finish(printed, label, &mut self.voice)?;
        }
        Ok(())
    }
}

fn label<'s>(attempt: &Try, story: &'s Story) -> Label<'s> {
    let Try { unit, most, .. } = *attempt;
    Label { unit, agent: story.agent(unit.step), most, steps: story.steps() }
}
