//! Follows the output of one iteration.

use std::collections::VecDeque;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::UnitId;

use super::backlog_reader::BacklogReader;
use super::feed_worker::PollPace;
use crate::output::{BufferPatch, BufferWindow, OutputLine, OutputLineReader};
use crate::run_source::{FeedChunk, OutputFeed, OutputRendering, RunFeed};

/// Bytes per read.
pub(super) const PORTION_BYTES: usize = 1 << 20;
/// Number of lines sent first, and number of earlier lines per request.
pub(super) const PAGE_LINES: usize = 5000;

/// Follows an output. It is read from the beginning, since an agent's stream can only be parsed
/// from there and stored outputs are small; only the end is sent.
pub(super) struct OutputFollower {
    pub(super) unit: UnitId,
    pub(super) form: OutputRendering,
    state: OutputFollowerState,
    /// Pending read of earlier lines.
    backlog: Option<BacklogReader>,
    /// The lines that the screens hold.
    window: BufferWindow,
    open: Option<OutputLine>,
    streams: StreamPair,
}

enum OutputFollowerState {
    /// Not open yet.
    New,
    /// First pass; `last` holds the last lines so far.
    Reading { feed: Box<dyn OutputFeed>, last: VecDeque<OutputLine>, skipped: [u64; 2] },
    /// The first pass was sent; only news follows.
    Following { feed: Box<dyn OutputFeed>, is_over: bool },
    /// The output cannot be read.
    Broken,
}

/// Line readers of both streams.
pub(super) struct StreamPair {
    out: OutputLineReader,
    err: OutputLineReader,
    /// The stream with the latest output.
    last: OutputStream,
}

impl OutputFollower {
    pub(super) fn new(unit: UnitId, form: OutputRendering, keeps_colors: bool) -> Self {
        Self {
            unit,
            form,
            state: OutputFollowerState::New,
            backlog: None,
            window: BufferWindow::default(),
            open: None,
            streams: StreamPair::new(keeps_colors),
        }
    }

    /// Starts again from the beginning of the output.
    pub(super) fn restart(self) -> Self {
        let keeps_colors = self.streams.out.keeps_colors();
        Self::new(self.unit, self.form, keeps_colors)
    }

    /// Starts to read lines before the first one that the screens hold.
    pub(super) fn load_earlier(&mut self, keeps_colors: bool) {
        let before = self.window.before();
        if self.backlog.is_none() && before != [0, 0] {
            self.backlog = Some(BacklogReader::new(before, keeps_colors));
        }
    }

    /// Reads on and returns the changes. `may_print` is whether the agent may still be running.
    pub(super) fn poll(
        &mut self,
        feed: &mut dyn RunFeed,
        may_print: bool,
    ) -> (Option<Result<BufferPatch, String>>, PollPace) {
        let found = match &mut self.backlog {
            Some(_) => self.poll_earlier_output(feed),
            None => self.poll_new_output(feed, may_print),
        };
        match found {
            Ok((patch, pace)) => (patch.map(Ok), pace),
            Err(trouble) => {
                self.state = OutputFollowerState::Broken;
                self.backlog = None;
                (Some(Err(trouble)), PollPace::Never)
            }
        }
    }

    fn poll_new_output(
        &mut self,
        run: &mut dyn RunFeed,
        may_print: bool,
    ) -> Result<(Option<BufferPatch>, PollPace), String> {
        if matches!(self.state, OutputFollowerState::New) {
            let feed = run.output(self.unit, self.form)?;
            self.state =
                OutputFollowerState::Reading { feed, last: VecDeque::new(), skipped: [0, 0] };
        }
        let idle = if may_print { PollPace::Soon } else { PollPace::Never };
        match &mut self.state {
            OutputFollowerState::Reading { .. } => self.read_first(may_print, idle),
            OutputFollowerState::Following { .. } if self.window.has_lost_end() => {
                Ok((None, PollPace::Never))
            }
            OutputFollowerState::Following { feed, is_over } => {
                let portion = feed.read(PORTION_BYTES)?;
                let mut lines = self.streams.feed(portion.chunks);
                if !portion.has_more && !may_print && !*is_over {
                    *is_over = true;
                    lines.extend(self.streams.finish(feed.finish()));
                }
                let pace = if portion.has_more { PollPace::AtOnce } else { idle };
                Ok((self.patch(lines), pace))
            }
            OutputFollowerState::New | OutputFollowerState::Broken => Ok((None, PollPace::Never)),
        }
    }

    /// Continues the first pass.
    fn read_first(
        &mut self,
        may_print: bool,
        idle: PollPace,
    ) -> Result<(Option<BufferPatch>, PollPace), String> {
        let OutputFollowerState::Reading { feed, last, skipped } = &mut self.state else {
            return Ok((None, idle));
        };
        let portion = feed.read(PORTION_BYTES)?;
        let mut lines = self.streams.feed(portion.chunks);
        let is_over = !portion.has_more && !may_print;
        if is_over {
            lines.extend(self.streams.finish(feed.finish()));
        }
        for line in lines {
            if last.len() == PAGE_LINES
                && let Some(first) = last.pop_front()
            {
                skipped[usize::from(first.is_error)] += 1;
            }
            last.push_back(line);
        }
        if portion.has_more {
            return Ok((None, PollPace::AtOnce));
        }
        let OutputFollowerState::Reading { feed, last, skipped } =
            std::mem::replace(&mut self.state, OutputFollowerState::Broken)
        else {
            return Ok((None, idle));
        };
        self.state = OutputFollowerState::Following { feed, is_over };
        let after = Vec::from(last);
        self.window.begin(skipped);
        self.window.add_after(&after);
        self.open = self.streams.open();
        let skipped = skipped.iter().sum();
        let patch = BufferPatch {
            is_new: true,
            skipped,
            after,
            open: self.open.clone(),
            has_earlier: Some(skipped > 0),
            ..BufferPatch::default()
        };
        Ok((Some(patch), idle))
    }

    /// The patch for new lines; none if nothing changed.
    fn patch(&mut self, after: Vec<OutputLine>) -> Option<BufferPatch> {
        let open = self.streams.open();
        if after.is_empty() && open == self.open {
            return None;
        }
        self.window.add_after(&after);
        self.open.clone_from(&open);
        Some(BufferPatch { after, open, ..BufferPatch::default() })
    }

    /// Continues to read earlier lines.
    fn poll_earlier_output(
        &mut self,
        run: &mut dyn RunFeed,
    ) -> Result<(Option<BufferPatch>, PollPace), String> {
        let (unit, form) = (self.unit, self.form);
        let Some(earlier) = &mut self.backlog else { return Ok((None, PollPace::AtOnce)) };
        let Some(before) = earlier.poll(|| run.output(unit, form))? else {
            return Ok((None, PollPace::AtOnce));
        };
        self.backlog = None;
        self.window.add_before(&before);
        let has_earlier = self.window.before() != [0, 0] && !before.is_empty();
        let open = if self.window.has_lost_end() { None } else { self.open.clone() };
        let patch =
            BufferPatch { before, open, has_earlier: Some(has_earlier), ..BufferPatch::default() };
        Ok((Some(patch), PollPace::AtOnce))
    }
}

impl StreamPair {
    pub(super) fn new(keeps_colors: bool) -> Self {
        Self {
            out: OutputLineReader::new(false, keeps_colors),
            err: OutputLineReader::new(true, keeps_colors),
            last: OutputStream::Stdout,
        }
    }

    /// The lines completed by these chunks.
    pub(super) fn feed(&mut self, chunks: Vec<FeedChunk>) -> Vec<OutputLine> {
        let mut taken = Vec::new();
        for FeedChunk { stream, bytes, missing } in chunks {
            self.last = stream;
            let lines = match stream {
                OutputStream::Stdout => &mut self.out,
                OutputStream::Stderr => &mut self.err,
            };
            if missing > 0 {
                lines.mark_gap();
            }
            lines.feed(&bytes);
            taken.extend(lines.take());
        }
        taken
    }

    /// The remaining lines at the end of the output.
    pub(super) fn finish(&mut self, chunks: Vec<FeedChunk>) -> Vec<OutputLine> {
        let mut taken = self.feed(chunks);
        for lines in [&mut self.out, &mut self.err] {
            lines.finish();
            taken.extend(lines.take());
        }
        taken
    }

    /// The incomplete last line, if any.
    fn open(&self) -> Option<OutputLine> {
        match self.last {
            OutputStream::Stdout => self.out.partial_line().or_else(|| self.err.partial_line()),
            OutputStream::Stderr => self.err.partial_line().or_else(|| self.out.partial_line()),
        }
    }
}
