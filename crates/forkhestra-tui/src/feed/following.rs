//! The output that is followed.

use std::collections::VecDeque;

use forkhestra_core::id::UnitId;
use forkhestra_core::output_stream::OutputStream;

use super::earlier::Earlier;
use super::worker::Pace;
use crate::output::{Line, Lines, Patch, Window};
use crate::world::{Chunk, Form, OutputFeed, RunFeed};

/// So much is read at once.
pub(super) const PORTION: usize = 1 << 20;
/// So many of the last lines are shown at first, and so many earlier ones at once.
pub(super) const PAGE: usize = 5000;

/// The output that is followed. It is read from its beginning on, since what an agent says can only be
/// understood from there, and what is kept of an output is not much; but only its end is told.
pub(super) struct Following {
    pub(super) unit: UnitId,
    pub(super) form: Form,
    state: State,
    /// Reading of earlier lines, while that goes on.
    earlier: Option<Earlier>,
    /// The lines that the screens have.
    window: Window,
    open: Option<Line>,
    strands: Strands,
}

enum State {
    /// It is not open.
    New,
    /// It is read for the first time; these are its last lines so far.
    Reading { feed: Box<dyn OutputFeed>, last: VecDeque<Line>, skipped: [u64; 2] },
    /// The screens know everything.
    Told { feed: Box<dyn OutputFeed>, is_over: bool },
    /// It cannot be read.
    Broken,
}

/// Both streams.
pub(super) struct Strands {
    out: Lines,
    err: Lines,
    /// The one that last said something.
    last: OutputStream,
}

impl Following {
    pub(super) fn new(unit: UnitId, form: Form, keeps_colors: bool) -> Self {
        Self {
            unit,
            form,
            state: State::New,
            earlier: None,
            window: Window::default(),
            open: None,
            strands: Strands::new(keeps_colors),
        }
    }

    /// The same from the beginning.
    pub(super) fn anew(self) -> Self {
        let keeps_colors = self.strands.out.keeps_colors();
        Self::new(self.unit, self.form, keeps_colors)
    }

    /// Begins to read what comes before the first line that the screens have.
    pub(super) fn load_earlier(&mut self, keeps_colors: bool) {
        let before = self.window.before();
        if self.earlier.is_none() && before != [0, 0] {
            self.earlier = Some(Earlier::new(before, keeps_colors));
        }
    }

    /// Reads on, and says what is different now. `may_print` is whether its agent may be at work.
    pub(super) fn look(
        &mut self,
        feed: &mut dyn RunFeed,
        may_print: bool,
    ) -> (Option<Result<Patch, String>>, Pace) {
        let found = match &mut self.earlier {
            Some(_) => self.look_back(feed),
            None => self.look_on(feed, may_print),
        };
        match found {
            Ok((patch, pace)) => (patch.map(Ok), pace),
            Err(trouble) => {
                self.state = State::Broken;
                self.earlier = None;
                (Some(Err(trouble)), Pace::Never)
            }
        }
    }

    fn look_on(
        &mut self,
        run: &mut dyn RunFeed,
        may_print: bool,
    ) -> Result<(Option<Patch>, Pace), String> {
        if matches!(self.state, State::New) {
            let feed = run.output(self.unit, self.form)?;
            self.state = State::Reading { feed, last: VecDeque::new(), skipped: [0, 0] };
        }
        let idle = if may_print { Pace::Soon } else { Pace::Never };
        match &mut self.state {
            State::Reading { .. } => self.read_first(may_print, idle),
            State::Told { .. } if self.window.has_lost_end() => Ok((None, Pace::Never)),
            State::Told { feed, is_over } => {
                let portion = feed.more(PORTION)?;
                let mut lines = self.strands.take_in(portion.chunks);
                if !portion.has_more && !may_print && !*is_over {
                    *is_over = true;
                    lines.extend(self.strands.finish(feed.finish()));
                }
                let pace = if portion.has_more { Pace::AtOnce } else { idle };
                Ok((self.patch(lines), pace))
            }
            State::New | State::Broken => Ok((None, Pace::Never)),
        }
    }

    /// Goes on with reading it for the first time.
    fn read_first(&mut self, may_print: bool, idle: Pace) -> Result<(Option<Patch>, Pace), String> {
        let State::Reading { feed, last, skipped } = &mut self.state else {
            return Ok((None, idle));
        };
        let portion = feed.more(PORTION)?;
        let mut lines = self.strands.take_in(portion.chunks);
        let is_over = !portion.has_more && !may_print;
        if is_over {
            lines.extend(self.strands.finish(feed.finish()));
        }
        for line in lines {
            if last.len() == PAGE
                && let Some(first) = last.pop_front()
            {
                skipped[usize::from(first.is_error)] += 1;
            }
            last.push_back(line);
        }
        if portion.has_more {
            return Ok((None, Pace::AtOnce));
        }
        let State::Reading { feed, last, skipped } =
            std::mem::replace(&mut self.state, State::Broken)
        else {
            return Ok((None, idle));
        };
        self.state = State::Told { feed, is_over };
        let after = Vec::from(last);
        self.window.begin(skipped);
        self.window.add_after(&after);
        self.open = self.strands.open();
        let skipped = skipped.iter().sum();
        let patch = Patch {
            is_new: true,
            skipped,
            after,
            open: self.open.clone(),
            has_earlier: Some(skipped > 0),
            ..Patch::default()
        };
        Ok((Some(patch), idle))
    }

    /// What is different with these lines at the end; nothing if nothing is.
    fn patch(&mut self, after: Vec<Line>) -> Option<Patch> {
        let open = self.strands.open();
        if after.is_empty() && open == self.open {
            return None;
        }
        self.window.add_after(&after);
        self.open.clone_from(&open);
        Some(Patch { after, open, ..Patch::default() })
    }

    /// Goes on with reading earlier lines.
    fn look_back(&mut self, run: &mut dyn RunFeed) -> Result<(Option<Patch>, Pace), String> {
        let (unit, form) = (self.unit, self.form);
        let Some(earlier) = &mut self.earlier else { return Ok((None, Pace::AtOnce)) };
        let Some(before) = earlier.look(|| run.output(unit, form))? else {
            return Ok((None, Pace::AtOnce));
        };
        self.earlier = None;
        self.window.add_before(&before);
        let has_earlier = self.window.before() != [0, 0] && !before.is_empty();
        let open = if self.window.has_lost_end() { None } else { self.open.clone() };
        let patch = Patch { before, open, has_earlier: Some(has_earlier), ..Patch::default() };
        Ok((Some(patch), Pace::AtOnce))
    }
}

impl Strands {
    pub(super) fn new(keeps_colors: bool) -> Self {
        Self {
            out: Lines::new(false, keeps_colors),
            err: Lines::new(true, keeps_colors),
            last: OutputStream::Stdout,
        }
    }

    /// The lines that came to their end with these.
    pub(super) fn take_in(&mut self, chunks: Vec<Chunk>) -> Vec<Line> {
        let mut taken = Vec::new();
        for Chunk { stream, bytes, missing } in chunks {
            self.last = stream;
            let lines = match stream {
                OutputStream::Stdout => &mut self.out,
                OutputStream::Stderr => &mut self.err,
            };
            if missing > 0 {
                lines.miss();
            }
            lines.feed(&bytes);
            taken.extend(lines.take());
        }
        taken
    }

    /// The last lines, when nothing follows.
    pub(super) fn finish(&mut self, chunks: Vec<Chunk>) -> Vec<Line> {
        let mut taken = self.take_in(chunks);
        for lines in [&mut self.out, &mut self.err] {
            lines.finish();
            taken.extend(lines.take());
        }
        taken
    }

    /// A last line that has not come to its end.
    fn open(&self) -> Option<Line> {
        match self.last {
            OutputStream::Stdout => self.out.open().or_else(|| self.err.open()),
            OutputStream::Stderr => self.err.open().or_else(|| self.out.open()),
        }
    }
}
