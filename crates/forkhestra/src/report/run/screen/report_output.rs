//! The single output of a run, shared by all threads.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::id::LaneNumber;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::agent::stream::agent_event::AgentEvent;
use forkhestra_engine::now;
use forkhestra_engine::output::OutputSink;
use typeset::color_mode::{ColorMode, PrintStyle, painted};
use typeset::text::escaped_json;

use super::byte_sink::{ByteSink, DescriptorSink, same_place};
use super::lane_lines::{self, LaneLines};
use super::lane_output::LaneOutput;
use super::line_end::{LineEnd, WriteTarget};
use super::status_line::{CLEAR_ABANDONED, StatusLine};
use super::window::{LiveLineWindow, TerminalWindow};
use crate::report::agent::{
    AgentEventRenderer, RenderedEvent, SanitizedText, ToolRules, marked_continuation,
};
use crate::report::plan::dry_run::Verbosity;

/// Which part of an agent's output is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputFilter {
    Everything,
    /// Standard error only; standard output carries machine-readable data.
    Errors,
    Nothing,
}

/// How a run is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportSettings {
    pub(crate) color: ColorMode,
    /// Which part of an agent's output is shown.
    pub(crate) filter: OutputFilter,
    /// How much of the agents' events is shown.
    pub(crate) detail: Verbosity,
    /// Whether a live line is allowed, if standard output is a terminal.
    pub(crate) live: bool,
}

/// Output for all report text and all agent bytes of a run. Bytes of programs are never changed;
/// text of agents whose streams are parsed is made harmless. Each call is one write, and nothing is
/// buffered.
pub(crate) struct ReportOutput {
    filter: OutputFilter,
    stdout: ReportStreamState,
    stderr: ReportStreamState,
    /// Standard output, and standard error too if both lead to the same place.
    stdout_line: Mutex<LineEnd>,
    /// Standard error if it leads elsewhere, so that neither stream blocks the other.
    stderr_line: Option<Mutex<LineEnd>>,
    is_live: bool,
    /// Renders agents whose streams are parsed.
    renderer: Mutex<AgentEventRenderer>,
    /// The standard error of such an agent.
    stderr_text: Mutex<SanitizedText>,
    /// The lines of agents in lanes.
    lanes: Mutex<BTreeMap<LaneNumber, LaneLines>>,
    detail: Verbosity,
}

/// A stream of this process and its print style.
pub(crate) struct ReportStreamState {
    pub(crate) sink: Box<dyn ByteSink>,
    pub(crate) style: PrintStyle,
}

impl ReportOutput {
    /// Creates an output on the standard streams of this process.
    pub(crate) fn of_process(settings: ReportSettings) -> io::Result<Self> {
        let ReportSettings { color, filter: passes, detail, live } = settings;
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let is_live = live && passes == OutputFilter::Everything && stdout.is_terminal();
        let window: Option<Box<dyn LiveLineWindow>> = if is_live {
            Some(Box::new(TerminalWindow(stdout.as_fd().try_clone_to_owned()?)))
        } else {
            None
        };
        let shared = same_place(stdout.as_fd(), stderr.as_fd());
        let out = ReportStreamState {
            sink: Box::new(DescriptorSink::of(stdout.as_fd())?),
            style: color.style_for(&stdout),
        };
        let err = ReportStreamState {
            sink: Box::new(DescriptorSink::of(stderr.as_fd())?),
            style: color.style_for(&stderr),
        };
        Ok(Self::new(passes, out, err, shared, window).showing(detail))
    }

    /// Sets how much of the agents' events is shown.
    pub(crate) fn showing(mut self, detail: Verbosity) -> Self {
        self.renderer = Mutex::new(AgentEventRenderer::new(detail));
        self.detail = detail;
        self
    }

    /// Creates an output on these streams; `shared` if both lead to the same place.
    pub(crate) fn new(
        filter: OutputFilter,
        stdout: ReportStreamState,
        stderr: ReportStreamState,
        shared: bool,
        window: Option<Box<dyn LiveLineWindow>>,
    ) -> Self {
        let is_live = window.is_some();
        let status = window.map(|window| StatusLine::new(window, stdout.style.colored));
        let stdout_line = Mutex::new(LineEnd::new(status));
        let stderr_line = (!shared).then(|| Mutex::new(LineEnd::new(None)));
        let renderer = Mutex::new(AgentEventRenderer::new(Verbosity::Normal));
        let stderr_text = Mutex::new(SanitizedText::new(false));
        let (lanes, detail) = (Mutex::default(), Verbosity::Normal);
        Self {
            filter,
            stdout,
            stderr,
            stdout_line,
            stderr_line,
            is_live,
            renderer,
            stderr_text,
            lanes,
            detail,
        }
    }

    /// Writes standard error of an agent whose stream is parsed as harmless text, unless the filter
    /// drops it.
    pub(crate) fn write_stderr_text(&self, bytes: &[u8]) -> io::Result<()> {
        self.put_stderr_text(|text| text.feed(bytes))
    }

    /// Writes bytes of a program unchanged, unless the filter drops them.
    pub(crate) fn write(&self, stream: OutputStream, bytes: &[u8]) -> io::Result<()> {
        if !self.is_shown(stream) || bytes.is_empty() {
            return Ok(());
        }
        self.line(stream).pass(&*self.side(stream).sink, bytes)
    }

    /// Shows an event of an agent at time `now`, unless the filter drops it.
    pub(crate) fn show(&self, event: &AgentEvent<'_>, now: Timestamp) -> io::Result<()> {
        if !self.is_shown(OutputStream::Stdout) {
            return Ok(());
        }
        let mut renderer = self.renderer();
        let rendering = renderer.event(event, Some(now));
        self.put(&rendering)
    }

    /// Writes the lines that bytes of a program in a lane complete, unless the filter drops them.
    pub(super) fn write_in_lane(
        &self,
        lane: LaneNumber,
        stream: OutputStream,
        bytes: &[u8],
        now: Timestamp,
    ) -> io::Result<()> {
        if !self.is_shown(stream) {
            return Ok(());
        }
        self.with_lane(lane, stream, |lines| lines.buffer(stream).feed(bytes, now))?;
        self.write_overdue_lines(now)
    }

    /// Shows an event of an agent in a lane, unless the filter drops it.
    pub(super) fn show_in_lane(
        &self,
        lane: LaneNumber,
        event: &AgentEvent<'_>,
        now: Timestamp,
    ) -> io::Result<()> {
        if !self.is_shown(OutputStream::Stdout) {
            return Ok(());
        }
        self.with_lane(lane, OutputStream::Stdout, |lines| {
            let rendered = lines.renderer.event(event, Some(now));
            lines.stdout.show(&rendered, now)
        })?;
        self.write_overdue_lines(now)
    }

    /// Writes the beginnings of lines of agents in lanes that were held long enough.
    pub(crate) fn write_overdue_lines(&self, now: Timestamp) -> io::Result<()> {
        for stream in [OutputStream::Stdout, OutputStream::Stderr] {
            let mut lanes = self.lanes();
            for (lane, lines) in lanes.iter_mut() {
                let overdue = lines.buffer(stream).take_overdue(now);
                self.write_lane_lines(*lane, stream, &overdue)?;
            }
        }
        Ok(())
    }

    /// Lends the pipe to which [`Self::write`] writes, if there is one. The stream stays locked
    /// until `put` returns the last byte it wrote, if any.
    pub(crate) fn lend_pipe(
        &self,
        stream: OutputStream,
        put: &mut dyn FnMut(BorrowedFd<'_>) -> Option<u8>,
    ) {
        if let Some(pipe) = self.side(stream).sink.pipe().filter(|_| self.is_shown(stream)) {
            self.line(stream).note_passed(|| put(pipe));
        }
    }

    /// Writes report text to standard output, from the start of a line.
    pub(crate) fn write_report(&self, text: &str) -> io::Result<()> {
        self.write_to(OutputStream::Stdout, text)
    }

    /// Writes report text to standard error, from the start of a line.
    pub(crate) fn write_error(&self, text: &str) -> io::Result<()> {
        self.write_to(OutputStream::Stderr, text)
    }

    /// Writes JSON to standard output.
    pub(crate) fn data(&self, text: &str) -> io::Result<()> {
        self.line(OutputStream::Stdout).write_lines(&*self.stdout.sink, &escaped_json(text))
    }

    /// Sets the text of the live line for its next drawing.
    pub(crate) fn set_status(&self, text: Option<String>) {
        if let Some(live) = self.line(OutputStream::Stdout).live() {
            live.status().set_text(text);
        }
    }

    /// Draws or removes the live line if it is outdated.
    pub(crate) fn refresh_status(&self) -> io::Result<()> {
        self.write_overdue_lines(now().wall)?;
        match self.line(OutputStream::Stdout).live() {
            None => Ok(()),
            Some(live) => live.refresh(&*self.stdout.sink),
        }
    }

    /// Hides the live line until it is shown again: before the process is suspended, or while other
    /// programs draw.
    pub(crate) fn hide_status(&self, is_hidden: bool) -> io::Result<()> {
        let mut line = self.line(OutputStream::Stdout);
        let Some(live) = line.live() else { return Ok(()) };
        live.status().set_hidden(is_hidden);
        live.refresh(&*self.stdout.sink)
    }

    /// Clears a live line that another, finished process drew on the same terminal.
    pub(crate) fn clear_abandoned_status(&self) -> io::Result<()> {
        match self.is_live {
            true => self.stdout.sink.write_all(CLEAR_ABANDONED),
            false => Ok(()),
        }
    }

    /// Notes that the terminal behind a stream showed the line end that a user typed.
    pub(crate) fn note_typed_line_end(&self, stream: OutputStream) {
        self.line(stream).note_typed_line_end();
    }

    /// Removes an unfinished line of a stream, if that is possible.
    pub(crate) fn clear_unfinished_line(&self, stream: OutputStream) -> io::Result<()> {
        self.line(stream).clear_unfinished_line(&*self.side(stream).sink)
    }

    /// Sets the tool rules of the agent that begins, in a lane or in the user's work tree.
    pub(crate) fn agent_begins(&self, lane: Option<LaneNumber>, rules: ToolRules) {
        match lane {
            Some(lane) => self.lane_lines(&mut self.lanes(), lane).agent_begins(rules),
            None => self.renderer().agent_begins(rules),
        }
    }

    /// Ends the output of an agent and resets its effects on the terminal.
    pub(crate) fn agent_is_gone(&self, lane: Option<LaneNumber>) -> io::Result<()> {
        match lane {
            Some(lane) => self.agent_in_lane_is_gone(lane, now().wall),
            None => self.only_agent_is_gone(),
        }
    }

    fn agent_in_lane_is_gone(&self, lane: LaneNumber, now: Timestamp) -> io::Result<()> {
        let last = |lines: &mut LaneLines| {
            let last = lines.renderer.agent_is_gone();
            let shown = lines.stdout.show(&last, now);
            shown.into_iter().chain(lines.stdout.finish(now)).collect()
        };
        let shown = self.with_lane(lane, OutputStream::Stdout, last);
        shown.and(self.with_lane(lane, OutputStream::Stderr, |lines| lines.stderr.finish(now)))
    }

    fn only_agent_is_gone(&self) -> io::Result<()> {
        let last = self.renderer().agent_is_gone();
        let shown = self.put(&last).and(self.put_stderr_text(SanitizedText::finish));
        for stream in [OutputStream::Stdout, OutputStream::Stderr] {
            if let Some(live) = self.line(stream).live() {
                live.release();
            }
        }
        shown
    }

    /// Whether there is a live line.
    pub(crate) const fn has_status(&self) -> bool {
        self.is_live
    }

    /// Whether a write may block until a reader reads.
    pub(crate) fn may_wait(&self) -> bool {
        self.stdout.sink.may_wait() || self.stderr.sink.may_wait()
    }

    /// Whether agent bytes on this stream are shown.
    fn is_shown(&self, stream: OutputStream) -> bool {
        match self.filter {
            OutputFilter::Everything => true,
            OutputFilter::Errors => stream == OutputStream::Stderr,
            OutputFilter::Nothing => false,
        }
    }

    fn write_to(&self, stream: OutputStream, text: &str) -> io::Result<()> {
        let side = self.side(stream);
        self.line(stream).write_lines(&*side.sink, &painted(text, side.style))
    }

    /// Writes a rendered agent event.
    fn put(&self, rendering: &RenderedEvent) -> io::Result<()> {
        let text = |text: &str| painted(text, self.stdout.style).into_owned();
        let mut line = self.line(OutputStream::Stdout);
        let sink = &*self.stdout.sink;
        match rendering {
            RenderedEvent::Nothing => Ok(()),
            RenderedEvent::EndOfLine => line.show(sink, WriteTarget::LineStart, b""),
            RenderedEvent::More(more) if line.at_line_start() => {
                let more = marked_continuation(more);
                line.show(sink, WriteTarget::Anywhere, text(&more).as_bytes())
            }
            RenderedEvent::More(more) => {
                line.show(sink, WriteTarget::Anywhere, text(more).as_bytes())
            }
            RenderedEvent::Lines(lines) => {
                line.show(sink, WriteTarget::LineStart, text(lines).as_bytes())
            }
        }
    }

    /// Writes a piece of an agent's standard error. Another stream may have ended the line that it
    /// continues.
    fn put_stderr_text(&self, piece: impl FnOnce(&mut SanitizedText) -> String) -> io::Result<()> {
        let mut text = self.stderr_text.lock().unwrap_or_else(PoisonError::into_inner);
        let continues = text.is_inside_line();
        let shown = piece(&mut text);
        if shown.is_empty() || !self.is_shown(OutputStream::Stderr) {
            return Ok(());
        }
        let mut line = self.line(OutputStream::Stderr);
        let is_cut = continues && line.at_line_start();
        let shown = if is_cut { marked_continuation(&shown) } else { shown };
        line.pass(&*self.stderr.sink, shown.as_bytes())
    }

    /// Lets a lane take output, and writes the lines that are complete.
    fn with_lane(
        &self,
        lane: LaneNumber,
        stream: OutputStream,
        take: impl FnOnce(&mut LaneLines) -> Vec<String>,
    ) -> io::Result<()> {
        let mut lanes = self.lanes();
        let lines = take(self.lane_lines(&mut lanes, lane));
        self.write_lane_lines(lane, stream, &lines)
    }

    fn write_lane_lines(
        &self,
        lane: LaneNumber,
        stream: OutputStream,
        lines: &[String],
    ) -> io::Result<()> {
        if lines.is_empty() || !self.is_shown(stream) {
            return Ok(());
        }
        self.write_to(stream, &lane_lines::labelled(lane, lines))
    }

    fn lane_lines<'a>(
        &self,
        lanes: &'a mut BTreeMap<LaneNumber, LaneLines>,
        lane: LaneNumber,
    ) -> &'a mut LaneLines {
        let new = || LaneLines::new(self.detail, self.stdout.style.colored);
        lanes.entry(lane).or_insert_with(new)
    }

    fn lanes(&self) -> MutexGuard<'_, BTreeMap<LaneNumber, LaneLines>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn renderer(&self) -> MutexGuard<'_, AgentEventRenderer> {
        self.renderer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn side(&self, stream: OutputStream) -> &ReportStreamState {
        match stream {
            OutputStream::Stdout => &self.stdout,
            OutputStream::Stderr => &self.stderr,
        }
    }

    /// Locks the end of a stream. The holder of the lock is the only writer.
    fn line(&self, stream: OutputStream) -> MutexGuard<'_, LineEnd> {
        let line = match (stream, &self.stderr_line) {
            (OutputStream::Stderr, Some(second)) => second,
            (OutputStream::Stdout | OutputStream::Stderr, _) => &self.stdout_line,
        };
        line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the live line at an orderly exit.
impl Drop for ReportOutput {
    fn drop(&mut self) {
        // A failure cannot be reported any more.
        let _ = self.hide_status(true);
    }
}

impl OutputSink for ReportOutput {
    fn write(&self, stream: OutputStream, bytes: &[u8]) -> io::Result<()> {
        Self::write(self, stream, bytes)
    }

    fn write_stderr_text(&self, bytes: &[u8]) -> io::Result<()> {
        Self::write_stderr_text(self, bytes)
    }

    fn write_event(&self, event: &AgentEvent<'_>) -> io::Result<()> {
        Self::show(self, event, now().wall)
    }

    fn lend_pipe(&self, stream: OutputStream, put: &mut dyn FnMut(BorrowedFd<'_>) -> Option<u8>) {
        Self::lend_pipe(self, stream, put);
    }

    fn of_lane(self: Arc<Self>, lane: LaneNumber) -> Option<Arc<dyn OutputSink>> {
        Some(Arc::new(LaneOutput { output: self, lane }))
    }
}
